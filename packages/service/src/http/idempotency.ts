import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mayBeDone } from '../database/failures.ts';
import { logFailure } from '../database/log-failure.ts';
import type { Queryable } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import {
  type IdempotencyStore,
  type Reservation,
  type StoredAnswer,
  TAKE_OVER_AFTER_MS,
} from './idempotency-store.ts';
import { firstInProgress } from './key-gate.ts';
import { loggedRequest } from './logged-request.ts';

// Printable ASCII without the double quote (docs/interface.md#idempotency).
const KEY = /^[\x20\x21\x23-\x7e]{1,128}$/;
// RFC 8941 §3.3.3: inside a string, a backslash escapes a quote or itself.
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\\"])*)"$/;

/**
 * The key in an `Idempotency-Key` header, quoted (a structured-field string) or bare.
 * @returns undefined without the header
 * @throws Problem idempotency_key_invalid
 */
export function parseIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string') throw keyInvalid('The Idempotency-Key header must be sent once.');
  const text = header.trim();
  const key = text.startsWith('"') ? QUOTED.exec(text)?.[1]?.replaceAll(/\\([\\"])/g, '$1') : text;
  if (key === undefined || !KEY.test(key)) {
    throw keyInvalid('An Idempotency-Key is 1 to 128 printable ASCII characters without a double quote.');
  }
  return key;
}

/** The key of a request, and what came with it. */
export interface RequestKey {
  readonly key: string;
  /** Of the path, the parameters and the body ({@link fingerprint}). */
  readonly fingerprint: string;
  readonly receivedAt: number;
}

/**
 * @param needsKey a request without a key is refused
 * @throws Problem idempotency_key_invalid, idempotency_key_required
 */
export function requestKeyOf(request: FastifyRequest, needsKey: boolean): RequestKey | undefined {
  const key = headerOf(request);
  if (key === undefined) {
    if (needsKey) throw keyRequired('This request needs an Idempotency-Key.');
    return undefined;
  }
  return { key, fingerprint: fingerprint(askedOf(request), request.body), receivedAt: request.receivedAt };
}

/** Node joins a repeated header with a comma and a blank, so such a text is looked at twice. */
function headerOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (typeof header === 'string' && header.includes(', ')) {
    return parseIdempotencyKey(onlyOne(request.raw.headersDistinct['idempotency-key']));
  }
  return parseIdempotencyKey(header);
}

function onlyOne(values: readonly string[] | undefined): string | readonly string[] | undefined {
  return values?.length === 1 ? values[0] : values;
}

export function keyRequired(detail: string): Problem {
  return new Problem('idempotency_key_required', detail, { field: '/header/Idempotency-Key' });
}

function keyInvalid(detail: string): Problem {
  return new Problem('idempotency_key_invalid', detail, { field: '/header/Idempotency-Key' });
}

/**
 * SHA-256, in hex, of what is asked for and the body as canonical JSON (keys sorted by UTF-16 units as in RFC 8785), so that
 * blanks and the order of fields make no difference. The text as received would not do: the same request may be
 * written in many ways. For a quote request this takes 2 µs, of which the hash is 0.7.
 */
export function fingerprint(asked: string, body: unknown): string {
  return hash('sha256', `${asked}\n${body === undefined ? '' : canonicalJson(body)}`, 'hex');
}

export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(fields).sort()) {
    text += `${text === '' ? '' : ','}${quoted(name)}:${canonicalJson(fields[name])}`;
  }
  return `{${text}}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON escapes
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** As JSON.stringify, which costs a third more for the plain strings that nearly all are. */
function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** What a handler answers. `headers` are kept and replayed with status and body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** False: this one holds no secret, though others of the operation do. It is kept whole. */
  readonly holdsSecret?: false;
}

/**
 * Hands the answer to be kept into the handler's own database transaction. With it, work and key commit together and
 * the work is done exactly once; without it, a process that dies between the two lets the work be repeated after the
 * take-over time, so handlers whose work is not idempotent by itself use it.
 */
export type KeepAnswer = (connection: Queryable, answer: Answer) => Promise<void>;

/** What is set on `reply` itself is not kept. */
export type IdempotentHandler = (
  request: FastifyRequest,
  keep: KeepAnswer,
  reply: FastifyReply,
) => Promise<Answer>;

interface IdempotentOptions {
  readonly store: IdempotencyStore;
  /**
   * False for answers that hold a secret, unless one says that it does not: then only status and headers are kept, and a repetition is told
   * `already_exists` with the `location` of what the first request made, instead of the secret.
   */
  readonly storeBody?: boolean;
  /** A request without a key is refused. */
  readonly needsKey?: boolean;
  /** How long a second request waits for the first (docs/interface.md#idempotency: up to 2 s). */
  readonly waitMs?: number;
}

const WAIT_MS = 2_000; // limit: Wait for the first request with the same key: other routes
const POLL_MS = 25;
/** Between two attempts to write what became of a key. */
const PAUSE_MAX_MS = 1_000;

/**
 * Wraps a POST route off the hot path (operator, sandbox) so that an `Idempotency-Key` works as docs/interface.md#idempotency says: the
 * key is reserved before the work, 2xx answers are kept for a day and replayed, anything else releases the key.
 */
export function idempotent(options: IdempotentOptions, handler: IdempotentHandler) {
  const route = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const sent = requestKeyOf(request, options.needsKey === true);
    if (sent === undefined) return send(reply, await handler(request, async () => undefined, reply));
    const wanted = {
      owner: ownerOf(request),
      operation: operationOf(request),
      key: sent.key,
      fingerprint: sent.fingerprint,
    };
    const found = await reserve(options, wanted);
    if (found.outcome === 'completed') return replay(reply, found.answer);
    return send(reply, await work(options, found.reservation, request, reply, handler));
  };
  return route;
}

type Wanted = Omit<Reservation, 'token'>;

async function reserve(
  options: IdempotentOptions,
  wanted: Wanted,
): Promise<
  { outcome: 'reserved'; reservation: Reservation } | { outcome: 'completed'; answer: StoredAnswer }
> {
  const deadline = performance.now() + (options.waitMs ?? WAIT_MS);
  for (let pause = POLL_MS; ; pause = Math.min(pause * 2, 200)) {
    const state = await options.store.reserve(wanted);
    if (state.outcome === 'reserved')
      return { outcome: 'reserved', reservation: { ...wanted, token: state.token } };
    if (state.fingerprint !== wanted.fingerprint) {
      throw new Problem('idempotency_key_reused', 'This Idempotency-Key was sent with another request.');
    }
    if (state.outcome === 'completed') return { outcome: 'completed', answer: state.answer };
    if (performance.now() + pause >= deadline) {
      throw firstInProgress();
    }
    await delay(pause);
  }
}

async function work(
  options: IdempotentOptions,
  reservation: Reservation,
  request: FastifyRequest,
  reply: FastifyReply,
  handler: IdempotentHandler,
): Promise<Answer> {
  const { store } = options;
  let kept = false;
  let answer: Answer;
  const stored = (result: Answer): StoredAnswer => ({
    status: result.status,
    headers: result.headers ?? {},
    ...(options.storeBody === false && result.holdsSecret !== false ? {} : { body: result.body ?? null }),
  });
  try {
    answer = await handler(
      request,
      async (connection, result) => {
        // Throwing here rolls the handler's transaction back: somebody took the key over and does the work.
        if (!(await store.complete(reservation, stored(result), connection))) throw takenOver();
        kept = true;
      },
      reply,
    );
  } catch (error) {
    // Work that may have been committed without its key must not be repeated: the key stays reserved until it is taken over. With its
    // key it is the database that knows: the key is locked until that is decided, and released only where nothing was committed.
    if (kept || !mayBeDone(error)) await settled(request, () => store.release(reservation));
    throw error;
  }
  if (kept) return answer;
  const isDone = answer.status >= 200 && answer.status <= 299;
  await settled(request, () =>
    isDone ? store.complete(reservation, stored(answer)) : store.release(reservation),
  );
  return answer;
}

/**
 * Writes what became of a key. What the work came to is known by then, and its answer stands, for which it may show a secret for the only time: where
 * there is no database for it, it is written later. Until then, and after a minute like that of a process that died, the key stays reserved.
 */
async function settled(request: FastifyRequest, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const { logger } = request.server;
    logFailure(
      logger,
      error,
      loggedRequest(request),
      'the outcome of an idempotency key could not be written; it will be tried again',
    );
    void settledLater(write);
  }
}

async function settledLater(write: () => Promise<unknown>): Promise<void> {
  for (let pause = POLL_MS, left = TAKE_OVER_AFTER_MS; left > 0; pause = Math.min(2 * pause, PAUSE_MAX_MS)) {
    await delay(pause, undefined, { ref: false });
    left -= pause;
    try {
      await write();
      return;
    } catch {
      // It was told of once.
    }
  }
}

function takenOver(): Problem {
  return new Problem('request_in_progress', 'Another request with this Idempotency-Key took over.', {
    headers: { 'Retry-After': '1' },
  });
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(answer.body);
}

function replay(reply: FastifyReply, answer: StoredAnswer): FastifyReply {
  if (answer.body === undefined) {
    const location = answer.headers.Location;
    throw new Problem(
      'already_exists',
      'The first request with this Idempotency-Key succeeded. Its answer held a secret, which is shown once.',
      { members: location === undefined ? {} : { location } },
    );
  }
  reply.header('Idempotency-Replayed', 'true');
  return send(reply, answer);
}

/** Keys of different callers never meet: they belong to the customer, or to the operator's client. */
function ownerOf(request: FastifyRequest): string {
  const { caller } = request;
  if (caller === undefined) throw new Error('an idempotent route needs an authenticated caller');
  return caller.customerId ?? caller.actor.id;
}

function operationOf(request: FastifyRequest): string {
  const ids = Object.values(request.params as Readonly<Record<string, string>>);
  return [`http:${request.method}`, request.routeOptions.url ?? '', ...ids].join(' ');
}

/** The path, and the parameters behind it in any order, where there are some: another parameter asks for something else. */
function askedOf({ url, query }: FastifyRequest): string {
  const at = url.indexOf('?');
  if (at === -1) return url;
  const parameters = canonicalJson(query);
  return parameters === '{}' ? url.slice(0, at) : `${url.slice(0, at)}?${parameters}`;
}
