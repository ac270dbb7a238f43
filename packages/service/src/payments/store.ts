import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { NIL_UUID } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import { heldMoneyOfTrade, isHeldBalance } from './held-money-store.ts';
import type { PayoutDestination } from './payout-changes.ts';
import { BATCH, type DueTransaction } from './through-due.ts';
import type { PayoutWindow } from './value-dates.ts';

type DueRow = Pick<Row<'transactions'>, 'customer_id' | 'id' | 'pair'> & { readonly due: string };

function dueTransaction(row: DueRow): DueTransaction {
  return { customerId: row.customer_id, id: row.id, due: row.due, pair: row.pair };
}

/** Trades whose funding cut-off has passed, oldest first, after a place. */
export async function dueForFunding(
  connection: Queryable,
  now: number,
  after: DueTransaction | undefined,
): Promise<DueTransaction[]> {
  const { rows } = await connection.query<DueRow>({
    // Planned anew each time: a plan kept from when the table was empty would read it all.
    text: `select customer_id, id, funding_cutoff_at::text as due, pair from transactions
           where status in ('awaiting_funds', 'partially_funded') and funding_cutoff_at <= $1
             and (funding_cutoff_at, id) > ($2::timestamptz, $3::uuid)
           order by funding_cutoff_at, id limit $4`,
    values: [isoInstant(now), after?.due ?? '-infinity', after?.id ?? NIL_UUID, BATCH],
  });
  return rows.map(dueTransaction);
}

/**
 * Overdue trades by the last funding cut-off of each sold currency (epoch milliseconds), oldest first, after a place; not of some pairs.
 */
export async function dueForCloseOut(
  connection: Queryable,
  cutoffBy: ReadonlyMap<string, number>,
  withoutPairs: readonly string[],
  after: DueTransaction | undefined,
): Promise<DueTransaction[]> {
  const { rows } = await connection.query<DueRow>({
    // What is too new for every currency is not read.
    text: `select customer_id, id, funding_cutoff_at::text as due, pair
           from transactions join unnest($1::text[], $2::timestamptz[]) as by (currency, cutoff) on by.currency = sell_currency
           where status = 'overdue' and funding_cutoff_at <= by.cutoff and funding_cutoff_at <= $3 and pair <> all ($4::text[])
             and (funding_cutoff_at, id) > ($5::timestamptz, $6::uuid)
           order by funding_cutoff_at, id limit $7`,
    values: [
      [...cutoffBy.keys()],
      [...cutoffBy.values()].map(isoInstant),
      isoInstant(Math.max(...cutoffBy.values())),
      withoutPairs,
      after?.due ?? '-infinity',
      after?.id ?? NIL_UUID,
      BATCH,
    ],
  });
  return rows.map(dueTransaction);
}

/** What overdue trades sell whose funding cut-off lies at or before an instant. */
export async function currenciesOverdue(connection: Queryable, cutoffBy: number): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'transactions'>, 'sell_currency'>>(
    `select distinct sell_currency from transactions where status = 'overdue' and funding_cutoff_at <= $1`,
    [isoInstant(cutoffBy)],
  );
  return rows.map((row) => row.sell_currency);
}

/** The earliest funding cut-off of each sold currency among overdue trades, as epoch milliseconds. */
export async function oldestOverdue(
  connection: Queryable,
): Promise<readonly { readonly currency: string; readonly at: number }[]> {
  const { rows } = await connection.query<{ currency: string; at: number }>(
    `select sell_currency as currency, min(funding_cutoff_at) as at from transactions
     where status = 'overdue' group by sell_currency`,
  );
  return rows;
}

export async function nextFundingCutoff(connection: Queryable): Promise<number | undefined> {
  const { rows } = await connection.query<{ at: number | null }>(
    `select min(funding_cutoff_at) as at from transactions where status in ('awaiting_funds', 'partially_funded')`,
  );
  return rows[0]?.at ?? undefined;
}

const HELD_MONEY = heldMoneyOfTrade({
  customer: 'customer_id',
  id: 'id',
  isPreFunded: 'pre_funded',
  sellCurrency: 'sell_currency',
});

/** Of the trades those whose money is not there for certain, with why. */
export async function heldTrades(
  connection: Queryable,
  ids: readonly TransactionId[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await connection.query<{ id: string; held: string }>({
    name: 'held_trades',
    text: `select h.id, h.held from (
             select id, ${HELD_MONEY} as held from transactions
             where (customer_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))) h
           where h.held is not null`,
    values: [ids.map((each) => each.customerId), ids.map((each) => each.id)],
  });
  return new Map(rows.map((row) => [row.id, row.held]));
}

/** Funded trades without a hold that can be paid out in one of the windows, earliest value date first, after a place. */
export async function dueForSettlement(
  connection: Queryable,
  windows: readonly PayoutWindow[],
  after: DueTransaction | undefined,
): Promise<DueTransaction[]> {
  if (windows.length === 0) return [];
  const latest = windows.reduce((date, window) => (window.date > date ? window.date : date), '');
  const { rows } = await connection.query<DueRow>({
    // Planned anew each time: a plan kept from when the table was empty would read it all.
    // One pass over what is funded, however many currencies are open: a currency without a window has no date.
    text: `select customer_id, id, value_date::text as due, pair from transactions
           where status = 'funded' and value_date <= $2 and value_date <= ($1::jsonb ->> buy_currency)::date
             and json_array_length(holds) = 0 and (value_date, id) > ($3::date, $4::uuid)
             and ${HELD_MONEY} is null
           order by value_date, id limit $5`,
    values: [
      JSON.stringify(Object.fromEntries(windows.map((each) => [each.currency, each.date]))),
      latest,
      after?.due ?? '-infinity',
      after?.id ?? NIL_UUID,
      BATCH,
    ],
  });
  return rows.map(dueTransaction);
}

/** Funded trades whose value date is one of those that are over for the bought currency, earliest first, after a place. */
export async function missedValueDates(
  connection: Queryable,
  passed: Readonly<Record<string, string>>,
  after: DueTransaction | undefined,
): Promise<DueTransaction[]> {
  const latest = Object.values(passed).reduce((date, each) => (each > date ? each : date), '');
  const { rows } = await connection.query<DueRow>({
    text: `select customer_id, id, value_date::text as due, pair from transactions
           where status = 'funded' and value_date <= $2 and value_date <= ($1::jsonb ->> buy_currency)::date
             and (value_date, id) > ($3::date, $4::uuid)
           order by value_date, id limit $5`,
    values: [JSON.stringify(passed), latest, after?.due ?? '-infinity', after?.id ?? NIL_UUID, BATCH],
  });
  return rows.map(dueTransaction);
}

/** Of a bought currency. */
interface EarliestDate {
  readonly currency: string;
  readonly valueDate: string;
}

/** The earliest value date of each bought currency among all funded trades. */
export async function fundedDates(connection: Queryable): Promise<readonly EarliestDate[]> {
  const { rows } = await connection.query<EarliestDate>(
    `select buy_currency as currency, min(value_date) as "valueDate" from transactions
     where status = 'funded' group by buy_currency`,
  );
  return rows;
}

/** The earliest value date of each bought currency among funded trades without a hold. */
export async function fundedDatesWithoutHold(connection: Queryable): Promise<readonly EarliestDate[]> {
  const { rows } = await connection.query<EarliestDate>(
    `select buy_currency as currency, min(value_date) as "valueDate" from transactions
     where status = 'funded' and json_array_length(holds) = 0 group by buy_currency`,
  );
  return rows;
}

/** Since when the bank's statements do not list money that trades rest on, by the trades' ids. Epoch milliseconds. */
export type MissingFunds = ReadonlyMap<string, number>;

/**
 * The trades that are held back, because a notification reported their money and the statements of its day do not list it.
 * By the same functions as payouts and runs.
 */
export async function missingFunds(
  connection: Queryable,
  trades: readonly Pick<TransactionRow, 'customer_id' | 'id' | 'pre_funded' | 'sell_currency'>[],
): Promise<MissingFunds> {
  if (trades.length === 0) return new Map();
  const { rows } = await connection.query<{ id: string; since: number }>({
    name: 'missing_funds_of_trades',
    // Few are missing at a time, so these are read first.
    text: `with missing as materialized (
             select a.customer_id, a.transaction_id, d.currency, e.missing_since from entry_details e
             join deposits d on d.id = e.deposit_id join deposit_allocations a on a.deposit_id = d.id
             where e.missing_since is not null
             -- What has come back by an entry that statements lack: to a trade, a balance, or the deposit that it was of.
             union all select coalesce(a.customer_id, n.customer_id), case when n.purpose = 'deposit_return' then a.transaction_id
               when n.purpose <> 'withdrawal' then n.transaction_id end, n.currency, e.missing_since
             from entry_details e join bank_notices n on n.source_id = e.id and n.kind = 'returned'
             left join deposit_returns r on r.id = n.transaction_id left join deposit_allocations a on a.deposit_id = r.deposit_id
             where e.missing_since is not null
           ), behind as (
             select customer_id, transaction_id, currency, missing_since from missing
             -- What they have paid for may be in a balance as well.
             union all select m.customer_id, null, p.buy_currency, m.missing_since from missing m
             join transactions p on p.customer_id = m.customer_id and p.id = m.transaction_id
               and p.status = 'settled' and p.proceeds = 'balance'
           )
           select t.id, min(m.missing_since) as since
           from unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::text[]) t (customer_id, id, pre_funded, currency)
           join behind m on m.customer_id = t.customer_id
             and (m.transaction_id = t.id or (t.pre_funded and m.transaction_id is null and m.currency = t.currency))
           where rests_on_missing_money(t.customer_id, t.id)
             or (t.pre_funded and ${isHeldBalance('t.customer_id', 't.currency', 'not_in_statement')})
           group by t.id`,
    values: [
      trades.map((each) => each.customer_id),
      trades.map((each) => each.id),
      trades.map((each) => each.pre_funded),
      trades.map((each) => each.sell_currency),
    ],
  });
  return new Map(rows.map((row) => [row.id, row.since]));
}

/** The account that the customer wants the currency paid to now. */
export async function activeDestination(
  connection: Queryable,
  customerId: string,
  currency: string,
): Promise<PayoutDestination | undefined> {
  const { rows } = await connection.query<PayoutDestination>(
    `select id, masked from settlement_instructions
     where customer_id = $1 and currency = $2 and status = 'active'`,
    [customerId, currency],
  );
  return rows[0];
}
