import { type Account, HOUSE_ID, type JournalEntry } from '../ledger/journal.ts';

/** What money on an account of the house can be that is nobody else's. */
export const HOUSE_ACCOUNTS = [
  'bank_charges',
  'interest',
  'house_funds',
] as const satisfies readonly Account[];
export type HouseAccount = (typeof HOUSE_ACCOUNTS)[number];

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
