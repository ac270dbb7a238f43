import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../http/idempotency.ts';
import { pointerTo } from '../problems/problem.ts';

/** One member that a command changes. */
export interface Effect {
  /** JSON Pointer; empty: all of it. */
  readonly at: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Beyond these a person reads no further, and the digest stands for all of them. */
const EFFECTS_MAX = 200; // limit: Changes that an approval shows

/** Members that say when and how often, not what; and what nobody but the one who asked is to see. */
const LEFT_OUT =
  /^(?:version|(?:created|updated|changed|lastUsed)At|timeline|downloads|files|topUpReference|approvedBy|url|sha256|messageId|secretId|clientSecret|invitationLink|secrets|serverTime|age[A-Z]\w*)$/;
/** Ids, payment references and times, of which a trial makes others than the approval does. */
const MADE_ANEW = /^(?:[a-z]{2,8}_[0-9a-z]{26}|RF\d{14}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/;
const NEW = '(new)';

/**
 * What changes from one view of a resource to the next. Ids and times that only the work makes are left open, so that the same
 * command tried twice has the same effects.
 * @param given what was known before: texts in it are kept
 */
export function effectsOf(before: unknown, after: unknown, given: readonly unknown[]): Effect[] {
  const known = JSON.stringify([before ?? null, ...given]);
  return difference('', plain(before ?? null, known), plain(after ?? null, known));
}

/** For `effectsDigest`: equal for equal effects, however many there are. */
export function digestOf(effects: readonly Effect[]): string {
  return hash('sha256', canonicalJson(effects), 'hex').slice(0, 32);
}

/** As many as are shown. */
export function shownEffects(effects: readonly Effect[]): Effect[] {
  return effects.slice(0, EFFECTS_MAX);
}

function difference(at: string, before: unknown, after: unknown): Effect[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ at, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) =>
    difference(`${at}${pointerTo(name)}`, before[name] ?? null, after[name] ?? null),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function plain(value: unknown, known: string): unknown {
  if (typeof value === 'string') return MADE_ANEW.test(value) && !known.includes(value) ? NEW : value;
  if (Array.isArray(value)) return value.map((each) => plain(each, known));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !LEFT_OUT.test(name));
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member, known)]));
}
