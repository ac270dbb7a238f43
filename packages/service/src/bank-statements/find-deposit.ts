import { compact } from '@firmquote/bank-formats';
import type { Queryable } from '../database/pool.ts';
import type { DepositRecord } from '../deposits/record.ts';
import { findDeposit } from '../deposits/room.ts';
import { depositOfBooking } from './credit-store.ts';

/**
 * The deposit that a booking of one payment has become.
 * @param account as the house writes it
 * @param bankReference the bank's reference of the booking
 */
export async function findDepositOf(
  connection: Queryable,
  account: string,
  bankReference: string,
): Promise<DepositRecord | undefined> {
  // Statements of an account that was the house's once are filed under the name that the bank gives it.
  const id = await depositOfBooking(connection, [account, compact(account)], compact(bankReference));
  return id === undefined ? undefined : findDeposit(connection, id);
}
