import { TRANSACTION_STATUSES, type TransactionStatus } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { NIL_UUID, uuidFloor } from '../platform/ids.ts';
import type { PricedTransaction } from '../transactions/record.ts';
import { withTerms } from '../transactions/room.ts';
import { type ReportParameters, ROWS_AT_ONCE } from './report.ts';

export type TradeRow = PricedTransaction & { readonly customer_name: string };

/**
 * Trades in the order in which they were made, in batches. Those of each status are merged, because an index across
 * customers exists by status.
 */
export async function* tradesInOrder(
  database: Queryable,
  { from, to, customerId }: ReportParameters,
  statuses: readonly TransactionStatus[] = TRANSACTION_STATUSES,
): AsyncGenerator<readonly TradeRow[]> {
  let after = NIL_UUID;
  for (;;) {
    const { rows } = await database.query<TradeRow>(
      `select t.*, (select c.name from customers c where c.id = t.customer_id) as customer_name
       from (${withTerms(`
         select f.customer_id, f.id from unnest($1::text[]) as s (status)
         cross join lateral (
           select x.customer_id, x.id from transactions x
           where x.status = s.status and x.id > $2::uuid and ($3::uuid is null or x.id >= $3)
             and ($4::uuid is null or x.id < $4) and ($5::uuid is null or x.customer_id = $5)
           order by x.id limit $6
         ) f
         order by f.id limit $6`)}) t
       order by t.id`,
      [
        statuses,
        after,
        from === undefined ? null : uuidFloor(from),
        to === undefined ? null : uuidFloor(to),
        customerId ?? null,
        ROWS_AT_ONCE,
      ],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.id;
  }
}

export type LadderRow = Pick<Row<'settlement_ladder'>, 'value_date' | 'currency'> & {
  readonly trades_in: number;
  readonly expected: string;
  readonly received: string;
  readonly outstanding: string;
  readonly trades_out: number;
  readonly to_pay: string;
};

/** What open trades bring in and pay out, by value date and currency, from the rows that are kept of it. */
export async function readLadder(
  database: Queryable,
  { fromDate, toDate, currency }: ReportParameters,
): Promise<LadderRow[]> {
  const { rows } = await database.query<LadderRow>(
    `select value_date, currency, sum(trades_in)::int as trades_in, sum(expected_minor) as expected,
       sum(received_minor) as received, sum(outstanding_minor) as outstanding, sum(trades_out)::int as trades_out,
       sum(to_pay_minor) as to_pay
     from settlement_ladder
     where ($1::date is null or value_date >= $1) and ($2::date is null or value_date <= $2)
       and ($3::text is null or currency = $3)
     group by value_date, currency having sum(trades_in) <> 0 or sum(trades_out) <> 0
     order by value_date, currency`,
    [fromDate ?? null, toDate ?? null, currency ?? null],
  );
  return rows;
}

/** Of what open trades pay out: what goes into balances instead, as their customers want it now. In minor units. */
export async function proceedsForBalances(
  database: Queryable,
  { fromDate, toDate, currency }: ReportParameters,
): Promise<{ readonly value_date: string; readonly currency: string; readonly minor: string }[]> {
  const { rows } = await database.query<{ value_date: string; currency: string; minor: string }>(
    `select t.value_date, t.buy_currency as currency, sum(t.buy_minor) as minor
     from customers c
     join transactions t on t.customer_id = c.id
       and t.status in ('awaiting_funds', 'partially_funded', 'overdue', 'funded')
     where c.settings ->> 'proceedsToBalance' = 'true'
       and ($1::date is null or t.value_date >= $1) and ($2::date is null or t.value_date <= $2)
       and ($3::text is null or t.buy_currency = $3)
     group by t.value_date, t.buy_currency`,
    [fromDate ?? null, toDate ?? null, currency ?? null],
  );
  return rows;
}
