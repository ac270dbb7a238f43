import pg from 'pg';
import { thisMachine } from './time.ts';
import type { Wire } from './wire.ts';

const wires = new WeakMap<object, Wire>();

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

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

let isInstalled = false;

/** Puts wires between the driver and its users, in the whole process. Connections without a wire work as ever. */
export function installWires(): void {
  if (isInstalled) return;
  isInstalled = true;
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const wire = wireOf(this);
    if (wire === undefined) return query.apply(this, args);
    return onWire(wire, this, query, args);
  };
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

function onWire(wire: Wire, client: pg.Client, query: Query, args: unknown[]): unknown {
  const [config, ...rest] = args;
  const text = typeof config === 'string' ? config : ((config as pg.QueryConfig | undefined)?.text ?? '');
  const asked = withClock(text);
  const sent =
    asked === text
      ? args
      : [typeof config === 'string' ? asked : { ...(config as object), text: asked }, ...rest];
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
