import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import {
  debit,
  e2e,
  endOf,
  type Ordered,
  ordered,
  type Payable,
  payable,
  reported,
  reportedFile,
  statusReport,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import {
  AS_SECOND,
  createOperatedSandbox,
  OPERATOR_IDS,
  type OperatorServer,
} from '../../test/support/operator-server.ts';
import { current, refusal } from '../../test/support/stories.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { changeTransactions } from '../transactions/change.ts';
import { markSent } from './end-run.ts';
import { endTransaction } from './end-transaction.ts';
import { fail, retry } from './operate.ts';
import type { Purpose } from './payment-states.ts';
import { rejectPayout } from './payout-changes.ts';
import { createRun, previewRun } from './settlement-runs.ts';

const PURPOSES = ['payout', 'refund', 'withdrawal', 'deposit_return'] as const satisfies readonly Purpose[];
const EUR = { currency: 'EUR', valueDate: '2026-03-06' };
const RUNS = '/v1/operator/settlement-runs';

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  // Each test begins with nothing due.
  await pool.query(
    `update transactions set payout_status = 'paid', status = 'settled' where status = 'settling'`,
  );
  await pool.query(
    `update transactions set refund = jsonb_set(refund::jsonb, '{status}', '"paid"')::json where refund ->> 'status' = 'pending'`,
  );
  await pool.query("update balance_withdrawals set status = 'cancelled' where status = 'pending'");
  await pool.query("update deposit_returns set status = 'cancelled' where status = 'pending'");
});

const pathOf = ({ runId }: { runId: string }) => `${RUNS}/${typeId('run', runId)}`;
const orderOn = ({ runId, desk }: Ordered) => ({ runId, ifMatch: undefined, by: desk.clientId });
const commandOf = ({ subjectId: transactionId }: Payable) => ({ transactionId, ifMatch: undefined });
const only = async (purpose: Purpose): Promise<Ordered> => {
  const [made] = await ordered(pool, [purpose]);
  assert.ok(made);
  return made;
};
const download = (made: Ordered, format = 'pain.001') => server.raw('GET', `${pathOf(made)}/files/${format}`);

/** The payment of a run with everything that is due. */
async function remade(made: Payable): Promise<{ runId: string; endToEndId: string; uetr: string }> {
  const run = await createRun(made.desk, EUR, made.desk.clientId);
  const listed = await server.call('GET', `${pathOf({ runId: run.id })}/payments?limit=200`);
  const { endToEndId, uetr } = listed.body.items[0];
  return { runId: run.id, endToEndId, uetr };
}

describe('what is in a payment file', () => {
  for (const purpose of PURPOSES) {
    test(`is not paid by hand before the file is sent: ${purpose}`, async () => {
      const made = await only(purpose);
      const path = await {
        payout: () => `transactions/${typeId('txn', made.subjectId)}/payout-confirmed`,
        refund: () => `transactions/${typeId('txn', made.subjectId)}/refund-paid`,
        withdrawal: () => `withdrawals/${typeId('wdr', made.subjectId)}/paid`,
        deposit_return: async () => {
          const { rows } = await pool.query('select deposit_id as id from deposit_returns where id = $1', [
            made.subjectId,
          ]);
          return `deposits/${typeId('dep', rows[0].id)}/returns/${typeId('dpr', made.subjectId)}/paid`;
        },
      }[purpose]();
      const before = await endOf(pool, made);
      const byHand = {
        bankReference: 'BY-HAND',
        ...(purpose === 'deposit_return' ? { reason: 'told' } : {}),
      };
      const refused = await server.call('POST', `/v1/operator/${path}`, byHand);
      assert.deepEqual(
        [refused.status, refused.body.code, refused.body.runId],
        [409, 'invalid_state_transition', typeId('run', made.runId)],
      );
      assert.deepEqual(await endOf(pool, made), before);
      assert.equal((await server.call('POST', `${pathOf(made)}/mark-sent`)).status, 200);
      const paid = await server.call('POST', `/v1/operator/${path}`, byHand);
      assert.equal(paid.status, 200, JSON.stringify(paid.body));
    });
  }

  test('is looked at once more when the file is sent, whoever changes it at the same time', async () => {
    const made = await only('payout');
    const { customerId, clock } = made.desk;
    let sending: Promise<unknown> = Promise.resolve();
    await inTransaction(pool, async (connection) => {
      const ids = [{ customerId, id: made.subjectId }];
      await changeTransactions(connection, ids, clock.now(), () =>
        rejectPayout(clock.now(), 'operator', 'beneficiary_invalid', undefined),
      );
      sending = refusal(markSent(made.desk, orderOn(made)));
      await untilLocked(pool);
    });
    assert.equal(((await sending) as { code: string }).code, 'invalid_state_transition');
  });

  test('is not sent when it was unwound, or paid in another way', async () => {
    const [unwound, elsewhere] = await ordered(pool, ['payout', 'payout']);
    assert.ok(unwound && elsewhere);
    await fail(unwound.desk, commandOf(unwound), 'payout_rejected', undefined);
    await endTransaction(unwound.desk, commandOf(unwound));
    assert.match((await refusal(markSent(unwound.desk, orderOn(unwound)))).message, /^1 of its payments/);
    // Nobody has had the file, so the bank paid by another order.
    await reported(server, [debit(elsewhere.amount, e2e(elsewhere.endToEndId))]);
    assert.match((await refusal(markSent(unwound.desk, orderOn(unwound)))).message, /^2 of its payments/);
    assert.equal((await server.call('POST', `${pathOf(unwound)}/cancel`)).body.status, 'cancelled');
  });

  test('may be told of by a bank that is quicker than who marks it as sent', async () => {
    const [paid, rejected, waiting] = await ordered(pool, PURPOSES);
    assert.ok(paid && rejected && waiting);
    assert.equal((await download(paid)).statusCode, 200);
    await reported(server, [debit(paid.amount, e2e(paid.endToEndId))]);
    await reportedFile(server, statusReport(rejected, 'RJCT', 'AC04'));
    const cancelled = await server.call('POST', `${pathOf(paid)}/cancel`);
    assert.equal(cancelled.body.code, 'invalid_state_transition');
    assert.equal((await server.call('POST', `${pathOf(paid)}/mark-sent`)).body.status, 'sent');
  });
});

describe('a run whose file somebody has had', () => {
  test('says who, when and how often; a file that nobody had is not given out once the run is cancelled', async () => {
    const made = await only('payout');
    for (const format of ['pain.001', 'pain.001', 'csv']) {
      assert.equal((await download(made, format)).statusCode, 200);
    }
    await server.raw('GET', `${pathOf(made)}/files/exe`);
    const { downloads } = (await server.call('GET', pathOf(made))).body;
    assert.deepEqual(
      downloads.map(({ format, count }: { format: string; count: number }) => [format, count]).sort(),
      [
        ['csv', 1],
        ['pain.001', 2],
      ],
    );
    for (const each of downloads) {
      assert.equal(each.by, typeId('cli', OPERATOR_IDS.first));
      assert.ok(each.firstAt <= each.lastAt);
    }

    const other = await only('payout');
    assert.equal((await server.call('POST', `${pathOf(other)}/cancel`)).body.status, 'cancelled');
    const late = await download(other);
    assert.deepEqual([late.statusCode, late.json().code], [409, 'invalid_state_transition']);
    assert.deepEqual((await server.call('GET', pathOf(other))).body.downloads, []);
  });

  test('is cancelled by two persons, and what is made again keeps what it is called', async () => {
    for (const purpose of PURPOSES) {
      const made = await only(purpose);
      const { body: file } = await download(made);
      const asked = { reason: 'the file is damaged' };
      const proposed = await server.call('POST', `${pathOf(made)}/cancel`, asked);
      assert.deepEqual(
        [proposed.status, proposed.body.kind, proposed.body.reason, proposed.body.request.downloads],
        [202, 'settlement_run_cancel', 'the file is damaged', 1],
      );
      assert.equal((await server.call('GET', pathOf(made))).body.status, 'created');
      const approve = `${proposed.headers.location}/approve`;
      assert.equal((await server.call('POST', approve)).body.code, 'second_person_required');
      assert.equal((await server.call('POST', approve, undefined, AS_SECOND)).status, 200);
      assert.equal((await server.call('GET', pathOf(made))).body.status, 'cancelled');
      assert.equal((await download(made)).body, file, 'what somebody has had can be shown');
      const again = await remade(made);
      assert.deepEqual([again.endToEndId, again.uetr], [made.endToEndId, made.uetr]);
      assert.notEqual(again.runId, made.runId);
      // The debit is for the payment, by whichever of the two files it was made.
      const [entry] = await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
      assert.deepEqual([entry?.paymentState, entry?.payment.runId], ['applied', typeId('run', again.runId)]);
    }
  });

  test('is not cancelled by an approval that comes after it was sent', async () => {
    const made = await only('payout');
    await download(made);
    const proposed = await server.call('POST', `${pathOf(made)}/cancel`);
    assert.equal((await server.call('POST', `${pathOf(made)}/mark-sent`)).status, 200);
    const approved = await server.call('POST', `${proposed.headers.location}/approve`, undefined, AS_SECOND);
    assert.equal(approved.body.code, 'invalid_state_transition');
    assert.equal((await server.call('GET', pathOf(made))).body.status, 'sent');
  });

  test('that is older than the record of downloads may be at a bank', async () => {
    const made = await only('payout');
    await pool.query('update settlement_runs set are_downloads_recorded = false where id = $1', [made.runId]);
    assert.equal((await server.call('POST', `${pathOf(made)}/cancel`)).status, 202);
  });
});

test('a retry after a failure is another payment, with identifiers of its own', async () => {
  const made = await only('payout');
  await markSent(made.desk, orderOn(made));
  await reportedFile(server, statusReport(made, 'RJCT', 'AC04'));
  await retry(made.desk, commandOf(made));
  const again = await remade(made);
  assert.equal(again.endToEndId, `${made.endToEndId}-2`);
  assert.notEqual(again.uetr, made.uetr);
});

describe('what no run can take', () => {
  const retire = ({ desk }: Payable) =>
    pool.query(
      "update settlement_instructions set status = 'retired' where customer_id = $1 and currency = 'EUR'",
      [desk.customerId],
    );

  test('uses up no room in it', async () => {
    const made: Payable[] = [];
    for (let n = 0; n < 8; n++) made.push(await payable(pool, n < 5 ? 'payout' : 'withdrawal'));
    // Those first whose customers come first: what is left out is before everything that can be paid.
    made.sort((a, b) => (a.desk.customerId < b.desk.customerId ? -1 : 1));
    const payouts = made.filter(({ purpose }) => purpose === 'payout');
    const withdrawals = made.filter(({ purpose }) => purpose === 'withdrawal');
    const blocked = [...payouts.slice(0, 3), ...withdrawals.slice(0, 2)];
    const good = made.filter((each) => !blocked.includes(each));
    for (const [n, each] of blocked.entries()) {
      const holder = "update settlement_instructions set account_holder = '株式会社' where customer_id = $1";
      if (n % 2 === 0) await retire(each);
      else await pool.query(holder, [each.desk.customerId]);
    }
    const room = { ...blocked[0]?.desk, runPaymentsMax: 2 } as Payable['desk'] & { runPaymentsMax: number };
    const preview = await previewRun(room, EUR);
    assert.deepEqual([preview.payments.length, preview.hasMore, preview.excluded.length], [2, true, 5]);
    const ids = async () => {
      const run = await createRun(room, EUR, room.clientId);
      const { rows } = await pool.query<{ id: string }>(
        `select coalesce(i.transaction_id, i.withdrawal_id) as id
         from payments p join payment_items i on i.payment_id = p.id where p.run_id = $1`,
        [run.id],
      );
      return rows.map((row) => row.id);
    };
    const all = [...(await ids()), ...(await ids())];
    assert.deepEqual(all.sort(), good.map((each) => each.subjectId).sort());
    assert.equal((await refusal(createRun(room, EUR, room.clientId))).code, 'nothing_to_settle');
  });
});

test('a run takes nothing that is paid while it is made', async () => {
  const made = await payable(pool, 'payout');
  const row = { customer_id: made.desk.customerId, id: made.subjectId };
  const results = await Promise.allSettled([
    createRun(made.desk, EUR, made.desk.clientId),
    server.call('POST', `/v1/operator/transactions/${typeId('txn', row.id)}/payout-confirmed`, {}),
  ]);
  const { status } = await current(made.desk, row as never);
  const { rows } = await pool.query('select from payment_items where transaction_id = $1 and live', [row.id]);
  assert.equal(results.length, 2);
  assert.equal(status === 'settled', rows.length === 0, `${status} and in ${rows.length} runs`);
});
