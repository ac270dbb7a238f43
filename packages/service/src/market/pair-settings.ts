import { add, compare, type Decimal, type Pair, powerOfTen, subtract } from '@firmquote/fx';

/** `best`: the highest bid and the lowest ask of all sources. `priority`: the first source that is fresh. */
type CompositeMode = 'best' | 'priority';

/** What no price of a pair may leave, however often it is said. Basis points are of the mid price. */
export interface PriceLimits {
  /** From the bid to the ask. */
  readonly maxWidthBps: Decimal;
  /** From the last good price, and from where the pair stood a minute ago. */
  readonly bandBps: Decimal;
  /** From the reference rate, or from what stands in for it. */
  readonly referenceBps: Decimal;
}

/** How the book treats one pair. Basis points are of the mid price. */
export interface PairSettings extends PriceLimits {
  /** False: the pair is not quoted. Its price still counts as a leg of crosses. */
  readonly enabled: boolean;
  /** Oldest age at which a price still makes a firm quote. */
  readonly stalenessMs: number;
  readonly composite: CompositeMode;
  /** Sources, first choice first. Those that are not named come after, in the order of their names. */
  readonly priority: readonly string[];
  /** A bid that equals the ask. Real feeds lock for moments, and pricing earns its spread on it all the same. */
  readonly lockedPrices: 'accept' | 'refuse';
  /** A tick further from what is known is held back at first; null switches the filter off. */
  readonly outlierBps: Decimal | null;
  /** So many ticks that agree with each other make a move out of outliers... */
  readonly jumpTicks: number;
  /** ...or one that comes so long after the first and agrees with it. */
  readonly jumpMs: number;
  /** A source that repeats one price for longer, while others move, is frozen; null switches the filter off. */
  readonly frozenMs: number | null;
  /** Fresh sources further apart halt the pair; null switches the rule off. */
  readonly deviationBps: Decimal | null;
  /** They must agree for so long before the halt is lifted. */
  readonly agreementMs: number;
}

const LIMIT_NAMES = ['maxWidthBps', 'bandBps', 'referenceBps'] as const satisfies (keyof PriceLimits)[];

/** Settings in which the limits of the pair's class may be left out. */
export type PairDefaults = Omit<PairSettings, keyof PriceLimits> & Partial<PriceLimits>;

type PairClass = 'major' | 'minor' | 'exotic';

const MAJOR_CURRENCIES: ReadonlySet<string> = new Set([
  'AUD',
  'CAD',
  'CHF',
  'EUR',
  'GBP',
  'JPY',
  'NZD',
  'USD',
]);
const MINOR_CURRENCIES: ReadonlySet<string> = new Set([
  ...MAJOR_CURRENCIES,
  ...[
    'AED',
    'BHD',
    'CNH',
    'CNY',
    'CZK',
    'DKK',
    'HKD',
    'HUF',
    'ILS',
    'JOD',
    'KWD',
    'MXN',
    'NOK',
    'OMR',
    'PLN',
    'QAR',
  ],
  ...['RON', 'SAR', 'SEK', 'SGD', 'THB', 'ZAR'],
]);

/**
 * A minute in which a major moves by 3 percent, or a day in which it moves by 10, comes once in years (the franc in
 * January 2015, the pound in October 2016): then a person looks.
 */
const LIMITS: Readonly<Record<PairClass, PriceLimits>> = Object.freeze({
  major: limits(50_00n, 300_00n, 1_000_00n),
  minor: limits(150_00n, 500_00n, 1_500_00n),
  exotic: limits(500_00n, 1_000_00n, 3_000_00n),
});

function limits(maxWidth: bigint, band: bigint, reference: bigint): PriceLimits {
  const bps = (units: bigint): Decimal => Object.freeze({ units, scale: 2 });
  return Object.freeze({ maxWidthBps: bps(maxWidth), bandBps: bps(band), referenceBps: bps(reference) });
}

/** That of the currency that is traded less. */
export function classOf({ base, quote }: Pair): PairClass {
  const all = (of: ReadonlySet<string>): boolean => of.has(base.code) && of.has(quote.code);
  return all(MAJOR_CURRENCIES) ? 'major' : all(MINOR_CURRENCIES) ? 'minor' : 'exotic';
}

export function classLimitsOf(pair: Pair): PriceLimits {
  return LIMITS[classOf(pair)];
}

/** The settings with the limits of the pair's class where they name none. */
export function withLimits(pair: Pair, settings: PairDefaults): PairSettings {
  return { ...classLimitsOf(pair), ...settings };
}

/** The limits that are the pair's own. */
export function ownLimitsOf(settings: PairDefaults): (keyof PriceLimits)[] {
  return LIMIT_NAMES.filter((name) => settings[name] !== undefined);
}

/**
 * A change without the limits in it that are the class's, and were: whoever changes something else sends back all that he was shown.
 * What the class sets later then reaches the pair.
 */
export function withoutClassLimits(pair: Pair, before: PairDefaults, change: PairDefaults): PairDefaults {
  const ofClass = classLimitsOf(pair);
  const left = ownLimitsOf(change).filter((name) => {
    const limit = change[name];
    return before[name] === undefined && limit !== undefined && compare(limit, ofClass[name]) === 0;
  });
  return Object.fromEntries(
    Object.entries(change).filter(([name]) => !left.some((limit) => limit === name)),
  ) as PairDefaults;
}

/**
 * Majors move 1 to 3 basis points a second and sources lie within one of each other, so these only catch what is
 * wrong; exotic pairs want wider ones.
 */
export const DEFAULT_PAIR_SETTINGS: PairDefaults = Object.freeze({
  enabled: true,
  stalenessMs: 5_000, // limit: Age at which a price makes no firm quote, by default
  composite: 'best',
  priority: Object.freeze([]),
  lockedPrices: 'accept',
  outlierBps: Object.freeze({ units: 100_00n, scale: 2 }),
  jumpTicks: 3, // limit: Ticks that agree until a jump is believed, by default
  jumpMs: 2_000, // limit: Time after which a second tick confirms a jump, by default
  frozenMs: 30_000, // limit: How long a source may repeat one price while others move, by default
  deviationBps: Object.freeze({ units: 50_00n, scale: 2 }),
  agreementMs: 5_000,
});

const PER_UNIT_BPS = 10_000n;

/** Whether two prices lie further apart than so many basis points of the second. Both are positive. */
export function areApart(a: Decimal, b: Decimal, bps: Decimal): boolean {
  const left = a.scale < b.scale ? a.units * powerOfTen(b.scale - a.scale) : a.units;
  const right = b.scale < a.scale ? b.units * powerOfTen(a.scale - b.scale) : b.units;
  const distance = left < right ? right - left : left - right;
  // Most ticks lie on their predecessor: no need to multiply.
  return distance !== 0n && distance * PER_UNIT_BPS * powerOfTen(bps.scale) > right * bps.units;
}

/** Whether bid and ask lie further apart than so many basis points of the mid between them. */
export function isWider(bid: Decimal, ask: Decimal, bps: Decimal): boolean {
  const width = subtract(ask, bid);
  if (width.units === 0n) return false;
  const sum = add(bid, ask);
  // add and subtract give both at the larger of the two scales.
  return 2n * width.units * PER_UNIT_BPS * powerOfTen(bps.scale) > sum.units * bps.units;
}
