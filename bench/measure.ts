import { setTimeout as sleep } from 'node:timers/promises';
import { checkBooks } from '../packages/service/src/ledger/check-books.ts';
import { footprint, Growth } from './bytes.ts';
import type { Latency, LoadOrder, LoadResult } from './load.ts';
import type { LoadPath } from './operations.ts';
import type { Options } from './options.ts';
import { measurePayments, type PaymentFigures } from './payments.ts';
import { findPgbench, Pgbench } from './pgbench.ts';
import { cpuSeconds, memoryMb, type Running } from './processes.ts';
import type { Stage } from './stage.ts';

/** Who is measured in turns: the service with many customers and with one, and what it is held against. */
export type Side = 'floor' | 'insert' | 'pgbench' | 'many' | 'one';

/** Processor time of an operation, microseconds. */
export interface Cost {
  readonly server: number | undefined;
  readonly database: number | undefined;
  readonly load: number | undefined;
}

export interface Sample {
  /** All that were answered, warm-up included. */
  readonly operations: number;
  readonly perSecond: number;
  readonly latency: Latency | undefined;
  readonly errors: number;
  readonly firstError: string | undefined;
  readonly cost: Cost;
}

export interface OpenSample {
  readonly operations: number;
  readonly path: LoadPath;
  readonly arrivals: number;
  readonly latency: Latency;
  readonly execution: Latency | undefined;
  readonly perSecond: number;
  readonly errors: number;
  readonly firstError: string | undefined;
}

export interface Rows {
  readonly quotes: number;
  readonly transactions: number;
  readonly entries: number;
  /** Balances, positions and other sums that are not what journal, quotes and transactions come to. */
  readonly off: number;
}

export interface Figures {
  readonly samples: ReadonlyMap<LoadPath, ReadonlyMap<Side, readonly Sample[]>>;
  readonly open: readonly OpenSample[];
  readonly payments: PaymentFigures | undefined;
  readonly trades: Growth;
  /** Resident memory of the service, MB; undefined where there is no /proc. */
  readonly memory: { readonly atEnd: number; readonly rested: number; readonly most: number } | undefined;
  /** Why there is no pgbench, or its version. */
  readonly pgbench: { readonly version: string } | { readonly skipped: string };
  readonly answered: Pick<Rows, 'quotes' | 'transactions'>;
  readonly found: Rows;
}

export const SIDES: Readonly<Record<LoadPath, readonly Side[]>> = {
  indicative: ['floor', 'many', 'one'],
  trade: ['floor', 'pgbench', 'many', 'one'],
  'read-transaction': ['floor', 'many'],
  'read-quote': ['floor', 'many'],
  'list-transactions': ['many'],
  quote: ['floor', 'insert', 'many', 'one'],
};
/** The clock of the sandbox is ahead of this one when payments were settled. */
const AHEAD_MS = 10 * 86_400_000;
const OPEN_PATHS: readonly LoadPath[] = ['trade', 'quote'];
/** Enough that an arrival hardly ever waits for one. */
const OPEN_CONNECTIONS = 256;

/** Estimates of each customer before anything is measured, and how long they may take. */
const ASKED_BEFORE = 20;
const ASKED_LIMIT_MS = 60_000;

interface Peers {
  readonly floor: Running;
  readonly insert: Running;
  readonly pgbench: Pgbench | undefined;
}

/** One run of everything that was asked for. */
export class Measurement {
  readonly #stage: Stage;
  readonly #options: Options;
  readonly #notify: (line: string) => void;
  readonly #answered = { quotes: 0, transactions: 0 };
  readonly #trades = new Growth();
  #loads = 0;

  constructor(stage: Stage, options: Options, notify: (line: string) => void) {
    this.#stage = stage;
    this.#options = options;
    this.#notify = notify;
  }

  async run(): Promise<Figures> {
    const { pool, service } = this.#stage;
    const before = await this.#rows();
    const found = findPgbench();
    const peers = await this.#peers(found?.program);
    for (const { port } of [peers.floor, service]) await this.#letAllAsk(port);
    const payments = await this.#payments();
    const samples = new Map<LoadPath, ReadonlyMap<Side, readonly Sample[]>>();
    const open: OpenSample[] = [];
    for (const path of this.#options.paths) {
      const ofPath = await this.#inTurns(path, peers);
      samples.set(path, ofPath);
      if (OPEN_PATHS.includes(path)) open.push(await this.#open(path, ofPath.get('many') ?? []));
    }
    const atEnd = memoryMb(service.pid);
    await pool.query('checkpoint');
    const after = await this.#rows();
    await sleep(this.#options.restMs);
    const rested = memoryMb(service.pid);
    const memory = atEnd && rested && { atEnd: atEnd.now, rested: rested.now, most: rested.most };
    return {
      ...{ samples, open, payments, memory, trades: this.#trades, answered: this.#answered },
      pgbench: found ?? { skipped: 'pgbench is not installed (Debian: postgresql-contrib or postgresql)' },
      found: {
        quotes: after.quotes - before.quotes,
        transactions: after.transactions - before.transactions,
        entries: after.entries - before.entries,
        off: after.off,
      },
    };
  }

  /** A token is verified once in a day, and code is compiled once: neither is a cost of what happens to be measured first. */
  async #letAllAsk(port: number): Promise<void> {
    const { customers, connections } = this.#options;
    const callersFile = await this.#stage.callers(customers);
    const most = customers * ASKED_BEFORE;
    const loop = { connections, warmUpMs: 0, measureMs: ASKED_LIMIT_MS, most };
    const { total, errors, firstError } = await this.#load('indicative', { port, callersFile, ...loop });
    if (errors > 0 || total < most)
      throw new Error(
        `before anything is measured: ${total} of ${most} estimates; ${firstError ?? 'too slow'}`,
      );
  }

  async #peers(program: string | undefined): Promise<Peers> {
    const { programs, database, pool } = this.#stage;
    const isWanted = (side: Side) => this.#options.paths.some((path) => SIDES[path].includes(side));
    const floor = await programs.serve('bench/floor.ts', {});
    await pool.query('create database one_insert');
    const url = new URL(database.connectionString);
    url.pathname = '/one_insert';
    const insert = await programs.serve('bench/one-insert.ts', { DATABASE_URL: url.href });
    if (program === undefined || !isWanted('pgbench')) return { floor, insert, pgbench: undefined };
    const pgbench = new Pgbench(program, database);
    await pgbench.prepare((sql) => pool.query(sql), this.#options.pgbenchScale);
    return { floor, insert, pgbench };
  }

  /** Trades that are made for it, so that those of the loads are let alone. */
  async #payments(): Promise<PaymentFigures | undefined> {
    const { payments: count, connections } = this.#options;
    if (count === 0) return undefined;
    const before = await footprint(this.#stage.pool);
    const result = await this.#load('trade', {
      port: this.#stage.service.port,
      callersFile: await this.#stage.callers(this.#options.customers),
      ...{ connections, warmUpMs: 0, measureMs: 120_000, most: count },
    });
    // Only now: what payments leave behind is room that later trades take without growing anything.
    this.#trades.add(before, await footprint(this.#stage.pool), result.total);
    this.#count('trade', result.total);
    if (result.errors > 0) throw new Error(`trades to be paid: ${result.firstError}`);
    return measurePayments(this.#stage, count);
  }

  async #inTurns(path: LoadPath, peers: Peers): Promise<ReadonlyMap<Side, readonly Sample[]>> {
    // With what there is to read by now.
    const many = await this.#stage.callers(this.#options.customers);
    const one = await this.#stage.callers(1);
    const sides = SIDES[path].filter((side) => side !== 'pgbench' || peers.pgbench !== undefined);
    const samples = new Map<Side, Sample[]>(sides.map((side) => [side, []]));
    for (let round = 0; round < this.#options.rounds; round++) {
      for (const side of sides) {
        const sample =
          side === 'pgbench' && peers.pgbench !== undefined
            ? await this.#pgbench(peers.pgbench)
            : await this.#closed(path, side, peers, side === 'one' ? one : many);
        samples.get(side)?.push(sample);
      }
    }
    this.#notify(`${path} measured`);
    return samples;
  }

  async #closed(path: LoadPath, side: Side, peers: Peers, callersFile: string): Promise<Sample> {
    const server = side === 'floor' ? peers.floor : side === 'insert' ? peers.insert : this.#stage.service;
    const { connections, warmUpMs, measureMs } = this.#options;
    const isService = side === 'many' || side === 'one';
    const isTrade = isService && path === 'trade' && this.#options.payments === 0;
    const before = isTrade ? await footprint(this.#stage.pool) : undefined;
    const spent = this.#spent(server.pid);
    const result = await this.#load(path, {
      ...{ port: server.port, callersFile, connections, warmUpMs, measureMs },
    });
    const cost = spent(result.total, result.cpuSeconds);
    if (isService) this.#count(path, result.total);
    if (before !== undefined) this.#trades.add(before, await footprint(this.#stage.pool), result.total);
    const { perSecond, latency, errors, firstError } = result;
    return { operations: result.total, perSecond, latency, errors, firstError, cost };
  }

  async #pgbench(pgbench: Pgbench): Promise<Sample> {
    const seconds = Math.max(1, Math.round(this.#options.measureMs / 1_000));
    const spent = this.#spent(undefined);
    const perSecond = await pgbench.measure(seconds);
    const operations = perSecond * seconds;
    const cost = spent(operations, undefined);
    return { operations, perSecond, latency: undefined, errors: 0, firstError: undefined, cost };
  }

  /** Arrivals at half of what the closed loop came to. */
  async #open(path: LoadPath, peak: readonly Sample[]): Promise<OpenSample> {
    const arrivals = Math.max(1, Math.round(median(peak.map(({ perSecond }) => perSecond)) / 2));
    const result = await this.#load(path, {
      port: this.#stage.service.port,
      callersFile: await this.#stage.callers(this.#options.customers),
      connections: OPEN_CONNECTIONS,
      warmUpMs: this.#options.warmUpMs,
      measureMs: this.#options.openMs,
      arrivals,
    });
    this.#count(path, result.total);
    const { latency, perSecond, errors, firstError } = result;
    const execution = path === 'trade' ? result.execution : undefined;
    return { operations: result.total, path, arrivals, latency, execution, perSecond, errors, firstError };
  }

  #load(path: LoadPath, order: Omit<LoadOrder, 'path' | 'number'>): Promise<LoadResult> {
    this.#loads++;
    return this.#stage.programs.load({ ...order, path, number: this.#loads });
  }

  #count(path: LoadPath, total: number): void {
    if (path === 'quote' || path === 'trade') this.#answered.quotes += total;
    if (path === 'trade') this.#answered.transactions += total;
  }

  /** From now on; what it returns says what an operation has cost since. */
  #spent(pid: number | undefined): (operations: number, loadSeconds: number | undefined) => Cost {
    const { database } = this.#stage;
    const serverOf = () => (pid === undefined ? undefined : cpuSeconds(pid));
    const before = { server: serverOf(), database: cpuSeconds(database.pid, true) };
    return (operations, loadSeconds) => {
      const each = (seconds: number | undefined) =>
        seconds === undefined || operations === 0 ? undefined : (seconds * 1e6) / operations;
      return {
        server: each(difference(serverOf(), before.server)),
        database: each(difference(cpuSeconds(database.pid, true), before.database)),
        load: each(loadSeconds),
      };
    };
  }

  async #rows(): Promise<Rows> {
    const { rows } = await this.#stage.pool.query<Omit<Rows, 'off'>>(
      `select (select count(*) from quotes)::int as quotes, (select count(*) from transactions)::int as transactions,
              (select count(*) from journal_entries where kind = 'trade_executed')::int as entries`,
    );
    if (rows[0] === undefined) throw new Error('the database does not count');
    const checked = await checkBooks(this.#stage.books, Date.now() + AHEAD_MS);
    const off =
      checked.unbalancedCurrencies.length + checked.differences.length + checked.keptDifferences.length;
    return { ...rows[0], off };
  }
}

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
