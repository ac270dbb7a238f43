import type { Queryable } from '../database/pool.ts';

/** What trades brought into and took out of the position in a currency; money in minor units, dollars in cents. */
export interface PositionTotals {
  readonly currency: string;
  readonly boughtMinor: bigint;
  readonly boughtUsdMinor: bigint;
  readonly soldMinor: bigint;
  readonly soldUsdMinor: bigint;
}

/** Totals of all currencies but the dollar, of one customer or of all: the last closed day and the legs since. */
export async function positionTotals(
  database: Queryable,
  customerId: string | undefined,
): Promise<PositionTotals[]> {
  const values = customerId === undefined ? [] : [customerId];
  const [ofDay, ofLeg] =
    customerId === undefined ? ['true', 'true'] : ['b.customer_id = $1::uuid', 'l.customer_id = $1::uuid'];
  const { rows } = await database.query<{
    currency: string;
    bought_minor: string;
    bought_usd_minor: string;
    sold_minor: string;
    sold_usd_minor: string;
  }>(
    `with closed as (select closed_through as day from ledger_closing),
     parts as (
       select b.currency, d.bought_minor, d.bought_usd_minor, d.sold_minor, d.sold_usd_minor
       from balances b cross join lateral (
         select * from position_days p
         where p.customer_id = b.customer_id and p.currency = b.currency and p.day <= (select day from closed)
         order by p.day desc limit 1
       ) d
       where b.account = 'position' and ${ofDay}
       union all
       select l.currency,
         case when l.is_bought then l.amount else 0 end, case when l.is_bought then l.usd_minor else 0 end,
         case when l.is_bought then 0 else -l.amount end, case when l.is_bought then 0 else -l.usd_minor end
       from position_legs l
       where l.entry_id >= coalesce(
           uuid_floor(((select day from closed) + 1)::timestamptz), '00000000-0000-0000-0000-000000000000')
         and ${ofLeg}
     )
     select currency, sum(bought_minor) as bought_minor, sum(bought_usd_minor) as bought_usd_minor,
       sum(sold_minor) as sold_minor, sum(sold_usd_minor) as sold_usd_minor
     from parts group by currency order by currency`,
    values,
  );
  return rows.map((row) => ({
    currency: row.currency,
    boughtMinor: BigInt(row.bought_minor),
    boughtUsdMinor: BigInt(row.bought_usd_minor),
    soldMinor: BigInt(row.sold_minor),
    soldUsdMinor: BigInt(row.sold_usd_minor),
  }));
}
