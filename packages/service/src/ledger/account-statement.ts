import type { StatementLine } from '@firmquote/api/operations/ledger';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { listPostings, type PostingRow } from './posting-store.ts';
import { type AccountKey, balanceBefore } from './store.ts';

/** Where a page of a statement begins: after a posting, and what the balance was then. */
export interface StatementPlace {
  readonly entryId: string;
  readonly line: number;
  readonly balanceMinor: bigint;
}

interface StatementPage {
  /** Balance before the first line of this page; debits positive. */
  readonly openingBalance: string;
  /** Balance after the last one. */
  readonly closingBalance: string;
  readonly lines: readonly { readonly place: StatementPlace; readonly view: StatementLine }[];
}

/**
 * Postings of an account in the order of time with the balance after each. The first page looks the opening balance
 * up; a later one has it from the place where the page before ended.
 */
export async function readStatement(
  database: Queryable,
  key: AccountKey,
  range: { readonly from: number; readonly to: number | undefined },
  after: StatementPlace | undefined,
  limit: number,
): Promise<StatementPage> {
  const currency = knownCurrency(key.currency);
  const opening = after?.balanceMinor ?? (await balanceBefore(database, key, range.from));
  const rows = await listPostings(database, key, range, after, limit + 1);
  let balance = opening;
  const lines = rows.map((row) => {
    balance += row.amount;
    return {
      place: { entryId: row.entryId, line: row.line, balanceMinor: balance },
      view: lineView(row, (minor) => formatAmount(minor, currency), balance),
    };
  });
  const shown = lines.slice(0, limit);
  return {
    openingBalance: formatAmount(opening, currency),
    closingBalance: formatAmount(shown.at(-1)?.place.balanceMinor ?? opening, currency),
    lines,
  };
}

function lineView(row: PostingRow, text: (minor: bigint) => string, balance: bigint): StatementLine {
  return {
    entryId: typeId('je', row.entryId),
    at: isoInstant(row.at),
    kind: row.kind,
    transactionId: row.transactionId === null ? null : typeId('txn', row.transactionId),
    depositId: row.depositId === null ? null : typeId('dep', row.depositId),
    withdrawalId: row.withdrawalId === null ? null : typeId('wdr', row.withdrawalId),
    debit: row.amount > 0n ? text(row.amount) : null,
    credit: row.amount < 0n ? text(-row.amount) : null,
    balance: text(balance),
  };
}
