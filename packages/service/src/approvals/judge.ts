import { COMMAND_KINDS, type CommandKind } from '@firmquote/api/command-kinds';
import { formatAmount, US_DOLLAR } from '@firmquote/fx';
import { eyesOf, rightsOfProgram } from '../authorization/eyes.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import { actorId, newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { insertActed, lockSums, sumOfActor, sumsOfCustomers } from './acted-store.ts';
import { type FourEyes, policyInForce } from './policy.ts';

/** What an act moves for one customer. */
export interface ActAmount {
  /** UUID; undefined where it is for the house. */
  readonly customerId: string | undefined;
  /** US dollar cents; undefined where nobody knows, which is much. */
  readonly usdMinor: bigint | undefined;
}

/** What somebody does alone, unless the policy says otherwise. */
export interface Act {
  readonly kind: CommandKind;
  /** Person or OAuth client (UUID). */
  readonly actorId: string;
  readonly amounts: readonly ActAmount[];
  /** What the matching rules say, which is going away: alone where the policy was not set, else the lower one counts. */
  readonly formerLimit?: { readonly fromUsdMinor: bigint | undefined };
}

/**
 * Why an act takes two persons: nothing, when one may do it alone, and then it is counted. Asked after the work, when nothing else
 * is to be locked: whoever acts for the same person or customer waits until this one is committed, so that two at once do not both
 * fit below a threshold.
 */
export async function whyTwo(
  connection: Connection,
  act: Act,
  now: number,
  policy?: FourEyes,
): Promise<string[]> {
  const inForce = policy ?? (await policyInForce(connection));
  const limit = limitOf(inForce, act);
  if (limit === 'always') return ['The policy requires two people.'];
  const isUnknown = act.amounts.some(({ usdMinor }) => usdMinor === undefined);
  const worth = act.amounts.reduce((sum, { usdMinor = 0n }) => sum + usdMinor, 0n);
  if (limit !== undefined && isMuch(isUnknown ? undefined : worth, limit)) {
    return [
      isUnknown ? 'Its worth in USD is unknown.' : `It is worth ${usd(worth)}, more than ${usd(limit)}.`,
    ];
  }
  if (inForce.rollingMs === 0 || worth === 0n) return [];
  const byCustomer = Map.groupBy(act.amounts, ({ customerId }) => customerId);
  const amounts = [...byCustomer].map(([customerId, each]) => ({
    customerId,
    usdMinor: each.reduce((sum, { usdMinor = 0n }) => sum + usdMinor, 0n),
  }));
  const customerIds = amounts.flatMap(({ customerId }) => customerId ?? []);
  const eyes = await lockSums(connection, act.actorId, customerIds);
  if (limit !== undefined) {
    const why = await whySums(connection, { worth, amounts, limit, eyes, since: now - inForce.rollingMs });
    if (why.length > 0) return why;
  }
  const acted = amounts
    .filter(({ usdMinor }) => usdMinor !== 0n)
    .map(({ customerId = null, usdMinor }) => ({
      ...{ id: newUuid(now), kind: act.kind, actedBy: eyes },
      ...{ customerId, usdMinor, at: now },
    }));
  await insertActed(connection, acted);
  return [];
}

/**
 * What an act is worth, by whom it is for.
 * @param parts what it moves for each customer, in one currency; none: nobody knows of a customer
 */
export function amountsOf(
  usdMinor: bigint | undefined,
  parts: ReadonlyMap<string | undefined, bigint>,
): ActAmount[] {
  const total = [...parts.values()].reduce((sum, minor) => sum + minor, 0n);
  if (usdMinor === undefined || total <= 0n) {
    const [only] = parts.size === 1 ? parts.keys() : [];
    return [{ customerId: only, usdMinor }];
  }
  let left = usdMinor;
  const amounts = [...parts].map(([customerId, minor]) => {
    const part = (usdMinor * minor) / total;
    left -= part;
    return { customerId, usdMinor: part };
  });
  // What rounding leaves is the house's.
  return left === 0n ? amounts : [...amounts, { customerId: undefined, usdMinor: left }];
}

export function isCommandKind(kind: string): kind is CommandKind {
  return kind in COMMAND_KINDS;
}

/** Nothing is to be judged, counted or undone. */
export function isFree({ rules, rollingMs }: FourEyes, kind: string): boolean {
  if (!isCommandKind(kind) || rules.get(kind)?.needs !== 'never') return false;
  return rollingMs === 0 || !('counts' in COMMAND_KINDS[kind]);
}

/** Whether one who acts may do nothing else but read: a program that is only for this, whatever a token of it says. */
export async function doesOnly(db: Queryable, actorId: string, scopes: readonly string[]): Promise<boolean> {
  const rights = await rightsOfProgram(db, actorId);
  return (
    rights !== undefined && [...rights].every((scope) => scopes.includes(scope) || scope.endsWith(':read'))
  );
}

/** Whether one who acts is another person than the one who began. A client for which nobody answers is nobody. */
export async function isSecond(db: Queryable, first: string, second: string): Promise<boolean> {
  const eyes = await eyesOf(db, second);
  return eyes !== undefined && first !== second && eyes !== (await eyesOf(db, first));
}

/**
 * For what cannot be proposed: the second person has to do it.
 * @param first who began (UUID)
 * @throws Problem second_person_required
 */
export async function requireSecond(
  db: Queryable,
  kind: CommandKind,
  first: string,
  second: string,
  detail: string,
): Promise<void> {
  const { rules } = await policyInForce(db);
  if (rules.get(kind)?.needs === 'never' || (await isSecond(db, first, second))) return;
  throw new Problem('second_person_required', detail, { members: { proposedBy: actorId(first) } });
}

/** Beyond these nobody reads on. */
const WHY_MAX = 5;

async function whySums(
  connection: Connection,
  sum: {
    readonly worth: bigint;
    readonly amounts: readonly { readonly customerId: string | undefined; readonly usdMinor: bigint }[];
    readonly limit: bigint;
    readonly eyes: string;
    readonly since: number;
  },
): Promise<string[]> {
  const { worth, amounts, limit, eyes, since } = sum;
  const byActor = (await sumOfActor(connection, eyes, since)) + worth;
  const why =
    byActor > limit ? [`With it, one person has moved ${usd(byActor)} alone, more than ${usd(limit)}.`] : [];
  const ids = amounts.flatMap(({ customerId }) => customerId ?? []);
  const before = await sumsOfCustomers(connection, ids, since);
  for (const { customerId, usdMinor } of amounts) {
    if (customerId === undefined) continue;
    const forOne = (before.get(customerId) ?? 0n) + usdMinor;
    if (forOne <= limit) continue;
    why.push(
      `With it, ${usd(forOne)} has moved for one customer without a second person, more than ${usd(limit)}.`,
    );
    if (why.length === WHY_MAX) break;
  }
  return why;
}

/** @param worth US dollar cents; undefined when nobody knows @param limit undefined: never is it much */
export function isMuch(worth: bigint | undefined, limit: bigint | undefined): boolean {
  return limit !== undefined && (worth === undefined || worth > limit);
}

function limitOf({ rules, set }: FourEyes, { kind, formerLimit }: Act): bigint | 'always' | undefined {
  const rule = rules.get(kind);
  if (formerLimit !== undefined && !set.has(kind)) return formerLimit.fromUsdMinor;
  if (rule?.needs === 'always') return 'always';
  const limit = rule?.needs === 'amount' ? rule.fromUsdMinor : undefined;
  const former = formerLimit?.fromUsdMinor;
  if (limit === undefined || former === undefined) return limit ?? former;
  return limit < former ? limit : former;
}

function usd(minor: bigint): string {
  return `USD ${formatAmount(minor, US_DOLLAR)}`;
}
