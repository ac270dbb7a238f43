import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { depositFor } from '../../test/support/deposits.ts';
import { createOperatorServer, type OperatorServer, type Reply } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { renderTransaction } from '../transactions/render.ts';
import { receiveDeposit } from './receive-deposit.ts';
import type { NewDeposit } from './record.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];
let bookings = 0;
let accounts = 0;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await server.close();
});
after(() => server.close());

/** A customer of its own, so that no other test's trades are open. */
async function customerWithAccount(): Promise<{ number: string; path: string }> {
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
  call = server.call;
  const path = `/v1/operator/customers/${typeId('cus', sandbox.desk.customerId)}`;
  const number = `GB33 BUKB 2020 1555 5555 ${String(++accounts).padStart(2, '0')}`;
  const added = await call('POST', `${path}/virtual-accounts`, { currency: 'USD', number });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  return { number, path };
}

async function arrived(amount: string, patch: Record<string, unknown> = {}): Promise<Reply> {
  const body = {
    bankReference: `V${++bookings}`,
    amount,
    currency: 'USD',
    remitterName: 'Test customer',
    ...patch,
  };
  return call('POST', '/v1/operator/deposits', body);
}

const trade = (amount: string) => sandbox.trade({ amount });
const matchesOf = (reply: Reply) =>
  reply.body.allocations.map((each: { transactionId: string; matchRule: string; score: number }) => [
    each.transactionId,
    each.matchRule,
    each.score,
  ]);
const txn = (row: TransactionRow) => typeId('txn', row.id);

describe('a deposit on a virtual account (rule 4)', () => {
  test('is for the one open trade of its amount, however the bank writes the account', async () => {
    const { number } = await customerWithAccount();
    const [row, other] = [await trade('700.00'), await trade('800.00')];
    const named = await arrived('700.00', { virtualAccount: number.toLowerCase() });
    assert.deepEqual(matchesOf(named), [[txn(row), 'virtual_account_exact', 95]]);
    const direct = await arrived('800.00', { account: number.replaceAll(' ', '') });
    assert.deepEqual(matchesOf(direct), [[txn(other), 'virtual_account_exact', 95]]);
  });

  test('is told to the customer as the account to pay to, frozen with the trade', async () => {
    const common = async () => {
      sandbox = await createSandbox(pool);
      server = createOperatorServer(sandbox);
      return JSON.parse((await trade('10.00')).instructions);
    };
    const house = await common();
    await server.close();
    const { number, path } = await customerWithAccount();
    const iban = number.replaceAll(' ', '');
    const row = await trade('700.00');
    assert.deepEqual(JSON.parse(row.instructions), {
      ...house,
      iban,
      accountNumber: null,
      virtualAccount: iban,
    });
    assert.deepEqual(JSON.parse((await trade('1.00')).instructions).iban, iban);
    const euros = await sandbox.trade({ sellCurrency: 'EUR', buyCurrency: 'USD', amount: '5.00' });
    assert.equal(JSON.parse(euros.instructions).iban, house.iban);
    const { items } = (await call('GET', `${path}/virtual-accounts`)).body;
    await call('DELETE', `${path}/virtual-accounts/${items[0].virtualAccountId}`);
    const plain = { currency: 'USD', number: '000123 456' };
    assert.equal((await call('POST', `${path}/virtual-accounts`, plain)).status, 201);
    const { iban: none, accountNumber } = JSON.parse((await trade('2.00')).instructions);
    assert.deepEqual([none, accountNumber], [null, '000123456']);
    assert.equal(JSON.parse((await sandbox.read(row)).instructions).iban, iban);
    const shown = JSON.parse(renderTransaction(row, sandbox.clock.now(), 'customer'));
    assert.deepEqual(
      [shown.funding.instructions.virtualAccount, shown.funding.instructions.reference],
      [iban, row.reference],
    );
  });

  test('pays several trades with the oldest value dates, when they are the amount together', async () => {
    const { number } = await customerWithAccount();
    const rows = [await trade('100.00'), await trade('200.00'), await trade('300.00')];
    const reply = await arrived('600.00', { virtualAccount: number });
    assert.equal(reply.body.status, 'matched');
    assert.deepEqual(new Set(matchesOf(reply).map(([id]: [string]) => id)), new Set(rows.map(txn)));
    assert.ok(matchesOf(reply).every(([, rule]: [string, string]) => rule === 'virtual_account_group'));
    const events = await pool.query(
      "select 1 from feed_events where customer_id = $1 and type = 'deposit.received'",
      [sandbox.desk.customerId],
    );
    assert.equal(events.rowCount, 1, 'one deposit is received once');
  });

  test('that could be for either of two trades is ambiguous, and one that fits none is unmatched with its customer', async () => {
    const { number, path } = await customerWithAccount();
    await trade('500.00');
    await trade('500.00');
    const either = await arrived('500.00', { virtualAccount: number });
    assert.deepEqual(either.body.exception, { type: 'ambiguous', reason: 'several_transactions' });
    assert.ok(path.endsWith(either.body.customerId));
    const none = await arrived('499.00', { virtualAccount: number });
    assert.deepEqual(none.body.exception, { type: 'unmatched', reason: 'no_reference' });
    const both = await arrived('1000.00', { virtualAccount: number });
    assert.equal(both.body.status, 'matched');
  });

  test('that names trades is decided by what it names', async () => {
    const { number } = await customerWithAccount();
    const [named, exact] = [await trade('900.00'), await trade('450.00')];
    const reply = await arrived('450.00', { virtualAccount: number, reference: named.reference });
    assert.deepEqual(matchesOf(reply), [[txn(named), 'reference_partial', 85]]);
    assert.equal((await sandbox.read(exact)).status, 'awaiting_funds');
  });

  test('is nobody’s once the account is closed; numbers are unique while they are open', async () => {
    const { number, path } = await customerWithAccount();
    const list = await call('GET', `${path}/virtual-accounts`);
    const again = await call('POST', `${path}/virtual-accounts`, {
      currency: 'USD',
      number: number.toLowerCase(),
    });
    assert.deepEqual([again.status, again.body.code], [409, 'already_exists']);
    const url = `${path}/virtual-accounts/${list.body.items[0].virtualAccountId}`;
    assert.equal((await call('DELETE', url)).status, 204);
    await trade('50.00');
    const reply = await arrived('50.00', { virtualAccount: number });
    assert.deepEqual([reply.body.status, reply.body.customerId], ['unmatched', null]);
    assert.equal((await call('POST', `${path}/virtual-accounts`, { currency: 'USD', number })).status, 201);
    const refused = [
      [`${path}/virtual-accounts`, { currency: 'XXX', number: 'ABCD1' }, 'currency_not_supported'],
      [`${path}/virtual-accounts`, { currency: 'USD', number: '- - - 1' }, 'validation_failed'],
      [
        '/v1/operator/customers/cus_nobody/virtual-accounts',
        { currency: 'USD', number: 'ABCD1' },
        'customer_not_found',
      ],
    ] as const;
    for (const [to, body, code] of refused) assert.equal((await call('POST', to, body)).body.code, code);
    assert.equal(
      (await call('DELETE', `${path}/virtual-accounts/vac_x`)).body.code,
      'virtual_account_not_found',
    );
  });
});

describe('two references in one text', () => {
  test('are split when they are the amount together', async () => {
    await customerWithAccount();
    const [first, second] = [await trade('100.00'), await trade('250.00')];
    const text = `${first.reference} / ${second.reference.replaceAll('0', 'O').replaceAll('1', 'I')}`;
    const reply = await arrived('350.00', { remittanceText: text });
    assert.equal(reply.body.status, 'matched');
    assert.equal(matchesOf(reply).length, 2);
    assert.ok(matchesOf(reply).every(([, rule]: [string, string]) => rule === 'references_split'));
  });

  test('are ambiguous with any other amount', async () => {
    await customerWithAccount();
    const [first, second] = [await trade('100.00'), await trade('250.00')];
    const reply = await arrived('340.00', { remittanceText: `${first.reference} ${second.reference}` });
    assert.deepEqual(reply.body.exception, { type: 'ambiguous', reason: 'several_transactions' });
  });
});

describe('a payment by somebody else', () => {
  async function hold() {
    const { path } = await customerWithAccount();
    await holdThirdParties();
    return path;
  }

  async function holdThirdParties() {
    await pool.query(`update customers set settings = '{"thirdPartyPayments":"hold"}' where id = $1`, [
      sandbox.desk.customerId,
    ]);
  }

  test('is held where the customer is set so, whatever reference it has', async () => {
    await hold();
    const row = await trade('100.00');
    const held = await arrived('100.00', { reference: row.reference, remitterName: 'Mallory Inc' });
    assert.deepEqual(held.body.exception, { type: 'third_party', reason: 'remitter_is_not_customer' });
    assert.equal((await sandbox.read(row)).status, 'awaiting_funds');
    const own = await arrived('100.00', { reference: row.reference, remitterName: 'TEST CUSTOMER LTD.' });
    assert.equal(own.body.status, 'matched');
  });

  test('is held when nobody says who pays, when the name is only a part of ours, and on the customer’s virtual account', async () => {
    const { number: virtualAccount } = await customerWithAccount();
    await holdThirdParties();
    const row = await trade('100.00');
    for (const [remitterName, reason] of [
      [null, 'remitter_unknown'],
      ['Customer', 'remitter_is_not_customer'],
      ['Test', 'remitter_is_not_customer'],
      ['Test customer services', 'remitter_is_not_customer'],
    ] as const) {
      const { deposit } = await receiveDeposit(
        sandbox.desk,
        depositFor(row, sandbox.desk, { remitterName, virtualAccount }),
      );
      assert.deepEqual(deposit.exception, { type: 'third_party', reason }, String(remitterName));
    }
    assert.equal((await sandbox.read(row)).status, 'awaiting_funds');
  });

  test('is the customer’s from the account that it is paid to, and under a name that is registered', async () => {
    await hold();
    const { customerId } = sandbox.desk;
    await pool.query('update customers set settings = $2 where id = $1', [
      customerId,
      JSON.stringify({ thirdPartyPayments: 'hold', payerNames: ['Tescu Handels GmbH'] }),
    ]);
    await pool.query(
      `insert into settlement_instructions (customer_id, id, currency, account_holder, iban, status, created_at)
       values ($1, gen_random_uuid(), 'CHF', 'Test customer', 'CH9300762011623852957', 'active', now()),
              ($1, gen_random_uuid(), 'NOK', 'Test customer', 'NO9386011117947', 'retired', now())`,
      [customerId],
    );
    const statusOf = async (patch: Partial<NewDeposit>) => {
      const row = await trade('100.00');
      return (await receiveDeposit(sandbox.desk, depositFor(row, sandbox.desk, patch))).deposit.status;
    };
    const iban = 'CH93 0076 2011 6238 5295 7';
    assert.equal(await statusOf({ remitterName: null, remitterAccount: iban }), 'matched');
    assert.equal(await statusOf({ remitterName: null, remitterAccount: 'NO93 8601 1117 947' }), 'unmatched');
    assert.equal(await statusOf({ remitterName: 'TESCU HANDELS' }), 'matched');
  });

  test('is let pass by an operator: the rules match it then, once or for good', async () => {
    await hold();
    const [first, second, third] = [await trade('100.00'), await trade('100.00'), await trade('100.00')];
    const from = { remitterName: 'Parent AG', remitterAccount: 'FR14 2004 1010 0505 0001 3M02 606' };
    const held = await arrived('100.00', { reference: first.reference, ...from });
    const url = `/v1/operator/deposits/${held.body.depositId}`;
    const released = await call('POST', `${url}/release`, { reason: 'their parent, by phone' });
    assert.deepEqual(
      [released.status, released.body.status, released.body.exception],
      [200, 'matched', null],
      JSON.stringify(released.body),
    );
    assert.equal(released.body.allocations[0].matchRule, 'reference_exact');
    assert.notEqual(released.body.allocations[0].actor, 'matcher');
    assert.equal((await sandbox.read(first)).status, 'funded');
    const again = await call('POST', `${url}/release`, { reason: 'again' });
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_state_transition']);
    const next = await arrived('100.00', { reference: second.reference, ...from });
    assert.equal(next.body.exception.type, 'third_party');
    const forGood = await call('POST', `/v1/operator/deposits/${next.body.depositId}/release`, {
      remember: true,
      reason: 'pays for them always',
    });
    assert.equal(forGood.body.status, 'matched');
    assert.equal((await arrived('100.00', { reference: third.reference, ...from })).body.status, 'matched');
  });

  test('is the customer’s when an operator has taken money from that account before', async () => {
    await hold();
    const [first, second] = [await trade('100.00'), await trade('100.00')];
    const from = { remitterName: 'Holding SA', remitterAccount: 'CH93 0076 2011 6238 5295 7' };
    const held = await arrived('100.00', { reference: first.reference, ...from });
    assert.equal(held.body.exception.type, 'third_party');
    const allocations = [{ transactionId: txn(first) }];
    await call('POST', `/v1/operator/deposits/${held.body.depositId}/match`, {
      allocations,
      reason: 'parent company',
    });
    const next = await arrived('100.00', { reference: second.reference, ...from });
    assert.equal(next.body.status, 'matched');
  });
});
