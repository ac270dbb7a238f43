import { isFinalTransactionStatus, TRANSACTION_STATUSES } from '@firmquote/fx';
import { type Connection, type Queryable, UNLIMITED } from './database/pool.ts';
import { isoInstant } from './platform/clock.ts';

/** What an archive reads of all rooms, in batches and in the order of an index where there are many rows. */

/** Rows in memory at once. */
const BATCH = 1_000;

/** What keeps a year from being complete: kinds and how many, of before an instant. Nothing is left out. */
export async function openBefore(
  database: Queryable,
  end: number,
): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.query<{ kind: string; count: string }>({
    text: `
      select 'transactions' as kind, count(*) from transactions where created_at < $1 and status <> all ($2)
      union all select 'refunds', count(*) from transactions where created_at < $1 and refund ->> 'status' = 'pending'
      -- Those with money in suspense. What was paid too much is done with once its exception is closed and no refund of it is under way.
      union all select 'deposits', count(*) from deposits d
        where least(received_at, created_at) < $1 and (
          (status in ('unmatched', 'partially_matched') and amount_minor > allocated_minor + excess_minor + returned_minor)
          or excess_minor > 0 and exists (
            select from deposit_allocations a
            join transactions t on t.customer_id = a.customer_id and t.id = a.transaction_id
            where a.deposit_id = d.id and a.excess_minor > 0 and t.refund ->> 'status' = 'failed'))
      union all select 'depositReturns', count(*) from deposit_returns where created_at < $1 and status = 'pending'
      union all select 'withdrawals', count(*) from balance_withdrawals where created_at < $1 and status = 'pending'
      union all select 'exceptions', count(*) from reconciliation_exceptions where opened_at < $1 and status = 'open'
      union all select 'bankItems', count(*) from bank_open_items where since < $1 and amount_minor <> 0`,
    values: [isoInstant(end), TRANSACTION_STATUSES.filter(isFinalTransactionStatus)],
  });
  return Object.fromEntries(
    rows.filter(({ count }) => count !== '0').map((row) => [row.kind, Number(row.count)]),
  );
}

/**
 * The day of a statement. Notifications mostly name none, and one that was withdrawn has none any more: then the last day of what it
 * lists, or the one on which its file came.
 */
const STATEMENT_DAY = `coalesce(r.closing_date, r.period_to, r.period_from, (r.withdrawn ->> 'to')::date, (r.withdrawn ->> 'from')::date,
  (select max(b.booking_date) from entry_listings l join bank_entries b on b.id = l.entry_id
   where l.file_id = r.file_id and l.statement_position = r.position),
  (select (f.received_at at time zone 'UTC')::date from statement_files f where f.id = r.file_id))`;

/** Tables of a year, with the column that says when. Each line of a file is a row, with the names of its columns. */
export const ROWS = {
  transactions: { from: 'priced_transactions', at: 'r.created_at' },
  // With the rate, the make-up of the price and the evidence that it follows from: of the year's trades, and so by when they were made.
  quotes: {
    from: 'priced_quotes',
    at: 'r.closed_at',
    // A quote lasts for a day at most: what is older need not be looked at.
    only: "r.status = 'executed' and r.created_at >= $1::timestamptz - interval '2 days' and r.created_at < $2",
  },
  // Of the year in whose journal they are, whenever they were received: what is recorded later is in the archive of no earlier year.
  deposits: {
    from: 'deposits',
    at: 'r.created_at',
    only: 'r.id >= uuid_floor($1::timestamptz) and r.id < uuid_floor($2::timestamptz)',
  },
  deposit_allocations: { from: 'deposit_allocations', at: 'r.at' },
  deposit_returns: { from: 'deposit_returns', at: 'r.created_at' },
  balance_top_ups: { from: 'balance_top_ups', at: 'r.at' },
  // Of both years: the one whose journal books it, and the one whose journal takes it back.
  reversed_top_ups: {
    from: 'reversed_top_ups',
    at: 'case when r.booked_at >= $1::timestamptz and r.booked_at < $2::timestamptz then r.booked_at else r.at end',
  },
  balance_withdrawals: { from: 'balance_withdrawals', at: 'r.created_at' },
  bank_statements: { from: 'bank_statements', at: STATEMENT_DAY },
  bank_entries: { from: 'bank_entries', at: 'r.booking_date' },
  entry_details: { from: 'entry_details', at: 'r.booking_date' },
} as const satisfies Record<string, { from: string; at: string; only?: string }>;

/** Rows of a table as lines of JSON. @param year its first instant and the first behind it */
export async function* rowLines(
  connection: Connection,
  name: keyof typeof ROWS,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<string> {
  const { from, at, ...more } = ROWS[name];
  const only = 'only' in more ? `and ${more.only}` : '';
  const cursor = `archive_${name}`;
  await connection.query({
    text: `declare ${cursor} no scroll cursor for
      select row_to_json(r)::text as line from ${from} r where ${at} >= $1 and ${at} < $2 ${only} order by ${at}`,
    values: [isoInstant(start), isoInstant(end)],
    ...UNLIMITED,
  });
  for (;;) {
    const { rows } = await connection.query<{ line: string }>({
      text: `fetch ${BATCH} from ${cursor}`,
      ...UNLIMITED,
    });
    if (rows.length === 0) break;
    yield rows.map(({ line }) => `${line}\n`).join('');
  }
  await connection.query(`close ${cursor}`);
}
