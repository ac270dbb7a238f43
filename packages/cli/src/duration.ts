import { usage } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PART = /^(\d+)(ms|s|m|h|d)/;
/** limit: What a duration on the command line may be, so that sums stay exact. */
const DURATION_MAX_MS = 3_650 * 86_400_000;

/** `30s`, `1h30m`, `2d` or a bare number of seconds, in milliseconds. */
export function parseDuration(text: string, flag: string): number {
  if (/^\d{1,9}$/.test(text)) return Number.parseInt(text, 10) * 1_000;
  let rest = text;
  let sum = 0;
  while (rest !== '') {
    const [part, count, unit = ''] = PART.exec(rest) ?? [];
    if (part === undefined || count === undefined)
      throw usage(`${flag}: “${text}” is not a duration.`, 'For example 30s, 5m, 1h30m, 2d.');
    sum += Number.parseInt(count, 10) * (UNITS[unit] ?? 0);
    rest = rest.slice(part.length);
  }
  if (text === '' || sum > DURATION_MAX_MS)
    throw usage(`${flag}: “${text}” is not a duration.`, 'For example 30s, 5m, 1h30m, 2d.');
  return sum;
}

/** `0:29`, `12:05`, `1:00:00`, for people who wait. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
