import type pg from 'pg';
import { at, fillTables, id, price, type Tables, tablesOf, transactionColumns } from './history-data.ts';

/**
 * Five years of settled trades of these customers: quotes, transactions and journal entries, oldest first. Keys and events are
 * not kept for so long.
 * @param customerIds UUIDs
 */
export async function loadHistory(
  pool: pg.Pool,
  customerIds: readonly string[],
  trades: number,
  notify: (line: string) => void,
): Promise<void> {
  if (trades === 0) return;
  await fillTables(pool, historyOf(customerIds, trades), notify);
  for (const text of BOOKS) await pool.query(text);
  // As their feeds would stand.
  await pool.query('update customer_usage set last_event_sequence = last_event_sequence + $1', [trades]);
  await pool.query('vacuum analyze customer_usage');
  // What the load has left to write would be written while the first path is measured.
  await pool.query('checkpoint');
}

/** A day behind the last trade; all days up to it are closed, as they would have been. */
const CLOSED = "date '2026-01-01'";
const POSTINGS = `(values ('customer_receivable', 'EUR', 100000), ('position', 'EUR', -100000), ('position', 'USD', 108200),
  ('customer_payable', 'USD', -108000), ('markup_revenue', 'USD', -200)) as p (account, currency, amount)`;
const LEGS = `(values ('EUR', 0, 0, 100000, 108000), ('USD', 108200, 108000, 0, 0)) as l (currency, bought, bought_usd, sold, sold_usd)`;
const TRADES = `(select customer_id, count(*) as trades from journal_entries group by customer_id) as c`;
const LEG_SUMS = 'bought * trades, bought_usd * trades, sold * trades, sold_usd * trades';

/** Balances and positions that the journal comes to, so that the books add up. */
const BOOKS = [
  `insert into balances select customer_id, account, currency, amount * trades from ${TRADES}, ${POSTINGS}`,
  `insert into ledger_days select customer_id, account, currency, ${CLOSED}, amount * trades from ${TRADES}, ${POSTINGS}`,
  `insert into position_days select customer_id, currency, ${CLOSED}, ${LEG_SUMS} from ${TRADES}, ${LEGS}`,
  `insert into customer_positions select customer_id, currency, ${LEG_SUMS} from ${TRADES}, ${LEGS}`,
  `insert into house_positions
   select currency, sum(bought_minor - sold_minor), sum(bought_minor), sum(bought_usd_minor), sum(sold_minor), sum(sold_usd_minor)
   from customer_positions group by currency`,
  `insert into pair_positions (first_currency, second_currency, bought_minor, paid_minor, sold_minor, received_minor, trades)
   select 'EUR', 'USD', 100000 * sum(trades), 108200 * sum(trades), 0, 0, sum(trades) from ${TRADES}`,
  `update ledger_closing set closed_through = ${CLOSED}, fenced_through = ${CLOSED}`,
  'vacuum analyze balances, ledger_days, position_days, customer_positions',
];

function historyOf(customerIds: readonly string[], trades: number): Tables {
  const customer = `('{${customerIds.join()}}'::uuid[])[1 + n % ${customerIds.length}]`;
  const instructions = '\'{"account":"9876543210"}\'';
  const { quote_prices: prices } = tablesOf(trades);
  if (prices === undefined) throw new Error('a history has prices');
  return {
    quote_prices: prices,
    funding_instructions: [
      customerIds.length,
      `${customer} as customer_id, text_id(${instructions}) as id, ${instructions}::json as details`,
    ],
    quotes: [
      trades,
      `${customer} as customer_id, ${id(trades, '8')} as id, ${customer} as client_id, 'executed' as status, 2 as version, 'EURUSD' as pair,
     'EUR' as sell_currency, 'USD' as buy_currency, 'sell' as fixed_side, 100000 as sell_minor, 108000 as buy_minor, 108200 as market_minor,
     200 as markup_minor, 108000 as usd_minor, 'spot' as tenor, ${at(trades)}::date as trade_date, ${at(trades)}::date + 2 as value_date,
     ${at(trades)} + interval '2 days' as funding_cutoff_at, '{}'::json as metadata, 30 as validity_seconds, false as validity_truncated,
     ${at(trades)} as created_at, ${at(trades)} + interval '30 seconds' as expires_at, ${at(trades)} + interval '2 seconds' as closed_at,
     ${id(trades, '7')} as transaction_id, false as pre_funded, ${price} as price_id`,
    ],
    transactions: [trades, transactionColumns(trades, { customer, open: 'false', instructions })],
    journal_entries: [
      trades,
      `${customer} as customer_id, ${id(trades, '9')} as id, 'trade_executed' as kind, ${at(trades)} as at, ${id(trades, '7')} as transaction_id,
     '{customer_receivable,position,position,customer_payable,markup_revenue}'::text[] as accounts, '{EUR,EUR,USD,USD,USD}'::text[] as currencies,
     '{100000,-100000,108200,-108000,-200}'::numeric[] as amounts`,
    ],
  };
}
