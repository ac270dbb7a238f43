import { readFileSync } from 'node:fs';
import { Connection } from './http-client.ts';
import { type Callers, type LoadPath, type Operation, operationOf } from './operations.ts';

/** What the process of the load is told to do, as a message; one at a time. */
export interface LoadOrder {
  readonly port: number;
  readonly path: LoadPath;
  /** A file with {@link Callers}, who ask in turns. */
  readonly callersFile: string;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Of all loads of a run another one: their keys are told apart by it. */
  readonly number: number;
  /**
   * Operations that begin each second, whatever the answers do (open loop). Left out, each connection sends its next request
   * when it has the answer to the last (closed loop).
   */
  readonly arrivals?: number;
  /** Ends when so many have begun. */
  readonly most?: number;
}

export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** What it answers, as `result` of a message; `failure` where it cannot. */
export interface LoadResult {
  /** Completed operations in the measured time; a trade (quote and execution) is one. */
  readonly operations: number;
  /** Completed operations in all, warm-up included: what the database must hold. */
  readonly total: number;
  readonly errors: number;
  readonly firstError?: string;
  readonly perSecond: number;
  /** Of an operation, ms. In an open loop from the instant at which it was due. */
  readonly latency: Latency;
  /** Of the execution of a trade alone, ms, from the instant at which the quote was answered. */
  readonly execution: Latency;
  /** Processor time of the process of the load, warm-up included. */
  readonly cpuSeconds: number;
}

/** Counts what comes back, and how long it took inside of the measured time. */
class Tally {
  readonly from: number;
  readonly until: number;
  readonly latencies: number[] = [];
  readonly executions: number[] = [];
  total = 0;
  errors = 0;
  firstError: string | undefined;
  readonly #closed: boolean;

  constructor(order: LoadOrder) {
    this.#closed = order.arrivals === undefined;
    this.from = performance.now() + order.warmUpMs;
    this.until = this.from + order.measureMs;
  }

  async count(operation: Operation, connection: Connection, due: number): Promise<void> {
    let failure: string | undefined;
    let executionMs: number | undefined;
    try {
      ({ failure, executionMs } = await operation(connection));
    } catch (error) {
      failure = String(error);
    }
    const end = performance.now();
    if (failure !== undefined) {
      this.errors++;
      this.firstError ??= failure;
      return;
    }
    this.total++;
    // What was due in time and is answered late is what an open loop is there to see.
    if (due < this.from || due >= this.until || (this.#closed && end > this.until)) return;
    this.latencies.push(end - due);
    if (executionMs !== undefined) this.executions.push(executionMs);
  }
}

async function closedLoop(
  order: LoadOrder,
  connections: readonly Connection[],
  tally: Tally,
  operation: Operation,
): Promise<void> {
  let left = order.most ?? Number.POSITIVE_INFINITY;
  await Promise.all(
    connections.map(async (connection) => {
      for (let now = performance.now(); now < tally.until && left-- > 0; now = performance.now()) {
        await tally.count(operation, connection, now);
      }
    }),
  );
}

/**
 * Arrivals at random instants, as those of people who know nothing of each other: an answer that is late makes nobody ask
 * later, and what finds no free connection waits for one, which counts as well.
 */
function openLoop(
  arrivals: number,
  connections: readonly Connection[],
  tally: Tally,
  operation: Operation,
): Promise<void> {
  return new Promise((resolve) => {
    const free = [...connections];
    const waiting: number[] = [];
    let underWay = 0;
    let due = performance.now();
    const gap = () => (-Math.log(1 - Math.random()) * 1_000) / arrivals;
    const begin = (connection: Connection, at: number) => {
      underWay++;
      void tally.count(operation, connection, at).then(() => {
        underWay--;
        const next = waiting.shift();
        if (next === undefined) free.push(connection);
        else begin(connection, next);
      });
    };
    const timer = setInterval(() => {
      for (const now = performance.now(); due <= now && due < tally.until; due += gap()) {
        const connection = free.pop();
        if (connection === undefined) waiting.push(due);
        else begin(connection, due);
      }
      if (due < tally.until || underWay > 0) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
}

function latencyOf(values: number[]): Latency {
  values.sort((a, b) => a - b);
  const quantile = (q: number) => values[Math.min(values.length - 1, Math.floor(values.length * q))] ?? 0;
  return { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) };
}

async function run(order: LoadOrder): Promise<LoadResult> {
  const callers = JSON.parse(readFileSync(order.callersFile, 'utf8')) as Callers;
  const operation = operationOf(order.path, callers, order.number);
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => Connection.open(order.port)),
  );
  const before = process.cpuUsage();
  const tally = new Tally(order);
  if (order.arrivals === undefined) await closedLoop(order, connections, tally, operation);
  else await openLoop(order.arrivals, connections, tally, operation);
  for (const connection of connections) connection.close();
  const { user, system } = process.cpuUsage(before);
  return {
    operations: tally.latencies.length,
    total: tally.total,
    errors: tally.errors,
    ...(tally.firstError === undefined ? {} : { firstError: tally.firstError }),
    perSecond: tally.latencies.length / (order.measureMs / 1000),
    latency: latencyOf(tally.latencies),
    execution: latencyOf(tally.executions),
    cpuSeconds: (user + system) / 1e6,
  };
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
