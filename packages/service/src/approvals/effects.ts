import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../http/idempotency.ts';
import { instantOf, uuidIn } from '../platform/ids.ts';
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
  /^(?:version|(?:created|updated|changed|lastUsed|ended)At|timeline|downloads|files|sendBefore|topUpReference|approvedBy|endedBy|url|sha256|messageId|secretId|clientSecret|invitationLink|secrets|serverTime|age[A-Z]\w*)$/;
/** Ids, payment references and times, of which a trial makes others than the approval does. */
const MADE_ANEW = /^(?:[a-z]{2,8}_[0-9a-z]{26}|RF\d{14}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/;
const NEW = '(new)';
/** Longer than any command is tried. */
const COMMAND_MAX_MS = 600_000;

/** What a command changes, for people and for comparing. */
export interface Effects {
  /** As many as are shown. What the command made itself is "(new)": the approval makes another. */
  readonly shown: readonly Effect[];
  /** For `effectsDigest`: equal for the same command tried twice, however many effects there are. */
  readonly digest: string;
}

/**
 * What changes from one view of a resource to the next.
 * @param given what was known before: texts in it are kept
 * @param came when the command came, by each clock that makes ids: business time, and the machine's. Ids of the time from then on
 * are its own
 */
export function effectsOf(
  before: unknown,
  after: unknown,
  given: readonly unknown[],
  came: readonly number[],
): Effects {
  const known = JSON.stringify([before ?? null, ...given]);
  const changes = (isNew: (text: string) => boolean) =>
    difference('', comparable(before ?? null, isNew), comparable(after ?? null, isNew));
  const isOpen = (text: string) => MADE_ANEW.test(text) && !known.includes(text);
  return {
    shown: shownEffects(changes((text) => isOpen(text) && !isOfBefore(text, came))),
    // An id of somewhere else is left open too: its age does not say for sure that it was there.
    digest: hash('sha256', canonicalJson(changes(isOpen)), 'hex').slice(0, 32),
  };
}

/** Older, or so far ahead that no command lasts so long: of before a sandbox's clock was moved back. */
function isOfBefore(text: string, came: readonly number[]): boolean {
  const uuid = uuidIn(text);
  if (uuid === undefined) return false;
  const at = instantOf(uuid);
  return came.every((since) => at < since || at > since + COMMAND_MAX_MS);
}

/** As many as are shown. */
function shownEffects(effects: readonly Effect[]): Effect[] {
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

function comparable(value: unknown, isNew: (text: string) => boolean): unknown {
  if (typeof value === 'string') return isNew(value) ? NEW : value;
  if (Array.isArray(value)) return value.map((each) => comparable(each, isNew));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !LEFT_OUT.test(name));
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member, isNew)]));
}
