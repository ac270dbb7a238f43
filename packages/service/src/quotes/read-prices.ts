import { formatUnits, parseDecimal } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { RecentMap } from '../platform/recent-map.ts';
import { readShared, type SharedTable } from './price-store.ts';

/**
 * What quotes have of their price, put together from what they name and have, as `price_of_quote` does in the database. What they
 * share never changes once it is written, so it is read once and remembered: what is left to read of a quote is its own row.
 */

/** Columns of a quote, or of a trade and its quote, of which its price is made. */
export interface NamedPrice {
  readonly price_id: string;
  readonly spread_id: string | null;
  readonly rate: string | null;
  readonly inverse: string | null;
  readonly cost_vs_mid_bps: string | null;
  readonly reference_percent: string | null;
  readonly markup_minor: string;
}

/** JSON as it was shown, and the evidence. */
export interface ReadPrice {
  readonly spreadRuleId: string;
  readonly spreadRuleVersion: number;
  readonly rate: string;
  readonly pricing: string;
  readonly evidence: string;
}

/** Pieces of JSON between which goes what is a quote's own. */
interface MarketPart {
  readonly beforeRate: string;
  readonly afterInverse: string;
  /** With the market's side and who gave it. */
  readonly afterInverseInFull: string;
  /** `reference` without its end. */
  readonly reference: string;
  /** Members of the evidence. */
  readonly evidence: string;
}

interface SpreadPart {
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly isInFull: boolean;
  readonly pricing: string;
  /** What comes between markup and cost; undefined where neither is shown. */
  readonly afterMarkup: string | undefined;
  readonly markupDecimals: number;
  /** Members of the evidence around those of the market. */
  readonly estimated: string;
  readonly evidence: string;
}

/** Of a quote of before: all in one. */
interface WholePart {
  readonly row: Row<'quote_prices'>;
  readonly markupDecimals: number;
}

/** A third of a kilobyte each, and two of a price that is kept whole. */
const MARKETS_MAX = 10_000; // limit: Market prices of quotes remembered for reading
const SPREADS_MAX = 20_000; // limit: Spreads of quotes remembered for reading
const WHOLES_MAX = 2_000; // limit: Prices of quotes of before remembered for reading

const readers = new WeakMap<Pool, PriceReader>();

/** What quotes of this database have of their prices; in the order of the rows, undefined where the price is gone with its quote. */
export function pricesOf(pool: Pool, rows: readonly NamedPrice[]): Promise<(ReadPrice | undefined)[]> {
  let reader = readers.get(pool);
  if (reader === undefined) {
    reader = new PriceReader(pool);
    readers.set(pool, reader);
  }
  return reader.read(rows);
}

class PriceReader {
  readonly #markets: SharedRows<'market_prices', MarketPart>;
  readonly #spreads: SharedRows<'quote_spreads', SpreadPart>;
  readonly #wholes: SharedRows<'quote_prices', WholePart>;

  constructor(pool: Pool) {
    this.#markets = new SharedRows(pool, 'market_prices', MARKETS_MAX, marketPart);
    this.#spreads = new SharedRows(pool, 'quote_spreads', SPREADS_MAX, spreadPart);
    this.#wholes = new SharedRows(pool, 'quote_prices', WHOLES_MAX, wholePart);
  }

  async read(rows: readonly NamedPrice[]): Promise<(ReadPrice | undefined)[]> {
    const [markets, spreads, wholes] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const { price_id, spread_id } of rows) {
      if (spread_id === null) wholes.add(price_id);
      else {
        markets.add(price_id);
        spreads.add(spread_id);
      }
    }
    const [marketOf, spreadOf, wholeOf] = await Promise.all([
      this.#markets.find(markets),
      this.#spreads.find(spreads),
      this.#wholes.find(wholes),
    ]);
    return rows.map((row) => {
      if (row.spread_id === null) return priceOfBefore(row, wholeOf.get(row.price_id));
      return priceOf(row, marketOf.get(row.price_id), spreadOf.get(row.spread_id));
    });
  }
}

/** Rows of a table that only ever gets more of them, by their id. */
class SharedRows<Table extends SharedTable, Part> {
  readonly #pool: Pool;
  readonly #table: Table;
  readonly #partOf: (row: Row<Table>) => Part;
  readonly #known: RecentMap<string, Part>;

  constructor(pool: Pool, table: Table, most: number, partOf: (row: Row<Table>) => Part) {
    this.#pool = pool;
    this.#table = table;
    this.#partOf = partOf;
    this.#known = new RecentMap(most);
  }

  find(ids: ReadonlySet<string>): Map<string, Part> | Promise<Map<string, Part>> {
    const found = new Map<string, Part>();
    const unknown: string[] = [];
    for (const id of ids) {
      const part = this.#known.get(id);
      if (part === undefined) unknown.push(id);
      else found.set(id, part);
    }
    return unknown.length === 0 ? found : this.#read(unknown, found);
  }

  async #read(ids: readonly string[], found: Map<string, Part>): Promise<Map<string, Part>> {
    for (const row of await readShared(this.#pool, this.#table, ids)) {
      const part = this.#partOf(row);
      this.#known.set(row.id, part);
      found.set(row.id, part);
    }
    return found;
  }
}

function marketPart(row: Row<'market_prices'>): MarketPart {
  const { pair, side, mid, market, as_of: asOf, source, reference, evidence } = row;
  return {
    beforeRate: `{"pair":"${pair}","baseCurrency":"${pair.slice(0, 3)}","quoteCurrency":"${pair.slice(-3)}","side":"${side}","value":"`,
    afterInverse: `","mid":"${mid}","asOf":"${asOf}"}`,
    afterInverseInFull: `","mid":"${mid}","market":"${market}","asOf":"${asOf}","source":"${source}"}`,
    reference: reference === null ? '' : `"reference":${reference.replace(/\}+$/, '')},"differencePercent":"`,
    evidence: evidence.slice(1, -1),
  };
}

function spreadPart(row: Row<'quote_spreads'>): SpreadPart {
  const { disclosure, spread_bps: bps, components, estimated_currencies: estimated } = row;
  const { settlement_increment: increment } = row;
  const multiples = increment === null ? '' : `,"settlementIncrement":"${increment}"`;
  const isInFull = disclosure === 'full';
  const isShown = disclosure !== 'none';
  return {
    ruleId: row.spread_rule_id,
    ruleVersion: row.spread_rule_version,
    isInFull,
    pricing: isShown
      ? `{"spreadBps":"${bps}",${isInFull ? `"components":${components},` : ''}"markup":{"amount":"`
      : '{',
    afterMarkup: isShown ? `","currency":"${row.markup_currency}"},"costVsMidBps":"` : undefined,
    markupDecimals: decimalsOf(row.markup_unit),
    estimated: estimated === null ? '{' : `{"estimatedCurrencies":${estimated},`,
    evidence: `,"spreadBps":"${bps}","components":${components},"pricingPolicyVersion":${row.pricing_policy_version},"amountRounding":"${row.amount_rounding}","rateDecimals":${row.rate_decimals}${multiples}}`,
  };
}

function wholePart(row: Row<'quote_prices'>): WholePart {
  return { row, markupDecimals: decimalsOf(row.markup_unit) };
}

/** @param unit one minor unit in whole ones */
function decimalsOf(unit: string | null): number {
  return (unit === null ? undefined : parseDecimal(unit)?.scale) ?? 0;
}

function priceOf(
  quote: NamedPrice,
  market: MarketPart | undefined,
  spread: SpreadPart | undefined,
): ReadPrice | undefined {
  if (market === undefined || spread === undefined) return undefined;
  const { isInFull, afterMarkup } = spread;
  const earned =
    afterMarkup === undefined ? '' : `${markupText(quote, spread)}${afterMarkup}${quote.cost_vs_mid_bps}",`;
  const percent = quote.reference_percent;
  const compared = percent === null ? '' : `${market.reference}${percent}"},`;
  return {
    spreadRuleId: spread.ruleId,
    spreadRuleVersion: spread.ruleVersion,
    rate: `${market.beforeRate}${quote.rate}","inverse":"${quote.inverse}${isInFull ? market.afterInverseInFull : market.afterInverse}`,
    pricing: `${spread.pricing}${earned}${compared}"fees":[]}`,
    evidence: `${spread.estimated}${market.evidence}${spread.evidence}`,
  };
}

function priceOfBefore(quote: NamedPrice, whole: WholePart | undefined): ReadPrice | undefined {
  if (whole === undefined) return undefined;
  const { row } = whole;
  return {
    spreadRuleId: row.spread_rule_id,
    spreadRuleVersion: row.spread_rule_version,
    rate: row.rate,
    pricing:
      row.pricing_end === null ? row.pricing : `${row.pricing}${markupText(quote, whole)}${row.pricing_end}`,
    evidence: row.evidence,
  };
}

function markupText(quote: NamedPrice, { markupDecimals }: { readonly markupDecimals: number }): string {
  return formatUnits(BigInt(quote.markup_minor), markupDecimals);
}
