import { readFileSync } from 'node:fs';
import { type Answer, Connection, post } from '../../bench/http-client.ts';

/** Customers who ask at their own rate, whatever becomes of what they asked before: a program, since it has a core of its own. */

export interface OpenLoopOrder {
  readonly port: number;
  readonly token: string;
  /** Trades that are begun in a second; null: each connection begins one when it has ended the one before. */
  readonly perSecond: number | null;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Of the service, whose memory is read. */
  readonly pid: number;
}

interface Answers {
  accepted: number;
  refused: number;
  /** Neither: an answer that nobody should get. */
  other: number;
  p50Ms: number;
  p99Ms: number;
}

export interface OpenLoopResult {
  readonly offered: number;
  /** Trades that found no free connection; their callers gave up. */
  readonly unsent: number;
  readonly quotes: Answers;
  readonly executions: Answers;
  readonly firstOther: string | undefined;
  /** Trades acknowledged in all, warm-up included: what the database must have more. */
  readonly acknowledged: number;
  readonly memoryBefore: number;
  readonly memoryAfter: number;
}

const BODY = JSON.stringify({
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  amount: '1000.00',
});
const QUOTE_ID = /"quoteId":"(quote_[0-9a-z]{26})"/;
const TICK_MS = 2;

class Kind {
  readonly latencies: number[] = [];
  refused = 0;
  other = 0;

  take({ status, body }: Answer, sinceMs: number, measured: boolean): void {
    if (!measured) return;
    if (status === 201) this.latencies.push(performance.now() - sinceMs);
    else if (status === 503 && body.includes('"code":"overloaded"')) this.refused++;
    else {
      this.other++;
      firstOther ??= `${status}: ${body.slice(0, 300)}`;
    }
  }

  summary(): Answers {
    const sorted = this.latencies.sort((a, b) => a - b);
    const at = (q: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0);
    return {
      accepted: sorted.length,
      refused: this.refused,
      other: this.other,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    };
  }
}

class Trades {
  readonly quotes = new Kind();
  readonly executions = new Kind();
  acknowledged = 0;
  readonly #authorization: string;
  #keys = 0;

  constructor(token: string) {
    this.#authorization = `Bearer ${token}`;
  }

  /** A quote, and its execution where there is one. */
  async make(connection: Connection, since: number, measured: boolean): Promise<void> {
    const quote = await connection.send(post('/v1/customer/quotes', BODY, this.#headers()));
    this.quotes.take(quote, since, measured);
    const id = quote.status === 201 ? QUOTE_ID.exec(quote.body)?.[1] : undefined;
    if (id === undefined) return;
    const from = performance.now();
    const execution = await connection.send(post(`/v1/customer/quotes/${id}/execute`, '{}', this.#headers()));
    this.executions.take(execution, from, measured);
    if (execution.status === 201) this.acknowledged++;
  }

  #headers() {
    return { Authorization: this.#authorization, 'Idempotency-Key': `${process.pid}-${this.#keys++}` };
  }
}

let firstOther: string | undefined;

function megabytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number.parseInt(kilobytes, 10) / 1_024);
}

async function run(order: OpenLoopOrder): Promise<OpenLoopResult> {
  const idle = await Promise.all(
    Array.from({ length: order.connections }, () => Connection.open(order.port)),
  );
  const trades = new Trades(order.token);
  const start = performance.now();
  const measureFrom = start + order.warmUpMs;
  const end = measureFrom + order.measureMs;
  let begun = 0;
  let offered = 0;
  let unsent = 0;
  let underWay = 0;
  let memoryBefore = 0;

  for (let now = start; now < end; now = performance.now()) {
    if (memoryBefore === 0 && now >= measureFrom) memoryBefore = megabytes(order.pid);
    const due =
      order.perSecond === null ? begun + idle.length : Math.floor(((now - start) / 1_000) * order.perSecond);
    for (; begun < due; begun++) {
      if (now >= measureFrom) offered++;
      const connection = idle.pop();
      if (connection === undefined) {
        if (now >= measureFrom) unsent++;
        continue;
      }
      underWay++;
      trades.make(connection, now, now >= measureFrom).then(
        () => {
          underWay--;
          idle.push(connection);
        },
        (error: Error) => {
          underWay--;
          firstOther ??= error.message;
          trades.quotes.other++;
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const memoryAfter = megabytes(order.pid);
  while (underWay > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const connection of idle) connection.close();
  return {
    offered,
    unsent,
    quotes: trades.quotes.summary(),
    executions: trades.executions.summary(),
    firstOther,
    acknowledged: trades.acknowledged,
    memoryBefore,
    memoryAfter,
  };
}

process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}') as OpenLoopOrder)));
