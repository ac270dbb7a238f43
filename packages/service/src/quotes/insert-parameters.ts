import { compositeText, jsonLines, plainArray, textArray } from '../database/arrays.ts';
import { isoInstant } from '../platform/clock.ts';
import type { KeptPrice } from './price-text.ts';
import type { QuoteRecord } from './record.ts';
import type { NewQuote, QuoteKey } from './store.ts';

/** How long the first answer to an Idempotency-Key is kept (contract §6). */
export const QUOTE_KEY_RETENTION_MS = 24 * 3_600_000;

const NO_METADATA = '{}';
const PARAMETERS = 9;
const PLACES = Array.from({ length: PARAMETERS }, (_, i) => `$${i + 1}`).join(', ');
export const INSERT_QUOTES = `select o.ord, o.outcome, o.open, o.fingerprint, o.quote_id from insert_quotes(${PLACES}) o`;

/** @param newPrices those of the quotes' prices that may not be kept yet */
export function insertParameters(
  items: readonly NewQuote[],
  newPrices: readonly KeptPrice[],
): (string | null)[] {
  let at = 0;
  let heads = '';
  let rows = '';
  const places = new Map<string, number>();
  let keyed = false;
  for (const { record, price, key } of items) {
    if (key !== undefined) keyed = true;
    if (record.createdAt > at) at = record.createdAt;
    const head = headText(record, price);
    let place = places.get(head);
    if (place === undefined) {
      place = places.size + 1;
      places.set(head, place);
      heads += `${heads === '' ? '' : ','}"${head}"`;
    }
    rows += `${rows === '' ? '' : ','}"${itemText(record, key, place)}"`;
  }
  /** Null when all are: then nothing of them is sent. */
  const column = <T>(of: (item: NewQuote) => T | undefined, write: (values: (T | undefined)[]) => string) =>
    items.some((item) => of(item) !== undefined) ? write(items.map(of)) : null;
  const withMetadata = items.some(({ record }) => record.metadata !== NO_METADATA);
  return [
    isoInstant(at),
    isoInstant(at + QUOTE_KEY_RETENTION_MS),
    newPrices.length === 0 ? null : JSON.stringify(newPrices.map(priceColumns)),
    `{${heads}}`,
    `{${rows}}`,
    column(({ record }) => record.clientReference ?? undefined, textArray),
    withMetadata ? jsonLines(items.map(({ record }) => record.metadata)) : null,
    String(keyed),
    column(({ maxOpen }) => maxOpen, plainArray),
  ];
}

/** `quote_head`: ids, codes, dates and numbers, none of which means something in a composite or an array literal. */
function headText(quote: QuoteRecord, price: KeptPrice): string {
  return `(${quote.customerId},${quote.clientId},${price.id},${quote.pair},${quote.sellCurrency},${quote.buyCurrency},${quote.fixedSide},${quote.tenor},${quote.tradeDate},${quote.valueDate},${isoInstant(quote.fundingCutoffAt)},${quote.validitySeconds},${quote.validityTruncated},${quote.scenario ?? ''},${quote.preFunded})`;
}

/** `quote_item`, likewise but for the key. */
function itemText(quote: QuoteRecord, key: QuoteKey | undefined, head: number): string {
  const ofKey =
    key === undefined ? ',,' : `${compositeText(key.key)},${key.fingerprint},${isoInstant(key.receivedAt)}`;
  return `(${head},${quote.id},${quote.sellMinor},${quote.buyMinor},${quote.marketMinor},${quote.markupMinor},${quote.usdMinor},${isoInstant(quote.createdAt)},${isoInstant(quote.expiresAt)},${ofKey})`;
}

function priceColumns(price: KeptPrice) {
  return {
    id: price.id,
    spread_rule_id: price.spreadRuleId,
    spread_rule_version: price.spreadRuleVersion,
    rate: price.rate,
    pricing: price.pricing,
    pricing_end: price.pricingEnd,
    markup_unit: price.markupUnit,
    evidence: price.evidence,
  };
}
