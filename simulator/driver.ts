import pg from 'pg';
import { thisMachine } from './time.ts';
import type { Wire } from './wire.ts';

const wires = new WeakMap<object, Wire>();

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
type Connect = (this: pg.Client, done?: (error?: unknown) => void) => Promise<void> | void;

/** The database's clock is the world's: statements and functions that ask for the time get it from a table. */
export const SIMULATED_NOW = 'simulated_now()';
const CLOCK = /\b(?:clock_timestamp|now)\(\)/g;
const rewritten = new Map<string, string>();

function withClock(text: string): string {
  if (!text.includes('now()') && !text.includes('clock_timestamp()')) return text;
  let found = rewritten.get(text);
  if (found === undefined) {
    found = text.replace(CLOCK, SIMULATED_NOW);
    rewritten.set(text, found);
  }
  return found;
}

const names = new Map<string, string>();

/** A name for a statement, under which a connection plans it once: a story asks the same some hundred thousand times. */
export function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `simulated_${names.size}`;
    names.set(text, name);
  }
  return name;
}

let isInstalled = false;

/** Puts wires between the driver and its users, in the whole process. Connections without a wire work as ever. */
export function installWires(): void {
  if (isInstalled) return;
  isInstalled = true;
  const prototype = pg.Client.prototype as unknown as { query: Query; connect: Connect };
  const { query, connect } = prototype;
  countCrypto();
  // Time stands while a connection is made, as it does for a statement.
  prototype.connect = function (this: pg.Client, done) {
    const wire = wireOf(this);
    if (wire === undefined || done === undefined) return connect.call(this, done);
    wire.begin();
    return connect.call(this, (error) => {
      wire.end();
      done(error);
    });
  };
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const wire = wireOf(this);
    if (wire === undefined) return query.apply(this, args);
    return onWire(wire, this, query, args);
  };
}

/** Signatures are made and checked on threads: time stands meanwhile, however long the machine takes. */
function countCrypto(): void {
  type Work = (...args: unknown[]) => Promise<unknown>;
  const subtle = Object.getPrototypeOf(crypto.subtle) as Record<string, Work>;
  for (const name of ['sign', 'verify', 'digest', 'importKey', 'exportKey', 'generateKey']) {
    const work = subtle[name];
    if (work === undefined) throw new Error(`no crypto.subtle.${name}`);
    subtle[name] = async function (this: unknown, ...args) {
      const wire = thisMachine()?.wire;
      wire?.begin();
      return work.apply(this, args).finally(() => wire?.end());
    };
  }
}

function wireOf(client: pg.Client): Wire | undefined {
  const known = wires.get(client);
  if (known !== undefined) return known;
  // A connection is made by whoever works on a machine, and stays that machine's.
  const wire = thisMachine()?.wire;
  if (wire === undefined) return undefined;
  wires.set(client, wire);
  wire.clients.add(client);
  client.once('end', () => wire.clients.delete(client));
  return wire;
}

class WireCut extends Error {
  readonly code = 'ECONNRESET';
}

/** What is sent for a statement: with values it gets a name, unless it has one. */
function planned(config: unknown, text: string, rest: readonly unknown[]): unknown {
  if (typeof config === 'string')
    return Array.isArray(rest[0]) && rest[0].length > 0 ? { name: statementName(text), text } : text;
  const { name, values } = config as pg.QueryConfig;
  const isNamed =
    name !== undefined || (values ?? rest[0]) === undefined || typeof (values ?? rest[0]) === 'function';
  return { ...(config as object), text, ...(isNamed ? {} : { name: statementName(text) }) };
}

function onWire(wire: Wire, client: pg.Client, query: Query, args: unknown[]): unknown {
  const [config, ...rest] = args;
  const text = typeof config === 'string' ? config : ((config as pg.QueryConfig | undefined)?.text ?? '');
  const asked = withClock(text);
  const sent = [planned(config, asked, rest), ...rest];
  const callback = args.at(-1);
  const isCallback = typeof callback === 'function';
  const work = async (): Promise<unknown> => {
    wire.begin();
    try {
      if (wire.isCut) throw new WireCut('the connection is gone');
      await wire.rules?.before(text, client);
      if (wire.isCut) throw new WireCut('the connection is gone');
      const promised = isCallback ? sent.slice(0, -1) : sent;
      const result = await (query.apply(client, promised) as Promise<unknown>);
      await wire.rules?.after(text);
      return result;
    } finally {
      wire.end();
    }
  };
  const answered = work();
  if (!isCallback) return answered;
  answered.then(
    (result) => (callback as (error: undefined, result: unknown) => void)(undefined, result),
    (error: unknown) => (callback as (error: unknown) => void)(error),
  );
  return undefined;
}
