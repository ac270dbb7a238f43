import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { NIL_UUID, uuidFloor } from '../platform/ids.ts';
import { type ReportParameters, ROWS_AT_ONCE } from './report.ts';

/** Reads of the journal and of deposits that only reports need. Amounts in minor units. */

export type RevenueRow = Pick<Row<'journal_entries'>, 'customer_id'> & {
  readonly day: string;
  readonly customer_name: string | null;
  readonly pair: string | null;
  readonly currency: string;
  readonly trades: number;
  readonly volume_usd: string;
  readonly earned: string;
  readonly cancelled: string;
  readonly net: string;
};

/** Instant of the first entry at or after one, before another. */
export async function firstEntryIn(
  database: Queryable,
  from: number,
  to: number,
): Promise<number | undefined> {
  const { rows } = await database.query<Pick<Row<'journal_entries'>, 'at'>>(
    'select at from journal_entries where id >= $1::uuid and id < $2::uuid order by id limit 1',
    [uuidFloor(from), uuidFloor(to)],
  );
  return rows[0]?.at;
}

/** Postings of the markup account between two instants of one UTC day, by customer, pair and currency. */
export async function revenueOf(
  database: Queryable,
  from: number,
  to: number,
  { customerId, currency }: ReportParameters,
): Promise<RevenueRow[]> {
  const { rows } = await database.query<RevenueRow>(
    `select e.at::date as day, e.customer_id, c.name as customer_name, t.pair, p.currency,
       (count(*) filter (where e.kind = 'trade_executed'))::int as trades,
       coalesce(sum(t.usd_minor) filter (where e.kind = 'trade_executed'), 0) as volume_usd,
       coalesce(-sum(p.amount) filter (where e.kind = 'trade_executed'), 0) as earned,
       coalesce(sum(p.amount) filter (where e.kind <> 'trade_executed'), 0) as cancelled,
       -sum(p.amount) as net
     from journal_entries e
     cross join unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
     left join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
     left join customers c on c.id = e.customer_id
     where e.id >= $1::uuid and e.id < $2::uuid and p.account = 'markup_revenue'
       and ($3::uuid is null or e.customer_id = $3) and ($4::text is null or p.currency = $4)
     group by 1, 2, 3, 4, 5 order by 1, 2, 4, 5`,
    [uuidFloor(from), uuidFloor(to), customerId ?? null, currency ?? null],
  );
  return rows;
}

export type JournalRow = Pick<
  Row<'journal_entries'>,
  'id' | 'at' | 'kind' | 'customer_id' | 'transaction_id' | 'deposit_id' | 'withdrawal_id'
> &
  Pick<Row<'balances'>, 'account' | 'currency'> & {
    readonly customer_name: string | null;
    readonly line: number;
    /** Positive debits. */
    readonly amount: string;
    /** Of the trade or the withdrawal. */
    readonly reference: string | null;
    /** Of the deposit. */
    readonly bank_reference: Row<'deposits'>['bank_reference'] | null;
  };

/** An execution has five postings. */
const ENTRIES_AT_ONCE = ROWS_AT_ONCE / 5;

/** Postings of the entries of a period in the order of time. */
export async function* postingsInOrder(
  database: Queryable,
  { from, to, customerId, currency }: ReportParameters,
): AsyncGenerator<readonly JournalRow[]> {
  let after = NIL_UUID;
  for (;;) {
    const { rows } = await database.query<JournalRow>(
      `select e.id, e.at, e.kind, e.customer_id, e.transaction_id, e.deposit_id, e.withdrawal_id, c.name as customer_name,
         p.line::int as line, p.account, p.currency, p.amount, coalesce(t.reference, w.reference) as reference, d.bank_reference
       from (
         select * from journal_entries x
         where x.id > $1::uuid and x.id >= $2::uuid and x.id < $3::uuid and ($4::uuid is null or x.customer_id = $4)
           and ($5::text is null or $5 = any (x.currencies))
         order by x.id limit $6
       ) e
       cross join unnest(e.accounts, e.currencies, e.amounts) with ordinality as p (account, currency, amount, line)
       left join customers c on c.id = e.customer_id
       left join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
       left join balance_withdrawals w on w.customer_id = e.customer_id and w.id = e.withdrawal_id
       left join deposits d on d.id = e.deposit_id
       where $5::text is null or p.currency = $5
       order by e.id, p.line`,
      [
        after,
        uuidFloor(from ?? 0),
        uuidFloor(to ?? 0),
        customerId ?? null,
        currency ?? null,
        ENTRIES_AT_ONCE,
      ],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.id;
  }
}

export type ReceivedRow = Pick<Row<'deposits'>, 'account' | 'currency'> & {
  readonly deposits: number;
  readonly received: string;
  readonly matched: string;
  readonly excess: string;
  readonly returned: string;
  readonly open: string;
  readonly booked: string;
};

/**
 * Deposits received between two instants, by account and currency: what arrived, by the deposits; what trades and
 * balances took, by the allocations; what was booked, by the journal. Three records that were written apart from each other.
 */
export async function receivedBetween(
  database: Queryable,
  { from, to, currency }: ReportParameters,
): Promise<ReceivedRow[]> {
  const { rows } = await database.query<ReceivedRow>(
    `with d as (
       select *, amount_minor - allocated_minor - excess_minor - returned_minor as rest from deposits
       where received_at >= $1 and received_at < $2 and ($3::text is null or currency = $3)
     ), allocated as (
       -- Too much is an exception until somebody has seen to it; then it is the trade's, to keep or to refund.
       select a.deposit_id,
         sum(a.allocated_minor + case when d.exception_type is null then a.excess_minor else 0 end) as matched,
         sum(case when d.exception_type is null then 0 else a.excess_minor end) as excess
       from deposit_allocations a join d on d.id = a.deposit_id group by a.deposit_id
     ), booked as (
       select e.deposit_id, sum(p.amount) as booked
       from journal_entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
       where e.customer_id = $4 and e.kind = 'deposit_received' and p.account = 'bank'
         -- A deposit is booked when it is recorded; the day on either side is for clocks.
         and e.id >= uuid_floor((select min(created_at) from d) - interval '1 day')
         and e.id < uuid_floor((select max(created_at) from d) + interval '1 day')
       group by e.deposit_id
     )
     select d.account, d.currency, count(*)::int as deposits, sum(d.amount_minor) as received,
       coalesce(sum(a.matched), 0) as matched, coalesce(sum(a.excess), 0) as excess,
       sum(d.returned_minor) as returned, sum(d.rest) as open,
       coalesce(sum(b.booked), 0) as booked
     from d left join allocated a on a.deposit_id = d.id left join booked b on b.deposit_id = d.id
     group by d.account, d.currency order by d.account, d.currency`,
    [isoInstant(from ?? 0), isoInstant(to ?? 0), currency ?? null, HOUSE_ID],
  );
  return rows;
}

export interface SuspenseRow {
  readonly currency: string;
  readonly deposits: number;
  readonly open: string;
  readonly suspense: string;
}

/** Money without a trade now, by the deposits and by the suspense account. */
export async function suspenseNow(
  database: Queryable,
  { currency }: ReportParameters,
): Promise<SuspenseRow[]> {
  const { rows } = await database.query<SuspenseRow>(
    `select currency, coalesce(d.deposits, 0) as deposits, coalesce(d.open, 0) as open, coalesce(s.suspense, 0) as suspense
     from (
       select currency, count(*)::int as deposits, sum(amount_minor - allocated_minor - excess_minor - returned_minor) as open
       from deposits where status <> 'matched' and amount_minor > allocated_minor + excess_minor + returned_minor group by currency
     ) d
     full join (
       select currency, -sum(balance) as suspense from balances
       where customer_id = $2 and account = 'suspense' group by currency
     ) s using (currency)
     where $1::text is null or currency = $1
     order by currency`,
    [currency ?? null, HOUSE_ID],
  );
  return rows;
}
