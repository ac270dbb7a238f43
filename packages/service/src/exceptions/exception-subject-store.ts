import { type BookedTopUp, mayBeTopUps } from '../balances/replace-top-up.ts';
import type { Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import type { ExceptionRow } from '../deposits/exceptions.ts';
import {
  type AllocationRecord,
  type DepositRecord,
  isOfTransaction,
  referenceOfBank,
  suspenseMinorOf,
} from '../deposits/record.ts';
import { allocationsOf, findDeposit, findTransaction, newestDepositOf } from '../deposits/room.ts';
import { areCovered } from '../deposits/unmatch-deposit.ts';
import type { TransactionRow } from '../transactions/record.ts';

/** What a person can do with an entry of a statement depends on this. */
export interface SubjectEntry
  extends Pick<Row<'bank_entries'>, 'direction'>,
    Pick<
      CamelRow<'entry_details'>,
      | 'paymentState'
      | 'depositId'
      | 'returnedDepositId'
      | 'bookedAs'
      | 'bookedFor'
      | 'sameAs'
      | 'sameReason'
      | 'maybeSameAs'
    > {
  /** Its credit is about to be looked at. */
  readonly isDue: boolean;
  readonly isMissing: boolean;
  /** It has paid or returned payments of the house. */
  readonly hasReports: boolean;
}

/** The debit by which the remitter's bank took a deposit back, as long as a person has to decide on it, and what one was booked as. */
interface Recall {
  readonly entryId: string | null;
  /** It may have taken another one back. */
  readonly isDoubtful?: boolean;
  readonly bookedAs: string | null;
}

/** Everything that an exception is about, as it is now. */
export interface ExceptionSubject {
  readonly row: ExceptionRow;
  readonly deposit: DepositRecord | undefined;
  readonly allocations: readonly AllocationRecord[];
  /** Top-ups by hand that what is in suspense of the deposit may be the money of. */
  readonly topUps: readonly BookedTopUp[];
  /** Trades that have a part of the deposit. */
  readonly funded: readonly TransactionRow[];
  readonly trade: TransactionRow | undefined;
  /** The newest deposit of the trade. */
  readonly newestDepositId: string | undefined;
  readonly entry: SubjectEntry | undefined;
  readonly withdrawal: { readonly status: string } | undefined;
  /** The one that it is about; of a deposit that was taken back, one that is to be paid. */
  readonly depositReturn:
    | { readonly id: string; readonly depositId: string; readonly status: string }
    | undefined;
  /** Whether what the deposit brought into balances is still there. */
  readonly isCovered: boolean;
  readonly recall: Recall | undefined;
  /** Whether the entry or the status waits for its next attempt. */
  readonly isWaiting: boolean;
}

export async function subjectOf(connection: Queryable, row: ExceptionRow): Promise<ExceptionSubject> {
  const { deposit_id: depositId, transaction_id: transactionId, customer_id: customerId } = row;
  const deposit = depositId === null ? undefined : await findDeposit(connection, depositId);
  const allocations = deposit === undefined ? [] : await allocationsOf(connection, [deposit.id]);
  const funded: TransactionRow[] = [];
  for (const part of allocations.filter(isOfTransaction)) {
    const row = await findTransaction(connection, part.customerId, part.transactionId);
    if (row !== undefined) funded.push(row);
  }
  const ids =
    customerId === null || transactionId === null ? undefined : ([customerId, transactionId] as const);
  return {
    row,
    deposit,
    allocations,
    isCovered: deposit === undefined || (await areCovered(connection, deposit, allocations)),
    recall: deposit === undefined ? undefined : await recallOf(connection, deposit.id),
    topUps: deposit === undefined ? [] : await topUpsFor(connection, deposit),
    funded,
    trade: ids && (await findTransaction(connection, ...ids)),
    newestDepositId: ids && (await newestDepositOf(connection, ...ids)),
    entry: row.entry_id === null ? undefined : await entryOf(connection, row.entry_id),
    ...(await othersOf(connection, row)),
  };
}

const TOP_UPS_MAX = 5; // limit: Top-ups by hand that an exception suggests a deposit for

async function topUpsFor(connection: Queryable, deposit: DepositRecord): Promise<readonly BookedTopUp[]> {
  const amountMinor = suspenseMinorOf(deposit);
  if (amountMinor === 0n) return [];
  const money = { bankReference: referenceOfBank(deposit), currency: deposit.currency, amountMinor };
  return mayBeTopUps(connection, money, TOP_UPS_MAX);
}

async function recallOf(connection: Queryable, depositId: string): Promise<ExceptionSubject['recall']> {
  const { rows } = await connection.query<Recall>(
    `select coalesce(n.id, d.id) as "entryId", n.id is null as "isDoubtful", recall_booked_as($1) as "bookedAs"
     from (select min(id::text)::uuid as id from entry_details where returned_deposit_id = $1 and payment_state = 'mismatch') n,
       (select min(e.id::text)::uuid as id from recalls_in_doubt r join entry_details e on e.id = r.detail_id
        where r.deposit_id = $1 and e.payment_state = 'mismatch') d`,
    [depositId],
  );
  return rows[0];
}

async function entryOf(connection: Queryable, id: string): Promise<SubjectEntry | undefined> {
  const { rows } = await connection.query<SubjectEntry>(
    `select b.direction, e.payment_state as "paymentState", e.deposit_state = 'due' as "isDue", e.deposit_id as "depositId",
       e.returned_deposit_id as "returnedDepositId", e.booked_as as "bookedAs", e.booked_for as "bookedFor", e.same_as as "sameAs",
       e.same_reason as "sameReason", e.maybe_same_as as "maybeSameAs", e.missing_since is not null as "isMissing",
       exists (select from bank_notices n where n.source_id = e.id) as "hasReports"
     from entry_details e join bank_entries b on b.id = e.entry_id where e.id = $1`,
    [id],
  );
  return rows[0];
}

async function othersOf(
  connection: Queryable,
  row: ExceptionRow,
): Promise<Pick<ExceptionSubject, 'withdrawal' | 'depositReturn' | 'isWaiting'>> {
  // JSON comes as text.
  const { rows } = await connection.query<{
    withdrawal: string | null;
    depositReturn: string | null;
    isWaiting: boolean;
  }>(
    `select (select json_build_object('status', w.status) from balance_withdrawals w where w.id = $1) as withdrawal,
       (select json_build_object('id', r.id, 'status', r.status, 'depositId', r.deposit_id) from deposit_returns r
        where r.id = $2 or (r.deposit_id = $5 and r.status = 'pending') order by r.id limit 1) as "depositReturn",
       exists (select from apply_failures f where f.subject_id = coalesce($3::uuid, $4::uuid)) as "isWaiting"`,
    [
      ...[row.withdrawal_id, row.return_id, row.entry_id, row.status_id],
      row.type === 'returned' ? row.deposit_id : null,
    ],
  );
  const parsed = (text: string | null | undefined) => (text == null ? undefined : JSON.parse(text));
  return {
    withdrawal: parsed(rows[0]?.withdrawal),
    depositReturn: parsed(rows[0]?.depositReturn),
    isWaiting: rows[0]?.isWaiting ?? false,
  };
}
