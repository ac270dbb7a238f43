import type { Approval } from '@firmquote/client/operator';
import { words } from '../parts/words.ts';

/** One value that a proposal changes; undefined: there is none on this side. */
export interface Change {
  /** Where it stands, in words, from the outside in. */
  readonly path: readonly string[];
  /** The name of the value itself, as the interface has it. */
  readonly name: string;
  readonly before: Leaf | undefined;
  readonly after: Leaf | undefined;
  /** Of an amount, where one stands beside it. */
  readonly currency: string | undefined;
}
export type Leaf = string | number | boolean;

type Json = Readonly<Record<string, unknown>>;

/** How a match came about is kept for those who look at it later; whoever decides sees what it does. */
const ASIDE = new Set(['evidence', 'matchedBy', 'score']);

/** What a proposal changes, value by value: lists and objects are taken apart, and what is empty on both sides is left out. */
export function changesOf(effects: Approval['effects'], currency?: string): readonly Change[] {
  return effects.flatMap(({ at, before, after }) => {
    const names = at === '' ? [] : at.slice(1).split('/').map(unescapePointer);
    if (names.some((name) => ASIDE.has(name))) return [];
    return apart(names, before, after, currency);
  });
}

/** A change as it would be now, beside the same as it was proposed; undefined: there is none of it. */
export interface Compared {
  readonly now: Change | undefined;
  readonly proposed: Change | undefined;
  readonly isSame: boolean;
}

/** What a proposal would change by now, beside what it was proposed to change: whoever approves the one has seen how it differs. */
export function comparedTo(proposed: readonly Change[], now: readonly Change[]): readonly Compared[] {
  const byPath = (changes: readonly Change[]) => new Map(changes.map((each) => [each.path.join('/'), each]));
  const [was, is] = [byPath(proposed), byPath(now)];
  return [...new Set([...is.keys(), ...was.keys()])].map((path) => {
    const [one, other] = [is.get(path), was.get(path)];
    const isSame =
      one?.before === other?.before && one?.after === other?.after && one?.currency === other?.currency;
    return { now: one, proposed: other, isSame };
  });
}

function apart(
  names: readonly string[],
  before: unknown,
  after: unknown,
  currency: string | undefined,
): Change[] {
  if (isContainer(before) || isContainer(after)) {
    const [was, is] = [membersOf(before), membersOf(after)];
    const inner = textOf(is.currency) ?? textOf(was.currency) ?? currency;
    return [...new Set([...Object.keys(was), ...Object.keys(is)])]
      .filter((name) => !ASIDE.has(name))
      .flatMap((name) => apart([...names, name], was[name], is[name], inner));
  }
  const [from, to] = [leafOf(before), leafOf(after)];
  if (from === to) return [];
  const name = names.at(-1) ?? '';
  return [{ path: pathOf(names), name, before: from, after: to, currency }];
}

/** `allocations`, `0`, `allocatedAmount`: Allocations 1, Allocated amount. */
function pathOf(names: readonly string[]): readonly string[] {
  const path: string[] = [];
  for (const name of names) {
    if (/^\d+$/.test(name) && path.length > 0) path.push(`${path.pop()} ${Number(name) + 1}`);
    else path.push(nameInWords(name));
  }
  return path;
}

/** `customerId`: Customer. `dailyVolume`: Daily volume. */
export function nameInWords(name: string): string {
  return words(
    name.replace(/(?<=[a-z])Id$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
}

/** What is counted, or a year: amounts are texts, and only they have groups of digits. */
export function numberText(value: number): string {
  return String(value).replace(/^-/, '−');
}

function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function isContainer(value: unknown): value is Json | readonly unknown[] {
  return typeof value === 'object' && value !== null;
}

function membersOf(value: unknown): Json {
  return isContainer(value) ? (value as Json) : {};
}

function leafOf(value: unknown): Leaf | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
