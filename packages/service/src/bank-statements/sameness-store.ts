import type { TransactionDetails } from '@firmquote/bank-formats';
import type { Connection } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { keyOf } from './fingerprint.ts';
import type { DoubtVerdict, SameVerdict } from './statement-store.ts';
import { IS_BALANCED, listAnew } from './withdraw-store.ts';

export interface SameRow extends SameVerdict {
  readonly id: string;
}

/** Details whose money others carry: nothing is booked on them. */
export async function writeSame(connection: Connection, rows: readonly SameRow[]): Promise<void> {
  if (rows.length === 0) return;
  await connection.query({
    name: 'write_same_details',
    text: `update entry_details e set same_as = n."sameAs", same_part = n.part, same_reason = n.reason, differs = n.differs,
             maybe_same_as = null, deposit_state = 'none', deposit_id = null, payment_state = 'none', payment_reason = null,
             returned_deposit_id = null, missing_since = null, revise = null
           from json_to_recordset($1) as n (id uuid, "sameAs" uuid, part uuid, reason text, differs text[]) where e.id = n.id`,
    values: [JSON.stringify(rows)],
  });
}

/** Details that may be the same as others: nothing is booked on them until an operator decides. */
export async function writeDoubt(
  connection: Connection,
  id: string,
  { maybe, reason }: DoubtVerdict,
): Promise<void> {
  await connection.query(
    `update entry_details set deposit_state = 'none', payment_state = 'mismatch', payment_reason = $3, maybe_same_as = $2
     where id = $1`,
    [id, maybe, reason],
  );
}

export interface CompletedRow {
  readonly id: string;
  readonly detail: TransactionDetails;
  /** The bank's reference of an entry of one payment, where it had none. */
  readonly bankReference: string | null;
  readonly fields: readonly string[];
  readonly from: string;
  /** Its deposit may be matched now. */
  readonly isMatchedBy: boolean;
}

/** Writes what completes details. */
export async function writeCompleted(connection: Connection, rows: readonly CompletedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ id, detail, bankReference, fields, from, isMatchedBy }) => ({
    id,
    is_matched_by: isMatchedBy,
    bank_reference: bankReference,
    known_bank_reference: keyOf(bankReference),
    end_to_end_id: detail.endToEndId,
    uetr: detail.uetr,
    instruction_id: detail.instructionId,
    payment_information_id: detail.paymentInformationId,
    detail_reference: detail.detailReference,
    structured_references: detail.structuredReferences,
    remittance_text: detail.remittanceText,
    counterparty_name: detail.counterpartyName,
    counterparty_account: detail.counterpartyAccount,
    credited_account: detail.creditedAccount,
    return_reason: detail.returnReason,
    original_reference: detail.originalReference,
    exchange: detail.exchange,
    known_reference: keyOf(detail.detailReference),
    known_end_to_end: keyOf(detail.endToEndId),
    completed: Object.fromEntries(fields.map((name) => [name, from])),
  }));
  await connection.query({
    name: 'complete_details',
    text: `update entry_details e set end_to_end_id = n.end_to_end_id, uetr = n.uetr, instruction_id = n.instruction_id,
             payment_information_id = n.payment_information_id, detail_reference = n.detail_reference,
             structured_references = n.structured_references, remittance_text = n.remittance_text,
             counterparty_name = n.counterparty_name, counterparty_account = n.counterparty_account,
             credited_account = n.credited_account, return_reason = n.return_reason,
             original_reference = n.original_reference, exchange = n.exchange, known_reference = n.known_reference,
             known_end_to_end = n.known_end_to_end,
             completed = (coalesce(e.completed::jsonb, '{}') || n.completed)::json,
             revise = case when n.is_matched_by and e.deposit_id is not null and e.revise is null then 'complete' else e.revise end
           from json_to_recordset($1) as n (id uuid, is_matched_by boolean, end_to_end_id text, uetr text, instruction_id text,
             payment_information_id text, detail_reference text, structured_references text[], remittance_text text,
             counterparty_name text, counterparty_account text, credited_account text, return_reason text,
             original_reference text, exchange json, known_reference text, known_end_to_end text, completed jsonb)
           where e.id = n.id`,
    values: [JSON.stringify(values)],
  });
  const named = values.filter((each) => each.bank_reference !== null);
  if (named.length === 0) return;
  await connection.query(
    `update bank_entries b set bank_reference = n.bank_reference, known_reference = n.known_bank_reference
     from json_to_recordset($1) as n (id uuid, bank_reference text, known_bank_reference text)
     join entry_details e on e.id = n.id where b.id = e.entry_id and b.bank_reference is null`,
    [JSON.stringify(named)],
  );
}

/** Sums whose payments are known now, and among which their deposits are yet to be divided. */
export async function markSplit(connection: Connection, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await connection.query(
    "update entry_details set revise = 'split' where id = any ($1::uuid[]) and deposit_state = 'booked'",
    [ids],
  );
}

/** An entry whose payments were all reported before waits for no statement, and is not new in its file. */
export async function closeSameEntry(connection: Connection, fileId: string, entryId: string): Promise<void> {
  const { rowCount } = await connection.query(
    `update bank_entries b set in_statement = true where b.id = $1 and not exists (
       select from entry_details e where e.entry_id = $1 and e.same_as is null)`,
    [entryId],
  );
  if (rowCount === 0) return;
  await connection.query('update entry_listings set is_new = false where file_id = $1 and entry_id = $2', [
    fileId,
    entryId,
  ]);
}

/** Payments that a statement with balances lists by other details. */
export async function markListed(
  connection: Connection,
  listed: readonly { readonly id: string; readonly by: string }[],
): Promise<void> {
  if (listed.length === 0) return;
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'entry_id'>>({
    name: 'mark_details_listed',
    text: `update entry_details e set listed_by = n.by, missing_since = null
           from unnest($1::uuid[], $2::uuid[]) n (id, by)
           where e.id = n.id and e.listed_by is null and not (
             select b.in_statement from bank_entries b where b.id = e.entry_id)
           returning e.entry_id`,
    values: [listed.map((each) => each.id), listed.map((each) => each.by)],
  });
  // Looked up entry by entry; an index of details that are no others' must not look like a way to all of them.
  await connection.query({
    name: 'mark_entries_listed',
    text: `update bank_entries b set in_statement = true from unnest($1::uuid[]) n (id)
           where b.id = n.id and not exists (
             select from entry_details p where p.entry_id = b.id and coalesce(p.same_as, p.listed_by) is null offset 0)`,
    values: [[...new Set(rows.map((row) => row.entry_id))]],
  });
}

/**
 * A payment is separate after all: it becomes due like a new one. Its entry waits for a statement unless it is in
 * one.
 */
export async function writeSeparate(connection: Connection, id: string): Promise<void> {
  await connection.query(
    `update entry_details e set same_as = null, same_part = null, same_reason = null, differs = null, maybe_same_as = null, payment_reason = null,
       deposit_state = case when b.status <> 'booked' or e.amount_minor = 0 or b.direction = 'debit' or e.kind <> 'payment' then 'none'
         when s.is_own then 'due' else 'unknown_account' end,
       payment_state = case when b.status <> 'booked' or e.amount_minor = 0 or (b.direction = 'credit' and e.kind = 'payment') then 'none'
         when s.is_own then 'due' else 'unknown_account' end
     from bank_entries b join bank_statements s on s.id = b.statement_id
     where e.id = $1 and b.id = e.entry_id`,
    [id],
  );
}

/** Details that are or may be the same as others now refer to another. */
export async function repoint(
  connection: Connection,
  from: string,
  { sameAs, part }: Pick<SameVerdict, 'sameAs' | 'part'>,
): Promise<void> {
  await connection.query(
    `update entry_details set same_as = $2, same_part = coalesce($3, same_part) where same_as = $1 and id <> $2`,
    [from, sameAs, part ?? null],
  );
  await connection.query(
    'update entry_details set maybe_same_as = nullif($2::uuid, id) where maybe_same_as = $1',
    [from, part ?? sameAs],
  );
}

interface OpenDoubt {
  readonly id: string;
  readonly maybe: string;
}

/** Doubtful payments of an account, which a statement may have decided. */
export async function openDoubts(connection: Connection, account: string): Promise<OpenDoubt[]> {
  const { rows } = await connection.query<OpenDoubt>(
    `select id, maybe_same_as as maybe from entry_details
     where account = $1 and maybe_same_as is not null and payment_state = 'mismatch' order by id limit 1000`,
    [account],
  );
  return rows;
}

/** Details that an operator decides about, with what was made of them. */
export type JudgedDetail = Pick<
  CamelRow<'entry_details'>,
  | 'id'
  | 'entryId'
  | 'depositId'
  | 'paymentState'
  | 'sameAs'
  | 'samePart'
  | 'sameReason'
  | 'maybeSameAs'
  | 'listedBy'
  | 'missingSince'
  | 'bookedAs'
  | 'bookedFor'
> &
  Pick<CamelRow<'bank_entries'>, 'statementId' | 'account' | 'currency' | 'bookingDate'> &
  Pick<CamelRow<'bank_statements'>, 'fileId'>;

/** Held until the transaction ends. */
export async function lockJudged(connection: Connection, ids: readonly string[]): Promise<JudgedDetail[]> {
  const { rows } = await connection.query<JudgedDetail>(
    `select e.id, e.entry_id as "entryId", b.statement_id as "statementId", s.file_id as "fileId", b.account, b.currency,
       b.booking_date as "bookingDate", e.deposit_id as "depositId", e.payment_state as "paymentState", e.same_as as "sameAs",
       e.same_part as "samePart", e.same_reason as "sameReason", e.maybe_same_as as "maybeSameAs", e.listed_by as "listedBy",
       e.missing_since as "missingSince", e.booked_as as "bookedAs", e.booked_for as "bookedFor"
     from entry_details e join bank_entries b on b.id = e.entry_id join bank_statements s on s.id = b.statement_id
     where e.id = any ($1::uuid[]) order by e.id for update of e`,
    [ids],
  );
  return rows;
}

/** Details that other files report as payments of sums which carry the money. */
export async function paymentsOfSums(connection: Connection, sumIds: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>(
    'select id from entry_details where same_as = any ($1::uuid[]) and same_part is not null order by id',
    [sumIds],
  );
  return rows.map((row) => row.id);
}

/** A payment is separate again: its entry is new in its file. */
export async function unlist(connection: Connection, { entryId, fileId }: JudgedDetail): Promise<void> {
  await connection.query('update entry_listings set is_new = true where file_id = $1 and entry_id = $2', [
    fileId,
    entryId,
  ]);
  await connection.query(
    `update bank_entries b set in_statement = (${IS_BALANCED}) from bank_statements s where s.id = b.statement_id and b.id = $1`,
    [entryId],
  );
}

/** What was listed by details that are separate now, or by payments of it that are, is listed by others, or by none. */
export async function listWithout(connection: Connection, separated: readonly JudgedDetail[]): Promise<void> {
  const sums = separated.filter(({ samePart }) => samePart !== null).map(({ sameAs }) => sameAs);
  const values = [separated.map(({ sameAs }) => sameAs), separated.map(({ id }) => id), sums];
  const which = 'e.id = any ($1::uuid[]) and (e.listed_by = any ($2::uuid[]) or e.id = any ($3::uuid[]))';
  await waitUnlessListed(connection, await listAnew(connection, which, values));
}

/** Entries wait for a statement, unless they are in one, or one lists all of their payments. */
export async function waitUnlessListed(connection: Connection, entryIds: readonly string[]): Promise<void> {
  await connection.query(
    `update bank_entries b set in_statement = (${IS_BALANCED}) or not exists (
       select from entry_details p where p.entry_id = b.id and coalesce(p.same_as, p.listed_by) is null offset 0)
     from bank_statements s where s.id = b.statement_id and b.id = any ($1::uuid[])`,
    [entryIds],
  );
}

/** Details that were the same payment of a sum are the same as the first of them, which is by itself now. What listed the payment lists that. */
export async function joinTo(connection: Connection, id: string, others: readonly string[]): Promise<void> {
  if (others.length === 0) return;
  await connection.query(
    'update entry_details set same_as = $1, same_part = null where id = any ($2::uuid[])',
    [id, others],
  );
  const waits = 'not (select b.in_statement from bank_entries b where b.id = e.entry_id)';
  await waitUnlessListed(connection, await listAnew(connection, `e.id = $1 and ${waits}`, [id]));
}

/**
 * The bank has never booked it: it is no money.
 * @param state `none` where a statement says so, and no person
 */
export async function writeNeverBooked(
  connection: Connection,
  id: string,
  state: 'by_hand' | 'none' = 'by_hand',
): Promise<void> {
  await connection.query(
    `update entry_details set deposit_state = 'none', deposit_id = null, payment_state = $2, payment_reason = null,
       returned_deposit_id = null, booked_as = 'never_booked', booked_for = null, missing_since = null, revise = null
     where id = $1`,
    [id, state],
  );
}

/** Those of these entries that the statements of their days do not list. */
export async function missingAmong(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>(
    'select id from entry_details where id = any ($1::uuid[]) and missing_since is not null',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
