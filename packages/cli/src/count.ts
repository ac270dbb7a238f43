import { usage } from './errors.ts';

/** What a flag counts: a whole number from 1, and nothing that only begins with one. */
export function countOf(text: unknown, flag: string): number {
  if (/^[1-9]\d{0,8}$/.test(String(text))) return Number.parseInt(String(text), 10);
  throw usage(`${flag} must be a whole number from 1, not “${String(text)}”.`);
}
