import type { Queryable } from '../database/pool.ts';
import {
  type AccountRow,
  accountsOfHouse,
  type ItemTotalRow,
  itemTotals,
  ledgerBankBalances,
} from './bank-reconciliation-store.ts';

/** The bank's money and the ledger's in one currency. Minor units. */
export interface BankReconciliation {
  readonly currency: string;
  readonly accounts: readonly AccountRow[];
  /** Opening balances of the first statements. The ledger does not have them. */
  readonly openingMinor: bigint;
  /** Closing balances of the last statements. */
  readonly closingMinor: bigint;
  /** Reported since by notifications and reports. */
  readonly sinceMinor: bigint;
  /** Reported before the first statement, whose opening balance has it. */
  readonly beforeMinor: bigint;
  /** Closing balance and what was reported since. */
  readonly bankMinor: bigint;
  readonly ledgerMinor: bigint;
  readonly differenceMinor: bigint;
  readonly items: readonly ItemTotalRow[];
  /** What is left of the difference: nothing, or statements are missing. */
  readonly unexplainedMinor: bigint;
}

/**
 * Compares what banks report on the accounts of the house with the ledger's `bank`, each currency as a whole:
 *
 *   closing + reported since − ledger = opening − reported before + items + unexplained
 *
 * Items are what only one side has, one by one. Entries and postings are compared when they are written
 * (`bank_open_items`), so this reads open items and no history.
 * @param connection in one snapshot
 */
export async function readBankReconciliation(
  connection: Queryable,
  currency: string | undefined,
): Promise<BankReconciliation[]> {
  const accounts = await accountsOfHouse(connection, currency);
  const ledger = await ledgerBankBalances(connection, currency);
  const totals = await itemTotals(connection, currency);
  const currencies = new Set([...accounts, ...ledger, ...totals].map((row) => row.currency));
  return [...currencies].sort().map((code) => {
    const own = accounts.filter((row) => row.currency === code);
    const items = totals.filter((row) => row.currency === code);
    const sum = (of: (row: AccountRow) => string | null) =>
      own.reduce((total, row) => total + BigInt(of(row) ?? '0'), 0n);
    const openingMinor = sum((row) => row.opening_minor);
    const closingMinor = sum((row) => row.closing_minor);
    const sinceMinor = sum((row) => row.since_minor);
    const beforeMinor = sum((row) => row.before_minor);
    const ledgerMinor = BigInt(ledger.find((row) => row.currency === code)?.balance ?? '0');
    const bankMinor = closingMinor + sinceMinor;
    const differenceMinor = bankMinor - ledgerMinor;
    const itemsMinor = items.reduce((total, row) => total + BigInt(row.amount_minor), 0n);
    return {
      currency: code,
      accounts: own,
      openingMinor,
      closingMinor,
      sinceMinor,
      beforeMinor,
      bankMinor,
      ledgerMinor,
      differenceMinor,
      items,
      unexplainedMinor: differenceMinor - openingMinor + beforeMinor - itemsMinor,
    };
  });
}
