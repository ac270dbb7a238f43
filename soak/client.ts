import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Report } from './report.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  readonly body: any;
  readonly text: string;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is instead of as JSON. */
  readonly content?: string;
  readonly key?: string;
}

const ANSWER_LIMIT_MS = 12_000;
/** A key of which nobody knows stays reserved for a minute, and what takes it over may be cut off in turn. */
const PATIENCE_MS = 240_000;

/** One caller of the instances, who goes from one to the other as a load balancer would send him. */
export class Client {
  readonly #token: string;
  readonly #urls: () => readonly string[];
  readonly #random: Random;
  readonly #report: Report;
  readonly #timed: (url: string, ms: number) => void;

  /** @param timed told of each answer and how long it took */
  constructor(
    token: string,
    urls: () => readonly string[],
    random: Random,
    report: Report,
    timed: (url: string, ms: number) => void = () => undefined,
  ) {
    this.#token = token;
    this.#urls = urls;
    this.#random = random;
    this.#report = report;
    this.#timed = timed;
  }

  /** Undefined when there was no answer: what was asked may have been done. */
  async once({ method, path, body, content, key }: Call): Promise<Answer | undefined> {
    const url = this.#random.pick(this.#urls());
    const began = performance.now();
    const sent = content ?? (body === undefined ? undefined : JSON.stringify(body));
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.#token}`,
          ...(sent === undefined
            ? {}
            : { 'Content-Type': content === undefined ? 'application/json' : 'application/octet-stream' }),
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        },
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
        ...(sent === undefined ? {} : { body: sent }),
      });
      const text = await response.text();
      this.#timed(url, performance.now() - began);
      const answer = {
        status: response.status,
        headers: response.headers,
        text,
        body:
          response.headers.get('Content-Type')?.includes('json') && text !== ''
            ? JSON.parse(text)
            : undefined,
      };
      this.#report.answered(method, path, answer.status, answer.body?.code);
      if (answer.status === 500)
        this.#report.violation('no answer is a fault of the service', `${path}: ${text}`);
      if (answer.status === 400)
        this.#report.violation(
          'nothing is asked in a form that the service does not take',
          `${path}: ${text}`,
        );
      return answer;
    } catch {
      this.#report.count('no answer');
      return undefined;
    }
  }

  /** Repeats the same until the service knows what became of it. */
  async settled(call: Call): Promise<Answer> {
    const known = call.method === 'GET' ? call : { ...call, key: call.key ?? randomUUID() };
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.once(known);
      if (answer !== undefined && !isOpen(answer)) return answer;
      if (performance.now() > until) {
        const last = answer === undefined ? 'no answer' : answer.text;
        throw new Error(`${call.method} ${call.path} was not settled in ${PATIENCE_MS / 1000} s: ${last}`);
      }
      await sleep(200 + 300 * this.#random.next());
    }
  }
}

/** Refused for the moment, or not known. */
export function isOpen({ status, body }: Answer): boolean {
  return status >= 500 || status === 429 || body?.code === 'request_in_progress';
}
