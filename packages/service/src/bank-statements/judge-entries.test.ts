import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, entriesOf, reported, reportedFile, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { settle } from '../payments/operate.ts';
import { dueForSettlement } from '../payments/store.ts';
import { typeId } from '../platform/ids.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let balance = 0n;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});
after(() => server.close());

const dollars = (entries: readonly CamtEntry[]) => entries.map((each) => ({ currency: 'USD', ...each }));
const text = (value: bigint) =>
  value
    .toString()
    .padStart(3, '0')
    .replace(/(\d\d)$/, '.$1');
let created = 0;
const notice = async (entry: CamtEntry): Promise<ShownEntry> => {
  const at = `2026-03-04T10:00:${String(++created % 60).padStart(2, '0')}Z`;
  const [shown] = await reported(server, dollars([entry]), { currency: 'USD', message: '054', created: at });
  return shown;
};
async function statement(entries: readonly CamtEntry[], date = '2026-03-04'): Promise<ShownEntry[]> {
  const opening = balance;
  for (const each of entries) balance += BigInt(each.amount.replace('.', ''));
  const balances = { opening: text(opening), closing: text(balance) };
  return reported(server, dollars(entries), { currency: 'USD', date, ...balances });
}
const say = (entryId: string, verb: string, body: object = {}) =>
  server.call('POST', `/v1/operator/statement-entries/${entryId}/${verb}`, {
    reason: 'asked the bank',
    ...body,
  });
const entry = async (id: string) => (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;
const deposit = async (id: string) => (await server.call('GET', `/v1/operator/deposits/${id}`)).body;
const items = async () =>
  (
    await server.call(
      'GET',
      '/v1/operator/ledger/bank-reconciliation/items?kind=entry_not_in_statement&limit=200',
    )
  ).body.items;
const inDollars = async () =>
  (await server.call('GET', '/v1/operator/ledger/bank-reconciliation?currency=USD')).body.currencies[0];

describe('a person says of an entry', () => {
  test('that it is another one: it becomes due and is booked', async () => {
    const [first, second] = [
      await notice({ amount: '10.00', reference: 'J-1', details: [txDtls('A')] }),
      await notice({ amount: '10.00', reference: 'J-1', details: [txDtls('B')] }),
    ];
    assert.equal(second.sameAs, first.entryId);
    const done = await say(second.entryId, 'another');
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual([done.body.sameAs, done.body.depositState, done.body.new], [null, 'due', true]);
    await statement([]);
    const booked = await entry(second.entryId);
    assert.equal(booked.depositState, 'booked');
    assert.notEqual(booked.depositId, (await entry(first.entryId)).depositId);
    const again = await say(second.entryId, 'another');
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_state_transition']);
    await statement([
      { amount: '10.00', reference: 'J-1', details: [txDtls('A')] },
      { amount: '10.00', reference: 'J-1', details: [txDtls('B')] },
    ]);
  });

  test('that it is another one no more once a person has booked it', async () => {
    const on = (booked: string): CamtEntry => ({
      ...{ amount: '11.00', reference: 'J-9', booked },
      details: [txDtls('A')],
    });
    const first = await notice(on('2026-03-04'));
    const [doubtful] = await reported(server, dollars([on('2026-03-03')]), {
      currency: 'USD',
      message: '054',
      created: '2026-03-04T11:00:00Z',
    });
    assert.equal(doubtful.maybeSameAs, first.entryId, JSON.stringify(doubtful));
    const booked = await say(doubtful.entryId, 'book', { as: 'interest' });
    assert.equal(booked.status, 200, JSON.stringify(booked.body));
    const twice = await say(doubtful.entryId, 'another');
    assert.deepEqual([twice.status, twice.body.code], [409, 'invalid_state_transition']);
    assert.equal((await entry(doubtful.entryId)).paymentState, 'by_hand');
    await statement([on('2026-03-04'), on('2026-03-03')]);
    assert.deepEqual(await items(), []);
  });

  test('that a debit is another one: it is looked for among the payments of the house', async () => {
    const debit = (word: string) =>
      notice({ amount: '10.00', direction: 'DBIT', reference: 'J-OUT', details: [txDtls(word)] });
    const [first, second] = [await debit('A'), await debit('B')];
    assert.equal(second.sameAs, first.entryId);
    const done = await say(second.entryId, 'another');
    assert.deepEqual(
      [done.status, done.body.sameAs, done.body.paymentState, done.body.depositState],
      [200, null, 'due', 'none'],
    );
    await statement([]);
    for (const { entryId } of [first, second]) {
      assert.equal((await entry(entryId)).paymentState, 'unknown');
      assert.equal((await say(entryId, 'never-booked')).status, 200);
    }
  });

  test('that it is the same: what was booked on it is taken back, and what it says is not lost', async () => {
    const row = await sandbox.trade({ amount: '300.00' });
    const poor = await notice({ amount: '300.00', reference: 'J-2', details: [txDtls('NO WORD')] });
    const rich = await notice({ amount: '300.00', reference: 'J-3', details: [txDtls(row.reference)] });
    assert.equal((await sandbox.read(row)).status, 'funded');
    const done = await say(rich.entryId, 'same', { as: poor.entryId });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual([done.body.sameAs, done.body.sameReason], [poor.entryId, 'operator']);
    assert.equal(done.body.new, false, 'its file has reported nothing new');
    assert.deepEqual(
      [(await deposit(rich.depositId)).status, (await deposit(rich.depositId)).bookedAs],
      ['returned', 'same_entry'],
    );
    await statement([{ amount: '300.00', reference: 'J-2', details: [txDtls('NO WORD')] }]);
    assert.equal(
      (await sandbox.read(row)).status,
      'funded',
      'by the other deposit, which knows the reference now',
    );
    assert.equal((await deposit(poor.depositId)).status, 'matched');
    const twice = await say(rich.entryId, 'same', { as: poor.entryId });
    assert.equal(twice.status, 409);
  });

  test('that it is the same is refused when its money has moved on, with the transactions', async () => {
    const row = await sandbox.trade({ amount: '400.00' });
    const first = await notice({ amount: '400.00', reference: 'J-4', details: [txDtls('X')] });
    const second = await notice({ amount: '400.00', reference: 'J-5', details: [txDtls(row.reference)] });
    const order = { transactionId: row.id, ifMatch: undefined };
    await settle(sandbox.desk, order);
    const refused = await say(second.entryId, 'same', { as: first.entryId });
    assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
    assert.deepEqual(
      refused.body.transactions.map((each: { status: string }) => each.status),
      ['settling'],
    );
    assert.equal((await entry(second.entryId)).sameAs, null);
    // The other way round nothing stands against it.
    assert.equal((await say(first.entryId, 'same', { as: second.entryId })).status, 200);
    await statement([{ amount: '400.00', reference: 'J-5', details: [txDtls(row.reference)] }]);
  });

  test('that it is the same is refused where it cannot be', async () => {
    const [one, other] = await statement([
      { amount: '11.00', reference: 'J-6', details: [txDtls('X')] },
      { amount: '11.00', reference: 'J-7', details: [txDtls('X')] },
    ]);
    const third = await notice({ amount: '12.00', reference: 'J-8' });
    const codes = [
      await say(one.entryId, 'same', { as: other.entryId }),
      await say(one.entryId, 'same', { as: third.entryId }),
      await say(one.entryId, 'same', { as: one.entryId }),
      await say(one.entryId, 'same', { as: 'ste_x' }),
      await say(one.entryId, 'never-booked'),
    ].map((each) => each.body.code);
    const state = 'invalid_state_transition';
    assert.deepEqual(codes, [state, state, state, 'statement_entry_not_found', state]);
    await statement([{ amount: '12.00', reference: 'J-8' }]);
  });
});

describe('money that no statement lists', () => {
  test('is an item, is held back from payouts, and heals when a statement lists it', async () => {
    const row = await sandbox.trade({ amount: '700.00' });
    const refs = { refs: e2e('M-1') };
    const early = await notice({ amount: '700.00', details: [txDtls(row.reference, refs)] });
    assert.equal((await sandbox.read(row)).status, 'funded');
    await statement([{ amount: '1.00', reference: 'M-0' }]);
    const [item] = await items();
    assert.deepEqual([item.entryId, item.amount], [early.entryId, '-700.00']);
    assert.ok((await entry(early.entryId)).missingSince);
    const state = await inDollars();
    assert.deepEqual([state.unexplained, state.toldSince], ['0.00', '0.00']);
    const exception = await server.call(
      'GET',
      `/v1/operator/exceptions/${(await entry(early.entryId)).exceptionId}`,
    );
    assert.deepEqual(
      [exception.body.type, exception.body.reason, exception.body.transactionId !== null],
      ['duplicate', 'not_in_statement', true],
    );
    const since = (await entry(early.entryId)).missingSince;
    const shown = async () => {
      const path = `/v1/operator/transactions`;
      const { body: trade } = await server.call('GET', `${path}/${typeId('txn', row.id)}`);
      const { body: list } = await server.call('GET', `${path}?reference=${row.reference}`);
      const { missingSince } = await deposit(early.depositId);
      return [missingSince, trade.fundsMissingSince, list.items[0].fundsMissingSince];
    };
    assert.deepEqual(await shown(), [since, since, since], 'operators see it');
    const released = () => dueForSettlement(pool, [{ currency: 'EUR', date: '2026-12-31' }], undefined);
    assert.ok(!(await released()).some((each) => each.id === row.id), 'the payout is not released');
    await settle(sandbox.desk, { transactionId: row.id, ifMatch: undefined });
    const preview = async () => {
      const query = 'currency=EUR&valueDate=2026-03-10';
      const { body } = await server.call('GET', `/v1/operator/settlement-runs/preview?${query}`);
      return body.excluded.map((each: { reason: string }) => each.reason);
    };
    assert.deepEqual(await preview(), ['not_in_statement']);
    const { rows } = await pool.query('select * from unbacked_balances()');
    assert.deepEqual(rows, [], 'what went to a trade is missing in no balance');
    // The bank has booked it a day later.
    const [late] = await statement(
      [{ amount: '700.00', details: [txDtls(row.reference, refs)] }],
      '2026-03-05',
    );
    assert.equal(late.sameAs, early.entryId);
    const healed = await entry(early.entryId);
    assert.deepEqual([healed.missingSince, healed.listedBy, healed.exceptionId], [null, late.entryId, null]);
    assert.deepEqual(await items(), []);
    assert.deepEqual(await preview(), []);
    assert.deepEqual(await shown(), [null, null, null]);
  });

  test('is taken back when a person says that the bank never booked it', async () => {
    const ghost = await notice({ amount: '55.00', reference: 'GHOST', details: [txDtls('TWICE')] });
    await statement([{ amount: '2.00', reference: 'M-2' }], '2026-03-05');
    assert.equal((await items()).length, 1);
    const done = await say(ghost.entryId, 'never-booked');
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual(
      [done.body.depositId, done.body.bookedAs, done.body.missingSince],
      [null, 'never_booked', null],
    );
    assert.equal((await deposit(ghost.depositId)).bookedAs, 'never_booked');
    assert.deepEqual(await items(), []);
    // And when the bank books it after all, it is money.
    const [real] = await statement(
      [{ amount: '55.00', reference: 'GHOST', details: [txDtls('TWICE')] }],
      '2026-03-06',
    );
    assert.deepEqual([real.sameAs, real.depositState], [null, 'booked']);
  });
});

describe('a statement in pages', () => {
  const page = (
    entries: readonly CamtEntry[],
    sum: bigint,
    codes: readonly [string, string],
    date: string,
  ) => {
    const opening = balance;
    balance += sum;
    return camt(dollars(entries), { currency: 'USD', date, opening: text(opening), closing: text(balance) })
      .replace('OPBD', codes[0])
      .replace('CLBD', codes[1]);
  };

  test('is put together by the balances between them, and closes its day with the last', async () => {
    const equal = { amount: '21.00', details: [txDtls('NO REFERENCE')] };
    const early = await notice({ ...equal, booked: '2026-03-10' });
    const ghost = await notice({ amount: '99.00', booked: '2026-03-10', details: [txDtls('NEVER')] });
    const first = page([equal], 2_100n, ['OPBD', 'ITBD'], '2026-03-10');
    const last = page([equal], 2_100n, ['ITBD', 'CLBD'], '2026-03-10');
    // The last one first: nothing is missing while the page before it is.
    const [second] = await entriesOf(server, await reportedFile(server, last));
    assert.equal(second.sameAs, early.entryId);
    assert.equal((await entry(ghost.entryId)).missingSince, null);
    const [other] = await entriesOf(server, await reportedFile(server, first));
    assert.deepEqual(
      [other.sameAs, other.depositState],
      [null, 'booked'],
      'equal lines of two pages are two payments',
    );
    assert.ok((await entry(ghost.entryId)).missingSince);
    assert.equal((await say(ghost.entryId, 'never-booked')).status, 200);
    assert.equal((await inDollars()).closing, text(balance));
  });
});
