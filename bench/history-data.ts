import type pg from 'pg';
import type { Pool } from '../packages/service/src/database/pool.ts';

export const CUSTOMERS = 10_000;
const PRICES = 10_000;
const START = Date.parse('2021-01-01T00:00:00Z');
export const NOW = Date.parse('2026-01-01T00:00:00Z');
/** Entries of statements, and transactions unless another number is asked for, beside so many deposits. */
export const othersOf = (deposits: number) => Math.floor(deposits / 5);

/** By table: how many rows, and their columns in terms of a number `n`. */
export type Tables = Readonly<Record<string, readonly [count: number, columns: string]>>;

/** Instant of the nth of `count` rows, and an id that carries it. */
export const at = (count: number) =>
  `(timestamptz '2021-01-01' + n * interval '1 day' * ${(NOW - START) / 86_400_000 / count})`;
export const id = (count: number, kind: string) =>
  `(lpad(to_hex((extract(epoch from ${at(count)}) * 1000)::bigint), 12, '0') || '${kind}' || lpad(to_hex(n), 19, '0'))::uuid`;
const customer = `('00000000-0000-7000-8000-' || lpad(to_hex(n % ${CUSTOMERS}), 12, '0'))::uuid`;
/** Of an instant that is not past the retention of quotes. */
export const price = `('01920000-0000-7000-9000-' || lpad(to_hex(n % ${PRICES}), 12, '0'))::uuid`;
const instructions = `('{"account":"' || (n % ${CUSTOMERS}) || '"}')`;
const currency = "('{EUR,USD,GBP,CHF,JPY,SEK,NOK,DKK,PLN,CAD}'::text[])[1 + n % 10]";
const account = "'ACCOUNT' || n % 5";
const reference = "'RF' || lpad(n::text, 14, '0')";
const isOpen = '(n % 1000 = 7)';

/** Settled trades, oldest first: whose each is, which still wait for their funds, and where these are to go, each as SQL. */
export function transactionColumns(
  trades: number,
  { customer, open, instructions }: { customer: string; open: string; instructions: string },
): string {
  return `${customer} as customer_id, ${id(trades, '7')} as id, ${id(trades, '8')} as quote_id, ${reference} as reference,
     case when ${open} then 'awaiting_funds' else 'settled' end as status, 1 as version, n as change_sequence, n as created_sequence,
     'EURUSD' as pair, 'EUR' as sell_currency, 'USD' as buy_currency, 'sell' as fixed_side, 100 + n::bigint * 7919 % 9000000 as sell_minor,
     100 + n::bigint * 6977 % 9000000 as buy_minor, 0 as market_minor, 0 as markup_minor, 0 as usd_minor, ${price} as price_id,
     ${at(trades)}::date as trade_date, ${at(trades)}::date + 2 as value_date,
     ${at(trades)}::date + 2 as original_value_date, ${at(trades)} as funding_cutoff_at, case when ${open} then 0 else 100 + n::bigint * 7919 % 9000000 end as received_minor, 0 as excess_minor,
     0 as shortfall_minor, '[]'::json as deposits, text_id(${instructions}) as instructions_id, ${id(trades, '9')} as destination_id, '' as destination_masked,
     'paid' as payout_status, 1 as payout_attempts, '[]'::json as holds, case when not ${open} then '[{"sequence":2,"status":"settled","actor":"bank_feed"}]'::json end as timeline, 'C' || n as client_reference,
     '{}'::json as metadata, ${at(trades)} as created_at, ${at(trades)} as updated_at, false as pre_funded, 'payout' as proceeds`;
}

/** What is written, by table, in this order. */
export function tablesOf(deposits: number, trades = othersOf(deposits)): Tables {
  const others = othersOf(deposits);
  return {
    customers: [
      CUSTOMERS,
      `${customer} as id, 'Customer ' || n as name, timestamptz '2021-01-01' as created_at, timestamptz '2021-01-01' as updated_at`,
    ],
    deposits: [
      deposits,
      `${id(deposits, '7')} as id, ${account} as account, 'B' || n as bank_reference, md5(n::text) as fingerprint, 'statement' as source,
     100 + n::bigint * 7919 % 9000000 as amount_minor, ${currency} as currency, 'Remitter ' || n % 100000 as remitter_name,
     'DE' || lpad((n % 100000)::text, 20, '0') as remitter_account, 'Invoice ' || n || ' ' || ${reference} as remittance_text,
     ${at(deposits)}::date as value_date, ${at(deposits)} as received_at, case when ${isOpen} then 'unmatched' else 'matched' end as status,
     case when ${isOpen} then 'unmatched' end as exception_type, case when ${isOpen} then 'no_reference' end as exception_reason,
     case when not ${isOpen} then ${customer} end as customer_id,
     case when ${isOpen} then 0 else 100 + n::bigint * 7919 % 9000000 end as allocated_minor, 0 as excess_minor, 0 as returned_minor,
     2 as version, ${at(deposits)} as created_at, ${at(deposits)} as updated_at, ${at(deposits)}::date as booked_on`,
    ],
    // A price serves a few trades, and a customer's instructions all of its own.
    quote_prices: [
      PRICES,
      `${price} as id, ${price} as spread_rule_id, 1 as spread_rule_version, '{}'::json as rate,
     json_build_object('pricing', repeat(md5(n::text), 30))::text as pricing, '{}'::json as evidence`,
    ],
    funding_instructions: [
      CUSTOMERS,
      `${customer} as customer_id, text_id(${instructions}) as id, ${instructions}::json as details`,
    ],
    transactions: [trades, transactionColumns(trades, { customer, open: isOpen, instructions })],
    deposit_allocations: [
      others,
      `${customer} as customer_id, ${id(trades, '7')} as transaction_id, ${id(deposits, '7')} as deposit_id, 1 as allocated_minor, 0 as excess_minor,
     0 as shortfall_minor, 'reference_exact' as rule, 'auto' as matched_by, 'matcher' as actor, '{}'::json as evidence, ${at(others)} as at`,
    ],
    bank_entries: [
      others,
      `${id(others, 'a')} as id, ${id(others, 'b')} as statement_id, 1 as line, ${account} as account, 'EUR' as currency, 'credit' as direction,
     'booked' as status, 100 + n::bigint * 7919 % 9000000 as amount_minor, ${at(others)}::date as booking_date, ${at(others)}::date as value_date,
     'B' || n as bank_reference, 'B' || n as known_reference, true as in_statement, 1 as payments`,
    ],
    entry_details: [
      others,
      `${id(others, 'c')} as id, ${id(others, 'a')} as entry_id, 1 as number, 'payment' as kind, 100 + n::bigint * 7919 % 9000000 as amount_minor,
     '{}'::text[] as structured_references, 'Invoice ' || n as remittance_text, 'none' as deposit_state, 'applied' as payment_state,
     ${account} as account, ${at(others)}::date as booking_date, 'B' || n as known_reference, 'E' || n as known_end_to_end, 'E' || n as end_to_end_id`,
    ],
    reconciliation_exceptions: [
      others,
      `${id(others, 'd')} as id, 'unmatched' as type, 'no_reference' as reason, ${id(deposits, '7')} as deposit_id, case when ${isOpen} then 'open' else 'resolved' end as status,
     ${at(others)} as opened_at, case when not ${isOpen} then ${at(others)} end as resolved_at,
     case when not ${isOpen} then 'matched' end as resolution, 1 as version`,
    ],
  };
}

/** Rows as they are, without triggers and foreign keys, and what keeps positions of the house. */
export async function fill(pool: Pool, tables: Tables): Promise<void> {
  await fillTables(pool, tables, (line) => console.log(line));
  // A row for each currency, and on the ladder for each value date.
  await pool.query(
    `insert into house_positions select ${currency}, 1, 1, 1, 1, 1 from generate_series(1, 10) n`,
  );
  await pool.query(
    `insert into settlement_ladder select date '2026-01-01' + n / 10, ${currency}, 1, 1, 1, 1, 1, 1 from generate_series(1, 100) n`,
  );
}

/** Rows as they are: without triggers and foreign keys, and with the indexes made afterwards. @param notify of each table */
export async function fillTables(
  pool: pg.Pool,
  tables: Tables,
  notify: (line: string) => void,
): Promise<void> {
  const connection = await pool.connect();
  await connection.query(
    "set session_replication_role = replica; set maintenance_work_mem = '512MB'; set statement_timeout = 0",
  );
  const run = (text: string) => connection.query({ text, query_timeout: 2 ** 31 - 1 } as { text: string });
  for (const [table, [count, columns]] of Object.entries(tables)) {
    const began = performance.now();
    const { rows } = await connection.query<{ name: string; definition: string }>(
      `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
       where i.indrelid = $1::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
      [table],
    );
    for (const { name } of rows) await run(`drop index ${name}`);
    const names = await connection.query(
      `select * from (select ${columns} from generate_series(1, 1) n) r limit 0`,
    );
    const into = names.fields.map((field) => field.name).join(', ');
    await run(`insert into ${table} (${into}) select ${columns} from generate_series(1, ${count}) n`);
    for (const { definition } of rows) await run(definition);
    await run(`vacuum analyze ${table}`);
    notify(`${count} ${table} in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
  await run('reset session_replication_role');
  connection.release();
}

/** What the indexes that only searches use add to writing: the same deposits with all indexes, and without those. */
export const OF_SEARCHES =
  'deposits_bank_reference, deposits_amount, deposits_customer, deposits_shared, deposits_status, deposits_status_currency, deposits_value_date, deposits_booked_on';
export const WRITTEN = 20_000;
export async function writing(pool: Pool, deposits: number, without: string | undefined): Promise<number> {
  const connection = await pool.connect();
  await connection.query('set session_replication_role = replica; begin');
  if (without !== undefined) await connection.query(`drop index ${without}`);
  const columns = tablesOf(deposits).deposits?.[1] ?? '';
  const names = await connection.query(
    `select * from (select ${columns} from generate_series(1, 1) n) r limit 0`,
  );
  const into = names.fields.map((field) => field.name).join(', ');
  const began = performance.now();
  await connection.query(
    `insert into deposits (${into}) select ${columns} from generate_series(${deposits + 1}, ${deposits + WRITTEN}) n`,
  );
  const ms = performance.now() - began;
  await connection.query('rollback; reset session_replication_role');
  connection.release();
  return ms;
}

/** Trades that are booked, and that receive their money, one statement each. */
export const KEPT = 200;
const ENTRY = `insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
  select ${customer}, ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n), 12, '0'))::uuid, 'trade_executed', timestamptz '2026-01-01',
    '{customer,position,position,customer}', '{EUR,EUR,USD,USD}', '{100,-100,110,-110}' from (select $1::int as n) r`;
const RECEIVED = `update transactions set received_minor = received_minor + 1, version = version + 1
  where customer_id = $1 and id = $2`;

/** What it takes to keep the sums of the house: statements with their triggers and without, and one folding of what they add. */
export async function keeping(pool: Pool): Promise<Record<'kept' | 'unkept' | 'folded', number>> {
  const connection = await pool.connect();
  const timed = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  const { rows: trades } = await connection.query<{ customer_id: string; id: string }>(
    `select customer_id, id from transactions where status = 'awaiting_funds' order by id desc limit ${KEPT}`,
  );
  const write = async () => {
    for (const [n, { customer_id, id }] of trades.entries()) {
      await connection.query(ENTRY, [n]);
      await connection.query(RECEIVED, [customer_id, id]);
    }
  };
  await connection.query('set session_replication_role = replica');
  await connection.query('begin');
  await write();
  await connection.query('rollback; begin');
  const unkept = await timed(write);
  await connection.query('rollback; begin');
  await connection.query(`alter table journal_entries enable always trigger journal_keeps_positions`);
  await connection.query(`alter table transactions enable always trigger changed_trades_move_on_the_ladder`);
  const kept = await timed(write);
  const folded = await timed(() => connection.query('select fold_house_rows()'));
  await connection.query('rollback');
  await connection.query('reset session_replication_role');
  connection.release();
  return { kept, unkept, folded };
}
