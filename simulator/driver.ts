import pg from 'pg';
import { makeNobodys, RESET_SESSION } from './spares.ts';
import { type Machine, thisMachine } from './time.ts';

/** The machine of each connection. */
const owners = new WeakMap<object, Machine>();

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
type Connect = (this: pg.Client, done?: (error?: unknown) => void) => Promise<void> | void;

/** The database's clock is the world's: statements and functions that ask for the time get it from a table. */
export const SIMULATED_NOW = 'simulated_now()';
const CLOCK = /\b(?:clock_timestamp|now)\(\)/g;
/** What the server ends by itself after a while, it ends sooner on a busy machine: in a story it ends nothing. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;
const LIMIT = new RegExp(`\\b(?:${LIMITS.join('|')})\\b`, 'g');
/** Workers bring rows in the order in which they come to them. */
const SESSION = ['max_parallel_workers_per_gather', ...LIMITS].map((name) => `-c ${name}=0`).join(' ');
const rewritten = new Map<string, string>();

function withoutRealTime(text: string): string {
  let found = rewritten.get(text);
  if (found === undefined) {
    found = text.replace(CLOCK, SIMULATED_NOW).replace(LIMIT, (name) => `simulated.${name}`);
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
  passCrypto();
  prototype.connect = function (this: pg.Client, done) {
    const machine = ownerOf(this);
    if (machine === undefined || done === undefined) return connect.call(this, done);
    const parameters = (this as unknown as { connectionParameters: { options: string } })
      .connectionParameters;
    parameters.options = `${parameters.options} ${SESSION}`;
    makeNobodys(this);
    keepOn(machine, this);
    const connected = async () => {
      if (machine.wire.isCut) throw new WireCut('the server cannot be reached');
      const begin = (over: (error?: unknown) => void) => void connect.call(this, over);
      const adopted = machine.world.spares.adopt(this, begin);
      if (adopted === undefined)
        return new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve())));
      await adopted;
      await query.call(this, RESET_SESSION);
    };
    machine.world.gate.pass(connected).then(() => done(), done);
  };
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const machine = ownerOf(this);
    if (machine === undefined) return query.apply(this, args);
    return onWire(machine, this, query, args);
  };
}

/** What arrives for a client happens on its machine. */
function keepOn(machine: Machine, client: pg.Client): void {
  const { connection } = client as unknown as { connection: { emit: (...reported: unknown[]) => boolean } };
  const emit = connection.emit.bind(connection);
  connection.emit = (...reported) => machine.run(() => emit(...reported));
}

/** Signatures are made and checked on threads. */
function passCrypto(): void {
  type Work = (...args: unknown[]) => Promise<unknown>;
  const subtle = Object.getPrototypeOf(crypto.subtle) as Record<string, Work>;
  for (const name of ['sign', 'verify', 'digest', 'importKey', 'exportKey', 'generateKey']) {
    const work = subtle[name];
    if (work === undefined) throw new Error(`no crypto.subtle.${name}`);
    subtle[name] = async function (this: unknown, ...args) {
      const signed = () => work.apply(this, args);
      return thisMachine()?.world.gate.pass(signed) ?? signed();
    };
  }
}

function ownerOf(client: pg.Client): Machine | undefined {
  const known = owners.get(client);
  if (known !== undefined) return known;
  // A connection is made by whoever works on a machine, and stays that machine's.
  const machine = thisMachine();
  if (machine === undefined) return undefined;
  owners.set(client, machine);
  const { clients } = machine.wire;
  clients.add(client);
  client.once('end', () => clients.delete(client));
  return machine;
}

class WireCut extends Error {
  readonly code = 'ECONNRESET';
}

/** One that can be planned ahead: no command, and not several. */
const ONE_STATEMENT = /^\s*(?:select|with|insert|update|delete)\b[^;]*$/i;

/** What is sent for a statement: unless it has a name, it gets one where a name serves. */
function planned(config: unknown, text: string, rest: readonly unknown[]): unknown {
  const given = typeof config === 'string' ? undefined : (config as pg.QueryConfig);
  const values = given?.values ?? rest[0];
  const isPlanned =
    given?.name === undefined && ((Array.isArray(values) && values.length > 0) || ONE_STATEMENT.test(text));
  return { ...given, text, ...(isPlanned ? { name: statementName(text) } : {}) };
}

function onWire({ wire, world }: Machine, client: pg.Client, query: Query, args: unknown[]): unknown {
  const [config, ...rest] = args;
  const text = typeof config === 'string' ? config : ((config as pg.QueryConfig | undefined)?.text ?? '');
  const asked = withoutRealTime(text);
  const sent = [planned(config, asked, rest), ...rest];
  const callback = args.at(-1);
  const isCallback = typeof callback === 'function';
  const processId = () => (client as unknown as { processID?: number }).processID;
  const send = async (): Promise<unknown> => {
    if (wire.isCut) throw new WireCut('the connection is gone');
    return query.apply(client, isCallback ? sent.slice(0, -1) : sent);
  };
  const work = async (): Promise<unknown> => {
    let held: Promise<void> | undefined;
    const { gate } = world;
    let result = await gate.pass(async () => {
      held = wire.isCut ? undefined : wire.rules?.before(text, client);
      return held === undefined ? send() : undefined;
    }, processId);
    if (held !== undefined) {
      await held;
      result = await gate.pass(send, processId);
    }
    await wire.rules?.after(text);
    return result;
  };
  const answered = work();
  if (!isCallback) return answered;
  answered.then(
    (result) => (callback as (error: undefined, result: unknown) => void)(undefined, result),
    (error: unknown) => (callback as (error: unknown) => void)(error),
  );
  return undefined;
}
