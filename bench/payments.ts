import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, Payment } from '../soak/bank.ts';
import { notice, readOrders } from '../soak/files.ts';
import type { Stage } from './stage.ts';

const STATEMENTS = '/v1/operator/statements';
const RUNS = '/v1/operator/settlement-runs';
const LIMIT_MS = 240_000;
const POLL_MS = 20;

export interface PaymentFigures {
  readonly payments: number;
  /** From the file to trades that are all funded, s. */
  readonly matchedSeconds: number;
  /** From the order of the payment file to trades that are all settled, s; the bank takes no time. */
  readonly paidSeconds: number;
}

interface Owed {
  readonly reference: string;
  readonly sell_minor: string;
  readonly name: string;
  readonly value_date: string;
}

/** A statement pays trades that wait for their funds, then a payment file pays them out and a second statement says so. */
export async function measurePayments(stage: Stage, count: number): Promise<PaymentFigures> {
  const { pool } = stage;
  const { rows: owed } = await pool.query<Owed>(
    `select t.reference, t.sell_minor::text, c.name, t.value_date::text
     from transactions t join customers c on c.id = t.customer_id
     where t.status = 'awaiting_funds' order by t.id limit $1`,
    [count],
  );
  if (owed.length < count) throw new Error(`${owed.length} trades wait for funds, not ${count}`);
  const usd = await accountOf(stage, 'USD');
  const eur = await accountOf(stage, 'EUR');
  const day = (await stage.operator.expect(200, 'GET', '/v1/sandbox/clock')).body.now.slice(0, 10);
  const credits = owed.map(({ reference, sell_minor, name }, i) =>
    entry(1, i, day, {
      amountMinor: BigInt(sell_minor),
      endToEndId: `E${i}`,
      uetr: null,
      text: `Invoice ${i} ${reference}`,
      name,
      account: '9876500000',
    }),
  );
  const matchedSeconds = await timed(async () => {
    await importFile(stage, notice(usd, day, credits));
    await until(stage, count, ['funded', 'settling', 'settled']);
  });
  const valueDate = owed[0]?.value_date ?? day;
  await stage.operator.expect(200, 'POST', '/v1/sandbox/clock', { now: `${valueDate}T09:00:00Z` });
  await until(stage, count, ['settling', 'settled']);
  const paidSeconds = await timed(async () => {
    const run = await stage.operator.expect(201, 'POST', RUNS, { currency: 'EUR', valueDate });
    const path = `${RUNS}/${run.body.runId}`;
    const file = await stage.operator.expect(200, 'GET', `${path}/files/pain.001`);
    await stage.operator.expect(200, 'POST', `${path}/mark-sent`);
    const debits = readOrders(file.text).payments.map((payment, i) => entry(-1, i, valueDate, payment));
    if (debits.length !== count) throw new Error(`${debits.length} payments are ordered, not ${count}`);
    await importFile(stage, notice(eur, valueDate, debits));
    await until(stage, count, ['settled']);
  });
  return { payments: count, matchedSeconds, paidSeconds };
}

function entry(sign: 1 | -1, number: number, day: string, payment: Payment): Entry {
  const reference = `B${sign}R${number}`.replace('-', 'M');
  return { sign, payments: [payment], amountMinor: payment.amountMinor, day, reference, reported: 'whole' };
}

async function accountOf({ operator }: Stage, currency: string) {
  const { body } = await operator.expect(200, 'GET', '/v1/operator/collection-accounts');
  const found = body.items.find((each: { currency: string }) => each.currency === currency);
  const iban: string | undefined = found.iban ?? undefined;
  return {
    currency,
    number: iban ?? found.accountNumber,
    isIban: iban !== undefined,
    style: 'camt' as const,
  };
}

async function importFile({ operator, service }: Stage, content: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${service.port}${STATEMENTS}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${operator.token}`, 'Content-Type': 'application/octet-stream' },
    body: content,
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`the statement was not taken in: ${response.status} ${text}`);
}

/** Trades of this run that are that far; those of the history are older than the customers. */
async function until({ pool }: Stage, count: number, statuses: readonly string[]): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from transactions
       where status = any ($1) and id > uuid_floor(timestamptz '2026-01-02')`,
      [statuses],
    );
    const found = rows[0]?.count ?? 0;
    if (found >= count) return;
    if (performance.now() > end) throw new Error(`${found} of ${count} trades are ${statuses.join(' or ')}`);
    await sleep(POLL_MS);
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}
