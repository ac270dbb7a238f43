import { jsonLines, plainArray, textArray } from '../database/arrays.ts';
import { isoInstant } from '../platform/clock.ts';
import type { QuoteRecord } from './record.ts';
import type { NewQuote } from './store.ts';

/** How long the first answer to an Idempotency-Key is kept (contract §6). */
export const QUOTE_KEY_RETENTION_MS = 24 * 3_600_000;

type Column = (quote: QuoteRecord) => string | number | bigint | boolean | null;
type JsonColumn = (quote: QuoteRecord) => string;

// In the order of the parameters of insert_quotes.
const PLAIN_COLUMNS: readonly Column[] = [
  (q) => q.customerId,
  (q) => q.id,
  (q) => q.clientId,
  (q) => q.pair,
  (q) => q.sellCurrency,
  (q) => q.buyCurrency,
  (q) => q.fixedSide,
  (q) => q.sellMinor,
  (q) => q.buyMinor,
  (q) => q.marketMinor,
  (q) => q.markupMinor,
  (q) => q.usdMinor,
  (q) => q.tenor,
  (q) => q.tradeDate,
  (q) => q.valueDate,
  (q) => isoInstant(q.fundingCutoffAt),
  (q) => q.spreadRuleId,
  (q) => q.spreadRuleVersion,
];
const JSON_COLUMNS: readonly JsonColumn[] = [
  (q) => q.rate,
  (q) => q.pricing,
  (q) => q.metadata,
  (q) => q.evidence,
];
const LAST_COLUMNS: readonly Column[] = [
  (q) => q.validitySeconds,
  (q) => q.validityTruncated,
  (q) => isoInstant(q.createdAt),
  (q) => isoInstant(q.expiresAt),
  (q) => q.scenario,
  (q) => q.preFunded,
];
/** Instant and end of the keys; client references; keys, their fingerprints and arrival, and the limit of open quotes. */
const OTHER_PARAMETERS = 2 + 1 + 4;
const PARAMETERS = PLAIN_COLUMNS.length + JSON_COLUMNS.length + LAST_COLUMNS.length + OTHER_PARAMETERS;

const places = Array.from({ length: PARAMETERS }, (_, i) => `$${i + 1}`).join(', ');
export const INSERT_QUOTES = `select o.ord, o.outcome, o.open, o.fingerprint, o.quote_id from insert_quotes(${places}) o`;

export function insertParameters(items: readonly NewQuote[]): (string | null)[] {
  const quotes = items.map((item) => item.record);
  const at = quotes.reduce((latest, quote) => Math.max(latest, quote.createdAt), 0);
  const keyed = items.some((item) => item.key !== undefined);
  const counted = items.some((item) => item.maxOpen !== undefined);
  return [
    isoInstant(at),
    isoInstant(at + QUOTE_KEY_RETENTION_MS),
    ...PLAIN_COLUMNS.map((column) => plainArray(quotes.map(column))),
    ...JSON_COLUMNS.map((column) => jsonLines(quotes.map(column))),
    textArray(quotes.map((quote) => quote.clientReference)),
    ...LAST_COLUMNS.map((column) => plainArray(quotes.map(column))),
    keyed ? textArray(items.map((item) => item.key?.key)) : null,
    keyed ? plainArray(items.map((item) => item.key?.fingerprint)) : null,
    keyed ? plainArray(items.map((item) => item.key && isoInstant(item.key.receivedAt))) : null,
    counted ? plainArray(items.map((item) => item.maxOpen)) : null,
  ];
}
