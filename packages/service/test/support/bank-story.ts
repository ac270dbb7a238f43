import assert from 'node:assert/strict';
import type { Pool } from '../../src/database/pool.ts';
import {
  type CamtEntry,
  type CamtOptions,
  camt,
  txDtls,
} from '../../src/reconciliation/statements/test-support.ts';
import { settle } from '../../src/settlement/operate.ts';
import { listPayments } from '../../src/settlement/run-store.ts';
import { createRun } from '../../src/settlement/settlement-runs.ts';
import type { TransactionRow } from '../../src/transactions/record.ts';
import type { OperatorServer } from './operator-server.ts';
import { current, funded, order } from './stories.ts';
import type { Desk } from './trading.ts';

/** What the house's bank says in statements, and what becomes of it. Euros, on the account of `createDesk`. */

const BY = '0195f000-0000-7000-8000-00000000000a';

/** A payout that a run has instructed. */
export interface Instructed {
  readonly desk: Desk;
  readonly row: TransactionRow;
  readonly endToEndId: string;
  readonly uetr: string;
  readonly messageId: string;
  /** As a statement writes it. */
  readonly amount: string;
}

/** Payouts that one run has instructed. */
export async function instructed(pool: Pool, count: number): Promise<Instructed[]> {
  const made: { desk: Desk; row: TransactionRow }[] = [];
  for (let n = 0; n < count; n++) {
    const { desk, row } = await funded(pool);
    made.push({ desk, row: await settle(desk, order(row)) });
  }
  const [first] = made;
  assert.ok(first);
  const run = await createRun(first.desk, { currency: 'EUR', valueDate: '2026-03-06' }, BY);
  const payments = await listPayments(pool, run.id, undefined, 100);
  return made.map(({ desk, row }) => {
    const payment = payments.find((each) => each.customer_id === desk.customerId);
    assert.ok(payment);
    const { end_to_end_id: endToEndId, uetr } = payment;
    return { desk, row, endToEndId, uetr, messageId: run.message_id, amount: euros(BigInt(row.buy_minor)) };
  });
}

export async function instructedOne(pool: Pool): Promise<Instructed> {
  const [one] = await instructed(pool, 1);
  assert.ok(one);
  return one;
}

export function euros(minor: bigint): string {
  return minor
    .toString()
    .padStart(3, '0')
    .replace(/(\d\d)$/, '.$1');
}

export const sumOf = (made: readonly Instructed[]) =>
  made.reduce((sum, { row }) => sum + BigInt(row.buy_minor), 0n);

export const statusOf = async (made: Instructed) => (await current(made.desk, made.row)).status;

export const e2e = (id: string) => `<EndToEndId>${id}</EndToEndId>`;

let references = 0;

/** A debit with these references of the payment. */
export function debit(
  amount: string,
  refs: string,
  text = 'PAYMENT',
  more: Partial<CamtEntry> = {},
): CamtEntry {
  return {
    amount,
    currency: 'EUR',
    direction: 'DBIT',
    reference: `BANKREF-D${++references}`,
    details: [txDtls(text, { refs })],
    ...more,
  };
}

/** A payment that came back, with the references of the one that went out. */
export function returned(
  amount: string,
  refs: string,
  reason = 'AC04',
  more: Partial<CamtEntry> = {},
): CamtEntry {
  const after = `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>`;
  return {
    amount,
    currency: 'EUR',
    reference: `BANKREF-C${++references}`,
    details: [txDtls('RETURNED', { refs, after })],
    ...more,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type ShownEntry = any;

/** Imports a statement. @returns its entries as they are then */
export async function told(
  server: OperatorServer,
  entries: readonly CamtEntry[],
  options: CamtOptions = {},
): Promise<ShownEntry[]> {
  const file = camt(entries, { currency: 'EUR', ...options });
  return entriesOf(server, await toldFile(server, file));
}

/** @returns the id of the file */
export async function toldFile(server: OperatorServer, file: string): Promise<string> {
  const created = await server.call('POST', '/v1/operator/statements', Buffer.from(file), {
    'content-type': 'application/octet-stream',
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return created.body.fileId;
}

export async function entriesOf(server: OperatorServer, fileId: string): Promise<ShownEntry[]> {
  const listed = await server.call('GET', `/v1/operator/statements/${fileId}/entries?limit=200`);
  return listed.body.items;
}
