import { bookedByHand } from '../balances/replace-top-up.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { isUnderReference } from './match-context.ts';
import type { ManualWork } from './operate-deposit.ts';
import { type DepositRecord, referenceOfBank } from './record.ts';

/** What a person has to say of a deposit whose entry a balance was topped up with by hand. */
export interface SaidToBeAnother {
  /** It is not that payment. */
  readonly isAnotherPayment?: boolean | undefined;
}

/**
 * Of what was booked by hand nobody gets a second time, unless a person says that both are there: an exception alone says nothing. Whoever asks
 * holds the bank reference ({@link holdAgainstTopUps}).
 * @throws Problem already_exists
 */
export async function requireAnotherPayment(
  { connection }: ManualWork,
  deposit: DepositRecord,
  { isAnotherPayment }: SaidToBeAnother,
): Promise<void> {
  if (isAnotherPayment === true) return;
  const booked = await bookedByHand(connection, [referenceOfBank(deposit)]);
  const topUp = booked.find((each) => isUnderReference(each, deposit));
  if (topUp === undefined) return;
  throw new Problem(
    'already_exists',
    'A balance was topped up by hand under this bank reference. If this is that money, use `replace-top-up`; if it is another payment, set `isAnotherPayment`.',
    { members: { customerId: typeId('cus', topUp.customerId), bankReference: deposit.bankReference } },
  );
}
