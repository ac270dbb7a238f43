import { LOAD_PATHS, type LoadPath } from './operations.ts';

export interface Options {
  /** Measured time of one load, after the warm-up. */
  readonly measureMs: number;
  readonly warmUpMs: number;
  /** Of an open loop. */
  readonly openMs: number;
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
  rounds: 1,
  connections: 8,
  customers: 6,
  history: 0,
  payments: 20,
  pgbenchScale: 1,
};

/** @throws Error on a flag that is not known or has a wrong value */
export function readOptions(argv: readonly string[]): Options {
  const left = [...argv];
  const isThere = (flag: string) => {
    const at = left.indexOf(flag);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const value = (flag: string) => {
    const at = left.indexOf(flag);
    return at < 0 ? undefined : (left.splice(at, 2)[1] ?? '');
  };
  const number = (flag: string, fallback: number, min: number, max: number) => {
    const text = value(flag);
    if (text === undefined) return fallback;
    const found = /^\d{1,8}$/.test(text) ? Number.parseInt(text, 10) : -1;
    if (found < min || found > max) throw new Error(`${flag} takes a whole number from ${min} to ${max}`);
    return found;
  };
  const base = isThere('--short') ? SHORT : FULL;
  const wanted = value('--path')?.split(',');
  const unknown = wanted?.find((name) => !LOAD_PATHS.some((path) => path === name));
  if (unknown !== undefined) throw new Error(`--path takes some of ${LOAD_PATHS.join(', ')}`);
  const seconds = number('--seconds', 0, 1, 60);
  const options: Options = {
    ...base,
    ...(seconds === 0 ? {} : { measureMs: seconds * 1_000 }),
    rounds: number('--rounds', base.rounds, 1, 20),
    connections: number('--connections', base.connections, 1, 512),
    customers: number('--customers', base.customers, 1, 5_000),
    history: number('--history', base.history, 0, 50_000_000),
    payments: number('--payments', base.payments, 0, 50_000),
    paths: LOAD_PATHS.filter((path) => wanted?.includes(path) ?? true),
    isByTable: isThere('--tables'),
    isKept: isThere('--results'),
    profile: value('--profile'),
  };
  if (left.length > 0) throw new Error(`${left[0]} is not known here`);
  return options;
}
