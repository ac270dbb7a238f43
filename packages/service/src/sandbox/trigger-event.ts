import { inTransaction } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { receiveDeposits } from '../reconciliation/receive-deposit.ts';
import { find, hasHolds, type SettlementRoom } from '../settlement/operate.ts';
import { confirmPayout, rejectPayout, returnPayout, startSettlement } from '../settlement/payout-changes.ts';
import { changeTransactions, type TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { depositAmount, simulatedDeposit } from './simulated-bank.ts';

export const SANDBOX_EVENTS = ['deposit', 'settle', 'payout-failed', 'payout-returned'] as const;
export type SandboxEvent = (typeof SANDBOX_EVENTS)[number];

type Step = (row: TransactionRow, now: number) => TransactionChange;

const start: Step = (row) => {
  if (row.status === 'funded' && hasHolds(row)) {
    throw new Problem('invalid_state_transition', 'A hold stands against the payout.', {
      members: { from: row.status, to: 'settling' },
    });
  }
  return startSettlement(row, 'system');
};
const confirm: Step = (row, now) => confirmPayout(row, now, 'bank_feed', `SBX-${row.id.slice(-12)}`);
const reject: Step = (_row, now) => rejectPayout(now, 'bank_feed', 'payout_rejected', 'Sandbox event');
const giveBack: Step = (row, now) => returnPayout(row, now, 'bank_feed', 'Sandbox event');

/** The way that each event takes, from the status that the trade is in. */
const WAYS: Readonly<
  Record<Exclude<SandboxEvent, 'deposit'>, (status: TransactionRow['status']) => readonly Step[]>
> = {
  settle: (status) => (status === 'settling' ? [confirm] : [start, confirm]),
  'payout-failed': (status) => (status === 'settling' ? [reject] : [start, reject]),
  'payout-returned': () => [giveBack],
};

/**
 * Lets something happen to a trade at once that would otherwise take its time.
 * @throws Problem transaction_not_found, invalid_state_transition
 */
export async function triggerEvent(
  room: Pick<SettlementRoom, 'pool' | 'clock' | 'dates'>,
  transactionId: string | undefined,
  event: SandboxEvent,
): Promise<TransactionRow> {
  const { customer_id: customerId, id } = await find(room, transactionId);
  const now = room.clock.now();
  if (event === 'deposit') await sendDeposit(room, await find(room, id), now);
  else {
    await inTransaction(room.pool, async (connection) => {
      const { rows } = await connection.query<{ status: TransactionRow['status'] }>(
        'select status from transactions where customer_id = $1 and id = $2 for update',
        [customerId, id],
      );
      for (const step of WAYS[event](rows[0]?.status ?? 'cancelled')) {
        await changeTransactions(connection, [{ customerId, id }], now, (row) => step(row, now));
      }
    });
  }
  return find(room, id);
}

async function sendDeposit(
  room: Pick<SettlementRoom, 'pool' | 'clock' | 'dates'>,
  row: TransactionRow,
  now: number,
): Promise<void> {
  const amountMinor = depositAmount({ ...row, scenario: null }, 1);
  if (amountMinor <= 0n) {
    throw new Problem('invalid_state_transition', `A transaction that is ${row.status} expects no money.`, {
      members: { from: row.status, to: 'funded' },
    });
  }
  const deposit = simulatedDeposit(row, newUuid(now), amountMinor, now);
  await inTransaction(room.pool, (connection) =>
    receiveDeposits(connection, [deposit], now, room.dates.current),
  );
}
