import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { Speed } from '@firmquote/api/operations/settlement-runs';
import { type CamtEntry, type CamtOptions, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { topUpBalance } from '../../src/balances/balances.ts';
import { withdraw } from '../../src/balances/withdraw.ts';
import { importFile } from '../../src/bank-statements/import-file.ts';
import type { Pool } from '../../src/database/pool.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { endTransaction } from '../../src/payments/end-transaction.ts';
import { settle } from '../../src/payments/operate.ts';
import type { Purpose } from '../../src/payments/payment-states.ts';
import { listPayments } from '../../src/payments/run-payment-store.ts';
import { createRun } from '../../src/payments/settlement-runs.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { TransactionRow } from '../../src/transactions/record.ts';
import type { OperatorServer } from './operator-server.ts';
import { endOfReturn, returnable } from './return-story.ts';
import { current, fund, funded, order, trade } from './stories.ts';
import { createDesk, type Desk } from './trading.ts';

/** What the house's bank says in statements, and what becomes of it. Euros, on the account of `createDesk`. */

const BY = '0195f000-0000-7000-8000-00000000000a';

/** A payout that a run has instructed. */
export interface Instructed {
  readonly desk: Desk;
  readonly row: TransactionRow;
  readonly endToEndId: string;
  readonly uetr: string;
  readonly messageId: string;
  readonly runId: string;
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
    const amount = euros(BigInt(row.buy_minor));
    return { desk, row, endToEndId, uetr, messageId: run.message_id, runId: run.id, amount };
  });
}

export async function instructedOne(pool: Pool): Promise<Instructed> {
  const [one] = await instructed(pool, 1);
  assert.ok(one);
  return one;
}

/** Something that is to be paid in euros: what it is for, by its id. */
export interface Payable {
  readonly desk: Desk;
  readonly purpose: Purpose;
  readonly subjectId: string;
  readonly amountMinor: bigint;
}

/** A payable of each kind, of a customer of its own. */
export async function payable(pool: Pool, purpose: Purpose): Promise<Payable> {
  if (purpose === 'payout') {
    const { desk, row } = await funded(pool);
    await settle(desk, order(row));
    return { desk, purpose, subjectId: row.id, amountMinor: BigInt(row.buy_minor) };
  }
  if (purpose === 'refund') {
    const { desk, row } = await trade(pool, { sellCurrency: 'EUR', buyCurrency: 'USD' });
    await fund(desk, row, 4_000_000n);
    await endTransaction(desk, order(row));
    return { desk, purpose, subjectId: row.id, amountMinor: 4_000_000n };
  }
  const desk = await createDesk(pool);
  if (purpose === 'deposit_return') return returnable(pool, desk);
  const { customerId, clientId: by, clock } = desk;
  const money = {
    customerId,
    currency: 'EUR',
    amountMinor: 50_000n,
    bankReference: `TOP-UP-${++references}`,
  };
  await inTransaction(pool, (connection) => topUpBalance(connection, money, clock.now()));
  const room = { pool, clock, fourEyesFromUsdMinor: async () => undefined };
  const { id } = await withdraw(room, { customerId, currency: 'EUR', amount: '300.00', by });
  return { desk, purpose, subjectId: id, amountMinor: 30_000n };
}

/** A payable that is in a payment file. */
export interface Ordered extends Payable {
  readonly endToEndId: string;
  readonly uetr: string;
  readonly messageId: string;
  readonly runId: string;
  /** As a statement writes it. */
  readonly amount: string;
}

/** One run with payables of these kinds. */
export async function ordered(
  pool: Pool,
  purposes: readonly Purpose[],
  speed: Speed = 'normal',
): Promise<Ordered[]> {
  const made: Payable[] = [];
  for (const purpose of purposes) made.push(await payable(pool, purpose));
  const [first] = made;
  assert.ok(first);
  const run = await createRun(first.desk, { currency: 'EUR', valueDate: '2026-03-06', speed }, BY);
  assert.equal(run.payment_count, made.length, 'nothing else is due');
  const payments = await listPayments(pool, run.id, undefined, made.length);
  return made.map((each) => {
    const payment = payments.find(({ items }) => items.includes(each.subjectId));
    assert.ok(payment);
    const { end_to_end_id: endToEndId, uetr } = payment;
    const amount = euros(each.amountMinor);
    return { ...each, endToEndId, uetr, messageId: run.message_id, runId: run.id, amount };
  });
}

/** What is known of a payable: how far it is, the customer's money, and what people have to do about it. */
export async function endOf(pool: Pool, made: Payable): Promise<Record<string, unknown>> {
  if (made.purpose === 'deposit_return') return endOfReturn(pool, made);
  const { rows: subjects } = await pool.query(
    made.purpose === 'withdrawal'
      ? `select status, failure, null as paid from balance_withdrawals where id = $1`
      : `select status, ${made.purpose === 'payout' ? "payout_status || ' ' || coalesce(failure ->> 'code', '')" : "coalesce(refund ->> 'status', '') || ' ' || coalesce(refund ->> 'failure', '')"} as paid
         from transactions where id = $1`,
    [made.subjectId],
  );
  const { rows: items } = await pool.query(
    'select currency, amount_minor from bank_open_items where subject_id = $1',
    [made.subjectId],
  );
  const { rows: exceptions } = await pool.query(
    `select type, reason from reconciliation_exceptions
     where status = 'open' and (transaction_id = $1 or withdrawal_id = $1) order by reason`,
    [made.subjectId],
  );
  const { rows: balances } = await pool.query(
    'select account, currency, balance from balances where customer_id = $1 and balance <> 0 order by account, currency',
    [made.desk.customerId],
  );
  return { subject: subjects[0], items, exceptions, balances };
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

let reports = 0;

/** A status report (pain.002) on payments of one file. */
export function statusReport(
  payments:
    | Pick<Instructed, 'messageId' | 'endToEndId'>
    | readonly Pick<Instructed, 'messageId' | 'endToEndId'>[],
  status: string,
  reason?: string,
): string {
  const all = [payments].flat();
  const messageId = all[0]?.messageId;
  assert.ok(messageId !== undefined && all.every((each) => each.messageId === messageId));
  const why = reason === undefined ? '' : `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn></StsRsnInf>`;
  const items = all.map(
    ({ endToEndId }) =>
      `<TxInfAndSts><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId><TxSts>${status}</TxSts>${why}</TxInfAndSts>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>R${++reports}</MsgId><CreDtTm>2026-03-04T10:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}S</OrgnlPmtInfId>
${items.join('\n')}
</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>
`;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type ShownEntry = any;

/** Imports a statement. @returns its entries as they are then */
export async function reported(
  server: OperatorServer,
  entries: readonly CamtEntry[],
  options: CamtOptions = {},
): Promise<ShownEntry[]> {
  const file = camt(entries, { currency: 'EUR', ...options });
  return entriesOf(server, await reportedFile(server, file));
}

/** @returns the id of the file */
export async function reportedFile(server: OperatorServer, file: string): Promise<string> {
  const created = await server.upload(file);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return created.body.fileId;
}

export async function entriesOf(server: OperatorServer, fileId: string): Promise<ShownEntry[]> {
  const listed = await server.call('GET', `/v1/operator/statements/${fileId}/entries?limit=200`);
  return listed.body.items;
}

/**
 * Imports a file and applies nothing of it, as an instance does that ends right then.
 * @returns its id, a UUID
 */
export async function importedOnly(
  room: { readonly pool: Pool; readonly clock: Clock },
  file: string,
): Promise<string> {
  const bytes = Buffer.from(file);
  const { outcome, file: kept } = await importFile(room, {
    name: 'taken.xml',
    sha256: hash('sha256', bytes),
    sizeBytes: bytes.length,
    bytes: {
      async *open() {
        yield bytes;
      },
    },
    source: 'command',
  });
  assert.equal(outcome, 'accepted', JSON.stringify(kept));
  return kept.id;
}
