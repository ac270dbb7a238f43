import { FirmquoteError } from './errors.ts';
import type { Event } from './generated/types.ts';

/** A webhook is refused when it is older, or is from further ahead. */
const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';

/** The event of a webhook: as in the feed, without the members that only the feed needs. */
export type WebhookEvent = Pick<Event, 'type' | 'timestamp' | 'data'>;

export type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The webhook cannot be trusted or read. Answer 400, and do nothing. */
export class WebhookError extends FirmquoteError {
  override name = 'WebhookError';
}

export interface VerifyOptions {
  /** How far the timestamp may be from now, s. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970. Default: this machine's clock; `firmquote.clock.now()` is the service's. */
  readonly now?: number | undefined;
}

/**
 * Verifies a webhook (Standard Webhooks: HMAC-SHA256 over id, time and body), and reads its event.
 * @param body exactly as it came, before anything has parsed it
 * @param secret `whsec_…`; several while one is replaced
 * @throws WebhookError
 */
export async function verify(
  body: string | Uint8Array,
  headers: HeadersLike,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp))
    throw refused('timestamp_invalid', 'The timestamp is not a number of seconds.');
  const apart = Math.abs((options.now ?? Date.now()) / 1_000 - Number.parseInt(timestamp, 10));
  if (apart > (options.toleranceSeconds ?? TOLERANCE_SECONDS)) {
    throw refused(
      'timestamp_out_of_tolerance',
      `The timestamp is off by ${Math.round(apart)} s.`,
      "Answer 400, and do nothing with it. If it happens to every message, this machine's clock is wrong: set it, or pass `now: firmquote.clock.now()`.",
    );
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const given = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice(3)] : []));
  if (!(await isSigned(`${id}.${timestamp}.${text}`, given, [secret].flat()))) {
    throw refused('signature_invalid', 'No signature matches the body and a secret.');
  }
  return eventIn(text);
}

/** Headers of a webhook as the service would send it, for tests of your own. */
export async function signForTest(
  event: unknown,
  secret: string,
  { id = 'evt_test', at = new Date() }: { readonly id?: string; readonly at?: Date } = {},
): Promise<{ readonly body: string; readonly headers: Readonly<Record<string, string>> }> {
  const body = JSON.stringify(event);
  const timestamp = `${Math.floor(at.getTime() / 1_000)}`;
  const key = await keyOf(secret, 'sign');
  const signature = await crypto.subtle.sign('HMAC', key, encoded(`${id}.${timestamp}.${body}`));
  const text = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return {
    body,
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${text}` },
  };
}

/** Remembers the newest version seen of each resource. `advance` must compare and set atomically. */
export interface VersionStore {
  /** Stores the version and returns true if it is newer than the stored one; returns false otherwise. */
  advance(resource: string, version: number): Promise<boolean> | boolean;
}

/** Takes back what it remembers, for {@link onNews}. */
export interface RevisableVersionStore extends VersionStore {
  /** Undoes an `advance` to this version; does nothing if a newer one is stored. */
  retreat(resource: string, version: number): Promise<void> | void;
}

interface Known {
  readonly version: number;
  /** What was known before it. */
  readonly before: number | undefined;
}

/** Versions in memory, of the resources that changed last. */
export class MemoryVersionStore implements RevisableVersionStore {
  readonly #versions = new Map<string, Known>();
  readonly #resourcesMax: number;

  /** @param resourcesMax resources that are remembered */
  constructor(resourcesMax = 100_000) {
    this.#resourcesMax = resourcesMax;
  }

  advance(resource: string, version: number): boolean {
    const before = this.#versions.get(resource)?.version;
    if (before !== undefined && before >= version) return false;
    // What changed last comes last, and goes last.
    this.#versions.delete(resource);
    this.#versions.set(resource, { version, before });
    if (this.#versions.size > this.#resourcesMax) {
      for (const oldest of this.#versions.keys()) {
        this.#versions.delete(oldest);
        break;
      }
    }
    return true;
  }

  retreat(resource: string, version: number): void {
    const known = this.#versions.get(resource);
    if (known?.version !== version) return;
    if (known.before === undefined) this.#versions.delete(resource);
    else this.#versions.set(resource, { version: known.before, before: undefined });
  }
}

/**
 * Whether an event is news. Webhooks may come twice and out of order: acknowledge and ignore one whose version of the resource is not
 * newer than one already seen. An event without a version is always news. What is news once is none again, even if your work with it
 * fails: call this in the transaction that does the work, or use {@link onNews}.
 */
export async function isNews(event: WebhookEvent, store: VersionStore): Promise<boolean> {
  const changed = changeOf(event);
  return changed === undefined || store.advance(...changed);
}

type Work = (event: WebhookEvent) => Promise<unknown> | unknown;

/** Work that has begun, by the resource and version that it is about. */
const underWay = new WeakMap<RevisableVersionStore, Map<string, Promise<boolean>>>();

/**
 * Does the work if the event is news, and resolves to whether it was. If the work fails, the event is news again when it comes for the
 * next time: answer 500, so that it does. An event that comes again while this process works on it waits for what becomes of that.
 * @throws what the work throws
 */
export async function onNews(
  event: WebhookEvent,
  store: RevisableVersionStore,
  work: Work,
): Promise<boolean> {
  const changed = changeOf(event);
  if (changed === undefined) {
    await work(event);
    return true;
  }
  const all = underWay.get(store) ?? new Map<string, Promise<boolean>>();
  underWay.set(store, all);
  const key = JSON.stringify(changed);
  // Whoever sent it waits no longer and sends it again: told that it is no news, it would never send it once more.
  for (let same = all.get(key); same !== undefined; same = all.get(key)) await same.catch(() => undefined);
  const doing = doNews(event, changed, store, work);
  all.set(key, doing);
  try {
    return await doing;
  } finally {
    all.delete(key);
  }
}

async function doNews(event: WebhookEvent, changed: Change, store: RevisableVersionStore, work: Work) {
  if (!(await store.advance(...changed))) return false;
  try {
    await work(event);
    return true;
  } catch (error) {
    await store.retreat(...changed);
    throw error;
  }
}

type Change = [resource: string, version: number];

const VALUE_DATE_CHANGED: Event['type'] = 'transaction.value_date_changed';

/** The resource of an event, and its version. */
function changeOf({ type, data }: WebhookEvent): Change | undefined {
  const { version, withdrawalId, transactionId, quoteId } = data;
  // `quote.executed` is of the quote, though it names the transaction.
  const resource = type.startsWith('quote.') ? quoteId : (withdrawalId ?? transactionId ?? quoteId);
  // Events of operators do not have the member at all.
  if (typeof version !== 'number' || resource === undefined) return undefined;
  // A change that moves the status as well makes an event of each, both of its version: neither makes the other one old.
  return [type === VALUE_DATE_CHANGED ? `${resource}:value_date` : resource, version];
}

function header(headers: HeadersLike, name: string): string {
  const isHeaders = typeof (headers as Headers).get === 'function';
  const own = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  const given = isHeaders ? (headers as Headers).get(name) : own;
  // Some servers hand over a list of each header's values. Which of several was signed is not for us to guess.
  const value = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (typeof value === 'string' && value !== '') return value;
  throw refused('header_missing', `The header ${name} is missing.`);
}

async function isSigned(
  text: string,
  signatures: readonly string[],
  secrets: readonly string[],
): Promise<boolean> {
  const bytes = encoded(text);
  let isOne = false;
  for (const secret of secrets) {
    const key = await keyOf(secret, 'verify');
    for (const signature of signatures) {
      const given = fromBase64(signature);
      // WebCrypto compares without telling by its time how much fits.
      if (given !== undefined && (await crypto.subtle.verify('HMAC', key, given, bytes))) isOne = true;
    }
  }
  return isOne;
}

async function keyOf(secret: string, usage: 'sign' | 'verify') {
  const bytes = secret.startsWith(SECRET_PREFIX) ? fromBase64(secret.slice(SECRET_PREFIX.length)) : undefined;
  if (bytes === undefined || bytes.length === 0) {
    throw refused(
      'secret_invalid',
      'A secret must be whsec_ followed by Base64.',
      'Use the secret as the operator gave it.',
    );
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}

function eventIn(text: string): WebhookEvent {
  let event: Partial<WebhookEvent> | null;
  try {
    event = JSON.parse(text);
  } catch {
    event = null;
  }
  if (typeof event?.type === 'string' && typeof event.data === 'object') return event as WebhookEvent;
  throw refused('body_invalid', 'The body is signed but is not an event.');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function refused(
  code: string,
  message: string,
  nextStep = 'Answer 400, and do nothing with it.',
): WebhookError {
  return new WebhookError(message, { code, nextStep });
}
