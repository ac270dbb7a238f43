import { usage } from './errors.ts';

const FACTORS: Readonly<Record<string, number>> = { '': 0, k: 3, m: 6, b: 9 };
const AMOUNT = /^(?<whole>\d{1,3}(?:_\d{3})+|\d+)(?:\.(?<decimals>\d+))?(?<factor>[kmb]?)$/i;

/**
 * `1m`, `250k`, `1_000.50` as the interface writes amounts: `1000000`, `250000`, `1000.50`. What could be meant in two
 * ways is refused: a comma separates thousands in one country and decimals in another.
 */
export function parseAmount(text: string): string {
  const groups = AMOUNT.exec(text)?.groups;
  if (groups === undefined) throw usage(`“${text}” is not an amount.`, reason(text));
  const { whole = '', decimals = '', factor = '' } = groups;
  const digits = whole.replaceAll('_', '');
  const shift = FACTORS[factor.toLowerCase()] ?? 0;
  const moved = decimals.slice(0, shift).padEnd(shift, '0');
  // What a factor leaves behind the point ends in no zeros, or `1.2500k` would be 1250.0.
  const rest = shift === 0 ? decimals : decimals.slice(shift).replace(/0+$/, '');
  const integer = `${digits}${moved}`.replace(/^0+(?=\d)/, '');
  return rest === '' ? integer : `${integer}.${rest}`;
}

function reason(text: string): string {
  if (/^[-+]/.test(text)) return 'Amounts have no sign; --sell and --buy give the direction.';
  if (/,/.test(text) || (text.match(/\./g)?.length ?? 0) > 1) {
    return 'Write the decimal point as “.”, and thousands with “_” or not at all: 1_000_000.50, 1000000.50.';
  }
  if (/e/i.test(text)) return 'Write it out, or with k, m or b: 1m, 250k, 1.5m.';
  return 'Amounts look like 1000, 1_000.50, 250k, 1.5m.';
}

const CURRENCY = /^[A-Za-z]{3}$/;

export interface Side {
  readonly currency: string;
  /** As the interface writes it; undefined where the other side is fixed. */
  readonly amount: string | undefined;
}

/** What stands behind `--sell` or `--buy`: a currency, and an amount on one of the two. */
export function parseSide(words: readonly string[], flag: string): Side {
  const currencies = words.filter((word) => CURRENCY.test(word));
  const amounts = words.filter((word) => !CURRENCY.test(word));
  const [currency] = currencies;
  if (currency === undefined || currencies.length > 1 || amounts.length > 1) {
    throw usage(
      `${flag} takes a currency, with or without an amount.`,
      'For example: --sell 1m EUR --buy USD, or --sell EUR --buy 250k USD.',
    );
  }
  return {
    currency: currency.toUpperCase(),
    amount: amounts[0] === undefined ? undefined : parseAmount(amounts[0]),
  };
}
