import { type Account, HOUSE_ID, type JournalEntry } from '../ledger/journal.ts';

/**
 * Money on an account of the house that is neither a deposit nor a payment.
 * @param minor positive: it came in
 */
export function bankEntry(
  currency: string,
  minor: bigint,
  account: Account,
  depositId?: string,
): JournalEntry {
  return {
    customerId: HOUSE_ID,
    kind: 'bank_entry_booked',
    ...(depositId === undefined ? {} : { depositId }),
    postings: [
      { account: 'bank', currency, amount: minor },
      { account, currency, amount: -minor },
    ],
  };
}
