import assert from 'node:assert/strict';
import type { NewQuoteRequest } from '@firmquote/api/operations/quotes';
import type { Pool } from '../../src/database/pool.ts';
import type { NewDeposit } from '../../src/deposits/record.ts';
import { isoInstant } from '../../src/platform/clock.ts';
import type { PricedTransaction, TransactionRow } from '../../src/transactions/record.ts';
import { createDesk, type Desk } from './trading.ts';

let bookings = 0;

/** An entry of what the trade expects, naming its reference. */
export function depositFor(row: TransactionRow, desk: Desk, patch: Partial<NewDeposit> = {}): NewDeposit {
  const bankReference = `B${++bookings}`;
  return {
    account: 'GB29NWBK60161331926819',
    bankReference,
    source: 'operator',
    amountMinor: BigInt(row.sell_minor),
    currency: row.sell_currency,
    remitterName: 'Test customer',
    remitterAccount: null,
    remittanceText: `Payment for ${row.reference.toLowerCase()}`,
    valueDate: isoInstant(desk.clock.now()).slice(0, 10),
    receivedAt: desk.clock.now(),
    fingerprint: bankReference,
    ...patch,
  };
}

/** A desk of its own with one trade. */
export async function tradeOn(
  pool: Pool,
  body: Partial<NewQuoteRequest> = {},
): Promise<{ desk: Desk; row: PricedTransaction }> {
  const desk = await createDesk(pool);
  return { desk, row: await desk.execute(await desk.quote(body)) };
}

/** The trade as it is now. */
export async function current(desk: Desk, row: TransactionRow): Promise<PricedTransaction> {
  const found = await desk.services.transactions.find(row.customer_id, row.id);
  assert.ok(found);
  return found;
}

export async function eventsOf(desk: Desk): Promise<string[]> {
  const { rows } = await desk.pool.query<{ type: string }>(
    'select type from feed_events where customer_id = $1 order by sequence',
    [desk.customerId],
  );
  return rows.map((row) => row.type);
}
