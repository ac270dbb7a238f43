import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { createBalanceHolder } from '../../test/support/balance-holder.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, entriesOf, reported, reportedFile, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { ownerOf } from '../../test/support/database.ts';
import {
  approved,
  createOperatedSandbox,
  type OperatorServer,
  peopleOf,
} from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { rematchSweep } from '../deposits/rematch-deposits.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { readCustomerStatement } from '../reports/customer-statement.ts';

/** A balance that a person has topped up by hand, and what the bank tells of that money afterwards, or has told before. */

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

const { get, say, done } = peopleOf(() => server);
let told = 0;
const another = () => `HAND-${++told}`;

const holder = () => createBalanceHolder(sandbox, server);
const credit = (amount: string, reference: string, text: string): CamtEntry => ({
  ...{ amount, currency: 'USD', reference },
  details: [txDtls(text, { refs: e2e(reference) })],
});
const NOTICE = { currency: 'USD', message: '054' } as const;
const notify = async (amount: string, reference: string, text = 'NO WORD'): Promise<ShownEntry> =>
  (await reported(server, [credit(amount, reference, text)], NOTICE))[0];
const depositOf = async ({ depositId }: ShownEntry) => get(`deposits/${depositId}`);
const parts = (deposit: {
  allocations: { customerId: string; matchRule: string; allocatedAmount: string }[];
}) => deposit.allocations.map((each) => [each.customerId, each.matchRule, each.allocatedAmount]);
const suspense = async () => (await balancesOf(pool, HOUSE_ID))['suspense USD'] ?? 0n;
const BY_HAND = { type: 'duplicate', reason: 'topped_up_by_hand' };

async function ordersOf(depositId: string): Promise<{ order: string; path: string; body: object }[]> {
  const { items } = await get(`exceptions?status=open&depositId=${depositId}`);
  const { orders } = await get(`exceptions/${items[0].exceptionId}`);
  return orders.filter(({ order }: { order: string }) => order === 'replace_top_up');
}

describe('the bank tells of a top-up by hand', () => {
  test('and the deposit has its place, whatever the text is', async () => {
    for (const isNamed of [false, true]) {
      const { topUpReference, customerId, byHand, available, items, events } = await holder();
      const reference = another();
      assert.equal((await byHand('300.00', reference)).status, 201);
      assert.deepEqual(await items(), ['top_up_not_told -300.00']);
      const was = await suspense();
      const deposit = await depositOf(
        await notify('300.00', reference, isNamed ? topUpReference : 'NO WORD'),
      );
      assert.deepEqual([deposit.status, deposit.exception], ['matched', null]);
      assert.deepEqual(parts(deposit), [[customerId, 'top_up_by_hand', '300.00']]);
      assert.deepEqual([await available(), await items(), await suspense()], ['300.00', [], was]);
      assert.deepEqual(await events(), ['balance.topped_up', 'deposit.received']);
    }
  });

  test('and an operator does, who records it as a deposit, which a statement lists later', async () => {
    const { byHand, available, items } = await holder();
    const reference = another();
    await byHand('310.00', reference);
    const recorded = await server.call('POST', '/v1/operator/deposits', {
      ...{ bankReference: reference, amount: '310.00', currency: 'USD', remitterName: 'Payer Ltd' },
    });
    assert.deepEqual([recorded.status, recorded.body.status], [201, 'matched']);
    assert.deepEqual(
      [await available(), await items()],
      ['310.00', []],
      'it is the deposit that is not told',
    );
    const entry = await notify('310.00', reference);
    assert.equal(entry.depositId, recorded.body.depositId);
    assert.equal(await available(), '310.00');
  });

  test('and the customer’s statement names the bank’s reference of both', async () => {
    const { desk, byHand } = await holder();
    const reference = another();
    await byHand('320.00', reference);
    await notify('320.00', reference);
    const range = { from: 0, to: Date.UTC(2027, 0) };
    const { currencies } = await readCustomerStatement(pool, desk.customerId, range, 'USD', 0);
    const [usd] = currencies;
    assert.equal(usd?.closingBalance, '320.00');
    const lines = usd?.lines.map(({ type, credit, debit, reference: named }) => [type, credit, debit, named]);
    assert.deepEqual(
      new Set(lines?.map((each) => JSON.stringify(each))),
      new Set(
        [
          ['balance_topped_up', '320.00', null, reference],
          ['balance_topped_up', null, '320.00', reference],
          ['deposit_allocated', '320.00', null, null],
        ].map((each) => JSON.stringify(each)),
      ),
    );
  });

  test('and what is told twice is there twice', async () => {
    const { topUpReference, byHand, available, items } = await holder();
    const reference = another();
    await byHand('330.00', reference);
    await notify('330.00', reference, topUpReference);
    await notify('331.00', another(), topUpReference);
    assert.deepEqual([await available(), await items()], ['661.00', []]);
    assert.equal((await byHand('330.00', reference)).body.code, 'already_exists');
  });
});

describe('what speaks against it is for a person', () => {
  test('a trade that the text names', async () => {
    const { byHand, available, customerId } = await holder();
    const row = await sandbox.trade();
    const reference = another();
    await byHand('100000.00', reference);
    const deposit = await depositOf(await notify('100000.00', reference, row.reference));
    assert.deepEqual([deposit.status, deposit.exception], ['unmatched', BY_HAND]);
    const [order] = await ordersOf(deposit.depositId);
    assert.deepEqual(order?.body, { customerId, bankReference: reference });
    await done(order.path.replace('/v1/operator/', ''), order.body);
    assert.equal(await available(), '100000.00');
  });

  test('the balance of somebody else', async () => {
    const [one, other] = [await holder(), await holder()];
    const reference = another();
    await one.byHand('340.00', reference);
    const deposit = await depositOf(await notify('340.00', reference, other.topUpReference));
    assert.deepEqual(deposit.exception, BY_HAND);
    // It was the other's all the time.
    const path = `deposits/${deposit.depositId}`;
    await done(`${path}/replace-top-up`, { customerId: one.customerId, bankReference: reference });
    await done(`${path}/unmatch`);
    assert.deepEqual([await one.available(), await one.items()], ['0.00', []]);
    await done(`${path}/match`, { balance: { customerId: other.customerId } });
    assert.equal(await other.available(), '340.00');
  });

  test('top-ups of two customers', async () => {
    const [one, other] = [await holder(), await holder()];
    const reference = another();
    for (const each of [one, other]) await each.byHand('350.00', reference);
    const deposit = await depositOf(await notify('350.00', reference));
    assert.deepEqual(deposit.exception, BY_HAND);
    const customers = (await ordersOf(deposit.depositId)).map(
      ({ body }) => (body as { customerId: string }).customerId,
    );
    assert.deepEqual(new Set(customers), new Set([one.customerId, other.customerId]));
    const path = `deposits/${deposit.depositId}/replace-top-up`;
    await done(path, { customerId: other.customerId, bankReference: reference });
    assert.deepEqual([await one.items(), await other.items()], [['top_up_not_told -350.00'], []]);
  });

  for (const [amount, left] of [
    ['355.00', '355.00'],
    ['365.00', '365.00'],
  ] as const) {
    test(`another amount: ${amount}`, async () => {
      const { topUpReference, customerId, byHand, available, items, events } = await holder();
      const reference = another();
      await byHand('360.00', reference);
      const deposit = await depositOf(await notify(amount, reference, topUpReference));
      assert.deepEqual([deposit.exception, await available()], [BY_HAND, '360.00']);
      const [order] = await ordersOf(deposit.depositId);
      const after = await done(`deposits/${deposit.depositId}/replace-top-up`, order?.body);
      assert.deepEqual([after.status, parts(after)], ['matched', [[customerId, 'manual', amount]]]);
      assert.deepEqual([await available(), await items()], [left, []]);
      const last = amount < '360.00' ? 'deposit.unmatched' : 'balance.topped_up';
      assert.deepEqual(await events(), ['balance.topped_up', 'deposit.received', last]);
    });
  }

  test('another reference than a person was told by phone', async () => {
    const { customerId, byHand, available, items } = await holder();
    await byHand('370.00', 'by phone 1');
    const deposit = await depositOf(await notify('370.00', another()));
    assert.equal(deposit.exception.reason, 'no_reference');
    const [order] = await ordersOf(deposit.depositId);
    assert.deepEqual(order?.body, { customerId, bankReference: 'by phone 1' });
    await done(`deposits/${deposit.depositId}/replace-top-up`, order?.body);
    assert.deepEqual([await available(), await items()], ['370.00', []]);
  });
});

describe('what becomes of it afterwards', () => {
  /** A top-up by hand that a notification has told of. */
  async function toldOne(amount: string) {
    const made = await holder();
    const reference = another();
    await made.byHand(amount, reference);
    const fileId = await reportedFile(server, camt([credit(amount, reference, 'NO WORD')], NOTICE));
    const [entry] = await entriesOf(server, fileId);
    assert.deepEqual(await made.items(), []);
    return { ...made, reference, fileId, entry };
  }
  const back = (amount: string, reference: string): CamtEntry => ({
    ...{ amount, currency: 'USD', direction: 'DBIT', reference: another() },
    details: [
      txDtls('BACK', {
        refs: e2e(reference),
        after: '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>',
      }),
    ],
  });

  test('the bank takes it back, and the balance pays', async () => {
    const { entry, reference, available, items } = await toldOne('380.00');
    await reported(server, [back('380.00', reference)], NOTICE);
    const deposit = await depositOf(entry);
    assert.deepEqual([deposit.status, await available(), await items()], ['returned', '0.00', []]);
  });

  test('the bank takes it back, and it is spent', async () => {
    const { entry, reference, available, withdraw } = await toldOne('390.00');
    await withdraw('100.00');
    await reported(server, [back('390.00', reference)], NOTICE);
    const { exception } = await depositOf(entry);
    assert.deepEqual(
      [exception, await available()],
      [{ type: 'returned', reason: 'balance_spent' }, '290.00'],
    );
  });

  test('the file is withdrawn: the top-up stands, and is told again', async () => {
    const { fileId, reference, available, items, withdraw, events } = await toldOne('400.00');
    // What has been spent of it is no obstacle: nothing is taken away.
    await withdraw('150.00');
    await done(`statements/${fileId}/withdraw`);
    assert.deepEqual(
      [await available(), await items()],
      [
        '250.00',
        ['top_up_not_told -400.00', 'payment_not_told 150.00'].filter((each) => each.startsWith('top')),
      ],
    );
    const seen = await events();
    const deposit = await depositOf(await notify('400.00', reference, 'AGAIN'));
    assert.deepEqual([deposit.status, await available(), await items()], ['matched', '250.00', []]);
    assert.deepEqual((await events()).slice(seen.length), ['deposit.received']);
  });

  for (const [amount, spent, refused] of [
    ['405.00', undefined, false],
    ['415.00', undefined, false],
    ['415.00', '412.00', true],
  ] as const) {
    const how = spent === undefined ? '' : ', and is spent';
    test(`the file is withdrawn, that had told another amount: ${amount}${how}`, async () => {
      const { customerId, byHand, available, items, withdraw } = await holder();
      const reference = another();
      await byHand('410.00', reference);
      const fileId = await reportedFile(server, camt([credit(amount, reference, 'NO WORD')], NOTICE));
      const [entry] = await entriesOf(server, fileId);
      await done(`deposits/${entry.depositId}/replace-top-up`, { customerId, bankReference: reference });
      assert.equal(await available(), amount);
      if (spent !== undefined) await withdraw(spent);
      const withdrawn = await approved(server, await say(`statements/${fileId}/withdraw`));
      if (refused) {
        const { dependents } = withdrawn.body;
        assert.deepEqual([withdrawn.status, dependents[0].depositId], [409, entry.depositId]);
        return;
      }
      assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body));
      assert.deepEqual([await available(), await items()], ['410.00', ['top_up_not_told -410.00']]);
    });
  }

  test('no statement lists it: what the bank never booked is nobody’s', async () => {
    const { entry, available, items } = await toldOne('420.00');
    const balances = { opening: '0.00', closing: '0.00', number: `${++told}` };
    await reported(server, [], { currency: 'USD', date: '2026-03-04', ...balances });
    assert.notEqual((await depositOf(entry)).missingSince, null);
    await done(`statement-entries/${entry.entryId}/never-booked`);
    assert.deepEqual([await available(), await items()], ['0.00', []]);
  });

  test('no statement lists it, and it is spent: somebody bears the loss', async () => {
    const { entry, available, items, withdraw } = await toldOne('430.00');
    await withdraw('430.00');
    const balances = { opening: '0.00', closing: '0.00', number: `${++told}` };
    await reported(server, [], { currency: 'USD', date: '2026-03-04', ...balances });
    const path = `statement-entries/${entry.entryId}/never-booked`;
    assert.equal((await say(path)).status, 409);
    await done(path, { as: 'bank_charges' });
    assert.deepEqual(
      [await available(), (await items()).filter((each) => each.startsWith('top_up'))],
      ['0.00', []],
    );
  });

  test('it is unmatched, and given to the balance again', async () => {
    const { entry, customerId, available, items } = await toldOne('440.00');
    const path = `deposits/${entry.depositId}`;
    assert.equal((await done(`${path}/unmatch`)).exception.reason, 'unmatched_by_operator');
    assert.deepEqual([await available(), await items()], ['0.00', []]);
    await done(`${path}/match`, { balance: { customerId } });
    assert.equal(await available(), '440.00');
  });
});

describe('the bank has told of it before', () => {
  const sweep = () => rematchSweep(sandbox.desk, silentLogger).run();

  test('and nobody knew whose it was: the top-up says so', async () => {
    const { customerId, byHand, available, items } = await holder();
    const reference = another();
    const entry = await notify('450.00', reference);
    assert.equal((await depositOf(entry)).exception.reason, 'no_reference');
    assert.equal((await byHand('450.00', reference)).status, 201);
    await sweep();
    const deposit = await depositOf(entry);
    assert.deepEqual(
      [deposit.status, parts(deposit)],
      ['matched', [[customerId, 'top_up_by_hand', '450.00']]],
    );
    assert.deepEqual([await available(), await items()], ['450.00', []]);
  });

  test('and it is in the balance, with somebody else, or a person’s work: it is not topped up', async () => {
    const [one, other] = [await holder(), await holder()];
    const row = await sandbox.trade();
    for (const [text, amount] of [
      [one.topUpReference, '460.00'],
      [other.topUpReference, '461.00'],
      [row.reference, '100000.00'],
      ['NOTED', '462.00'],
    ] as const) {
      const reference = another();
      const { depositId } = await notify(amount, reference, text);
      if (text === 'NOTED') await done(`deposits/${depositId}/note`, { note: 'asked', reason: undefined });
      const refused = await one.byHand(amount, reference);
      assert.deepEqual(
        [refused.status, refused.body.code, refused.body.depositId],
        [409, 'already_exists', depositId],
        text,
      );
    }
    assert.deepEqual([await one.available(), await one.items()], ['460.00', []]);
  });
});

describe('a top-up of an earlier version, whose entry in the journal has another id', () => {
  test('is told as any other', async () => {
    const { desk, byHand, available, items } = await holder();
    const references = [another(), another()];
    for (const each of references) await byHand('470.00', each);
    const { rowCount } = await ownerOf(pool).query(
      'update balance_top_ups set id = gen_random_uuid() where customer_id = $1',
      [desk.customerId],
    );
    assert.equal(rowCount, 2);
    await notify('470.00', references[1] ?? '');
    assert.deepEqual([await available(), await items()], ['940.00', ['top_up_not_told -470.00']]);
    await notify('470.00', references[0] ?? '');
    assert.deepEqual([await available(), await items()], ['940.00', []]);
  });
});
