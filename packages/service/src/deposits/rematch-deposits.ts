import { hasProposals } from '../approvals/approvals.ts';
import { logFailure } from '../database/log-failure.ts';
import { inTransaction, isConnectionFailure } from '../database/pool.ts';
import { NIL_UUID, typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { decideMatch } from './decide-match.ts';
import { writeKeys } from './deposit-key-store.ts';
import { isOpen, OPEN_REASONS } from './deposit-keys.ts';
import {
  awaitedDeposits,
  beginWalk,
  dueChanges,
  forgetChanges,
  type MatchChange,
  moveWalk,
  namedDeposits,
  openWalks,
  pageOf,
  type Walk,
} from './match-change-store.ts';
import { loadMatchContext } from './match-context.ts';
import { matchDeposits } from './match-deposits.ts';
import { rulesInForce } from './matching-settings.ts';
import { OPEN_TRADES_MAX } from './receivables.ts';
import type { DepositRecord } from './record.ts';
import type { DepositsRoom } from './room.ts';
import { lockDeposit, openDeposits, untouchedDeposits } from './store.ts';
import type { Again } from './write-matches.ts';

const EVERY_MS = 1_000;
/** Changes that are read together. */
const CHANGES_MAX = 500; // limit: Changes that matching reads together
/** Open deposits that one reference or one amount of a customer is looked up for; more are for one trade anyway. */
const FOUND_MAX = 200; // limit: Open deposits looked up for one reference or amount
/** Deposits on a page of a walk, walks that are under way at a time, and pages that one run turns of each. */
const PAGE = 200;
const WALKS_MAX = 20;
const PAGES_OF_A_RUN = 5;
const ENGINE: Again = { actor: 'system', reason: null, detail: {} };

/**
 * Looks again at deposits that no rule has matched, by what has changed: a new trade's reference, customer and amount, a
 * trade that ended or got its money, a virtual account, a balance's reference, a payer who is known now. Only at those
 * that nobody has touched: noted, assigned, set aside, unmatched, or proposed anything about. What would match is found
 * without a lock; what does is matched like a deposit that arrives, by `system`.
 */
export function rematchSweep(room: DepositsRoom, logger: Logger): Sweep {
  return {
    name: 'rematch_deposits',
    does: 'Rematches open deposits that a change may affect: a trade, a customer, an account, a rule.',
    everyMs: EVERY_MS,
    run: async () => {
      let matched = 0;
      for (;;) {
        const changes = await dueChanges(room.pool, CHANGES_MAX);
        if (changes.length === 0) break;
        matched += await rematchByIds(room, logger, await affectedDeposits(room, changes));
        await forgetChanges(room.pool, changes);
        if (changes.length < CHANGES_MAX) break;
      }
      for (const walk of await openWalks(room.pool, WALKS_MAX))
        matched += await continueWalk(room, logger, walk);
      return matched;
    },
  };
}

/** Ids of the open deposits that changes may have made clear; those that concern too many for one look begin a walk. */
async function affectedDeposits({ pool }: DepositsRoom, changes: readonly MatchChange[]): Promise<string[]> {
  const keysOf = (...kinds: MatchChange['kind'][]) => [
    ...new Set(changes.filter(({ kind }) => kinds.includes(kind)).map(({ key }) => key)),
  ];
  const ids = new Set(keysOf('deposit'));
  for (const id of await namedDeposits(pool, keysOf('trade', 'reference'), FOUND_MAX)) ids.add(id);
  const trades = new Map(
    changes.flatMap(({ kind, customerId, currency }) =>
      kind === 'trade' && customerId !== null && currency !== null
        ? [[`${customerId} ${currency}`, { customerId, currency }] as const]
        : [],
    ),
  );
  for (const { customerId, currency } of trades.values()) {
    const awaited = await awaitedDeposits(pool, customerId, currency, FOUND_MAX);
    for (const id of awaited.ids) ids.add(id);
    const { length } = awaited.openMinors;
    if (length >= 2 && length <= OPEN_TRADES_MAX) {
      await beginWalk(pool, { kind: 'group', key: customerId, currency });
    } else if (length === 0) {
      // With no trade open any more, the money may be for the balance.
      await beginWalk(pool, { kind: 'owner', key: customerId, currency: '' });
    }
  }
  for (const kind of ['account', 'remitter'] as const) {
    for (const key of keysOf(kind)) await beginWalk(pool, { kind, key, currency: '' });
  }
  const customers = keysOf('customer');
  for (const key of customers) await beginWalk(pool, { kind: 'owner', key, currency: '' });
  if (customers.length > 0) await beginWalk(pool, { kind: 'held', key: '', currency: '' });
  if (keysOf('rules').length > 0) await beginWalk(pool, { kind: 'all', key: '', currency: '' });
  return [...ids];
}

/** Turns some pages of a walk. @returns how many deposits were matched */
async function continueWalk(room: DepositsRoom, logger: Logger, begun: Walk): Promise<number> {
  let walk = begun;
  let matched = 0;
  for (let count = 0; count < PAGES_OF_A_RUN; count++) {
    const between = walk.kind === 'group' ? await groupAmounts(room, walk) : undefined;
    const page = between === 'none' ? [] : await pageOf(room.pool, walk, between, PAGE);
    matched += await rematchByIds(
      room,
      logger,
      page.map((each) => each.id),
    );
    const last = page.length < PAGE ? undefined : page.at(-1);
    await moveWalk(room.pool, walk, last);
    if (last === undefined) break;
    walk = { ...walk, afterMinor: last.minor, afterId: last.id };
  }
  return matched;
}

/** Between the sum of the two smallest amounts that are awaited and that of as many of the largest as a group may have. */
async function groupAmounts(
  { pool }: DepositsRoom,
  { key, currency }: Walk,
): Promise<readonly [bigint, bigint] | 'none'> {
  const { openMinors } = await awaitedDeposits(pool, key, currency, 0);
  if (openMinors.length < 2 || openMinors.length > OPEN_TRADES_MAX) return 'none';
  const { groupSizeMax } = await rulesInForce(pool);
  const sorted = openMinors.sort((a, b) => (a < b ? -1 : 1));
  const sum = (minors: readonly bigint[]) => minors.reduce((total, minor) => total + minor, 0n);
  return [sum(sorted.slice(0, 2)), sum(sorted.slice(-groupSizeMax))];
}

/** Matches those of the deposits that are open and that the rules would match now. @returns how many */
async function rematchByIds(room: DepositsRoom, logger: Logger, ids: readonly string[]): Promise<number> {
  const deposits = await openDeposits(room.pool, ids, OPEN_REASONS);
  return matchOlder(room, logger, deposits);
}

/** Matches those of the open deposits that the rules would match now. @returns how many */
async function matchOlder(
  room: DepositsRoom,
  logger: Logger,
  deposits: readonly DepositRecord[],
): Promise<number> {
  let matched = 0;
  for (const deposit of await matchableNow(room, deposits)) {
    try {
      if (await matchAgain(room, deposit.id)) matched++;
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      // The others are not held up by it.
      const depositId = typeId('dep', deposit.id);
      logFailure(logger, error, { depositId }, 'a deposit cannot be matched again');
    }
  }
  return matched;
}

/** Those that the rules would match now, by a look at what is committed. Nothing is locked. */
async function matchableNow(
  { pool }: DepositsRoom,
  deposits: readonly DepositRecord[],
): Promise<DepositRecord[]> {
  if (deposits.length === 0) return [];
  const context = await loadMatchContext(pool, deposits);
  const clear = deposits.filter((deposit) => decideMatch(deposit, context).outcome !== 'exception');
  const others = deposits.filter((deposit) => !clear.includes(deposit));
  // More may be known of them by now, such as whose account they came in on.
  await writeKeys(pool, others, context.evidence, false);
  return clear;
}

/** @returns whether it was matched; what has changed meanwhile is seen under the deposit's lock */
function matchAgain(room: DepositsRoom, depositId: string): Promise<boolean> {
  return inTransaction(room.pool, async (connection) => {
    const deposit = await lockDeposit(connection, depositId);
    if (deposit === undefined || !isOpen(deposit)) return false;
    if (await hasProposals(connection, typeId('dep', depositId))) return false;
    const { dates, clock } = room;
    const found = await matchDeposits(connection, [deposit], clock.now(), dates.current, ENGINE);
    return found.has(depositId);
  });
}

/** Deposits that one run looks at; the next run goes on after them. */
const UNTOUCHED_BATCH = 200;
const UNTOUCHED_EVERY_MS = 15_000;

/**
 * Looks at all open deposits in turns, whatever has changed. What changes is followed by `rematch_deposits`; this finds
 * what comes with time alone, and what an instance of an earlier version has written.
 */
export function rematchUntouchedSweep(room: DepositsRoom, logger: Logger): Sweep {
  let after = NIL_UUID;
  return {
    name: 'rematch_in_turns',
    does: 'As a fallback, rematches open deposits that nobody has touched, in turns.',
    everyMs: UNTOUCHED_EVERY_MS,
    run: async () => {
      const deposits = await untouchedDeposits(room.pool, OPEN_REASONS, after, UNTOUCHED_BATCH);
      after = deposits.length < UNTOUCHED_BATCH ? NIL_UUID : (deposits.at(-1)?.id ?? NIL_UUID);
      return matchOlder(room, logger, deposits);
    },
  };
}
