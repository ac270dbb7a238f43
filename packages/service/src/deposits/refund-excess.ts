import { type Connection, inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { find, type OperatorCommand } from '../payments/operate.ts';
import { refundExcess } from '../payments/refund-changes.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { changeTransactions, lockRows } from '../transactions/change.ts';
import { transactionNotFound } from '../transactions/list-transactions.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import { depositsWithExcess } from './allocation-store.ts';
import type { DepositRecord } from './record.ts';
import type { DepositsRoom } from './room.ts';
import { lockDepositsWithExcess } from './store.ts';
import { writeDeposits } from './write-deposits.ts';

/**
 * What was paid too much for a trade is owed back, and nobody has to look at the deposits that brought it any more: the
 * order stands in this room, because only it may close their exceptions.
 * @param actor person or OAuth client (UUID)
 * @throws Problem transaction_not_found, invalid_state_transition, version_mismatch
 */
export async function openExcessRefund(
  room: DepositsRoom,
  command: OperatorCommand,
  actor: string,
): Promise<TransactionRow> {
  const { customer_id: customerId, id } = await find(room, command.transactionId);
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(room.pool, (connection) =>
        refund(connection, { customerId, id }, command, actor, room.clock.now()),
      );
    } catch (error) {
      if (!(error instanceof OneMore) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** A deposit has brought too much before the trade was held, and is not held itself. Nothing is done, and it is begun anew. */
class OneMore extends Problem {
  constructor() {
    super('overloaded', 'Deposits for this transaction keep arriving.');
  }
}
const ATTEMPTS_MAX = 5; // limit: Times that a refund of what was paid too much begins anew, because more arrives meanwhile

async function refund(
  connection: Connection,
  trade: TransactionId,
  command: OperatorCommand,
  actor: string,
  now: number,
): Promise<TransactionRow> {
  // Deposits before trades, as everybody does.
  const deposits = await lockDepositsWithExcess(connection, trade);
  await lockRows(connection, [trade]);
  const held = new Set(deposits.map((deposit) => deposit.id));
  if ((await depositsWithExcess(connection, trade)).some((depositId) => !held.has(depositId)))
    throw new OneMore();
  const [row] = await changeTransactions(connection, [trade], now, refundExcess);
  if (row === undefined) throw transactionNotFound();
  requireVersion(command.ifMatch, row.version - 1);
  await closeExcess(connection, deposits, row, actor, now);
  await command.inCommit?.(connection, row);
  return row;
}

async function closeExcess(
  connection: Connection,
  deposits: readonly DepositRecord[],
  row: TransactionRow,
  actor: string,
  now: number,
): Promise<void> {
  const steps = deposits
    .filter((before) => before.exception?.type === 'excess')
    .map((before) => ({
      before,
      after: { ...before, exception: null, version: before.version + 1, updatedAt: now },
      actor,
      action: 'excess_refunded',
      reason: null,
      detail: { transactionId: typeId('txn', row.id) },
    }));
  if (steps.length > 0) await writeDeposits(connection, steps, now);
}
