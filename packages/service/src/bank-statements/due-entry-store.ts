import type { DepositState, PaymentState } from '@firmquote/api/operations/statement-entries';
import { cut, type Direction, REFERENCE_MAX, type TransactionKind } from '@firmquote/bank-formats';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { type PaymentTarget, targetsOf } from '../payments/payment-states.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { type AppliedKind, isToBeTried } from './apply-failure-store.ts';
import type { DueSpan } from './process-due.ts';

/** Details of an entry that are due: to become a deposit, or to be matched to payments or earlier deposits. */
export interface DueDetail {
  readonly id: string;
  readonly direction: Direction;
  readonly kind: TransactionKind;
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly bookingDate: string;
  readonly valueDate: string;
  readonly bankReference: string | null;
  readonly detailReference: string | null;
  /** Place in the entry, and how many payments that has. */
  readonly number: number;
  readonly payments: number;
  readonly endToEndId: string | null;
  readonly uetr: string | null;
  readonly instructionId: string | null;
  readonly paymentInformationId: string | null;
  readonly structuredReferences: readonly string[];
  readonly remittanceText: string | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  readonly creditedAccount: string | null;
  readonly returnReason: string | null;
  readonly originalReference: string | null;
  readonly receivedAt: number;
  readonly state: PaymentState;
  readonly depositState: DepositState;
  readonly returnedDepositId: string | null;
}

/** Positive when money came in. */
export function signedMinor({
  direction,
  amountMinor,
}: Pick<DueDetail, 'direction' | 'amountMinor'>): bigint {
  return direction === 'debit' ? -amountMinor : amountMinor;
}

type DueRow = Pick<
  Row<'entry_details'>,
  | 'id'
  | 'kind'
  | 'amount_minor'
  | 'detail_reference'
  | 'number'
  | 'end_to_end_id'
  | 'uetr'
  | 'instruction_id'
  | 'payment_information_id'
  | 'structured_references'
  | 'remittance_text'
  | 'counterparty_name'
  | 'counterparty_account'
  | 'credited_account'
  | 'return_reason'
  | 'original_reference'
  | 'payment_state'
  | 'deposit_state'
  | 'returned_deposit_id'
> &
  Pick<
    Row<'bank_entries'>,
    'direction' | 'account' | 'currency' | 'booking_date' | 'value_date' | 'bank_reference'
  > & {
    readonly payments: number;
    readonly received_at: number;
  };

function ofRow(row: DueRow): DueDetail {
  return {
    id: row.id,
    direction: row.direction,
    kind: row.kind,
    account: row.account,
    currency: row.currency,
    amountMinor: BigInt(row.amount_minor),
    bookingDate: row.booking_date,
    valueDate: row.value_date,
    bankReference: row.bank_reference,
    detailReference: row.detail_reference,
    number: row.number,
    payments: row.payments,
    endToEndId: row.end_to_end_id,
    uetr: row.uetr,
    instructionId: row.instruction_id,
    paymentInformationId: row.payment_information_id,
    structuredReferences: row.structured_references,
    remittanceText: row.remittance_text,
    counterpartyName: row.counterparty_name,
    counterpartyAccount: row.counterparty_account,
    creditedAccount: row.credited_account,
    returnReason: row.return_reason,
    originalReference: row.original_reference,
    receivedAt: row.received_at,
    state: row.payment_state,
    depositState: row.deposit_state,
    returnedDepositId: row.returned_deposit_id,
  };
}

/** The bank's reference of the payment, else of its entry, else our own id. */
export function bankReferenceOf(
  detail: Pick<DueDetail, 'id' | 'bankReference' | 'detailReference' | 'number' | 'payments'>,
): string {
  if (detail.detailReference !== null) return detail.detailReference;
  if (detail.bankReference === null) return typeId('ste', detail.id);
  if (detail.payments === 1) return detail.bankReference;
  const suffix = `/${detail.number}`;
  return `${cut(detail.bankReference, REFERENCE_MAX - suffix.length)}${suffix}`;
}

/** Of `due`. */
const DUE_DETAIL = `select e.id, b.direction, e.kind, b.account, b.currency, e.amount_minor, b.booking_date, b.value_date, b.bank_reference,
  e.detail_reference, e.number, coalesce(b.payments, (select count(*)::int from entry_details p where p.entry_id = b.id)) as payments,
  e.end_to_end_id, e.uetr, e.instruction_id, e.payment_information_id, e.structured_references,
  e.remittance_text, e.counterparty_name, e.counterparty_account, e.credited_account, e.return_reason, e.original_reference,
  f.received_at, e.payment_state, e.deposit_state, e.returned_deposit_id
from due e
join bank_entries b on b.id = e.entry_id
join bank_statements s on s.id = b.statement_id
join statement_files f on f.id = s.file_id`;

/** In the order of the files. */
const IN_ORDER = 'order by f.received_at, b.statement_id, b.line, e.number';

/** Credits to become deposits. Rows that another instance holds are skipped. */
export async function lockDueCredits(
  connection: Connection,
  { rowsMax, after, upTo, now }: DueSpan,
): Promise<DueDetail[]> {
  const { rows } = await connection.query<DueRow>({
    name: 'lock_due_credits',
    text: `with due as materialized (
             select * from entry_details c where deposit_state = 'due' and id > $2 and ($3::uuid is null or id <= $3)
               and ${isToBeTried('c.id', '$4')}
             order by id limit $1 for update skip locked
           )
           ${DUE_DETAIL} ${IN_ORDER}`,
    values: [rowsMax, after, upTo, isoInstant(now)],
  });
  return rows.map(ofRow);
}

/** Id of the first due credit after another one. */
export async function nextDueCredit(
  connection: Queryable,
  after: string,
  now: number,
): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>({
    name: 'next_due_credit',
    text: `select id from entry_details c where deposit_state = 'due' and id > $1 and ${isToBeTried('c.id', '$2')}
     order by id limit 1`,
    values: [after, isoInstant(now)],
  });
  return rows[0]?.id;
}

/** Deposits are locked before trades and balances, everywhere. */
export async function lockDeposits(connection: Connection, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await connection.query(
    'select 1 from deposits where id = any ($1::uuid[]) order by account, bank_reference for update',
    [ids],
  );
}

export async function linkDeposits(
  connection: Connection,
  links: readonly { readonly detailId: string; readonly depositId: string }[],
): Promise<void> {
  await connection.query(
    `update entry_details e set deposit_state = 'booked', deposit_id = n.deposit_id
     from unnest($1::uuid[], $2::uuid[]) n (id, deposit_id) where e.id = n.id`,
    [links.map((each) => each.detailId), links.map((each) => each.depositId)],
  );
}

/** Those of the deposits that came from an entry. */
export async function depositsOfDetails(
  connection: Queryable,
  depositIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (depositIds.length === 0) return new Set();
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'deposit_id'>>(
    'select deposit_id from entry_details where deposit_id = any ($1::uuid[])',
    [depositIds],
  );
  return new Set(rows.flatMap((row) => row.deposit_id ?? []));
}

/** @param accounts names that the account may be filed under */
export async function depositOfEntry(
  connection: Queryable,
  accounts: readonly string[],
  knownReference: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'deposit_id'>>({
    name: 'deposit_of_entry',
    text: `select e.deposit_id from bank_entries b join entry_details e on e.entry_id = b.id
           where b.account = any ($1) and b.known_reference = $2 and e.deposit_id is not null limit 1`,
    values: [accounts, knownReference],
  });
  return rows[0]?.deposit_id ?? undefined;
}

/** A payment of ours, paid or returned; or a debit by which a deposit was taken back. */
type DueKind = 'payment' | 'deposit_return';

/** Rows that another instance holds are skipped. */
export async function lockDuePayments(
  connection: Connection,
  kind: DueKind,
  { rowsMax, after, upTo, now }: DueSpan,
): Promise<DueDetail[]> {
  const { rows } = await connection.query<DueRow>({
    name: 'lock_due_payments',
    text: `with due as materialized (
             select e.* from entry_details e join bank_entries b on b.id = e.entry_id
             where e.payment_state = 'due' and e.id > $2 and (b.direction = 'debit' and e.kind <> 'payment') = $3
               and ($4::uuid is null or e.id <= $4) and ${isToBeTried('e.id', '$5')}
             order by e.id limit $1 for update of e skip locked
           )
           ${DUE_DETAIL} ${IN_ORDER}`,
    values: [rowsMax, after, kind === 'deposit_return', upTo, isoInstant(now)],
  });
  return rows.map(ofRow);
}

/** Details that wait for an operator's decision, locked until the transaction ends. */
export async function lockDetail(connection: Connection, id: string): Promise<DueDetail | undefined> {
  const { rows } = await connection.query<DueRow>(
    `with due as materialized (select * from entry_details where id = $1 for update)
     ${DUE_DETAIL}`,
    [id],
  );
  return rows[0] && ofRow(rows[0]);
}

/** Writes what an operator has decided that a payment is. */
export async function writeByHand(
  connection: Connection,
  detailId: string,
  bookedAs: string,
  depositId: string | null,
  /** The customer that owes it, where one does. */
  debtorId: string | null,
): Promise<void> {
  await connection.query(
    `update entry_details
     set payment_state = 'by_hand', payment_reason = null, booked_as = $2,
       returned_deposit_id = $3::uuid, booked_for = $4,
       deposit_state = case when $2 = 'deposit' and $3::uuid is null then 'due'
         -- One that could not become a deposit and is something else.
         when deposit_state = 'due' then 'none' else deposit_state end
     where id = $1`,
    [detailId, bookedAs, depositId, debtorId],
  );
}

/** What entries have taken back of a deposit, and what settlement runs return of it; SQL. */
export const takenBackOf = (
  depositId: string,
) => `((select coalesce(sum(t.amount_minor), 0) from entry_details t
    where t.returned_deposit_id = ${depositId} and taken_back_by(t) is not null)
  + (select coalesce(sum(r.amount_minor), 0) from deposit_returns r where r.deposit_id = ${depositId} and r.status in ('pending', 'paid')
      and (r.status = 'pending' or exists (
        select from bank_notices n where n.transaction_id = r.id and n.purpose = 'deposit_return' and n.kind = 'paid'))))`;

/** The same of one deposit. */
export async function takenBackMinor(connection: Queryable, depositId: string): Promise<bigint> {
  const { rows } = await connection.query<{ minor: string }>(`select ${takenBackOf('$1::uuid')} as minor`, [
    depositId,
  ]);
  return BigInt(rows[0]?.minor ?? '0');
}

/** Of these details those that have taken a deposit back, or would have if a person had not said so before. */
export async function takingBack(
  connection: Queryable,
  ids: readonly string[],
): Promise<
  ReadonlyMap<string, { readonly depositId: string; readonly minor: bigint; readonly isApplied: boolean }>
> {
  if (ids.length === 0) return new Map();
  const { rows } = await connection.query<
    Pick<Row<'entry_details'>, 'id' | 'amount_minor' | 'payment_state'> & { readonly deposit_id: string }
  >(
    `select id, returned_deposit_id as deposit_id, amount_minor, payment_state from entry_details
     where id = any ($1::uuid[]) and returned_deposit_id is not null and payment_state in ('applied', 'known')`,
    [ids],
  );
  return new Map(
    rows.map(({ id, deposit_id: depositId, amount_minor: minor, payment_state: state }) => [
      id,
      { depositId, minor: BigInt(minor), isApplied: state === 'applied' },
    ]),
  );
}

/** Id of the first due payment after another one. */
export async function nextDuePayment(
  connection: Queryable,
  kind: DueKind,
  after: string,
  now: number,
): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>({
    name: 'next_due_payment',
    text: `select e.id from entry_details e join bank_entries b on b.id = e.entry_id
     where e.payment_state = 'due' and e.id > $1 and (b.direction = 'debit' and e.kind <> 'payment') = $2
       and ${isToBeTried('e.id', '$3')}
     order by e.id limit 1`,
    values: [after, kind === 'deposit_return', isoInstant(now)],
  });
  return rows[0]?.id;
}

export interface PaymentOutcome {
  readonly detailId: string;
  readonly state: PaymentState;
  readonly reason: string | null;
  readonly paymentId: string | null;
  readonly returnedDepositId: string | null;
  /** It came in and is no payment of ours, so it is a deposit. */
  readonly isDeposit: boolean;
}

export async function writeOutcomes(
  connection: Connection,
  outcomes: readonly PaymentOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  await connection.query({
    name: 'write_payment_outcomes',
    text: `update entry_details e
           set payment_state = o.state, payment_reason = o.reason, payment_id = o."paymentId",
             returned_deposit_id = o."returnedDepositId",
             deposit_state = case when o."isDeposit" then 'due' else e.deposit_state end
           from json_to_recordset($1) as o ("detailId" uuid, state text, reason text, "paymentId" uuid,
             "returnedDepositId" uuid, "isDeposit" boolean)
           where e.id = o."detailId"`,
    values: [JSON.stringify(outcomes)],
  });
}

interface EarlierPayment {
  /** What it was found by. */
  readonly reference: string;
  readonly detailId: string;
  readonly targets: readonly PaymentTarget[];
}

/** Payments of ours by the bank's reference of the debit that paid them. */
export async function paymentsByBankReference(
  connection: Queryable,
  account: string,
  references: readonly string[],
): Promise<EarlierPayment[]> {
  if (references.length === 0) return [];
  const { rows } = await connection.query<{ reference: string; detail_id: string; targets: string }>({
    name: 'payments_by_bank_reference',
    text: `with named as (
             select b.bank_reference as reference, e.id from bank_entries b join entry_details e on e.entry_id = b.id
             where b.account = $1 and b.bank_reference = any ($2::text[]) and b.direction = 'debit'
             union
             select e.detail_reference, e.id from entry_details e join bank_entries b on b.id = e.entry_id
             where e.detail_reference = any ($2::text[]) and b.account = $1 and b.direction = 'debit'
           )
           select d.reference, d.id as detail_id, json_agg(json_build_object('customerId', n.customer_id,
             'subjectId', n.transaction_id, 'purpose', n.purpose, 'attempt', n.attempt,
             'amountMinor', n.amount_minor::text) order by n.customer_id, n.transaction_id)::text as targets
           from named d join bank_notices n on n.source_id = d.id and n.kind = 'paid'
           group by d.reference, d.id`,
    values: [account, references],
  });
  return rows.map((row) => ({
    reference: row.reference,
    detailId: row.detail_id,
    targets: targetsOf(row.targets),
  }));
}

/** Waits until nobody holds what is due any more. False when nobody did. */
export async function awaitHolder(database: Queryable, kind: AppliedKind, id: string): Promise<boolean> {
  const table = kind === 'status' ? 'payment_statuses' : 'entry_details';
  const { rowCount } = await database.query(`select from ${table} where id = $1 for update skip locked`, [
    id,
  ]);
  if (rowCount === 1) return false;
  await database.query(`select from ${table} where id = $1 for update`, [id]);
  return true;
}

/** Whether {@link wakeReports} is about to make it due again. */
export async function isToBeWoken(connection: Queryable, detailId: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    'select from bank_reports_set_aside where source_id = $1 and due limit 1',
    [detailId],
  );
  return rowCount === 1;
}

/**
 * Makes reports due again that could not be applied because of the state of a payment that has changed since.
 * @returns how many
 */
export async function wakeReports(connection: Queryable, rowsMax: number): Promise<number> {
  const { rows } = await connection.query<{ woken: number }>({
    name: 'wake_bank_reports',
    text: `with due as (
             select distinct source_id from bank_reports_set_aside where due order by source_id limit $1
           ), done as (
             delete from bank_reports_set_aside a using due where a.source_id = due.source_id
           ), entries as (
             update entry_details e set payment_state = 'due', payment_reason = null, returned_deposit_id = null from due
             where e.id = due.source_id and e.payment_state = 'mismatch' returning e.id
           ), statuses as (
             update payment_statuses s set state = 'due', mismatch_reason = null from due
             where s.id = due.source_id and s.state = 'mismatch' returning s.id
           )
           select (select count(*) from entries)::int + (select count(*) from statuses)::int as woken`,
    values: [rowsMax],
  });
  return rows[0]?.woken ?? 0;
}
