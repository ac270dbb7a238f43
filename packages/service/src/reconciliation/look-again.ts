import { hasProposals } from '../approvals/approvals.ts';
import { inTransaction, isConnectionFailure } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { customersOf, originsOf } from './candidates.ts';
import { decideDeposit } from './decide-deposit.ts';
import { targetOf } from './fund-transaction.ts';
import { matchDeposits } from './match-deposits.ts';
import type { Again } from './match-records.ts';
import { tradesFor } from './preview-store.ts';
import type { ReconciliationRoom } from './receive-deposit.ts';
import type { DepositRecord } from './record.ts';
import { rulesInForce } from './settings-store.ts';
import { lockDeposit, untouchedDeposits } from './store.ts';

/** Deposits that one run looks at; the next run goes on after them. */
const LOOK_AGAIN_BATCH = 200;
const EVERY_MS = 5_000;
const SYSTEM: Again = { actor: 'system', reason: null, detail: {} };
/** Before all ids. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Why a deposit may find its place later: what it fits has come into being since (a trade of the account's customer, a
 * virtual account, a balance's reference), or of two things that it could be for one is gone. What rules were set to
 * suggest, duplicates, excess, third parties and other currencies stay a person's work.
 */
const REASONS = [
  'no_reference',
  'unknown_reference',
  'known_remitter',
  'several_transactions',
  'too_many_open_transactions',
  'transaction_and_balance',
  'several_balances',
] as const;

/**
 * Looks again at deposits that no rule has matched. Only at those that nobody has touched: noted, assigned, set aside,
 * unmatched, or proposed anything about. What would match is found without a lock; what does is matched like a deposit
 * that arrives, by `system`. Executions know nothing of it.
 */
export function lookAgainSweep(room: ReconciliationRoom, logger: Logger): Sweep {
  let after = NO_ID;
  return {
    name: 'look_again',
    everyMs: EVERY_MS,
    run: async () => {
      const deposits = await untouchedDeposits(room.pool, REASONS, after, LOOK_AGAIN_BATCH);
      after = deposits.length < LOOK_AGAIN_BATCH ? NO_ID : (deposits.at(-1)?.id ?? NO_ID);
      let matched = 0;
      for (const deposit of await promising(room, deposits)) {
        try {
          if (await matchAgain(room, deposit.id)) matched++;
        } catch (error) {
          if (isConnectionFailure(error)) throw error;
          // The others are not held up by it.
          logger.error({ err: error, depositId: deposit.id }, 'a deposit cannot be matched again');
        }
      }
      return matched;
    },
  };
}

/** Those that the rules would match now, by a look at what is committed. Nothing is locked. */
async function promising(
  { pool }: ReconciliationRoom,
  deposits: readonly DepositRecord[],
): Promise<DepositRecord[]> {
  if (deposits.length === 0) return [];
  const settings = await rulesInForce(pool);
  const origins = await originsOf(pool, deposits);
  const found = await tradesFor(pool, deposits, origins, []);
  const customers = await customersOf(pool, found, origins.values());
  const rows = new Map(found.map((row) => [row.id, row]));
  const targets = found.map(targetOf);
  return deposits.filter((deposit) => {
    const origin = origins.get(deposit.id);
    if (origin === undefined) return false;
    const { match } = decideDeposit(deposit, { origin, rows, targets, customers, settings });
    return match.outcome !== 'exception';
  });
}

/** @returns whether it was matched; what has changed meanwhile is seen under the deposit's lock */
function matchAgain(room: ReconciliationRoom, depositId: string): Promise<boolean> {
  return inTransaction(room.pool, async (connection) => {
    const deposit = await lockDeposit(connection, depositId);
    if (deposit === undefined || deposit.version !== 1 || deposit.status !== 'unmatched') return false;
    if (await hasProposals(connection, typeId('dep', depositId))) return false;
    const { dates, clock } = room;
    const settings = await rulesInForce(connection);
    const found = await matchDeposits(connection, [deposit], clock.now(), dates.current, settings, SYSTEM);
    return found.has(depositId);
  });
}
