import type { Registry } from '@prometheus-io/client';
import { counter, gauge, type Sample, Tally } from './families.ts';

/** Connections to the database: open ones, those that nobody uses, and callers that wait for one. */
interface PoolFigures {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/** What waits for people, by what it waits for. */
export interface Waiting {
  readonly deposits: ReadonlyMap<string, number>;
  readonly exceptions: ReadonlyMap<string, number>;
  readonly transactions: ReadonlyMap<string, number>;
  readonly approvals: ReadonlyMap<string, number>;
}

/** How far the delivery of webhooks is behind, and what it is at. */
interface WebhookFigures {
  readonly lagSeconds: () => Promise<number>;
  readonly dispatcher: { readonly serving: number };
}

/** Whoever scrapes, and however many do: the database is asked this often. */
const WAITING_EVERY_MS = 10_000;
const WAITING_LIMIT_MS = 1_000; // limit: Wait of a scrape for the counts of what waits for people

interface SweepFigures {
  runs: number;
  failures: number;
  moved: number;
  seconds: number;
  /** By `performance.now()`; until its first run is over, when that is expected. */
  doneAt: number;
}

/** What the desk has done since the start and what is before it, read by {@link Registry} when somebody scrapes. */
export class DeskFigures {
  readonly #registry: Registry;
  readonly #quotes = new Tally();
  readonly #ended = new Tally();
  readonly #trades = new Tally();
  readonly #tradedUsdMinor = new Map<string, bigint>();
  readonly #executions = new Tally();
  readonly #webhooks = new Tally();
  /** What alarms count is shown before it comes: a series that begins at one is no increase to Prometheus. */
  readonly #refusals = new Map<string, { readonly status: number; count: number }>([
    ['internal_error', { status: 500, count: 0 }],
    ['maintenance', { status: 503, count: 0 }],
    ['overloaded', { status: 503, count: 0 }],
    ['outcome_unknown', { status: 503, count: 0 }],
  ]);
  readonly #sweeps = new Map<string, SweepFigures>();

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#counter(
      'quotes',
      'Firm quotes by outcome: created, known (a replay), or why none was made.',
      ['outcome'],
      () => this.#quotes.samples('outcome'),
    );
    this.#counter('quotes_ended', 'Firm quotes that ended, by status.', ['status'], () =>
      this.#ended.samples('status'),
    );
    this.#counter(
      'executions',
      'Executions by outcome: created, or why there was no trade.',
      ['outcome'],
      () => this.#executions.samples('outcome'),
    );
    this.#counter('trades', 'Trades executed, by pair.', ['pair'], () => this.#trades.samples('pair'));
    const worth = 'Value of trades at execution, in US dollars, by pair.';
    this.#counter('traded_usd', worth, ['pair'], () =>
      Array.from(this.#tradedUsdMinor, ([pair, minor]): Sample => [{ pair }, Number(minor) / 100]),
    );
    this.#counter(
      'webhook_attempts',
      'Attempts to deliver webhooks by outcome: delivered, or how they failed.',
      ['outcome'],
      () => this.#webhooks.samples('outcome'),
    );
    this.#counter('refusals', 'Requests answered with a problem, by its code.', ['code', 'status'], () =>
      this.#refused(),
    );
    const ofSweeps = (name: string, help: string, value: (sweep: SweepFigures) => number) =>
      this.#counter(`sweep_${name}`, help, ['sweep'], () => this.#ofSweeps(value));
    ofSweeps('runs', 'Runs of a sweep that succeeded.', ({ runs }) => runs);
    ofSweeps('failures', 'Runs of a sweep that failed and were retried.', ({ failures }) => failures);
    ofSweeps('moved', 'Items moved by a sweep.', ({ moved }) => moved);
    ofSweeps('seconds', 'Time taken by runs of a sweep.', ({ seconds }) => seconds);
    this.#gauge('sweep_idle_seconds', 'Time since a sweep last succeeded.', ['sweep'], () =>
      this.#ofSweeps(({ doneAt }) => Math.max(0, performance.now() - doneAt) / 1000),
    );
  }

  /** A firm quote was asked for. */
  quoted(outcome: string): void {
    this.#quotes.add(outcome);
  }

  quotesEnded(how: 'executed' | 'expired' | 'cancelled' | 'withdrawn', count: number): void {
    if (count > 0) this.#ended.add(how, count);
  }

  /** @param trade when the outcome is one, with its worth in US dollar cents */
  executed(outcome: string, trade?: { readonly pair: string; readonly usdMinor: bigint }): void {
    this.#executions.add(outcome);
    if (trade === undefined) return;
    this.#trades.add(trade.pair);
    this.#tradedUsdMinor.set(trade.pair, (this.#tradedUsdMinor.get(trade.pair) ?? 0n) + trade.usdMinor);
    this.#ended.add('executed');
  }

  webhookAttempted(outcome: string): void {
    this.#webhooks.add(outcome);
  }

  refused(code: string, status: number): void {
    const known = this.#refusals.get(code);
    if (known === undefined) this.#refusals.set(code, { status, count: 1 });
    else known.count++;
  }

  sweepRan(name: string, moved: number, seconds: number): void {
    const sweep = this.#sweep(name);
    sweep.runs++;
    sweep.moved += moved;
    sweep.seconds += seconds;
    sweep.doneAt = performance.now();
  }

  sweepFailed(name: string): void {
    this.#sweep(name).failures++;
  }

  /** From now on each is shown, also one whose first run never ends. */
  watchSweeps(sweeps: readonly { readonly name: string; readonly everyMs: number }[]): void {
    for (const { name, everyMs } of sweeps) this.#sweep(name).doneAt = performance.now() + everyMs;
    this.#gauge('sweep_every_seconds', 'Time between two runs of a sweep.', ['sweep'], () =>
      sweeps.map(({ name, everyMs }): Sample => [{ sweep: name }, everyMs / 1000]),
    );
  }

  watchPool(pool: PoolFigures): void {
    this.#gauge(
      'database_connections',
      'Connections to the database: used, idle, and the most allowed.',
      ['state'],
      () => [
        [{ state: 'used' }, pool.totalCount - pool.idleCount],
        [{ state: 'idle' }, pool.idleCount],
        [{ state: 'most' }, pool.options.max],
      ],
    );
    this.#gauge('database_waiting', 'Work that waits for a connection to the database.', [], () => [
      [{}, pool.waitingCount],
    ]);
  }

  /** @param isTaken in production the start takes a database that may lose or change what was acknowledged */
  watchSafety(isTaken: boolean): void {
    const help =
      '1 where production runs with FIRMQUOTE_UNSAFE_DATABASE=warn: its database may lose trades, or change append-only rows.';
    this.#gauge('unsafe_database', help, [], () => [[{}, isTaken ? 1 : 0]]);
  }

  /** @param keys what signs, by what it signs */
  watchKeys(keys: Readonly<Record<'tokens' | 'evidence', { dueInMs(): number | undefined }>>): void {
    this.#gauge(
      'key_rotation_due_seconds',
      'Time until the signing key is replaced, by what it signs; negative when overdue.',
      ['purpose'],
      () =>
        (['tokens', 'evidence'] as const).flatMap((purpose): Sample[] => {
          const due = keys[purpose].dueInMs();
          return due === undefined ? [] : [[{ purpose }, due / 1000]];
        }),
    );
  }

  watchWebhooks({ lagSeconds, dispatcher }: WebhookFigures): void {
    const lag = recently(lagSeconds);
    this.#gauge('webhook_lag_seconds', 'How long the longest-waiting webhook has been due.', [], async () => {
      const seconds = await lag();
      return seconds === undefined ? [] : [[{}, seconds]];
    });
    this.#gauge('webhooks_served', 'Webhooks being served.', [], () => [[{}, dispatcher.serving]]);
  }

  /** @param faults by log: rows that were found not to match their seals */
  watchLogs(faults: ReadonlyMap<string, number>): void {
    this.#counter(
      'log_faults',
      'Rows of the audit trail and the journal that do not match their seals.',
      ['log'],
      () => Array.from(faults, ([log, count]): Sample => [{ log }, count]),
    );
  }

  /** @returns takes the number of sums of the books that do not add up, whenever they were looked at */
  watchBooks(): (off: number) => void {
    let last = 0;
    const help = 'Sums of the books that did not add up when a day was closed last.';
    this.#gauge('books_off', help, [], () => [[{}, last]]);
    return (off) => {
      last = off;
    };
  }

  /** @param ages of the price of each pair that has one, in milliseconds */
  watchPrices(ages: () => Iterable<readonly [pair: string, ageMs: number]>): void {
    this.#gauge('price_age_seconds', 'Age of the price of a pair that has sources.', ['pair'], () =>
      Array.from(ages(), ([pair, ageMs]): Sample => [{ pair }, ageMs / 1000]),
    );
  }

  /** @param read counts what waits, by indexes; while it fails there are no figures rather than old ones */
  watchWork(read: () => Promise<Waiting>): void {
    const waiting = recently(read);
    const samples = async (of: keyof Waiting, label: string): Promise<Sample[]> => {
      const found = await waiting();
      return found === undefined
        ? []
        : Array.from(found[of], ([key, count]): Sample => [{ [label]: key }, count]);
    };
    this.#gauge('deposits_waiting', 'Deposits that are not fully matched, by status.', ['status'], () =>
      samples('deposits', 'status'),
    );
    this.#gauge('exceptions_open', 'Exceptions that wait for a person, by type.', ['type'], () =>
      samples('exceptions', 'type'),
    );
    const work = 'Transactions that are not final, by status, and refunds and withdrawals to be paid.';
    this.#gauge('transactions_waiting', work, ['work'], () => samples('transactions', 'work'));
    this.#gauge('approvals_pending', 'Proposals that wait for a second person, by kind.', ['kind'], () =>
      samples('approvals', 'kind'),
    );
  }

  #counter(name: string, help: string, labelNames: readonly string[], read: () => Iterable<Sample>): void {
    counter({ registry: this.#registry, name: `firmquote_${name}_total`, help, labelNames }, read);
  }

  #gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Iterable<Sample> | Promise<Iterable<Sample>>,
  ): void {
    gauge({ registry: this.#registry, name: `firmquote_${name}`, help, labelNames }, read);
  }

  #sweep(name: string): SweepFigures {
    let sweep = this.#sweeps.get(name);
    if (sweep === undefined) {
      sweep = { runs: 0, failures: 0, moved: 0, seconds: 0, doneAt: performance.now() };
      this.#sweeps.set(name, sweep);
    }
    return sweep;
  }

  *#ofSweeps(value: (sweep: SweepFigures) => number): Generator<Sample> {
    for (const [sweep, figures] of this.#sweeps) yield [{ sweep }, value(figures)];
  }

  *#refused(): Generator<Sample> {
    for (const [code, { status, count }] of this.#refusals) yield [{ code, status: String(status) }, count];
  }
}

/** What was read a short while ago, or now; undefined when it cannot be read, or not soon enough to wait for it. */
function recently<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  let known: { readonly at: number; readonly value: Promise<T | undefined> } | undefined;
  return () => {
    const now = performance.now();
    if (known === undefined || now - known.at >= WAITING_EVERY_MS) {
      const value = read().catch(() => undefined);
      known = { at: now, value };
    }
    const late = new Promise<undefined>((resolve) => {
      setTimeout(() => resolve(undefined), WAITING_LIMIT_MS).unref();
    });
    return Promise.race([known.value, late]);
  };
}
