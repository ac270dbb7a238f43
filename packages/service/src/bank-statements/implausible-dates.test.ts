import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { debit, e2e, endOf, entriesOf, ordered, reported, returned } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { current } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { readBankReconciliation } from './bank-reconciliation.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(() => assertBooksBalance(pool));

const DAY_MS = 86_400_000;
const inDays = (days: number) => isoInstant(sandbox.clock.now() + days * DAY_MS).slice(0, 10);

describe('a credit', () => {
  const credited = async (reference: string, dates: { booked: string; valued: string }) => {
    const row = await sandbox.trade();
    const entry = { amount: '100000.00', reference, details: [txDtls(row.reference)], ...dates };
    const reported = await server.upload(
      camt([entry], { message: '054', created: isoInstant(sandbox.clock.now()) }),
    );
    assert.equal(reported.status, 201, JSON.stringify(reported.body));
    const { rows } = await pool.query(
      'select id, status, exception_type, exception_reason from deposits where bank_reference = $1',
      [reference],
    );
    return { row, deposit: rows[0] };
  };

  test('that is valued within a week, and booked by tomorrow, funds its trade', async () => {
    for (const [reference, booked, valued] of [
      ['NEAR-1', inDays(0), inDays(7)],
      ['NEAR-2', inDays(1), inDays(1)],
      ['NEAR-3', inDays(-30), inDays(-30)],
    ] as const) {
      const { row, deposit } = await credited(reference, { booked, valued });
      assert.equal(deposit.exception_type === 'implausible_date', false, reference);
      assert.equal((await current(sandbox.desk, row)).received_minor, '10000000', reference);
    }
  });

  test('that is valued or booked later funds nothing, until a person says so', async () => {
    for (const [reference, booked, valued, reason] of [
      ['FAR-1', inDays(0), inDays(8), 'valued_far_ahead'],
      ['FAR-2', inDays(2), inDays(2), 'booked_in_future'],
      ['FAR-3', inDays(0), '2062-03-04', 'valued_far_ahead'],
    ] as const) {
      const { row, deposit } = await credited(reference, { booked, valued });
      assert.deepEqual(
        [deposit.status, deposit.exception_type, deposit.exception_reason],
        ['unmatched', 'implausible_date', reason],
      );
      assert.equal((await current(sandbox.desk, row)).received_minor, '0');
    }
    const { items } = (await server.call('GET', '/v1/operator/exceptions?type=implausible_date')).body;
    assert.equal(items.length, 3);
    const [{ depositId }] = items;
    const { body: deposit } = await server.call('GET', `/v1/operator/deposits/${depositId}`);
    const trade = (
      await pool.query('select id, reference from transactions where reference = any ($1)', [
        [deposit.remittanceText],
      ])
    ).rows[0];
    assert.ok(trade !== undefined, 'the text names its trade');
    const path = `/v1/operator/deposits/${depositId}/match`;
    const allocations = [{ transactionId: typeId('txn', trade.id) }];
    const order = { allocations, reason: 'the bank means this year' };
    let matched = await server.call('POST', path, order);
    if (matched.status === 202) {
      const approve = `/v1/operator/approvals/${matched.body.approvalId}/approve`;
      matched = await server.call('POST', approve, {}, AS_SECOND);
    }
    assert.equal(matched.status, 200, JSON.stringify(matched.body));
    const { rows } = await pool.query('select received_minor from transactions where id = $1', [trade.id]);
    assert.equal(rows[0].received_minor, '10000000');
  });
});

describe('a credit that gives a payment back', () => {
  test('and is valued or booked later returns nothing, until a person says so', async () => {
    for (const purpose of ['payout', 'refund', 'withdrawal', 'deposit_return'] as const) {
      let givenBack: unknown;
      for (const [booked, valued, reason] of [
        [inDays(1), inDays(7), null],
        [inDays(0), inDays(8), 'valued_far_ahead'],
        [inDays(2), inDays(2), 'booked_in_future'],
      ] as const) {
        const [made] = await ordered(pool, [purpose]);
        assert.ok(made);
        await reported(server, [debit(made.amount, e2e(made.endToEndId))], { message: '054' });
        const subject = async () => (await endOf(pool, made)).subject;
        const before = await subject();
        const back = returned(made.amount, e2e(made.endToEndId), 'AC04', { booked, valued });
        const [entry] = await reported(server, [back], { message: '054' });
        if (reason === null) {
          givenBack = await subject();
          assert.equal(entry.paymentState, 'applied', purpose);
          assert.notDeepEqual(givenBack, before, purpose);
          continue;
        }
        const found = [entry.paymentState, entry.paymentReason, entry.depositState, await subject()];
        assert.deepEqual(found, ['mismatch', reason, 'none', before], purpose);
        const { body } = await server.call('GET', `/v1/operator/exceptions/${entry.exceptionId}`);
        assert.deepEqual([body.type, body.reason, body.entryId], ['implausible_date', reason, entry.entryId]);
        if (purpose !== 'payout' && purpose !== 'refund') continue;
        const transactionId = typeId('txn', made.subjectId);
        assert.equal(body.transactionId, transactionId);
        const path = `/v1/operator/statement-entries/${entry.entryId}/match`;
        const order = { transactionId, purpose, reason: 'the bank means this year' };
        const proposed = await server.call('POST', path, order);
        assert.equal(proposed.status, 202, JSON.stringify(proposed.body));
        const approve = `/v1/operator/approvals/${proposed.body.approvalId}/approve`;
        const approved = await server.call('POST', approve, {}, AS_SECOND);
        assert.equal(approved.status, 200, JSON.stringify(approved.body));
        assert.deepEqual(await subject(), givenBack);
        const { body: closed } = await server.call('GET', `/v1/operator/exceptions/${entry.exceptionId}`);
        assert.equal(closed.status, 'resolved');
      }
    }
  });

  test('and gives back none of ours is a deposit', async () => {
    const back = returned('12.34', e2e('NOBODYS'), 'AC04', { booked: inDays(0), valued: inDays(8) });
    const [entry] = await reported(server, [back], { message: '054' });
    assert.deepEqual([entry.paymentState, entry.depositState], ['unknown', 'booked']);
  });
});

describe('a debit', () => {
  test('that is valued or booked later confirms nothing, until a person says so', async () => {
    for (const [booked, valued, reason] of [
      [inDays(1), inDays(7), null],
      [inDays(0), inDays(8), 'valued_far_ahead'],
      [inDays(2), inDays(2), 'booked_in_future'],
      [inDays(0), '2062-03-04', 'valued_far_ahead'],
    ] as const) {
      const [made] = await ordered(pool, ['payout']);
      assert.ok(made);
      const dates = { booked, valued };
      const what = debit(made.amount, e2e(made.endToEndId), 'OUT', dates);
      const [entry] = await reported(server, [what], { message: '054' });
      const row = { customer_id: made.desk.customerId, id: made.subjectId } as TransactionRow;
      const status = async () => (await current(made.desk, row)).payout_status;
      if (reason === null) {
        assert.deepEqual([entry.paymentState, await status()], ['applied', 'paid']);
        continue;
      }
      assert.deepEqual(
        [entry.paymentState, entry.paymentReason, await status()],
        ['mismatch', reason, 'sent'],
      );
      const { body } = await server.call('GET', `/v1/operator/exceptions/${entry.exceptionId}`);
      assert.deepEqual([body.type, body.reason, body.entryId], ['implausible_date', reason, entry.entryId]);
      assert.deepEqual(
        body.orders.map(({ order }: { order: string }) => order),
        ['match', 'book', 'assign'],
      );
      const transactionId = typeId('txn', made.subjectId);
      const path = `/v1/operator/statement-entries/${entry.entryId}/match`;
      const order = { transactionId, purpose: 'payout', reason: 'the bank means this year' };
      const proposed = await server.call('POST', path, order);
      assert.equal(proposed.status, 202, 'it is worth a second person');
      const approve = `/v1/operator/approvals/${proposed.body.approvalId}/approve`;
      const approved = await server.call('POST', approve, {}, AS_SECOND);
      assert.equal(approved.status, 200, JSON.stringify(approved.body));
      assert.equal(await status(), 'paid');
    }
  });

  test('by which a deposit is taken back takes nothing back on such a day', async () => {
    const row = await sandbox.trade();
    const reference = 'BACK-LATER';
    const credit = { amount: '100000.00', reference, details: [txDtls(row.reference)] };
    assert.equal((await server.upload(camt([credit], { message: '054' }))).status, 201);
    const back = { ...credit, direction: 'DBIT', reversal: true, valued: inDays(30) } as const;
    const { fileId } = (await server.upload(camt([back], { message: '054' }))).body;
    const [entry] = await entriesOf(server, fileId);
    assert.deepEqual([entry.paymentState, entry.paymentReason], ['mismatch', 'valued_far_ahead']);
    assert.equal((await current(sandbox.desk, row)).received_minor, '10000000');
  });
});

describe('a statement of a day that is not yet', () => {
  const statement = (number: string, date: string, opening: string, closing: string) =>
    camt([], { account: 'GB29NWBK60161331926819', currency: 'USD', number, date, opening, closing });
  const lastClosing = async () => {
    const usd = (await readBankReconciliation(pool, 'USD'))[0];
    return usd?.accounts.find((each) => each.account === 'GB29NWBK60161331926819')?.closing_minor;
  };

  test('is refused, and cannot become the last for good', async () => {
    const refused = await server.upload(statement('9', '2062-03-04', '0.00', '77.00'));
    assert.deepEqual([refused.status, refused.body.reason], [422, 'date_implausible']);
    const soon = await server.upload(statement('1', inDays(7), '0.00', '0.00'));
    assert.equal(soon.status, 201, JSON.stringify(soon.body));
    assert.equal(
      (await server.upload(statement('2', inDays(8), '0.00', '0.00'))).body.reason,
      'date_implausible',
    );
  });

  test('accepted by two people it closes nothing', async () => {
    const before = await lastClosing();
    const { fileId } = (await server.upload(statement('10', '2062-03-05', '0.00', '78.00'))).body;
    const proposed = await server.call('POST', `/v1/operator/statements/${fileId}/accept`, { reason: 'ok' });
    const approve = `/v1/operator/approvals/${proposed.body.approvalId}/approve`;
    assert.equal((await server.call('POST', approve, {}, AS_SECOND)).status, 200);
    const { items } = (await server.call('GET', `/v1/operator/statements/${fileId}/statements`)).body;
    assert.deepEqual([items[0].closing, items[0].to], [null, null]);
    assert.equal(await lastClosing(), before);
  });
});
