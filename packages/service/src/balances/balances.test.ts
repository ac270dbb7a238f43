import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { topUpByDeposit } from '../../test/support/missing-money.ts';
import { createOperatorServer, type OperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox } from '../../test/support/sandbox.ts';
import { current, order, refusal } from '../../test/support/stories.ts';
import { createDesk, type Desk, executionOf } from '../../test/support/trading.ts';
import { DEFAULT_SETTINGS } from '../customers/profile.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { fail, settle } from '../payments/operate.ts';
import { settlementSweep } from '../payments/sweeps.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { renderQuote } from '../quotes/render.ts';
import { asExecuted } from '../transactions/record.ts';
import { renderTransaction } from '../transactions/render.ts';
import { balanceOwners, showBalances, topUpBalance } from './balances.ts';

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 24 }));
  server = createOperatorServer(await createSandbox(pool));
});
after(() => server.close());
afterEach(() => assertBooksBalance(pool));

let bookings = 0;
function topUp(desk: Desk, amountMinor: bigint, currency = 'USD', bankReference = `T${++bookings}`) {
  const money = { customerId: desk.customerId, currency, amountMinor, bankReference };
  return inTransaction(pool, (connection) => topUpBalance(connection, money, desk.clock.now()));
}

async function preFunded(amountMinor: bigint, settings = {}): Promise<Desk> {
  const desk = await createDesk(pool);
  const own = { fundingMode: 'pre_funded' as const, ...settings };
  desk.change({ settings: { ...DEFAULT_SETTINGS, ...own } });
  await pool.query('update customers set settings = $2 where id = $1', [
    desk.customerId,
    JSON.stringify(own),
  ]);
  if (amountMinor > 0n) await topUp(desk, amountMinor);
  return desk;
}

async function available(desk: Desk, currency = 'USD'): Promise<string | undefined> {
  const { rows } = await showBalances(desk, desk.customerId);
  return rows.find((row) => row.currency === currency)?.available_minor;
}

test('an execution takes its money from the balance and is funded from the beginning', async () => {
  const desk = await preFunded(15_000_000n);
  const quote = await desk.quote();
  assert.match(renderQuote(quote, desk.clock.now()), /"fundingMode":"pre_funded"/);
  const row = await desk.execute(quote);
  assert.deepEqual([row.status, row.received_minor, row.pre_funded], ['funded', '10000000', true]);
  const shown = JSON.parse(renderTransaction(row, desk.clock.now(), 'customer'));
  assert.deepEqual([shown.funding.mode, shown.funding.outstanding], ['pre_funded', '0.00']);
  assert.deepEqual(
    shown.timeline.map((each: { status: string }) => each.status),
    ['funded'],
  );
  assert.equal(asExecuted(row).received_minor, '10000000');
  assert.equal(await available(desk), '5000000');
  const { rows } = await pool.query(
    `select status from feed_events where transaction_id = $1 and type = 'transaction.created'`,
    [row.id],
  );
  assert.deepEqual(rows, [{ status: 'funded' }]);
  assert.equal((await balancesOf(pool, desk.customerId))['customer_receivable USD'], undefined);
});

test('too small a balance refuses and leaves quote and balance as they were', async () => {
  const desk = await preFunded(9_999_999n);
  const quote = await desk.quote();
  const refused = await refusal(desk.execute(quote));
  assert.equal(refused.code, 'limit_exceeded');
  assert.deepEqual(refused.members, {
    limitType: 'balance',
    limit: '99999.99',
    required: '100000.00',
    currency: 'USD',
  });
  assert.equal(await available(desk), '9999999');
  await topUp(desk, 1n);
  assert.equal((await desk.execute(quote)).status, 'funded');
  assert.equal(await available(desk), '0');
  const empty = await preFunded(0n);
  assert.equal((await refusal(empty.execute(await empty.quote()))).members.limit, '0.00');
});

test('money in another currency pays for nothing, and is not touched', async () => {
  const desk = await preFunded(9_999_999n);
  await topUp(desk, 99_000_000n, 'EUR');
  const quote = await desk.quote();
  const refused = await refusal(desk.execute(quote));
  assert.deepEqual([refused.members.limitType, refused.members.limit], ['balance', '99999.99']);
  await topUp(desk, 1n);
  assert.equal((await desk.execute(quote)).status, 'funded');
  assert.deepEqual([await available(desk), await available(desk, 'EUR')], ['0', '99000000']);
});

test('twenty executions at once never overdraw one balance, in one batch or over many connections', async () => {
  const desk = await preFunded(7_050_000n);
  const other = await createDesk(pool);
  const quotes = await Promise.all(Array.from({ length: 20 }, () => desk.quote({ amount: '10000.00' })));
  const others = await Promise.all(Array.from({ length: 5 }, () => other.quote({ amount: '10000.00' })));
  // Further instances of the service, each with a queue of its own.
  const { TransactionStore } = await import('../transactions/store.ts');
  const stores = Array.from(
    { length: 5 },
    () => new TransactionStore({ pool, now: () => desk.clock.now(), limitDay: desk.services.limitDay }),
  );
  const results = await Promise.all([
    ...quotes.map(async (quote, i) => {
      const store = stores[i % stores.length];
      assert.ok(store);
      return (await store.execute(executionOf(desk, quote.id))).outcome;
    }),
    ...others.map(async (quote) => (await other.execute(quote)).status),
  ]);
  const count = (outcome: string) => results.filter((each) => each === outcome).length;
  assert.deepEqual([count('created'), count('limit_exceeded'), count('awaiting_funds')], [7, 13, 5]);
  assert.equal(await available(desk), '50000');
});

test('the database itself refuses an overdrawn balance', async () => {
  const desk = await preFunded(100n);
  await assert.rejects(
    pool.query(`update balances set balance = 1 where customer_id = $1 and account = 'customer_balance'`, [
      desk.customerId,
    ]),
    { constraint: 'balances_not_overdrawn' },
  );
});

test('an unwound trade gives the money back to the balance, with nothing to refund', async () => {
  const desk = await preFunded(10_000_000n);
  const row = await desk.execute(await desk.quote());
  await settle(desk, order(row));
  await fail(desk, order(row), 'payout_rejected', undefined);
  const cancelled = await endTransaction(desk, order(row), { reason: 'trade_error' });
  assert.equal(cancelled.refund, null);
  assert.deepEqual(await balancesOf(pool, desk.customerId), {
    'bank USD': 10_000_000n,
    'customer_balance USD': -10_000_000n,
  });
});

test('a payout into the balance is released in the version that was seen, and in no other', async () => {
  const desk = await preFunded(10_000_000n, { proceedsToBalance: true });
  const row = await desk.execute(await desk.quote());
  desk.clock.set(Date.UTC(2026, 2, 6, 9));
  const stale = await refusal(settle(desk, { ...order(row), ifMatch: row.version + 1 }));
  assert.equal(stale.code, 'version_mismatch');
  assert.equal((await current(desk, row)).status, 'funded');
  const settled = await settle(desk, { ...order(row), ifMatch: row.version });
  assert.deepEqual([settled.status, settled.version], ['settled', row.version + 2]);
});

test('proceeds go into the balance on the value date, and pay for the next trade', async () => {
  const desk = await preFunded(10_000_000n, { proceedsToBalance: true });
  const row = await desk.execute(await desk.quote());
  desk.clock.set(Date.UTC(2026, 2, 6, 9));
  // Trades of the other tests go as well.
  await settlementSweep(desk).run();
  const settled = await current(desk, row);
  assert.deepEqual([settled.status, settled.payout_status, settled.proceeds], ['settled', 'paid', 'balance']);
  assert.equal(JSON.parse(renderTransaction(settled, desk.clock.now(), 'customer')).payout.to, 'balance');
  assert.equal(await available(desk, 'EUR'), row.buy_minor);
  assert.equal(
    (await refusal(fail(desk, order(row), undefined, undefined))).code,
    'invalid_state_transition',
  );
  const back = await desk.execute(
    await desk.quote({ sellCurrency: 'EUR', buyCurrency: 'USD', amount: '1000.00' }),
  );
  assert.equal(back.status, 'funded');
  assert.equal(await available(desk, 'EUR'), String(BigInt(row.buy_minor) - 100_000n));
});

test('an entry counts once, and a customer is found by the reference of its balance', async () => {
  const desk = await preFunded(0n);
  assert.equal(await topUp(desk, 500n, 'USD', 'ONCE'), true);
  assert.equal(await topUp(desk, 500n, 'USD', 'ONCE'), false);
  assert.equal(await available(desk), '500');
  const other = await preFunded(0n);
  const reported = await topUpByDeposit(pool, other.customerId, '500', 'USD');
  assert.equal(await topUp(other, 500n, 'USD', reported), false);
  assert.equal(await topUp(desk, 500n, 'USD', reported), false, 'somebody has it');
  // A bank restarts its references: what another customer's deposit had long ago, or of another amount, is nobody else's.
  assert.equal(await topUp(other, 501n, 'USD', reported), false);
  assert.equal(await topUp(desk, 501n, 'USD', reported), true);
  const before = await topUpByDeposit(pool, other.customerId, '500', 'USD');
  await pool.query(
    "update deposits set booked_on = null, received_at = received_at - interval '11 days' where bank_reference = $1",
    [before],
  );
  assert.equal(await topUp(desk, 500n, 'USD', before), true);
  const { reference } = await showBalances(desk, desk.customerId);
  assert.match(reference, /^RF\d{14}$/);
  assert.equal((await showBalances(desk, desk.customerId)).reference, reference);
  assert.deepEqual(await balanceOwners(pool, ['RF00', reference]), [
    { reference, customerId: desk.customerId },
  ]);
});

test('a quote keeps the way of funding that it was made with', async () => {
  const desk = await preFunded(10_000_000n);
  const quote = await desk.quote();
  desk.change({ settings: DEFAULT_SETTINGS });
  await pool.query(`update customers set settings = '{}' where id = $1`, [desk.customerId]);
  assert.equal((await desk.execute(quote)).status, 'funded');
  assert.equal((await desk.execute(await desk.quote())).status, 'awaiting_funds');
});

test('over HTTP: operators book and see balances', async () => {
  const desk = await preFunded(0n);
  const path = `/v1/operator/customers/${typeId('cus', desk.customerId)}/balances`;
  const body = { currency: 'USD', amount: '250.00', bankReference: 'HAND-1' };
  const made = await server.call('POST', `${path}/top-ups`, body);
  assert.equal(made.status, 201);
  assert.deepEqual(made.body.items, [{ currency: 'USD', available: '250.00' }]);
  assert.deepEqual((await server.call('GET', path)).body, made.body);
  const unknown = `/v1/operator/customers/${typeId('cus', newUuid(0))}/balances`;
  for (const [method, url, sent, code] of [
    ['POST', `${path}/top-ups`, body, 'already_exists'],
    [
      'POST',
      `${path}/top-ups`,
      { ...body, amount: '1.001', bankReference: 'H2' },
      'amount_precision_invalid',
    ],
    ['POST', `${path}/top-ups`, { ...body, currency: 'XXX' }, 'currency_not_supported'],
    ['POST', `${path}/top-ups`, { ...body, more: 1 }, 'validation_failed'],
    ['POST', `${unknown}/top-ups`, body, 'customer_not_found'],
    ['GET', unknown, undefined, 'customer_not_found'],
    ['GET', '/v1/operator/customers/x/balances', undefined, 'customer_not_found'],
  ] as const) {
    assert.equal((await server.call(method, url, sent)).body.code, code, url);
  }
});
