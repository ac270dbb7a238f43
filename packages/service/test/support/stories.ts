import assert from 'node:assert/strict';
import type { NewQuoteRequest } from '@firmquote/api/operations/quotes';
import type { Pool } from '../../src/database/pool.ts';
import { receiveDeposit } from '../../src/deposits/receive-deposit.ts';
import type { OperatorCommand } from '../../src/payments/operate.ts';
import { isoInstant } from '../../src/platform/clock.ts';
import { Problem } from '../../src/problems/problem.ts';
import type { PricedTransaction, TransactionRow } from '../../src/transactions/record.ts';
import { createDesk, type Desk } from './trading.ts';

/** A trade and the desk of its customer, who has no other. */
export interface Story {
  readonly desk: Desk;
  readonly row: TransactionRow;
}

/** A trade that waits for its money: 100,000.00 USD into EUR on Wednesday 4 March 2026, unless the body differs. */
export async function trade(pool: Pool, body: Partial<NewQuoteRequest> = {}): Promise<Story> {
  const desk = await createDesk(pool);
  return { desk, row: await desk.execute(await desk.quote(body)) };
}

export async function funded(pool: Pool, body: Partial<NewQuoteRequest> = {}): Promise<Story> {
  const made = await trade(pool, body);
  await fund(made.desk, made.row);
  return made;
}

let bookings = 0;

/** Money for the trade arrives now; by default all of it. */
export async function fund(
  desk: Desk,
  row: TransactionRow,
  amountMinor = BigInt(row.sell_minor),
): Promise<void> {
  const bankReference = `B${++bookings}`;
  await receiveDeposit(desk, {
    account: 'house',
    bankReference,
    source: 'operator',
    amountMinor,
    currency: row.sell_currency,
    remitterName: null,
    remitterAccount: null,
    remittanceText: row.reference,
    valueDate: isoInstant(desk.clock.now()).slice(0, 10),
    receivedAt: desk.clock.now(),
    fingerprint: bankReference,
  });
}

/** The trade as it is now. */
export async function current(desk: Desk, row: TransactionRow): Promise<PricedTransaction> {
  const found = await desk.services.transactions.find(row.customer_id, row.id);
  assert.ok(found);
  return found;
}

export function order(row: TransactionRow): OperatorCommand {
  return { transactionId: row.id, ifMatch: undefined };
}

/** The problem that the work ends in. */
export async function refusal(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Problem, String(error));
  return error;
}

/** What counts against the customer's open position, in US dollar cents. */
export async function openUsd(desk: Desk): Promise<string> {
  const { rows } = await desk.pool.query<{ open: string }>(
    'select open_usd_minor as open from customer_usage where customer_id = $1',
    [desk.customerId],
  );
  return rows[0]?.open ?? '';
}
