import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import {
  debit,
  e2e,
  type Ordered,
  ordered,
  type Payable,
  payable,
  reported,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { entryOf, topUpByDeposit } from '../../test/support/missing-money.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { refusal } from '../../test/support/stories.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { replaceInstructions } from '../customers/account-store.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import type { Problem } from '../problems/problem.ts';
import { cancelRun, markSent } from './end-run.ts';
import { countStates, type StateCount } from './run-payment-store.ts';
import { createRun, previewRun } from './settlement-runs.ts';

/** A customer that takes an account out of use has a reason: nothing is sent there that is not sent yet. */

const EUR = { currency: 'EUR', valueDate: '2026-03-06' };

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(() => assertBooksBalance(pool));

const retire = ({ desk }: Payable) =>
  pool.query(
    "update settlement_instructions set status = 'retired' where customer_id = $1 and currency = 'EUR'",
    [desk.customerId],
  );
const orderOn = ({ runId, desk }: Ordered) => ({
  runId,
  ifMatch: undefined,
  by: desk.clientId,
  reason: undefined,
});

test('a run pays to no retired account, and says which one it was', async () => {
  for (const purpose of ['payout', 'withdrawal'] as const) {
    const made = await payable(pool, purpose);
    await retire(made);
    assert.equal((await refusal(createRun(made.desk, EUR, made.desk.clientId))).code, 'nothing_to_settle');
    const preview = await server.call(
      'GET',
      `/v1/operator/settlement-runs/preview?currency=EUR&valueDate=2026-03-06`,
    );
    const [excluded] = preview.body.excluded.filter(
      (each: { customerId: string }) => each.customerId === typeId('cus', made.desk.customerId),
    );
    assert.deepEqual(
      [excluded.purpose, excluded.reason, excluded.destinationMasked],
      [purpose, 'instruction_retired', 'DE** **** 3000'],
    );
  }
  const refund = await payable(pool, 'refund');
  await retire(refund);
  const { excluded } = await previewRun(refund.desk, EUR);
  const own = excluded.filter(({ due }) => due.customer_id === refund.desk.customerId);
  assert.deepEqual(
    own.map(({ reason }) => reason),
    ['no_account'],
  );
});

for (const purpose of ['payout', 'refund', 'withdrawal'] as const) {
  test(`a file is not sent that pays a ${purpose} to an account that was retired since it was made`, async () => {
    const [made, good] = await ordered(pool, [purpose, 'payout']);
    assert.ok(made && good);
    await retire(made);
    const problem = await refusal(markSent(made.desk, orderOn(made)));
    assert.equal(problem.code, 'invalid_state_transition');
    assert.match(problem.message, /^1 of its payments are now held back \(instruction_retired\)/);
    assert.ok((await cancelRun(made.desk, orderOn(made))).done);
    const { payments, excluded } = await previewRun(made.desk, EUR);
    assert.deepEqual(
      payments.map(({ customerId }) => customerId),
      [good.desk.customerId],
    );
    assert.deepEqual(
      excluded.filter(({ due }) => due.customer_id === made.desk.customerId).map(({ reason }) => reason),
      [purpose === 'refund' ? 'no_account' : 'instruction_retired'],
    );
    await pool.query("update transactions set status = 'settled', payout_status = 'paid' where id = $1", [
      good.subjectId,
    ]);
  });
}

test('a refund is not sent to the account before the present one', async () => {
  const [made] = await ordered(pool, ['refund']);
  assert.ok(made);
  const present = {
    id: newUuid(made.desk.clock.now()),
    customerId: made.desk.customerId,
    currency: 'EUR',
    accountHolder: 'Test customer',
    iban: 'DE75512108001245126199',
    bankName: null,
    bankCountry: null,
    lei: null,
    bic: null,
    accountNumber: null,
    routingNumber: null,
    status: 'active',
    usableFrom: null,
    createdAt: made.desk.clock.now(),
  } as const;
  await replaceInstructions(pool, present.customerId, [present]);
  assert.match((await refusal(markSent(made.desk, orderOn(made)))).message, /instruction_retired/);
  assert.ok((await cancelRun(made.desk, orderOn(made))).done);
  const { payments } = await previewRun(made.desk, EUR);
  const own = payments.find(({ customerId }) => customerId === made.desk.customerId);
  assert.equal(own?.payment.creditor.iban, present.iban);
  await pool.query(
    `update transactions set refund = jsonb_set(refund::jsonb, '{status}', '"paid"')::json where id = $1`,
    [made.subjectId],
  );
});

test('an account that is retired while a file is sent waits for that, or the file is not sent', async () => {
  const [made] = await ordered(pool, ['payout']);
  assert.ok(made);
  let sending: Promise<Problem> | undefined;
  await inTransaction(pool, async (connection) => {
    await connection.query(
      "update settlement_instructions set status = 'retired' where customer_id = $1 and currency = 'EUR'",
      [made.desk.customerId],
    );
    sending = refusal(markSent(made.desk, orderOn(made)));
    await untilLocked(pool);
  });
  assert.match((await sending)?.message ?? '', /instruction_retired/);
  assert.ok((await cancelRun(made.desk, orderOn(made))).done);
  await pool.query("update transactions set status = 'settled', payout_status = 'paid' where id = $1", [
    made.subjectId,
  ]);
});

test('what the bank has told of already is past holding back', async () => {
  const [made] = await ordered(pool, ['payout']);
  assert.ok(made);
  await server.raw('GET', `/v1/operator/settlement-runs/${typeId('run', made.runId)}/files/pain.001`);
  await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
  await retire(made);
  assert.equal((await markSent(made.desk, orderOn(made))).status, 'sent');
});

test('a file is not sent that pays a withdrawal out of money that the statements lack', async () => {
  const [made] = await ordered(pool, ['withdrawal']);
  assert.ok(made);
  const held = async (minor: string) => {
    let states: StateCount[] = [];
    const looking = inTransaction(pool, async (connection) => {
      const deposit = await topUpByDeposit(connection, made.desk.customerId, minor, 'EUR');
      await entryOf(connection, deposit, true);
      states = await countStates(connection, made.runId);
      throw new Error('only looked at');
    });
    await assert.rejects(looking, /only looked at/);
    return states.map((each) => each.held);
  };
  assert.deepEqual(await held('20000'), [null], 'all that is missing is still in the balance');
  assert.deepEqual(await held('20001'), ['not_in_statement']);
});
