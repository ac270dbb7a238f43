import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { type ReportParameters, ROWS_AT_ONCE } from './report.ts';

interface SuspenseAgeRow {
  readonly currency: string;
  /** Number of the age, from 1; null: what the ledger has in the currency. */
  readonly age: number | null;
  readonly deposits: number;
  readonly minor: string;
}

/** Money in suspense by currency and age of receipt, each currency followed by what the ledger's suspense account has. */
export async function suspenseByAge(
  database: Queryable,
  { currency }: ReportParameters,
  /** Instants at which each age but the first ends, newest first. */
  since: readonly number[],
): Promise<SuspenseAgeRow[]> {
  const { rows } = await database.query<SuspenseAgeRow>(
    `select currency, 1 + (select count(*) from unnest($2::timestamptz[]) as a (at) where d.received_at <= a.at)::int as age,
       count(*)::int as deposits, sum(amount_minor - allocated_minor - excess_minor - returned_minor) as minor
     from deposits d
     where status <> 'matched' and amount_minor > allocated_minor + excess_minor + returned_minor
       and ($1::text is null or currency = $1)
     group by 1, 2
     union all
     select currency, null, 0, -sum(balance) from balances
     where customer_id = $3 and account = 'suspense' and ($1::text is null or currency = $1)
     group by currency
     order by currency, age nulls last`,
    [currency ?? null, since.map(isoInstant), HOUSE_ID],
  );
  return rows;
}

type OpenExceptionRow = Pick<
  Row<'reconciliation_exceptions'>,
  | 'id'
  | 'type'
  | 'reason'
  | 'deposit_id'
  | 'transaction_id'
  | 'withdrawal_id'
  | 'customer_id'
  | 'entry_id'
  | 'assignee'
  | 'opened_at'
> & {
  readonly currency: string | null;
  /** Of its deposit, in suspense. */
  readonly suspense_minor: string | null;
};

/** Open exceptions in the order of their ids, which is that of opening. */
export async function* openExceptionsInOrder(
  database: Queryable,
  { customerId }: ReportParameters,
): AsyncGenerator<readonly OpenExceptionRow[]> {
  let after: string | undefined;
  for (;;) {
    const { rows } = await database.query<OpenExceptionRow>(
      `select x.id, x.type, x.reason, x.deposit_id, x.transaction_id, x.withdrawal_id, x.customer_id, x.entry_id, x.assignee,
         x.opened_at, d.currency, d.amount_minor - d.allocated_minor - d.excess_minor - d.returned_minor as suspense_minor
       from reconciliation_exceptions x left join deposits d on d.id = x.deposit_id
       where x.status = 'open' and ($1::uuid is null or x.id > $1) and ($2::uuid is null or x.customer_id = $2)
       order by x.id limit $3`,
      [after ?? null, customerId ?? null, ROWS_AT_ONCE],
    );
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.id;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

export type ReceivedRow = Omit<
  Row<'deposits'>,
  | 'fingerprint'
  | 'source'
  | 'remittance_text'
  | 'version'
  | 'created_at'
  | 'updated_at'
  | 'virtual_account'
  | 'booked_as'
> & {
  /** What decided whether it was in time for its trades; null where it has none. */
  readonly judged_by: string | null;
  readonly is_late: boolean | null;
};

/** Deposits of a period by receipt; of a customer also those of which it shares a part with others. */
export async function* depositsInOrder(
  database: Queryable,
  { from, to, customerId, currency }: ReportParameters,
): AsyncGenerator<readonly ReceivedRow[]> {
  let last: ReceivedRow | undefined;
  for (;;) {
    const { rows } = await database.query<ReceivedRow>(
      `select id, received_at, booked_on, value_date, account, bank_reference, currency, amount_minor, allocated_minor,
         excess_minor, returned_minor, status, exception_type, exception_reason, customer_id, remitter_name, remitter_account, t.*
       from deposits d
       cross join lateral (
         select string_agg(distinct a.evidence -> 'timeliness' ->> 'judgedBy', ' ') as judged_by,
           bool_or((a.evidence -> 'timeliness' ->> 'isLate')::boolean) as is_late
         from deposit_allocations a where a.deposit_id = d.id) t
       where received_at >= $1 and received_at < $2 and ($4::text is null or currency = $4)
         and ($3::uuid is null or customer_id = $3 or (customer_id is null
           and exists (select from deposit_allocations a where a.deposit_id = d.id and a.customer_id = $3)))
         and ($5::timestamptz is null or (received_at, id) > ($5::timestamptz, $6::uuid))
       order by received_at, id limit $7`,
      [
        ...[isoInstant(from ?? 0), isoInstant(to ?? 0), customerId ?? null, currency ?? null],
        ...[last === undefined ? null : isoInstant(last.received_at), last?.id ?? null, ROWS_AT_ONCE],
      ],
    );
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < ROWS_AT_ONCE) return;
  }
}
