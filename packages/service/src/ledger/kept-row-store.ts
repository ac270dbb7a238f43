import { KEPT_ROWS } from '@firmquote/api/operations/ledger';
import type { Queryable } from '../database/pool.ts';

/** Merges the rows that add up to one sum of the house into one, key by key. Changes no sum. */
export async function foldHouseRows(database: Queryable): Promise<void> {
  await database.query('select fold_house_rows()');
}

/** Kept rows that are not what they are kept of. */
export interface KeptDifference {
  readonly rows: (typeof KEPT_ROWS)[number];
  /** Customer, currency, value date or time of running out, as the rows have it. */
  readonly key: string;
  /** The sums as they are kept, in minor units and counts; null when there is none. */
  readonly kept: string | null;
  /** The same from journal, quotes and transactions. */
  readonly recomputed: string | null;
}

const POSITION_SUMS = 'sum(bought_minor), sum(bought_usd_minor), sum(sold_minor), sum(sold_usd_minor)';
const LADDER = `sum(trades_in), sum(expected), sum(received), sum(outstanding), sum(trades_out), sum(to_pay)`;
const OPEN = `('awaiting_funds', 'partially_funded', 'funded', 'overdue', 'settling', 'settlement_failed')`;

/** For each kind of rows: the sums that are kept, and the same from what they are sums of, both by key. */
const SIDES: Readonly<Record<KeptDifference['rows'], readonly [kept: string, recomputed: string]>> = {
  customer_position: [
    `select concat_ws(' ', customer_id, currency) as key, array[${POSITION_SUMS}] as sums from customer_positions
     group by customer_id, currency`,
    `select concat_ws(' ', customer_id, currency) as key, array[${POSITION_SUMS}] as sums from booked_positions()
     group by customer_id, currency`,
  ],
  house_position: [
    `select currency as key, array[sum(balance_minor), ${POSITION_SUMS}] as sums from house_positions group by currency`,
    `select b.currency as key, array[b.balance, coalesce(p.a, 0), coalesce(p.b, 0), coalesce(p.c, 0), coalesce(p.d, 0)] as sums
     from (select currency, sum(balance) as balance from balances where account = 'position' group by currency) b
     left join (
       select currency, sum(bought_minor) as a, sum(bought_usd_minor) as b, sum(sold_minor) as c, sum(sold_usd_minor) as d
       from booked_positions() group by currency
     ) p on p.currency = b.currency`,
  ],
  // Both legs of a trade together come to what each currency has by itself.
  pair_position: [
    `select c.currency as key, array[sum(c.sold), sum(c.bought)] as sums from pair_positions p
     cross join lateral (values (p.first_currency, p.bought_minor, p.sold_minor), (p.second_currency, p.received_minor, p.paid_minor))
       as c (currency, bought, sold)
     where c.currency <> 'USD' group by c.currency`,
    `select currency as key, array[sum(bought_minor), sum(sold_minor)] as sums from house_positions
     where currency <> 'USD' group by currency`,
  ],
  open_quotes: [
    `select concat_ws(' ', expires_by, currency) as key, array[sum(long_minor), sum(short_minor), sum(quotes)] as sums
     from house_open_quotes group by expires_by, currency`,
    `select concat_ws(' ', expires_by(q.expires_at), l.currency) as key,
       array[sum(l.long_minor), sum(l.short_minor), sum(l.quotes)] as sums
     from quotes q cross join lateral quote_legs(q) l
     where q.status = 'open' and not exists (select from transactions t where t.customer_id = q.customer_id and t.quote_id = q.id)
       and q.expires_at >= least(
       (select min(since) from ends_of_open_quotes()),
       coalesce((select (closed_through + 1)::timestamp at time zone 'UTC' from ledger_closing), '-infinity'))
     group by expires_by(q.expires_at), l.currency`,
  ],
  settlement_ladder: [
    `select concat_ws(' ', value_date, currency) as key, array[sum(trades_in), sum(expected_minor), sum(received_minor),
       sum(outstanding_minor), sum(trades_out), sum(to_pay_minor)] as sums
     from settlement_ladder group by value_date, currency`,
    `select concat_ws(' ', t.value_date, r.currency) as key, array[${LADDER}] as sums
     from transactions t cross join lateral ladder_rungs(t) r where t.status in ${OPEN} group by t.value_date, r.currency`,
  ],
};

/** Holds the kept rows against what they are sums of, each kind in one snapshot. Positions count from the last closed day. */
export async function keptDifferences(database: Queryable, rowsMax: number): Promise<KeptDifference[]> {
  const found: KeptDifference[] = [];
  for (const rows of KEPT_ROWS) {
    const [kept, recomputed] = SIDES[rows];
    const { rows: different } = await database.query<Omit<KeptDifference, 'rows'> & Record<string, unknown>>(
      `select key, array_to_string(k.sums, ' ') as kept, array_to_string(r.sums, ' ') as recomputed
       from (${kept}) k full join (${recomputed}) r using (key)
       where (0 <> any (k.sums) or 0 <> any (r.sums)) and k.sums is distinct from r.sums
       order by key limit $1`,
      [rowsMax - found.length],
    );
    found.push(...different.map((each) => ({ ...each, rows })));
    if (found.length === rowsMax) break;
  }
  return found;
}
