/** Amounts as people write and read them. They are texts from end to end: no binary number could hold them all. */

/** Minor units by ISO 4217, where they are not two. */
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
};

export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

export type ParsedAmount =
  | { readonly ok: true; readonly amount: string }
  | { readonly ok: false; readonly why: string };

const MULTIPLES: Readonly<Record<string, number>> = { k: 3, m: 6, mio: 6, mn: 6, b: 9, bn: 9 };
const DIGITS_MAX = 18;

/**
 * What somebody typed or pasted: `1m`, `250k`, `1.5bn`, `1,000,000.00`, `1.000.000,00`, `1'000'000`. What can be read in two ways
 * is refused, not guessed.
 */
export function parseAmount(text: string, decimals: number): ParsedAmount {
  const parsed = parseLimit(text, decimals);
  return parsed.ok && /^[0.]+$/.test(parsed.amount) ? refuse('Enter an amount above zero.') : parsed;
}

/** The same of an amount that may be none: a limit of 0 lets nothing through. */
export function parseLimit(text: string, decimals: number): ParsedAmount {
  const cleaned = text
    .trim()
    .replace(/[\s\u00a0\u202f'’_]/g, '')
    .toLowerCase();
  if (cleaned === '') return refuse('Enter an amount.');
  const [, number = '', unit = ''] = /^([\d.,]*)([a-z]*)$/.exec(cleaned) ?? [];
  const shift = unit === '' ? 0 : MULTIPLES[unit];
  if (!/\d/.test(number) || shift === undefined) return refuse('Enter digits, such as 1,000,000.00 or 1.5m.');
  const parts = split(number, shift > 0, decimals);
  if (parts === undefined) return refuse(whyAmbiguous(number, shift > 0, decimals));
  const [whole, fraction] = parts;
  const moved = shifted(whole, fraction, shift);
  const digits = moved.whole.replace(/^0+(?=\d)/, '');
  const rest = moved.fraction.replace(/0+$/, '');
  if (rest.length > decimals)
    return refuse(decimals === 0 ? 'This currency has no decimals.' : `At most ${decimals} decimals.`);
  if (digits.length > DIGITS_MAX) return refuse('The amount is too large.');
  return { ok: true, amount: decimals === 0 ? digits : `${digits}.${rest.padEnd(decimals, '0')}` };
}

/**
 * @param isScaled a unit follows: `1.500m` has a decimal point, nobody counts thousands of millions this way; `1,500k` may be either
 * @param decimals of the currency: with fewer than three, three digits behind a comma are thousands
 */
function split(
  number: string,
  isScaled: boolean,
  decimals: number,
): readonly [whole: string, fraction: string] | undefined {
  const marks = number.match(/[.,]/g) ?? [];
  if (marks.length === 0) return [number, ''];
  const last = Math.max(number.lastIndexOf('.'), number.lastIndexOf(','));
  const [mark, other] = number[last] === '.' ? ['.', ','] : [',', '.'];
  const isRepeated = marks.filter((each) => each === mark).length > 1;
  if (isRepeated) return number.includes(other) ? undefined : grouped(number, mark, '');
  const [before, after] = [number.slice(0, last), number.slice(last + 1)];
  if (before.includes(other)) return grouped(before, other, after);
  // One mark with three digits behind it: `1.000` and `1,000` are a thousand to some and one to others.
  if (after.length === 3 && /^[1-9]\d{0,2}$/.test(before)) {
    const [isThousands, isDecimal] = [mark === ',' && !isScaled && decimals < 3, mark === '.' && isScaled];
    if (isThousands) return [before + after, ''];
    if (!isDecimal) return undefined;
  }
  // `1000,500`: half a unit that nobody writes with three decimals here, or a million whose first separator is missing.
  if (after.length === 3 && decimals < 3 && !isScaled && /^[1-9]\d{3,}$/.test(before)) return undefined;
  return [before === '' ? '0' : before, after];
}

/** What to enter instead. Where a currency has three decimals, an amount with all of them is told from thousands by a fourth one. */
function whyAmbiguous(number: string, isScaled: boolean, decimals: number): string {
  const [, whole, fraction] = /^(\d{1,3})[.,](\d{3})$/.exec(number) ?? [];
  if (whole === undefined || isScaled || decimals < 3)
    return 'Ambiguous separator: enter the amount without thousands separators.';
  return `Ambiguous separator: enter ${whole}${fraction} or ${whole}.${fraction}0.`;
}

/** Thousands stand in threes, or it is something else. */
function grouped(whole: string, mark: string, fraction: string): readonly [string, string] | undefined {
  const [first = '', ...rest] = whole.split(mark);
  const isWell = /^\d{1,3}$/.test(first) && rest.every((group) => /^\d{3}$/.test(group));
  return isWell ? [first + rest.join(''), fraction] : undefined;
}

function shifted(whole: string, fraction: string, by: number): { whole: string; fraction: string } {
  const padded = fraction.padEnd(by, '0');
  return { whole: whole + padded.slice(0, by), fraction: padded.slice(by) };
}

function refuse(why: string): ParsedAmount {
  return { ok: false, why };
}

/** `1000000.00` as `1,000,000.00`: every digit that is there, and no other. A minus is a minus sign. */
export function formatAmount(amount: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^([-−+]?)(\d+)((?:\.\d+)?)$/.exec(amount) ?? [];
  if (whole === '') return amount;
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign === '-' ? '−' : sign}${groups}${fraction}`;
}

/** An amount as it stands in a field from the beginning: what is read of it is the same amount, also where `150.125` may be two. */
export function enteredAmount(amount: string, decimals: number): string {
  const text = formatAmount(amount);
  const forms = [text, text.replace(/\.?0+$/, ''), `${text}0`];
  return forms.find((form) => isReadAs(amount, form, decimals)) ?? text;
}

function isReadAs(amount: string, form: string, decimals: number): boolean {
  const read = parseAmount(form, decimals);
  return read.ok && compareRates(read.amount, amount) === 0;
}

/** A rate in the three parts that dealers read: `1.08`, `45`, `6`. */
export interface RateParts {
  readonly big: string;
  readonly pips: string;
  readonly rest: string;
}

/**
 * @param pipDecimals decimals of a pip: 4 for EUR/USD, 2 for USD/JPY. The two digits that end there are the pips.
 */
export function splitRate(rate: string, pipDecimals: number): RateParts {
  const point = rate.indexOf('.');
  const end = point + 1 + pipDecimals;
  if (point < 0 || rate.length < end || pipDecimals < 2) return { big: rate, pips: '', rest: '' };
  return { big: rate.slice(0, end - 2), pips: rate.slice(end - 2, end), rest: rate.slice(end) };
}

/** Decimals of a pip by the second currency of a pair, where they are not four. A test holds them against what prices are made by. */
const PIP_DECIMALS: Readonly<Record<string, number>> = {
  VND: 0,
  ...Object.fromEntries('CLP COP HUF IDR ISK JPY KRW KZT'.split(' ').map((code) => [code, 2])),
  ...Object.fromEntries('PHP PKR THB TWD'.split(' ').map((code) => [code, 3])),
  ...Object.fromEntries('BHD OMR'.split(' ').map((code) => [code, 5])),
};

/** A rate does not say it: most have one decimal more than a pip, and some none, or several. */
export function pipDecimalsOf(pair: string): number {
  return PIP_DECIMALS[pair.slice(3)] ?? 4;
}

/**
 * The difference of two rates in pips: what the market's spread is. To a tenth, or to the first digit that it has: where a unit is worth little,
 * both rates are the same but for a part of a pip.
 */
export function spreadPips(bid: string, ask: string, pipDecimals: number): string {
  const scale = Math.max(pipDecimals + 1, ...[bid, ask].map((rate) => rate.split('.')[1]?.length ?? 0));
  const difference = unitsOf(ask, scale) - unitsOf(bid, scale);
  const [sign, size] = difference < 0n ? ['−', -difference] : ['', difference];
  const inPips = (decimals: number) => {
    const step = 10n ** BigInt(scale - pipDecimals - decimals);
    return (size + step / 2n) / step;
  };
  let decimals = 1;
  while (size > 0n && inPips(decimals) === 0n) decimals += 1;
  const text = inPips(decimals)
    .toString()
    .padStart(decimals + 1, '0');
  return `${sign}${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

/** @param scale not less than the decimals of the rate */
function unitsOf(rate: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = rate.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** Whether a rate has risen: 1, fallen: -1, or neither: 0. Exact, whatever the number of decimals. */
export function compareRates(before: string, after: string): -1 | 0 | 1 {
  // Of one form they are compared as they are written.
  if (before.length === after.length && before.indexOf('.') === after.indexOf('.'))
    return before === after ? 0 : before < after ? 1 : -1;
  const decimals = Math.max(before.split('.')[1]?.length ?? 0, after.split('.')[1]?.length ?? 0);
  const [a, b] = [unitsOf(before, decimals), unitsOf(after, decimals)];
  return a === b ? 0 : a < b ? 1 : -1;
}

/** `EURUSD` as people read it. */
export function pairText(pair: string): string {
  return `${pair.slice(0, 3)}/${pair.slice(3)}`;
}
