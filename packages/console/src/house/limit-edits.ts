import { enteredAmount, formatAmount, type ParsedAmount, parseLimit } from '../money/amount.ts';
import type { ChangeLine } from '../parts/change.tsx';

/** Limits in US dollars as they are edited in rows: what is empty is none. */

export const USD_DECIMALS = 2;

/** How a change of them is sent. */
export const SENT = {
  scope: 'operator:limits',
  why: 'limits',
  done: 'The new limits are in force.',
} as const;

export type ReadLimit =
  | { readonly ok: true; readonly amount: string | null }
  | (ParsedAmount & { ok: false });

/** @param text undefined where nobody has touched it @param inForce goes back as it came */
export function readEdited(
  text: string | undefined,
  inForce: string | null,
  parse: (text: string) => ParsedAmount = (given) => parseLimit(given, USD_DECIMALS),
): ReadLimit {
  if (text === undefined) return { ok: true, amount: inForce };
  return text.trim() === '' ? { ok: true, amount: null } : parse(text);
}

/** How it stands in its field: what is read of it is the same amount. */
export function written(text: string | undefined, inForce: string | null, decimals = USD_DECIMALS): string {
  if (text !== undefined || inForce === null) return text ?? '';
  return `${inForce.startsWith('-') ? '−' : ''}${enteredAmount(inForce.replace('-', ''), decimals)}`;
}

/**
 * @param none what is said where there is no amount
 * @returns nothing where it comes to the same, or is not understood
 */
export function lineOf(
  what: string,
  inForce: string | null,
  read: ReadLimit,
  unit = 'USD',
  none = 'no limit',
): readonly ChangeLine[] {
  if (!read.ok || sameAmount(read.amount, inForce)) return [];
  const said = (amount: string | null) => (amount === null ? none : `${formatAmount(amount)} ${unit}`);
  return [{ what, before: said(inForce), after: said(read.amount) }];
}

/** An amount of a version of the limits. */
export interface VersionAmount {
  readonly what: string;
  readonly amount: string | null;
  readonly unit?: string;
  readonly none?: string;
}

/** What differs between the limits as they were and as they are. */
export function linesBetween(
  former: readonly VersionAmount[],
  now: readonly VersionAmount[],
): readonly ChangeLine[] {
  const [was, is] = [former, now].map((amounts) => new Map(amounts.map((each) => [each.what, each])));
  return [...new Map([...(was ?? []), ...(is ?? [])]).values()].flatMap(({ what, unit, none }) => {
    const amount = is?.get(what)?.amount ?? null;
    return lineOf(what, was?.get(what)?.amount ?? null, { ok: true, amount }, unit, none);
  });
}

export function wrongOf(what: string, read: ReadLimit): readonly string[] {
  return read.ok ? [] : [`${what}: ${read.why}`];
}

/** `5000.00` and `5000` are the same. */
function sameAmount(a: string | null, b: string | null): boolean {
  const plain = (amount: string | null) => amount?.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  return plain(a) === plain(b);
}
