import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { QUOTE_BODY } from '../../packages/service/test/support/api.ts';
import { EventStreamParser } from '../../packages/service/test/support/event-stream.ts';
import type { Tried } from './counts.ts';

/**
 * Customers who trade at a steady rate, whatever becomes of what they asked before, and who never ask twice: what fails, the
 * balancer has not put right.
 */

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  readonly body: any;
}

interface Attempt extends Tried {
  execution: Answer | undefined;
}

/** Where customers reach the service. */
export interface Entrance {
  readonly port: number;
  readonly ca: string;
}

export interface Failure {
  /** Milliseconds since the load began. */
  readonly atMs: number;
  readonly what: string;
  /** What another instance could have been asked for: a read, or what has a key. */
  readonly isSafe: boolean;
}

interface Ask {
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly key?: string | undefined;
  readonly body?: unknown;
}

/** The balancer closes what is idle for longer, perhaps just when it is used again. */
const IDLE_MS = 5_000;
/** Every so many trades one has no keys. */
const UNKEYED_EVERY = 10;
const TICK_MS = 10;

export class SteadyLoad {
  readonly attempts: Attempt[] = [];
  readonly failures: Failure[] = [];
  readonly counts = { asked: 0, answered: 0 };
  readonly #entrance: Entrance;
  readonly #agent: Agent;
  readonly #tokens: readonly string[];
  readonly #begun = performance.now();
  readonly #name = randomUUID();
  readonly #underWay = new Set<Promise<void>>();
  readonly #beginning: Promise<void>;
  #stopped = false;

  constructor(entrance: Entrance, tokens: readonly string[], perSecond: number) {
    this.#entrance = entrance;
    this.#tokens = tokens;
    this.#agent = new Agent({ keepAlive: true, ca: entrance.ca, timeout: IDLE_MS });
    this.#beginning = this.#begin(perSecond);
  }

  /** Milliseconds since it began. */
  get nowMs(): number {
    return performance.now() - this.#begun;
  }

  /** Resolves when so many more trades are acknowledged. */
  async acknowledged(more: number): Promise<void> {
    const count = () => this.attempts.filter(({ execution }) => execution?.status === 201).length;
    const wanted = count() + more;
    while (count() < wanted) await sleep(TICK_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#beginning;
    await Promise.all(this.#underWay);
    this.#agent.destroy();
  }

  async #begin(perSecond: number): Promise<void> {
    while (!this.#stopped) {
      const due = Math.floor((this.nowMs / 1_000) * perSecond);
      while (this.attempts.length < due) {
        const trade: Promise<void> = this.#trade().finally(() => this.#underWay.delete(trade));
        this.#underWay.add(trade);
      }
      await sleep(TICK_MS);
    }
  }

  async #trade(): Promise<void> {
    const number = this.attempts.length;
    const token = this.#tokens[number % this.#tokens.length] ?? '';
    // Every amount once, and none of those that stand for a drill.
    const amount = `${10_000 + (number % 800)}.${String(Math.floor(number / 800) % 100).padStart(2, '0')}`;
    const quoteBody = { ...QUOTE_BODY, amount, clientReference: `${this.#name} ${number}` };
    const attempt: Attempt = { quoteBody, execution: undefined };
    this.attempts.push(attempt);
    const key = number % UNKEYED_EVERY === 0 ? undefined : randomUUID();
    const quote = await this.#ask({
      token,
      key,
      method: 'POST',
      path: '/v1/customer/quotes',
      body: quoteBody,
    });
    if (quote?.status !== 201) return;
    const path = `/v1/customer/quotes/${quote.body.quoteId}/execute`;
    attempt.execution = await this.#ask({ token, key, method: 'POST', path });
    if (attempt.execution?.status !== 201) return;
    const { transactionId } = attempt.execution.body;
    await this.#ask({ token, method: 'GET', path: `/v1/customer/transactions/${transactionId}` });
  }

  async #ask(ask: Ask): Promise<Answer | undefined> {
    this.counts.asked++;
    const startMs = this.nowMs;
    const fail = (reason: string) => {
      const isSafe = ask.method === 'GET' || ask.key !== undefined;
      const what = `${ask.method} ${ask.path.replace(/[a-z]+_[0-9a-z]{26}/, '…')}: ${reason}`;
      this.failures.push({ atMs: Math.round(startMs), what, isSafe });
    };
    try {
      const answer = await send(this.#entrance, this.#agent, ask);
      if (answer.status < 300) this.counts.answered++;
      else fail(`${answer.status} ${answer.body?.code ?? ''} ${answer.body?.detail ?? ''}`);
      return answer;
    } catch (error) {
      fail((error as Error).message);
      return undefined;
    }
  }
}

async function send(
  { port, ca }: Entrance,
  agent: Agent,
  { token, method, path, key, body }: Ask,
): Promise<Answer> {
  const outgoing = secureRequest({
    ...{ host: '127.0.0.1', port, ca, agent, method, path },
    headers: {
      Authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const content = await text(response);
  const isJson = response.headers['content-type']?.includes('json') ?? false;
  return { status: response.statusCode ?? 0, body: isJson ? JSON.parse(content) : undefined };
}

/** Heartbeats come every five seconds. */
const SILENCE_MS = 20_000;
const AGAIN_MS = 250;

/** Reads a stream of prices, and opens it again whenever it ends, as browsers do. */
export class PriceReader {
  opened = 0;
  events = 0;
  /** What was said of the price of an instant. */
  readonly prices = new Map<string, string>();
  readonly #open: () => ReturnType<typeof plainRequest>;
  readonly #running: Promise<void>;
  readonly #stop = new AbortController();

  /** @param entrance of the balancer, or the address of an instance */
  constructor(entrance: Entrance | string, token: string) {
    const path = '/v1/customer/prices/stream?pairs=EURUSD';
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const { signal } = this.#stop;
    const options = { headers, agent: false, signal, timeout: SILENCE_MS } as const;
    this.#open = () =>
      typeof entrance === 'string'
        ? plainRequest(`${entrance}${path}`, options)
        : secureRequest({ ...options, ...entrance, host: '127.0.0.1', path });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // Whatever ended it, a reader comes back.
      await this.#read().catch(() => undefined);
      await sleep(AGAIN_MS);
    }
  }

  async #read(): Promise<void> {
    const outgoing = this.#open();
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) {
      response.resume();
      return;
    }
    this.opened++;
    const parser = new EventStreamParser();
    for await (const bytes of response) {
      parser.push(bytes as Buffer);
      for (const { event, data } of parser.events.splice(0)) {
        this.events++;
        if (event === 'price') this.#take(JSON.parse(data));
      }
    }
  }

  #take({ asOf, bid, ask, mid, spotDate }: Record<string, unknown>): void {
    if (asOf !== null) this.prices.set(String(asOf), JSON.stringify([bid, ask, mid, spotDate]));
  }
}
