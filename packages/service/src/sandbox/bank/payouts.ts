import { REJECTION_REASON, type Rejection } from '@firmquote/sandbox-bank';
import type { Connection } from '../../database/pool.ts';
import { PAYOUT_FAILS_ONCE } from '../scenarios.ts';
import { bookMovements } from './book.ts';
import { rejectPayments } from './reject-payments.ts';
import { houseAccounts, payoutMovement } from './transaction-movements.ts';
import type { PayoutTransaction } from './transaction-store.ts';

/**
 * The bank pays, or refuses where the amount's scenario says so. Trades that an operator has confirmed meanwhile are
 * paid too: the money does leave. In the caller's transaction, which holds the trades.
 * @param files gets the ids of the files that report it
 */
export async function payOut(
  connection: Connection,
  rows: readonly PayoutTransaction[],
  now: number,
  files: string[],
): Promise<void> {
  const paid: PayoutTransaction[] = [];
  const refused: PayoutTransaction[] = [];
  for (const row of rows) {
    // What goes into a balance leaves no account.
    if (row.proceeds === 'balance') continue;
    if (row.status === 'settling' && isToFail(row)) refused.push(row);
    else if (row.status === 'settling' || row.status === 'settled') paid.push(row);
  }
  const accounts = await houseAccounts(
    connection,
    paid.map((row) => row.buy_currency),
  );
  const file = await bookMovements(
    connection,
    paid.map((row) => payoutMovement(row, accounts)),
    now,
  );
  if (file !== undefined) files.push(file);
  await refusePayouts(connection, refused, REJECTION_REASON, now, files);
}

function isToFail(row: PayoutTransaction): boolean {
  return row.scenario === PAYOUT_FAILS_ONCE && row.payout_attempts === 1;
}

/** The bank does not pay, and says why. */
export async function refusePayouts(
  connection: Connection,
  rows: readonly PayoutTransaction[],
  reason: string,
  now: number,
  files: string[],
): Promise<void> {
  if (rows.length === 0) return;
  const accounts = await houseAccounts(
    connection,
    rows.map((row) => row.buy_currency),
  );
  const rejections = rows.map((row): Rejection => {
    const { endToEndId, uetr, amountMinor } = payoutMovement(row, accounts);
    return {
      messageId: null,
      paymentInformationId: null,
      endToEndId: endToEndId ?? row.reference,
      // One that the bank made up for a payment that was not made would mean nothing to anybody.
      uetr: row.payment_id === null ? null : uetr,
      amountMinor,
      currency: row.buy_currency,
      reason,
    };
  });
  files.push(...(await rejectPayments(connection, rejections, now)));
}
