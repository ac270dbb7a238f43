export type CurrencyPair = readonly [string, string];

/** What differs between deployments; the default is the market's convention. */
export interface SpotRules {
  /** Currencies whose spot against USD is one day; a cross takes the later of its two USD legs. */
  readonly oneDayCurrencies: ReadonlySet<string>;
  /** Currencies for which a US holiday on the first day counts (the Latin American rule). */
  readonly usHolidayCountsFor: ReadonlySet<string>;
  /** Pairs that may settle on a US holiday although the rest may not; both currencies in any order. */
  readonly settlesOnUsHoliday: readonly CurrencyPair[];
  /** Whether a holiday of either currency moves the trade date itself, as ObjectLab does by default. */
  readonly movesTradeDate: boolean;
}

/** Lags: fmbasics, londonfx for CAD. EUR/RSD: londonfx. Trade date kept: this project's decision. */
export const DEFAULT_SPOT_RULES: SpotRules = {
  oneDayCurrencies: new Set(['CAD', 'KZT', 'PHP', 'PKR', 'RUB', 'TRY']),
  usHolidayCountsFor: new Set(['ARS', 'CLP', 'MXN']),
  settlesOnUsHoliday: [['EUR', 'RSD']],
  movesTradeDate: false,
};

/** The currencies that must be open on a value date: the two of the pair, and USD. */
export function decidingCurrencies(pair: CurrencyPair, rules: SpotRules = DEFAULT_SPOT_RULES): string[] {
  const [a, b] = pair;
  const ignoresUsd = rules.settlesOnUsHoliday.some(([x, y]) => (x === a && y === b) || (x === b && y === a));
  return a === 'USD' || b === 'USD' || ignoresUsd ? [a, b] : [a, b, 'USD'];
}

/** Business days from trade to spot: the longer of the two currencies' own, 1 or 2. */
export function spotLagDays(pair: CurrencyPair, rules: SpotRules = DEFAULT_SPOT_RULES): number {
  return pair.every((currency) => currency === 'USD' || rules.oneDayCurrencies.has(currency)) ? 1 : 2;
}
