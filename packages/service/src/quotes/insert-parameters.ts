import { compositeText, jsonLines, parameterPlaces, plainArray, textArray } from '../database/arrays.ts';
import { isoInstant } from '../platform/clock.ts';
import type { SharedPart } from './kept-parts.ts';
import type { PriceSnapshot } from './price-text.ts';
import type { QuoteRecord } from './record.ts';
import type { NewQuote, QuoteKey } from './store.ts';

/** How long the first answer to an Idempotency-Key is kept (docs/interface.md#idempotency). */
const QUOTE_KEY_RETENTION_MS = 24 * 3_600_000; // limit: How long a quote's key is kept

const NO_METADATA = '{}';
/** As the statement names them: `$1, $2, …`. */
export const INSERT_PLACES = parameterPlaces(10);

/**
 * @param unknown what the quotes name and may not be kept yet
 * @param at business time
 */
export function insertParameters(
  items: readonly NewQuote[],
  unknown: { readonly markets: readonly SharedPart[]; readonly spreads: readonly SharedPart[] },
  at: number,
): (string | null)[] {
  let heads = '';
  let rows = '';
  const places = new Map<string, number>();
  let keyed = false;
  let before: NewQuote | undefined;
  let place = 0;
  for (const item of items) {
    const { record, price, key } = item;
    if (key !== undefined) keyed = true;
    if (before === undefined || !sharesHead(before, item)) {
      const head = headText(record, price);
      place = places.get(head) ?? places.size + 1;
      if (place > places.size) {
        places.set(head, place);
        heads += `${heads === '' ? '' : ','}"${head}"`;
      }
    }
    before = item;
    rows += `${rows === '' ? '' : ','}"${itemText(record, key, place)}"`;
  }
  /** Null when all are: then nothing of them is sent. */
  const column = <T>(of: (item: NewQuote) => T | undefined, write: (values: (T | undefined)[]) => string) =>
    items.some((item) => of(item) !== undefined) ? write(items.map(of)) : null;
  const withMetadata = items.some(({ record }) => record.metadata !== NO_METADATA);
  return [
    isoInstant(at),
    isoInstant(at + QUOTE_KEY_RETENTION_MS),
    rowsJson(unknown.markets),
    rowsJson(unknown.spreads),
    `{${heads}}`,
    `{${rows}}`,
    column(({ record }) => record.clientReference ?? undefined, textArray),
    withMetadata ? jsonLines(items.map(({ record }) => record.metadata)) : null,
    String(keyed),
    column(({ maxOpen }) => maxOpen, plainArray),
  ];
}

/** What {@link headText} would be the same for, found without making it: most quotes are like the one before. */
function sharesHead({ record: a, price }: NewQuote, { record: b, price: priceOfB }: NewQuote): boolean {
  return (
    price === priceOfB &&
    a.customerId === b.customerId &&
    a.clientId === b.clientId &&
    a.sellCurrency === b.sellCurrency &&
    a.buyCurrency === b.buyCurrency &&
    a.fixedSide === b.fixedSide &&
    a.tenor === b.tenor &&
    a.tradeDate === b.tradeDate &&
    a.valueDate === b.valueDate &&
    a.fundingCutoffAt === b.fundingCutoffAt &&
    a.validitySeconds === b.validitySeconds &&
    a.validityTruncated === b.validityTruncated &&
    a.scenario === b.scenario &&
    a.preFunded === b.preFunded
  );
}

/** `spread_head`: ids, codes, dates and numbers, none of which means something in a composite or an array literal. */
function headText(quote: QuoteRecord, price: PriceSnapshot): string {
  return `(${quote.customerId},${quote.clientId},${price.market.id},${price.spread.id},${price.figures},${quote.pair},${quote.sellCurrency},${quote.buyCurrency},${quote.fixedSide},${quote.tenor},${quote.tradeDate},${quote.valueDate},${isoInstant(quote.fundingCutoffAt)},${quote.validitySeconds},${quote.validityTruncated},${quote.scenario ?? ''},${quote.preFunded})`;
}

/** `quote_item`, likewise but for the key. */
function itemText(quote: QuoteRecord, key: QuoteKey | undefined, head: number): string {
  const ofKey =
    key === undefined ? ',,' : `${compositeText(key.key)},${key.fingerprint},${isoInstant(key.receivedAt)}`;
  return `(${head},${quote.id},${quote.sellMinor},${quote.buyMinor},${quote.marketMinor},${quote.markupMinor},${quote.usdMinor},${isoInstant(quote.createdAt)},${isoInstant(quote.expiresAt)},${ofKey})`;
}

function rowsJson(parts: readonly SharedPart[]): string | null {
  return parts.length === 0 ? null : `[${parts.map(({ row }) => row).join(',')}]`;
}
