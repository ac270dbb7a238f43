import type { DepositState, PaymentState } from '@firmquote/api/operations/statement-entries';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import type { DetailRow, StatementRow } from './record.ts';

/** Statements, each with the one before it on its account, in whichever file. */
const PREVIOUS = `select s.*, p.number as previous_number, p.closing_minor as previous_closing_minor, p.period_to as previous_to
  from bank_statements s
  left join lateral (
    select b.number, b.closing_minor, b.period_to from bank_statements b
    where s.kind = 'statement' and b.kind = 'statement' and b.account = s.account and b.currency = s.currency
      and b.period_to <= s.period_to and b.id <> s.id
      -- Of one day, those with a lower number or page come before; the same statement from another file does not.
      and (b.period_to < s.period_to or (coalesce(b.number, 0), coalesce(b.page, 0)) < (coalesce(s.number, 0), coalesce(s.page, 0)))
    order by b.period_to desc, b.number desc nulls last, b.page desc nulls last limit 1
  ) p on true`;

/** The statements of a file, in its order. */
export async function listStatements(
  connection: Queryable,
  fileId: string,
  after: number,
  rowsMax: number,
): Promise<StatementRow[]> {
  const { rows } = await connection.query<StatementRow>(
    `${PREVIOUS}
     where s.file_id = $1 and s.position > $2 order by s.position limit $3`,
    [fileId, after, rowsMax],
  );
  return rows;
}

export interface EntryFilter {
  readonly isNew: boolean | undefined;
  readonly direction: readonly string[] | undefined;
  readonly depositState: readonly DepositState[] | undefined;
  readonly paymentState: readonly PaymentState[] | undefined;
}

/** Details as their file reported them; their states are those of the details that carry the money. */
const DETAILS = `select l.position, l.statement_position, l.line, l.is_new, e.*, b.account, b.currency, b.direction, b.status,
    b.amount_minor as entry_amount_minor, b.booking_date, b.value_date, b.bank_reference, b.transaction_code,
    c.deposit_state, c.deposit_id, c.payment_state, c.payment_reason, c.booked_as, c.returned_deposit_id, c.missing_since,
    (select json_build_object('run_id', p.run_id, 'end_to_end_id', p.end_to_end_id) from payments p
     where p.id = c.payment_id)::text as payment,
    (select json_agg(json_build_object('customer_id', n.customer_id, 'transaction_id', n.transaction_id,
       'purpose', n.purpose) order by n.customer_id, n.transaction_id)
     from bank_notices n where n.source_id = c.id)::text as payment_of,
    (select x.id from reconciliation_exceptions x where x.entry_id = c.id and x.status = 'open') as exception_id
  from entry_listings l
  join bank_entries b on b.id = l.entry_id
  join entry_details e on e.entry_id = b.id
  join entry_details c on c.id = coalesce(e.same_as, e.id)`;

/** The entries of a file in its order, each with its details, payment by payment. */
export async function listDetails(
  connection: Queryable,
  fileId: string,
  { isNew, direction, depositState, paymentState }: EntryFilter,
  after: { readonly position: number; readonly number: number },
  rowsMax: number,
): Promise<DetailRow[]> {
  const { rows } = await connection.query<DetailRow>(
    `${DETAILS}
     where l.file_id = $1 and l.position >= $2 and (l.position, e.number) > ($2, $3)
       and ($4::boolean is null or l.is_new = $4) and ($5::text[] is null or b.direction = any ($5))
       and ($6::text[] is null or c.deposit_state = any ($6)) and ($7::text[] is null or c.payment_state = any ($7))
     order by l.position, e.number limit $8`,
    [fileId, after.position, after.number, isNew, direction, depositState, paymentState, rowsMax],
  );
  return rows;
}

/** Payments of a file that wait for an operator's decision. The first condition is that of an index. */
export async function countUndecided(connection: Queryable, fileId: string): Promise<number> {
  const { rows } = await connection.query<{ details: number }>(
    `select count(*)::int as details from entry_details e
     where (e.payment_state in ('due', 'mismatch') or (e.payment_state = 'unknown' and e.deposit_state = 'none') or e.deposit_state = 'due')
       and (e.payment_state = 'mismatch' or (e.payment_state = 'unknown' and e.deposit_state = 'none'))
       and exists (
         select from entry_details t join entry_listings l on l.entry_id = t.entry_id and l.file_id = $1
         where t.id = e.id or t.same_as = e.id)`,
    [fileId],
  );
  return rows[0]?.details ?? 0;
}

/** Details as their file reported them. */
export async function findDetail(connection: Queryable, id: string): Promise<DetailRow | undefined> {
  const { rows } = await connection.query<DetailRow>(
    `${DETAILS}
     join bank_statements s on s.id = b.statement_id and s.file_id = l.file_id
     where e.id = $1 limit 1`,
    [id],
  );
  return rows[0];
}

/** Details as the first file reported them, in the order of their ids here. */
async function detailsById(connection: Queryable, ids: readonly string[]): Promise<DetailRow[]> {
  const { rows } = await connection.query<DetailRow>(
    `${DETAILS}
     join bank_statements s on s.id = b.statement_id and s.file_id = l.file_id
     where e.id = any ($1::uuid[])`,
    [ids],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** An account as statements name it, and a range of days. */
export interface AccountDays {
  readonly account: string;
  readonly from: string;
  readonly to: string;
}

/** The place that a page begins after. */
type Place = readonly [day: string, id: string];

/** Statements of an account by their last day, oldest first. */
export async function statementsOfAccount(
  connection: Queryable,
  { account, from, to }: AccountDays,
  after: Place | undefined,
  rowsMax: number,
): Promise<StatementRow[]> {
  const { rows } = await connection.query<StatementRow>(
    `${PREVIOUS}
     where s.account = $1 and s.period_to >= $2::date and s.period_to <= $3::date
       and ($4::date is null or (s.period_to, s.id) > ($4::date, $5::uuid))
     order by s.period_to, s.id limit $6`,
    [account, from, to, after?.[0], after?.[1], rowsMax],
  );
  return rows;
}

/** The entries of an account by booking date, oldest first, payment by payment; what is the same as another is left out. */
export async function detailsOfAccount(
  connection: Queryable,
  { account, from, to, direction, depositState, paymentState }: AccountDays & Omit<EntryFilter, 'isNew'>,
  after: Place | undefined,
  rowsMax: number,
): Promise<DetailRow[]> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>(
    `select e.id from bank_entries b join entry_details e on e.entry_id = b.id
     where b.account = $1 and b.booking_date >= greatest($2::date, $4::date) and b.booking_date <= $3::date
       and ($4::date is null or (b.booking_date, e.id) > ($4::date, $5::uuid)) and e.same_as is null
       and ($6::text[] is null or b.direction = any ($6)) and ($7::text[] is null or e.deposit_state = any ($7))
       and ($8::text[] is null or e.payment_state = any ($8))
     order by b.booking_date, e.id limit $9`,
    [account, from, to, after?.[0], after?.[1], direction, depositState, paymentState, rowsMax],
  );
  return detailsById(
    connection,
    rows.map(({ id }) => id),
  );
}
