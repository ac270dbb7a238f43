import assert from 'node:assert/strict';
import { topUpBalance } from '../../src/balances/balances.ts';
import { DEFAULT_SETTINGS } from '../../src/customers/profile.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { newUuid } from '../../src/platform/ids.ts';
import type { ExecutionItem, ExecutionResult } from '../../src/transactions/store.ts';
import type { Desk } from './trading.ts';

/** What a desk's quote sells, unless asked otherwise: 100,000.00 USD. */
export const USD_OF_ONE = 10_000_000n;
const UNLIMITED = 10n ** 15n;

/** Items that are put in one turn of the event loop go in one statement. */
export const together = (desk: Desk, items: readonly ExecutionItem[]) =>
  Promise.all(items.map((item) => desk.services.transactions.execute(item)));

export async function alone(desk: Desk, item: ExecutionItem): Promise<ExecutionResult> {
  const [result] = await together(desk, [item]);
  assert.ok(result);
  return result;
}

/** Limits that the database holds the customer to; the desk's profile keeps its own. */
export async function setLimits(desk: Desk, limits: { daily?: bigint; open?: bigint }): Promise<void> {
  await desk.pool.query(
    'update customer_limits set daily_usd_minor = $2, open_usd_minor = $3 where customer_id = $1',
    [desk.customerId, String(limits.daily ?? UNLIMITED), String(limits.open ?? UNLIMITED)],
  );
}

/** The desk's quotes are paid from its balance of so much from now on. */
export async function preFund(desk: Desk, amountMinor: bigint): Promise<void> {
  desk.change({ settings: { ...DEFAULT_SETTINGS, fundingMode: 'pre_funded' } });
  const money = {
    customerId: desk.customerId,
    currency: 'USD',
    amountMinor,
    bankReference: newUuid(desk.clock.now()),
  };
  await inTransaction(desk.pool, (connection) => topUpBalance(connection, money, desk.clock.now()));
}

/** Everything that an execution writes for a customer, apart from its key. */
export async function stateOf(desk: Desk) {
  const tables = {
    quotes: 'id, status, version, closed_at, transaction_id',
    customer_usage: 'last_event_sequence, limit_day, daily_usd_minor, open_usd_minor',
    transactions: 'id',
    journal_entries: 'id',
    balances: 'account, currency, balance',
    events: 'sequence, type',
  };
  const state: Record<string, unknown> = {};
  for (const [table, columns] of Object.entries(tables)) {
    const { rows } = await desk.pool.query(
      `select ${columns} from ${table} where customer_id = $1 order by ${columns}`,
      [desk.customerId],
    );
    state[table] = rows;
  }
  return state;
}
