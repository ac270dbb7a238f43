import { formatAmount, knownCurrency, type QuoteStatus, quoteStatusAt } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { keptEstimatedJson } from './price-text.ts';
import type { QuoteRecord } from './record.ts';

/**
 * The version that readers see. A quote that has run out and was not swept yet is shown as the sweep will leave it,
 * so that its ETag changes with what it shows.
 */
export function shownVersion(quote: QuoteRecord, now: number): number {
  return quoteStatusAt(quote.status, quote.expiresAt, now) === quote.status
    ? quote.version
    : quote.version + 1;
}

/** The quote as it was when it was made: what an idempotent replay answers, whatever has become of it. */
export function asCreated(quote: QuoteRecord): QuoteRecord {
  return { ...quote, status: 'open', version: 1, closedAt: null, statusReason: null, transactionId: null };
}

/** JSON of a quote as it is at `now`, with the version that its ETag carries. */
export function renderQuote(quote: QuoteRecord, now: number): string {
  return quoteJson(quote, quoteStatusAt(quote.status, quote.expiresAt, now), shownVersion(quote, now), now);
}

/** JSON of a new quote, or of one that is answered again: open, as it was made, with the time that was left at `at`. */
export function renderCreated(quote: QuoteRecord, at: number): string {
  return quoteJson(quote, 'open', 1, at);
}

/** What has become of a quote that is answered again as it was made. */
export function currentState(quote: QuoteRecord, now: number): { status: QuoteStatus; validForMs: number } {
  const status = quoteStatusAt(quote.status, quote.expiresAt, now);
  return { status, validForMs: validForMs(quote, status, now) };
}

function validForMs({ expiresAt }: QuoteRecord, status: QuoteStatus, now: number): number {
  return status === 'open' ? Math.max(0, expiresAt - now) : 0;
}

/**
 * JSON of a firm quote (docs/interface.md#quotes). `validForMs` counts from `now`.
 * Joined by hand: rate, pricing and metadata are JSON texts that were made when the quote was priced, and this is
 * the answer that the service gives most.
 */
function quoteJson(quote: QuoteRecord, status: QuoteStatus, version: number, now: number): string {
  const estimated = keptEstimatedJson(quote.evidence);
  const closedAt = quote.closedAt === null ? 'null' : `"${isoInstant(quote.closedAt)}"`;
  return `{"quoteId":"${typeId('quote', quote.id)}","type":"firm","status":"${status}","statusReason":${JSON.stringify(quote.statusReason)},"version":${version},"sellCurrency":"${quote.sellCurrency}","buyCurrency":"${quote.buyCurrency}","fixedSide":"${quote.fixedSide}","sellAmount":"${formatAmount(quote.sellMinor, knownCurrency(quote.sellCurrency))}","buyAmount":"${formatAmount(quote.buyMinor, knownCurrency(quote.buyCurrency))}","rate":${quote.rate},"pricing":${quote.pricing},"settlement":{"tenor":"${quote.tenor}","tradeDate":"${quote.tradeDate}","valueDate":"${quote.valueDate}","fundingMode":"${quote.preFunded ? 'pre_funded' : 'post_funded'}","fundingCutoffAt":"${isoInstant(quote.fundingCutoffAt)}"${estimated === '' ? '' : `,${estimated}`}},"validitySeconds":${quote.validitySeconds},"validForMs":${validForMs(quote, status, now)},"validityTruncated":${quote.validityTruncated},"createdAt":"${isoInstant(quote.createdAt)}","expiresAt":"${isoInstant(quote.expiresAt)}","executedAt":${status === 'executed' ? closedAt : 'null'},"cancelledAt":${status === 'cancelled' ? closedAt : 'null'},"transactionId":${quote.transactionId === null ? 'null' : `"${typeId('txn', quote.transactionId)}"`},"clientReference":${JSON.stringify(quote.clientReference)},"metadata":${quote.metadata}}`;
}
