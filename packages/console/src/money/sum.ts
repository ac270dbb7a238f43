/** Sums and differences of amounts, digit for digit. */

/** @param amount as the service writes it, such as `-1000.50` */
export function minorOf(amount: string, decimals: number): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^([-−]?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const minor = BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals));
  return sign === '' ? minor : -minor;
}

export function amountOf(minor: bigint, decimals: number): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
  return minor < 0n ? `-${text}` : text;
}

export function sum(amounts: readonly string[], decimals: number): string {
  return amountOf(
    amounts.reduce((total, amount) => total + minorOf(amount, decimals), 0n),
    decimals,
  );
}

export function minus(from: string, taken: string, decimals: number): string {
  return amountOf(minorOf(from, decimals) - minorOf(taken, decimals), decimals);
}

export function lesser(a: string, b: string, decimals: number): string {
  return minorOf(a, decimals) < minorOf(b, decimals) ? a : b;
}

export function signOf(amount: string): -1 | 0 | 1 {
  if (!/[1-9]/.test(amount)) return 0;
  return /^[-−]/.test(amount) ? -1 : 1;
}

/** How much of a whole it is, in percent, whole numbers; 100 at most, as anything is of nothing. For bars alone: no amount is made of it. */
export function percentOf(part: string, whole: string): number {
  const decimals = Math.max(part.split('.')[1]?.length ?? 0, whole.split('.')[1]?.length ?? 0);
  const [a, b] = [minorOf(part, decimals), minorOf(whole, decimals)];
  if (b <= 0n) return a === 0n ? 0 : 100;
  const percent = ((a < 0n ? -a : a) * 100n) / b;
  return percent > 100n ? 100 : Number.parseInt(percent.toString(), 10);
}
