import { type Connection, type Queryable, UNLIMITED } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { uuidFloor } from '../platform/ids.ts';
import { DEBT_KINDS } from './debt-events.ts';
import { firstOpenId, lastClosedBefore } from './store.ts';

/** What customers owe apart from open trades. Amounts in minor units, above zero: owed. */

const KINDS = Object.keys(DEBT_KINDS).map((kind) => `'${kind}'`);

/** Of an entry `e`: what it posts to `customer_receivable` is no part of an open trade. Days that are closed do not have a kind that is new here. */
export const BOOKS_DEBT = `'customer_receivable' = any (e.accounts) and e.kind in (${KINDS})`;

/** Writes the debts at the ends of days that were closed since the last time. */
export async function closeDebts(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ start: string | null; end: string | null }>(
    `select case when debts_closed_through > closed_through then closed_through + 1
       when closed_through is not null then debts_closed_through + 1 end as start, closed_through + 1 as end
     from ledger_closing
     where closed_through is distinct from debts_closed_through`,
  );
  const [range] = rows;
  if (range === undefined) return;
  // Of days that a version before this one has opened again.
  await connection.query('delete from debt_days where $1::date is null or day >= $1::date', [range.start]);
  await connection.query({ text: 'set local statement_timeout = 0', ...UNLIMITED });
  await connection.query({
    text: `
      insert into debt_days (customer_id, currency, day, debt_minor)
      select m.customer_id, m.currency, m.day,
        coalesce((
          select d.debt_minor from debt_days d
          where d.customer_id = m.customer_id and d.currency = m.currency and d.day < $1::date
          order by d.day desc limit 1
        ), 0) + sum(m.amount) over (partition by m.customer_id, m.currency order by m.day)
      from (
        select e.customer_id, p.currency, e.at::date as day, sum(p.amount) as amount
        from journal_entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
        where ($1::date is null or e.id >= uuid_floor($1::date::timestamptz)) and e.id < uuid_floor($2::date::timestamptz)
          and p.account = 'customer_receivable' and ${BOOKS_DEBT}
        group by 1, 2, 3
      ) m`,
    values: [range.start, range.end],
    ...UNLIMITED,
  });
  await connection.query('update ledger_closing set debts_closed_through = closed_through');
}

/** What a customer owed in each currency before an instant: at the end of the last closed day, and what was booked since. */
export async function debtsBefore(
  database: Queryable,
  customerId: string,
  before: number,
): Promise<Map<string, bigint>> {
  const closed = lastClosedBefore('$3', 'debts_closed_through');
  const { rows } = await database.query<{ currency: string; minor: string }>(
    `select currency, sum(minor) as minor from (
       select b.currency, d.debt_minor as minor from balances b
       cross join lateral (
         select debt_minor from debt_days d
         where d.customer_id = b.customer_id and d.currency = b.currency and d.day <= ${closed}
         order by d.day desc limit 1
       ) d
       where b.customer_id = $1 and b.account = 'customer_receivable'
       union all
       select p.currency, p.amount
       from journal_entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
       where e.customer_id = $1 and e.id >= ${firstOpenId(closed)} and e.id < $2::uuid
         and p.account = 'customer_receivable' and ${BOOKS_DEBT}
     ) s group by currency`,
    [customerId, uuidFloor(before), isoInstant(before).slice(0, 10)],
  );
  return new Map(rows.map(({ currency, minor }) => [currency, BigInt(minor)]));
}
