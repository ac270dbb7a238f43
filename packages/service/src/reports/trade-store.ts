import { TRANSACTION_STATUSES, type TransactionStatus } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { uuidFloor } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { type ReportParameters, ROWS_AT_ONCE } from './report.ts';

export type TradeRow = TransactionRow & { readonly customer_name: string };

export const OPEN_STATUSES: readonly TransactionStatus[] = [
  'awaiting_funds',
  'partially_funded',
  'funded',
  'overdue',
  'settling',
  'settlement_failed',
];

/**
 * Trades in the order in which they were made, in batches. Those of each status are merged, because an index across
 * customers exists by status.
 */
export async function* tradesInOrder(
  database: Queryable,
  { from, to, customerId }: ReportParameters,
  statuses: readonly TransactionStatus[] = TRANSACTION_STATUSES,
): AsyncGenerator<readonly TradeRow[]> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await database.query<TradeRow>(
      `select t.*, c.name as customer_name
       from unnest($1::text[]) as s (status)
       cross join lateral (
         select * from transactions x
         where x.status = s.status and x.id > $2::uuid and ($3::uuid is null or x.id >= $3)
           and ($4::uuid is null or x.id < $4) and ($5::uuid is null or x.customer_id = $5)
         order by x.id limit $6
       ) t
       join customers c on c.id = t.customer_id
       order by t.id limit $6`,
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

export interface LadderRow {
  readonly value_date: string;
  readonly currency: string;
  readonly trades_in: number;
  readonly expected: string;
  readonly received: string;
  readonly outstanding: string;
  readonly trades_out: number;
  readonly to_pay: string;
}

/** What open trades bring in and pay out, by value date and currency. */
export async function readLadder(
  database: Queryable,
  { fromDate, toDate, currency }: ReportParameters,
): Promise<LadderRow[]> {
  const { rows } = await database.query<LadderRow>(
    `with open as (
       select t.* from unnest($1::text[]) as s (status) join transactions t on t.status = s.status
       where ($2::date is null or t.value_date >= $2) and ($3::date is null or t.value_date <= $3)
     ), legs as (
       select value_date, sell_currency as currency, 1 as trades_in, sell_minor as expected, received_minor as received,
         greatest(sell_minor - received_minor - shortfall_minor, 0) as outstanding, 0 as trades_out, 0 as to_pay
       from open
       union all
       select value_date, buy_currency, 0, 0, 0, 0, 1, buy_minor from open
     )
     select value_date, currency, sum(trades_in)::int as trades_in, sum(expected) as expected,
       sum(received) as received, sum(outstanding) as outstanding, sum(trades_out)::int as trades_out,
       sum(to_pay) as to_pay
     from legs where $4::text is null or currency = $4
     group by value_date, currency order by value_date, currency`,
    [OPEN_STATUSES, fromDate ?? null, toDate ?? null, currency ?? null],
  );
  return rows;
}
