import { setTimeout as delay } from 'node:timers/promises';
import type { WithdrawalReason } from '@firmquote/api/operations/quotes';
import type { ProblemCode } from '@firmquote/api/problems';
import { quoteStatusAt } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { EXPIRY_GRACE_MS } from './expiry-grace.ts';
import type { QuoteRecord } from './record.ts';
import type { QuotesRoom } from './room.ts';
import type { DueQuote, QuoteId } from './store.ts';

/**
 * Rows that one sweep statement moves; a sweep goes on until nothing is due. Small, because the end of the customer's
 * feed is locked meanwhile and executions wait for it.
 */
const SWEEP_BATCH = 250; // limit: Quotes that one commit ends
/** Many, so that those of one customer are ended together. */
const DUE_MAX = 4_000; // limit: Quotes that have run out, looked for at once

/** The quote of a customer, or 404. */
export async function findQuote(
  room: Pick<QuotesRoom, 'store'>,
  customerId: string,
  id: string | undefined,
): Promise<QuoteRecord> {
  const quote = id === undefined ? undefined : await room.store.find(customerId, id);
  if (quote === undefined) throw quoteNotFound();
  return quote;
}

/** The same for who checks it: as the database holds it now, and nothing of it remembered. */
export async function keptQuote(
  room: Pick<QuotesRoom, 'store'>,
  customerId: string,
  id: string,
): Promise<QuoteRecord> {
  const quote = await room.store.findKept(customerId, id);
  if (quote === undefined) throw quoteNotFound();
  return quote;
}

export function quoteNotFound(): Problem {
  return new Problem('quote_not_found', 'There is no quote with this id.');
}

/** open → cancelled. Again is fine; what ended otherwise is a conflict (docs/interface.md#quote-states). */
export async function cancelQuote(
  room: QuotesRoom,
  customerId: string,
  id: string | undefined,
  receivedAt: number,
  ifMatch: number | undefined,
): Promise<QuoteRecord> {
  const quote = await findQuote(room, customerId, id);
  if (quote.status === 'cancelled') return quote;
  requireCancellable(quote, receivedAt, ifMatch);
  const cancelled = await room.store.cancel(customerId, quote.id, room.clock.now());
  if (cancelled !== undefined) return cancelled;
  // Somebody was faster: report what it is now.
  const current = await findQuote(room, customerId, id);
  if (current.status === 'cancelled') return current;
  requireCancellable(current, receivedAt, undefined);
  throw new Problem('request_in_progress', 'The quote is being changed by another request.', {
    headers: { 'Retry-After': '1' },
  });
}

function requireCancellable(quote: QuoteRecord, receivedAt: number, ifMatch: number | undefined): void {
  const status = quoteStatusAt(quote.status, quote.expiresAt, receivedAt);
  if (status === 'expired') throw quoteGone('quote_expired', quote, receivedAt);
  if (status === 'executed') throw quoteAlreadyExecuted(quote.transactionId);
  if (status === 'withdrawn') throw quoteGone('quote_withdrawn', quote, receivedAt);
  // What has ended is reported before: its version is not the reason.
  if (ifMatch !== undefined && ifMatch !== quote.version) throw versionMismatch(quote.version);
}

/** 412 for an open quote that is not what the caller has seen. */
export function versionMismatch(version: number): Problem {
  return new Problem('version_mismatch', `The quote is open and at version ${version}.`, {
    members: { currentVersion: version, quoteStatus: 'open' },
  });
}

export function quoteAlreadyExecuted(transactionId: string | null): Problem {
  return new Problem('quote_already_executed', 'The quote has been executed.', {
    members: transactionMembers(transactionId),
  });
}

function transactionMembers(transactionId: string | null): Record<string, string> {
  if (transactionId === null) return {};
  const id = typeId('txn', transactionId);
  return { transactionId: id, transactionUrl: `/v1/customer/transactions/${id}` };
}

const GONE = {
  quote_expired: 'expired',
  quote_cancelled: 'cancelled',
  quote_withdrawn: 'withdrawn',
} as const;
type GoneCode = keyof typeof GONE;

export function isGoneCode(code: string): code is GoneCode & ProblemCode {
  return code in GONE;
}

/** Who comes no later than this may want to know how close it was. */
const LATE_MS = 10_000;

/** 409 for a quote that ended without a trade, with what to send for a new one. */
export function quoteGone(
  code: GoneCode,
  quote: { id: string; expiresAt: number; closedAt: number | null },
  receivedAt: number,
): Problem {
  const requote = { requoteOf: typeId('quote', quote.id) };
  const expiresAt = isoInstant(quote.expiresAt);
  const received = isoInstant(receivedAt);
  if (code === 'quote_expired') {
    const late = receivedAt - quote.expiresAt;
    const detail =
      late < 0
        ? // It was not done by then, which takes a fault such as a process that stood still.
          `The quote expired at ${expiresAt}; this request arrived before that and could not be carried out in time.`
        : late < LATE_MS
          ? `The quote expired at ${expiresAt}, ${late} ms before this request arrived.`
          : `The quote expired at ${expiresAt}.`;
    return new Problem(code, detail, {
      members: { quoteStatus: 'expired', expiresAt, receivedAt: received, requote },
    });
  }
  const at = quote.closedAt === null ? '' : ` at ${isoInstant(quote.closedAt)}`;
  return new Problem(code, `The quote was ${GONE[code]}${at}.`, {
    members: { quoteStatus: GONE[code], expiresAt, receivedAt: received, requote },
  });
}

/**
 * Moves quotes whose time has been over for {@link EXPIRY_GRACE_MS} to expired, with their events. Reading does not wait
 * for it. Each look goes on from the end of the one before: what it would read again has been ended, or is in other hands until the next run.
 */
export async function expireQuotes({ clock, store }: Pick<QuotesRoom, 'clock' | 'store'>): Promise<number> {
  let moved = 0;
  for (let since: number | undefined; ; ) {
    const due = await store.due(clock.now() - EXPIRY_GRACE_MS, DUE_MAX, since);
    let ended = 0;
    for (const portion of byCustomer(due)) ended += await store.expire(portion, clock.now());
    moved += ended;
    since = due.at(-1)?.expiresAt;
    if (due.length < DUE_MAX || ended === 0) return moved;
  }
}

/** In portions of one commit each. Customers are held until it is made, so none is in more portions than it has to be. */
function byCustomer(due: readonly DueQuote[]): DueQuote[][] {
  const sorted = due.toSorted((a, b) =>
    a.customerId < b.customerId ? -1 : a.customerId > b.customerId ? 1 : 0,
  );
  const count = Math.ceil(sorted.length / SWEEP_BATCH);
  return Array.from({ length: count }, (_, i) => sorted.slice(i * SWEEP_BATCH, (i + 1) * SWEEP_BATCH));
}

/** Executions hold their customers for as long as a commit takes. */
const HELD_PAUSE_MS = 25;
const HELD_LOOKS_MAX = 4; // limit: Times that quotes of held customers are looked for again in one withdrawal

/**
 * Takes back what `open` finds, until it finds nothing more but what is in other hands: whoever calls this calls it again. What is
 * found twice is of a customer whom somebody holds: the next looks pass over these, so that they hide nobody else's.
 * @param open a limited number of quotes, none of the customers that it is given
 */
export async function withdraw(
  open: (now: number, held: readonly string[]) => Promise<readonly QuoteId[]>,
  room: QuotesRoom,
  reason: WithdrawalReason,
): Promise<number> {
  let moved = 0;
  let tried: ReadonlySet<string> = new Set();
  const held = new Set<string>();
  for (let pauses = 0; ; ) {
    const now = room.clock.now();
    const found = await open(now, [...held]);
    for (const { customerId, id } of found) if (tried.has(id)) held.add(customerId);
    const free = found.filter(({ customerId }) => !held.has(customerId));
    const closed = free.length === 0 ? 0 : await room.store.withdraw(free, reason, now);
    moved += closed;
    tried = new Set(free.map(({ id }) => id));
    const isAll = held.size === 0 && closed === found.length && found.length < SWEEP_BATCH;
    if (isAll || (found.length === 0 && (held.size === 0 || pauses === HELD_LOOKS_MAX))) return moved;
    if (found.length > 0) continue;
    pauses += 1;
    held.clear();
    await delay(HELD_PAUSE_MS);
  }
}
