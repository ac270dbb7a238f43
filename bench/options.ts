import { type Call, readFlags } from '../scripts/flags.ts';
import { LOAD_PATHS, type LoadPath } from './operations.ts';

export interface Options {
  /** Measured time of one load, after the warm-up. */
  readonly measureMs: number;
  readonly warmUpMs: number;
  /** Of an open loop. */
  readonly openMs: number;
  /** After the last load, before the memory is looked at again. */
  readonly restMs: number;
  readonly rounds: number;
  readonly connections: number;
  readonly customers: number;
  /** Trades that are there before. */
  readonly history: number;
  /** Payments of the statement that is imported; 0 leaves it out. */
  readonly payments: number;
  readonly pgbenchScale: number;
  readonly paths: readonly LoadPath[];
  readonly isByTable: boolean;
  /** Write bench/RESULTS.md. */
  readonly isKept: boolean;
  /** A folder for a profile of the service's processor time. */
  readonly profile: string | undefined;
}

const FULL: Options = {
  measureMs: 3_000,
  warmUpMs: 1_000,
  openMs: 8_000,
  // Where it has much, the service gives memory back once a minute, with the next collections of its heap.
  restMs: 90_000,
  rounds: 3,
  connections: 64,
  customers: 1_000,
  history: 1_000_000,
  payments: 5_000,
  pgbenchScale: 16,
  paths: LOAD_PATHS,
  isByTable: false,
  isKept: false,
  profile: undefined,
};

/** Some seconds, on an empty database: shows that everything runs, and measures nothing. */
export const SHORT: Options = {
  ...FULL,
  measureMs: 250,
  warmUpMs: 100,
  openMs: 500,
  restMs: 500,
  rounds: 1,
  connections: 8,
  customers: 6,
  history: 0,
  payments: 20,
  pgbenchScale: 1,
};

const USAGE =
  'npm run bench [-- --short] [--history 10000000] [--path quote,trade] [--seconds 3] [--rounds 3] [--connections 64] [--customers 1000] [--payments 5000] [--tables] [--results] [--profile FOLDER]';

/** @param call as for {@link readFlags} */
export function readOptions(call?: Call): Options {
  const flags = readFlags(
    {
      usage: USAGE,
      values: ['seconds', 'rounds', 'connections', 'customers', 'history', 'payments', 'path', 'profile'],
      switches: ['short', 'tables', 'results'],
    },
    call,
  );
  const base = flags.has('short') ? SHORT : FULL;
  const wanted = flags.text('path')?.split(',');
  const unknown = wanted?.find((name) => !LOAD_PATHS.some((path) => path === name));
  if (unknown !== undefined) flags.refuse(`--path takes some of ${LOAD_PATHS.join(', ')}`);
  const seconds = flags.number('seconds', 0, 1, 60);
  const options: Options = {
    ...base,
    ...(seconds === 0 ? {} : { measureMs: seconds * 1_000 }),
    rounds: flags.number('rounds', base.rounds, 1, 20),
    connections: flags.number('connections', base.connections, 1, 512),
    customers: flags.number('customers', base.customers, 1, 5_000),
    history: flags.number('history', base.history, 0, 50_000_000),
    payments: flags.number('payments', base.payments, 0, 50_000),
    paths: LOAD_PATHS.filter((path) => wanted?.includes(path) ?? true),
    isByTable: flags.has('tables'),
    isKept: flags.has('results'),
    profile: flags.text('profile'),
  };
  if (hasNothingToRead(options))
    flags.refuse(
      '--path read-transaction and read-quote read trades: add --history, --payments or the path trade',
    );
  return options;
}

function hasNothingToRead({ paths, history, payments }: Options): boolean {
  const isReading = paths.includes('read-transaction') || paths.includes('read-quote');
  return isReading && history === 0 && payments === 0 && !paths.includes('trade');
}
