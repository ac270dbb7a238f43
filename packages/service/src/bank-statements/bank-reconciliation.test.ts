import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  euros,
  instructedOne,
  ordered,
  reported,
  returned,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { fund, order, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { confirm } from '../payments/operate.ts';
import { typeId } from '../platform/ids.ts';

let pool: Pool;
let server: OperatorServer;

before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());

const read = async (currency: string) => {
  const { body } = await server.call('GET', `/v1/operator/ledger/bank-reconciliation?currency=${currency}`);
  return { balanced: body.balanced, ...body.currencies[0] };
};
const itemsOf = async (query: string) =>
  (await server.call('GET', `/v1/operator/ledger/bank-reconciliation/items?${query}`)).body.items;
const minor = (text: string) => BigInt(text.replace('.', ''));

/** Statements that follow each other, with balances. */
function statements(currency: string, opening: bigint) {
  let number = 0;
  let balance = opening;
  return async (entries: readonly CamtEntry[]) => {
    const from = balance;
    for (const each of entries) balance += minor(each.amount) * (each.direction === 'DBIT' ? -1n : 1n);
    number += 1;
    const options = { currency, number: String(number), opening: euros(from), closing: euros(balance) };
    return reported(
      server,
      entries.map((each) => ({ ...each, currency })),
      options,
    );
  };
}

describe('the bank and the ledger', () => {
  test('differ by what only one of them has, and each of it is named', async () => {
    const notify = statements('EUR', 500_000_000n);
    const empty = await read('EUR');
    assert.deepEqual([empty.balanced, empty.bank, empty.unexplained], [true, undefined, undefined]);
    const paid = await instructedOne(pool);
    const early = await instructedOne(pool);
    await notify([debit(paid.amount, e2e(paid.endToEndId)), debit('9.90', '', 'FEES')]);
    // A person has confirmed what the bank has yet to report; a notification reports what no statement has.
    const run = `/v1/operator/settlement-runs/${typeId('run', early.runId)}`;
    assert.equal((await server.call('POST', `${run}/mark-sent`)).status, 200);
    await confirm(early.desk, order(early.row), 'BY-HAND');
    await reported(
      server,
      [{ amount: '3.00', currency: 'EUR', reference: 'NOTIFIED-1', details: [txDtls('WHO', {})] }],
      {
        currency: 'EUR',
        message: '054',
      },
    );
    const first = await read('EUR');
    assert.deepEqual([first.balanced, first.unexplained], [true, '0.00']);
    assert.deepEqual([first.opening, first.toldSince, first.accounts.length], ['5000000.00', '3.00', 1]);
    assert.equal(first.closing, euros(500_000_000n - minor(paid.amount) - 990n));
    assert.equal(minor(first.ledger), 300n - minor(paid.amount) - minor(early.amount));
    assert.deepEqual(first.items, [
      { kind: 'entry_not_booked', count: 1, amount: '-9.90' },
      { kind: 'payment_not_told', count: 1, amount: early.amount },
    ]);
    const items = await itemsOf('currency=EUR');
    assert.deepEqual(
      items.map((each: Record<string, unknown>) => [
        each.kind,
        each.entryId !== null,
        each.transactionId !== null,
      ]),
      [
        ['entry_not_booked', true, false],
        ['payment_not_told', false, true],
      ],
    );
    const page = await server.call('GET', '/v1/operator/ledger/bank-reconciliation/items?limit=1');
    assert.equal(page.body.hasMore, true);
    const next = await server.call(
      'GET',
      `/v1/operator/ledger/bank-reconciliation/items?limit=1&cursor=${encodeURIComponent(page.body.nextCursor)}`,
    );
    assert.notDeepEqual(next.body.items, page.body.items);
    // The bank has reported all of it: nothing differs but what was there before.
    const fee = items[0].entryId;
    await notify([
      debit(early.amount, e2e(early.endToEndId)),
      { amount: '3.00', reference: 'NOTIFIED-1', details: [txDtls('WHO', {})] },
    ]);
    // Nobody knows what euros are worth here, so it takes two persons.
    const proposed = await server.call('POST', `/v1/operator/statement-entries/${fee}/book`, {
      as: 'bank_charges',
      reason: 'fees',
    });
    const approve = `/v1/operator/approvals/${proposed.body.approvalId}/approve`;
    assert.equal((await server.call('POST', approve, {}, AS_SECOND)).status, 200);
    const last = await read('EUR');
    assert.deepEqual([last.toldSince, last.unexplained], ['0.00', '0.00']);
    assert.deepEqual(last.items, []);
    assert.equal(minor(last.difference), 500_000_000n);
    await assertBankAgrees(pool);
  });

  test('are not said to agree in a currency that there is not', async () => {
    for (const currency of ['eur', 'ZZZ']) {
      for (const path of ['', '/items']) {
        const { status, body } = await server.call(
          'GET',
          `/v1/operator/ledger/bank-reconciliation${path}?currency=${currency}`,
        );
        assert.deepEqual([status, body.errors?.[0].pointer], [400, '/query/currency'], `${path} ${currency}`);
      }
    }
  });

  test('name what came back before it was reported to have left, whatever it was', async () => {
    const call = async (status: number, path: string, body: unknown) => {
      const answer = await server.call('POST', `/v1/operator/${path}`, body);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      return answer.body;
    };
    /** A deposit of nobody that a statement has reported, and that is on its way back. */
    const sentBack = async () => {
      const parties =
        '<Dbtr><Nm>Payer Ltd</Nm></Dbtr><DbtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id></DbtrAcct>';
      const credit = { amount: '77.00', currency: 'EUR', reference: 'NOT-OURS' };
      const [entry] = await reported(server, [{ ...credit, details: [txDtls('GIFT', { parties })] }]);
      const { approvalId } = await call(202, `deposits/${entry.depositId}/return`, {
        returnedBy: 'house',
        reason: 'x',
      });
      const approve = `/v1/operator/approvals/${approvalId}/approve`;
      assert.equal((await server.call('POST', approve, {}, AS_SECOND)).status, 200);
      const { runId } = await call(201, 'settlement-runs', { currency: 'EUR', valueDate: '2026-03-06' });
      const { body } = await server.call('GET', `/v1/operator/settlement-runs/${runId}/payments`);
      return { amount: '77.00', endToEndId: body.items[0].endToEndId, names: { depositId: entry.depositId } };
    };
    const sent = async (purpose: 'payout' | 'withdrawal') => {
      const [made] = await ordered(pool, [purpose]);
      assert.ok(made);
      const { subjectId: id, amount, endToEndId } = made;
      const names =
        purpose === 'payout' ? { transactionId: typeId('txn', id) } : { withdrawalId: typeId('wdr', id) };
      return { amount, endToEndId, names };
    };
    const nothing = {
      depositId: null,
      transactionId: null,
      withdrawalId: null,
      journalEntryId: null,
      entryId: null,
    };
    for (const made of [await sent('payout'), await sent('withdrawal'), await sentBack()]) {
      const { amount, endToEndId, names } = made;
      await reported(server, [returned(amount, e2e(endToEndId))]);
      const items = await itemsOf('currency=EUR');
      const [id] = Object.values(names);
      const found = items.find((each: object) => Object.values(each).includes(id));
      assert.deepEqual(found, { ...found, ...nothing, ...names, amount });
      await reported(server, [debit(amount, e2e(endToEndId))]);
      assert.deepEqual(
        (await itemsOf('currency=EUR')).filter((each: object) => Object.values(each).includes(id)),
        [],
      );
    }
  });

  test('name a withdrawal that a person has confirmed, until the bank reports it', async () => {
    const [made] = await ordered(pool, ['withdrawal']);
    assert.ok(made);
    const withdrawalId = typeId('wdr', made.subjectId);
    const run = `/v1/operator/settlement-runs/${typeId('run', made.runId)}/mark-sent`;
    assert.equal((await server.call('POST', run)).status, 200);
    const paid = await server.call('POST', `/v1/operator/withdrawals/${withdrawalId}/paid`, {});
    assert.equal(paid.status, 200, JSON.stringify(paid.body));
    const found = async () =>
      (await itemsOf('currency=EUR')).filter(
        (each: { withdrawalId: string }) => each.withdrawalId === withdrawalId,
      );
    assert.deepEqual(
      (await found()).map(({ kind, amount }: Record<string, string>) => [kind, amount]),
      [['payment_not_told', made.amount]],
    );
    const [entry] = await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
    assert.deepEqual(await found(), []);
    const { transactions } = (await server.call('GET', `/v1/operator/statement-entries/${entry.entryId}`))
      .body;
    assert.deepEqual(
      transactions.map(({ transactionId, purpose }: Record<string, string>) => [transactionId, purpose]),
      [[withdrawalId, 'withdrawal']],
    );
  });

  test('show deposits and top-ups that no statement has reported', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row);
    const [item] = (await itemsOf('currency=USD&kind=deposit_not_told')).slice(-1);
    assert.equal(item.amount, '-100000.00');
    assert.ok(item.depositId);
    const customerId = typeId('cus', desk.customerId);
    const topUp = await server.call('POST', `/v1/operator/customers/${customerId}/balances/top-ups`, {
      currency: 'USD',
      amount: '250.00',
      bankReference: 'TOP-1',
    });
    assert.equal(topUp.status, 201, JSON.stringify(topUp.body));
    const [balance] = await itemsOf('currency=USD&kind=top_up_not_told');
    assert.deepEqual([balance.amount, balance.customerId], ['-250.00', customerId]);
    assert.ok(balance.journalEntryId);
    // A withdrawal is one thing, reported by the bank and booked in the ledger.
    const url = `/v1/operator/customers/${customerId}/balances/withdrawals`;
    const wanted = { currency: 'USD', amount: '100.00', reason: 'asked for' };
    const made = await server.call('POST', url, wanted, { 'idempotency-key': 'asked for' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { withdrawalId, reference } = made.body;
    const run = await server.call('POST', '/v1/operator/settlement-runs', {
      currency: 'USD',
      valueDate: '2026-03-04',
    });
    assert.equal(run.status, 201, JSON.stringify(run.body));
    const paid = debit('100.00', e2e(reference), 'WITHDRAWAL', { currency: 'USD' });
    const [entry] = await reported(server, [paid], { currency: 'USD' });
    assert.equal(entry.paymentState, 'applied');
    const ofIt = async () =>
      (await itemsOf('currency=USD&limit=200'))
        .filter((each: { withdrawalId: string | null }) => each.withdrawalId === withdrawalId)
        .map((each: { kind: string; amount: string }) => [each.kind, each.amount]);
    assert.deepEqual(await ofIt(), []);
    const others = (await itemsOf('currency=USD&kind=other_not_told')).length;
    assert.equal(others, 0);
    await assertBankAgrees(pool);
  });

  test('whose statements are not all here differ by what is missing', async () => {
    const entry = (reference: string, amount: string): CamtEntry => ({ amount, currency: 'GBP', reference });
    const notify = (entries: CamtEntry[], opening: string, closing: string, number: string) =>
      reported(server, entries, { currency: 'GBP', opening, closing, number });
    await notify([entry('G1', '10.00')], '0.00', '10.00', '1');
    await notify([entry('G3', '5.00')], '17.00', '22.00', '3');
    const gap = await read('GBP');
    assert.deepEqual([gap.balanced, gap.unexplained], [false, '7.00']);
    await reported(server, [entry('G2', '7.00')], {
      currency: 'GBP',
      opening: '10.00',
      closing: '17.00',
      number: '2',
    });
    const whole = await read('GBP');
    assert.deepEqual(
      [whole.balanced, whole.unexplained, whole.bank, whole.ledger],
      [true, '0.00', '22.00', '22.00'],
    );
  });

  test('agree after any stories in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('debit', 'return', 'confirm', 'fee', 'money', 'twice'), { maxLength: 8 }),
        async (steps) => {
          const made = await instructedOne(pool);
          for (const [n, step] of steps.entries()) {
            if (step === 'confirm') await confirm(made.desk, order(made.row), 'HAND').catch(() => undefined);
            else if (step === 'fee') await reported(server, [debit('1.11', '', 'FEE')]);
            else if (step === 'money') {
              const reference = `MONEY-${made.endToEndId}-${n}`;
              await reported(server, [{ amount: '2.22', currency: 'EUR', reference }], { message: '054' });
            } else if (step === 'return')
              await reported(server, [returned(made.amount, e2e(made.endToEndId))]);
            else {
              const once = debit(made.amount, e2e(made.endToEndId));
              await reported(
                server,
                step === 'twice' ? [once, debit(made.amount, e2e(made.endToEndId))] : [once],
              );
            }
          }
          await assertBooksBalance(pool);
          await assertBankAgrees(pool);
        },
      ),
      { numRuns: 15 },
    );
  });
});
