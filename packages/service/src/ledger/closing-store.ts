import { type Connection, type Queryable, UNLIMITED } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { NIL_UUID, uuidFloor } from '../platform/ids.ts';
import type { BalanceRow } from './store.ts';

export interface Closing {
  /** The last day whose closing balances are written. */
  readonly closedThrough: string | null;
  /** The last day to which nobody begins to post any more; never before the one above. */
  readonly fencedThrough: string | null;
}

/** The one row that says how far days are closed, locked; undefined while another instance has it. */
export async function lockClosing(
  connection: Connection,
  how: 'skip locked' | '' = 'skip locked',
): Promise<Closing | undefined> {
  const { rows } = await connection.query<Pick<Row<'ledger_closing'>, 'closed_through' | 'fenced_through'>>(
    `select closed_through, fenced_through from ledger_closing for update ${how}`,
  );
  return rows[0] && { closedThrough: rows[0].closed_through, fencedThrough: rows[0].fenced_through };
}

export async function setFencedThrough(connection: Connection, day: string): Promise<void> {
  await connection.query('update ledger_closing set fenced_through = $1', [day]);
}

export async function setClosedThrough(connection: Connection, day: string): Promise<void> {
  await connection.query('update ledger_closing set closed_through = $1', [day]);
}

/** Opens the days after one again. */
export async function openAfter(connection: Connection, day: string): Promise<void> {
  await connection.query(
    `update ledger_closing set closed_through = least(closed_through, $1::date),
       fenced_through = least(fenced_through, $1::date), debts_closed_through = least(debts_closed_through, $1::date)`,
    [day],
  );
  await connection.query('delete from debt_days where day > $1', [day]);
  await connection.query('delete from ledger_days where day > $1', [day]);
  await connection.query('delete from position_days where day > $1', [day]);
}

/** Whether somebody who began before the fence is still posting to one of the days behind it. */
export async function isPostedTo(connection: Connection, through: string): Promise<boolean> {
  const { rows } = await connection.query<{ posted: boolean }>('select is_posted_to($1) as posted', [
    through,
  ]);
  return rows[0]?.posted !== false;
}

/** Instant of the first entry at or after an instant. */
export async function firstEntryFrom(connection: Connection, from: number): Promise<number | undefined> {
  const { rows } = await connection.query<Pick<Row<'journal_entries'>, 'at'>>(
    'select at from journal_entries where id >= $1::uuid order by id limit 1',
    [uuidFloor(from)],
  );
  return rows[0]?.at;
}

/**
 * Writes the closing balances and positions of whole UTC days, on top of those of the days before.
 * @param start first instant of the first day
 * @param end first instant after the last day
 */
export async function closeRange(connection: Connection, start: number, end: number): Promise<void> {
  const values = [uuidFloor(start), uuidFloor(end), isoInstant(start).slice(0, 10)];
  await connection.query({
    text: `
      with moved as (
        select e.customer_id, p.account, p.currency, e.at::date as day, sum(p.amount) as amount
        from journal_entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
        where e.id >= $1::uuid and e.id < $2::uuid
        group by 1, 2, 3, 4
      )
      insert into ledger_days (customer_id, account, currency, day, balance)
      select m.customer_id, m.account, m.currency, m.day,
        coalesce((
          select d.balance from ledger_days d
          where d.customer_id = m.customer_id and d.account = m.account and d.currency = m.currency and d.day < $3::date
          order by d.day desc limit 1
        ), 0) + sum(m.amount) over (partition by m.customer_id, m.account, m.currency order by m.day)
      from moved m`,
    values,
    ...UNLIMITED,
  });
  await connection.query({
    text: `
      with moved as (
        select customer_id, currency, at::date as day,
          sum(amount) filter (where is_bought) as bought, sum(usd_minor) filter (where is_bought) as bought_usd,
          -sum(amount) filter (where not is_bought) as sold, -sum(usd_minor) filter (where not is_bought) as sold_usd
        from position_legs where entry_id >= $1::uuid and entry_id < $2::uuid
        group by 1, 2, 3
      )
      insert into position_days (customer_id, currency, day, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor)
      select m.customer_id, m.currency, m.day,
        coalesce(b.bought_minor, 0) + sum(coalesce(m.bought, 0)) over w,
        coalesce(b.bought_usd_minor, 0) + sum(coalesce(m.bought_usd, 0)) over w,
        coalesce(b.sold_minor, 0) + sum(coalesce(m.sold, 0)) over w,
        coalesce(b.sold_usd_minor, 0) + sum(coalesce(m.sold_usd, 0)) over w
      from moved m
      left join lateral (
        select * from position_days d
        where d.customer_id = m.customer_id and d.currency = m.currency and d.day < $3::date
        order by d.day desc limit 1
      ) b on true
      window w as (partition by m.customer_id, m.currency order by m.day)`,
    values,
    ...UNLIMITED,
  });
}

/** The last day whose closing balances are written, such as `2025-12-31`; undefined before the first. */
export async function closedThrough(database: Queryable): Promise<string | undefined> {
  const { rows } = await database.query<Pick<Row<'ledger_closing'>, 'closed_through'>>(
    'select closed_through from ledger_closing',
  );
  return rows[0]?.closed_through ?? undefined;
}

const OWNERS_AT_ONCE = 100;

/** Closing balances of the day before one, in batches by owner, zero ones too: an owner's are never in two. */
export async function* balancesBefore(connection: Connection, day: string): AsyncGenerator<BalanceRow[]> {
  let after = NIL_UUID;
  let isFirst = true;
  for (;;) {
    const { rows } = await connection.query<
      Pick<Row<'ledger_days'>, 'customer_id' | 'account' | 'currency' | 'balance'>
    >({
      text: `
        select distinct on (customer_id, account, currency) customer_id, account, currency, balance from ledger_days
        where day < $1 and customer_id in (
          select distinct customer_id from ledger_days where customer_id > $2 or ($3 and customer_id = $2)
          order by customer_id limit ${OWNERS_AT_ONCE})
        order by customer_id, account, currency, day desc`,
      values: [day, after, isFirst],
      ...UNLIMITED,
    });
    const next = await connection.query<{ last: string | null }>(
      `select max(customer_id::text) as last from (
         select distinct customer_id from ledger_days where customer_id > $1 or ($2 and customer_id = $1)
         order by customer_id limit ${OWNERS_AT_ONCE}) owners`,
      [after, isFirst],
    );
    const last = next.rows[0]?.last;
    if (last === null || last === undefined) return;
    if (rows.length > 0) {
      yield rows.map((row) => ({
        customerId: row.customer_id,
        account: row.account,
        currency: row.currency,
        balance: BigInt(row.balance),
      }));
    }
    after = last;
    isFirst = false;
  }
}
