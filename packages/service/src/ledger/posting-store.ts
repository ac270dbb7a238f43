import type { JournalEntryKind } from '@firmquote/api/operations/ledger';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { NIL_UUID, uuidFloor } from '../platform/ids.ts';
import { BOOKS_DEBT } from './debt-store.ts';
import type { AccountKey } from './store.ts';

/** Reads of single postings. Amounts in minor units, debits positive; instants epoch milliseconds. */

/** An entry, and what it is about. */
type SubjectRow = Pick<
  Row<'journal_entries'>,
  'id' | 'kind' | 'at' | 'transaction_id' | 'deposit_id' | 'withdrawal_id'
>;

export interface PostingRow {
  readonly entryId: string;
  /** Place in the entry, from 1. */
  readonly line: number;
  readonly kind: JournalEntryKind;
  readonly at: number;
  readonly transactionId: string | null;
  readonly depositId: string | null;
  readonly withdrawalId: string | null;
  readonly amount: bigint;
}

/** Postings of an account in the order of time, after a place or from an instant on. */
export async function listPostings(
  database: Queryable,
  key: AccountKey,
  range: { readonly from: number; readonly to: number | undefined },
  after: { readonly entryId: string; readonly line: number } | undefined,
  rowsMax: number,
): Promise<PostingRow[]> {
  const { rows } = await database.query<
    SubjectRow & {
      readonly line: number;
      readonly amount: string;
    }
  >(
    `select e.id, p.line::int as line, e.kind, e.at, e.transaction_id, e.deposit_id, e.withdrawal_id, p.amount
     from journal_entries e,
          unnest(e.accounts, e.currencies, e.amounts) with ordinality as p (account, currency, amount, line)
     where e.customer_id = $1 and e.accounts @> array[$2] and p.account = $2 and p.currency = $3
       and e.id >= $4::uuid and ($5::uuid is null or e.id < $5) and (e.id, p.line) > ($6::uuid, $7)
     order by e.id, p.line limit $8`,
    [
      key.customerId,
      key.account,
      key.currency,
      after?.entryId ?? uuidFloor(range.from),
      range.to === undefined ? null : uuidFloor(range.to),
      after?.entryId ?? NIL_UUID,
      after?.line ?? 0,
      rowsMax,
    ],
  );
  return rows.map((row) => ({
    entryId: row.id,
    line: row.line,
    kind: row.kind,
    at: row.at,
    transactionId: row.transaction_id,
    depositId: row.deposit_id,
    withdrawalId: row.withdrawal_id,
    amount: BigInt(row.amount),
  }));
}

export interface CustomerLine {
  readonly entryId: string;
  readonly at: number;
  readonly kind: JournalEntryKind;
  readonly transactionId: string | null;
  readonly depositId: string | null;
  readonly withdrawalId: string | null;
  readonly currency: string;
  readonly amount: bigint;
  /** Not what came or went: what the house forgave of a payment that is short, or that it no longer does. */
  readonly isForgiven: boolean;
}

interface LinesWanted {
  readonly from: number;
  readonly to: number;
  readonly currency?: string | undefined;
  /** Only entries that book debts or end them. */
  readonly areDebts?: boolean;
}

/**
 * Sums of some accounts of a customer, by entry and currency, or in one of these, in the order of time, those that are zero left out.
 * What was forgiven is a line of its own, so that the line of a deposit is what came.
 */
export async function customerLines(
  database: Queryable,
  customerId: string,
  accounts: readonly string[],
  { from, to, currency, areDebts = false }: LinesWanted,
  rowsMax: number,
): Promise<CustomerLine[]> {
  const { rows } = await database.query<
    SubjectRow & {
      readonly currency: string;
      readonly amount: string;
      readonly is_forgiven: boolean;
    }
  >(
    `select e.id, e.at, e.kind, e.transaction_id, e.deposit_id, e.withdrawal_id, p.currency, p.amount, p.is_forgiven
     from journal_entries e cross join lateral (
       select q.currency, f.is_forgiven, sum(case when f.is_forgiven then -q.amount else q.amount end) as amount, min(q.line) as line
       from unnest(e.accounts, e.currencies, e.amounts) with ordinality as q (account, currency, amount, line)
       cross join (values (false), (true)) as f (is_forgiven)
       where (q.account = 'charges' and e.kind <> 'debt_written_off' or not f.is_forgiven and q.account = any ($2::text[]))
         and ($6::text is null or q.currency = $6)
       group by q.currency, f.is_forgiven having sum(q.amount) <> 0
     ) p
     where e.customer_id = $1 and e.id >= $3::uuid and e.id < $4::uuid ${areDebts ? `and ${BOOKS_DEBT}` : ''}
     order by e.id, p.line, p.is_forgiven limit $5`,
    [customerId, accounts, uuidFloor(from), uuidFloor(to), rowsMax, currency ?? null],
  );
  return rows.map((row) => ({
    entryId: row.id,
    at: row.at,
    kind: row.kind,
    transactionId: row.transaction_id,
    depositId: row.deposit_id,
    withdrawalId: row.withdrawal_id,
    currency: row.currency,
    amount: BigInt(row.amount),
    isForgiven: row.is_forgiven,
  }));
}
