import { type Decimal, isIsoDate, parseDecimal } from '@firmquote/fx';
import { SaxesParser, type SaxesTagNS } from 'saxes';

/** The rates of one day: units of each currency for one euro, the euro itself included. */
interface EcbDay {
  readonly date: string;
  readonly unitsPerEuro: ReadonlyMap<string, Decimal>;
}

/** A file that is not the ECB's rates, with what is wrong in one line. */
export class EcbXmlError extends Error {
  override readonly name = 'EcbXmlError';
}

const ENVELOPE = 'http://www.gesmes.org/xml/2002-08-01';
const RATES = 'http://www.ecb.int/vocabulary/2002-08-01/eurofxref';
/** Envelope, Cube, Cube of a day, Cube of a currency. */
const DEPTH_MAX = 8;
/** The 90-day file has about 64. */
const DAYS_MAX = 400; // limit: Days in a file of reference rates
const CURRENCIES_MAX = 200; // limit: Currencies of a day of reference rates
const EURO: Decimal = Object.freeze({ units: 1n, scale: 0 });

/**
 * Reads the ECB's daily or 90-day file (https://www.ecb.europa.eu/stats/eurofxref/): `Cube` in `Cube time` in `Cube`
 * below `gesmes:Envelope`, told apart by their attributes. All of it is right or none of it is taken: a file without a
 * day, with a day twice, or with a rate that is not positive is refused, and so is a DOCTYPE, which could define
 * entities.
 * @returns the days in the order of the file, at least one, each with a dollar rate
 * @throws EcbXmlError
 */
export function readEcbXml(text: string): EcbDay[] {
  const reader = new EcbReader();
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => refuse(`it is not well-formed XML (${error.message.split('\n', 1)[0]})`));
  parser.on('doctype', () => refuse('it has a DOCTYPE'));
  parser.on('opentag', (tag) => reader.open(tag));
  parser.on('closetag', () => reader.close());
  parser.write(text).close();
  return reader.finish();
}

class EcbReader {
  readonly #days = new Map<string, Map<string, Decimal>>();
  #depth = 0;
  /** The day that is open, and how deep it lies. */
  #day: { readonly rates: Map<string, Decimal>; readonly depth: number } | undefined;

  open(tag: SaxesTagNS): void {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) refuse('it is nested too deeply');
    if (this.#depth === 1 && (tag.local !== 'Envelope' || tag.uri !== ENVELOPE)) {
      refuse('it does not begin with a gesmes:Envelope');
    }
    if (tag.local !== 'Cube' || tag.uri !== RATES) return;
    const { time, currency, rate } = tag.attributes;
    if (time !== undefined) this.#openDay(time.value);
    else if (currency !== undefined) this.#addRate(currency.value, rate?.value ?? '');
  }

  close(): void {
    if (this.#day?.depth === this.#depth) this.#day = undefined;
    this.#depth -= 1;
  }

  finish(): EcbDay[] {
    if (this.#days.size === 0) refuse('it contains no day');
    return [...this.#days].map(([date, unitsPerEuro]) => {
      // Everything is measured against the dollar somewhere; a list without it is cut off.
      if (!unitsPerEuro.has('USD')) refuse(`${date} has no dollar rate`);
      return { date, unitsPerEuro };
    });
  }

  #openDay(date: string): void {
    if (!isIsoDate(date)) refuse('it has an invalid date');
    if (this.#day !== undefined) refuse(`${date} is inside another day`);
    if (this.#days.has(date)) refuse(`it has ${date} twice`);
    if (this.#days.size >= DAYS_MAX) refuse(`it has more than ${DAYS_MAX} days`);
    const rates = new Map([['EUR', EURO]]);
    this.#days.set(date, rates);
    this.#day = { rates, depth: this.#depth };
  }

  #addRate(currency: string, text: string): void {
    const rates = this.#day?.rates;
    if (rates === undefined) throw new EcbXmlError('it has a rate outside a day');
    if (!/^[A-Z]{3}$/.test(currency)) refuse('it has an invalid currency code');
    if (rates.has(currency)) refuse(`it has ${currency} twice in one day`);
    if (rates.size >= CURRENCIES_MAX) refuse(`it has more than ${CURRENCIES_MAX} currencies in one day`);
    const rate = parseDecimal(text);
    if (rate === undefined || rate.units <= 0n)
      throw new EcbXmlError(`its rate of ${currency} is not a positive number`);
    rates.set(currency, Object.freeze(rate));
  }
}

function refuse(what: string): never {
  throw new EcbXmlError(what);
}
