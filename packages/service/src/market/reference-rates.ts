import { type Currency, type Decimal, divide, type Pair } from '@firmquote/fx';

export interface ReferenceRate {
  /** Units of the quote currency for one of the base, half-up to the pair's decimals. */
  readonly rate: Decimal;
  /** The day the rates were fixed, `YYYY-MM-DD`. */
  readonly date: string;
  readonly provider: 'ECB';
}

/** What quotes are compared with. For information: nothing is traded on it. */
export interface ReferenceRates {
  /** Undefined when one of the currencies is not listed. The same object until there are newer rates. */
  rate(pair: Pair): ReferenceRate | undefined;
  /** Units of each listed currency for one euro, the euro included. */
  readonly unitsPerEuro: ReadonlyMap<string, Decimal>;
  /** The day the rates were fixed, `YYYY-MM-DD`. */
  readonly date: string;
}

/** The euro foreign exchange reference rates of one day. */
export class ReferenceTable implements ReferenceRates {
  readonly date: string;
  readonly unitsPerEuro: ReadonlyMap<string, Decimal>;
  /** Pairs are finite, so this is. */
  readonly #rates = new Map<string, ReferenceRate>();

  constructor(date: string, unitsPerEuro: ReadonlyMap<string, Decimal>) {
    this.date = date;
    this.unitsPerEuro = unitsPerEuro;
  }

  /** A pair without the euro is the exact quotient of its two euro rates, rounded once. */
  rate(pair: Pair): ReferenceRate | undefined {
    const known = this.#rates.get(pair.code);
    if (known !== undefined) return known;
    const base = this.#unitsOf(pair.base);
    const quote = this.#unitsOf(pair.quote);
    if (base === undefined || quote === undefined) return undefined;
    const reference: ReferenceRate = Object.freeze({
      rate: Object.freeze(divide(quote, base, pair.decimals, 'half_up')),
      date: this.date,
      provider: 'ECB',
    });
    this.#rates.set(pair.code, reference);
    return reference;
  }

  #unitsOf(currency: Currency): Decimal | undefined {
    return this.unitsPerEuro.get(currency.code);
  }
}
