import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { e2e, entriesOf, reported, reportedFile } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { ownerOf } from '../../test/support/database.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { until } from '../../test/support/process.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { current, trade } from '../../test/support/stories.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { findException } from '../deposits/exceptions.ts';
import { typeId, uuidOf } from '../platform/ids.ts';
import { forgetOvercome, noteFailure } from './apply-failures.ts';
import { entrySweep } from './book-entries.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => server.close());

const DOLLARS = { currency: 'USD' } as const;
const credit = (amount: string, reference: string, text: string, id: string): CamtEntry => ({
  amount,
  reference,
  details: [txDtls(text, { refs: e2e(id) })],
});
const takenBack = (amount: string, reference: string, id: string): CamtEntry => ({
  amount,
  direction: 'DBIT',
  reference,
  details: [txDtls('RETURNED', { refs: e2e(id), after: '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>' })],
});
const sweep = () => entrySweep(sandbox.desk, silentLogger).run();
async function failures(): Promise<{ kind: string; attempts: number; reason: string }[]> {
  const { rows } = await pool.query<{ kind: string; attempts: number; reason: string }>(
    'select kind, attempts, reason from apply_failures order by subject_id',
  );
  return rows;
}
const openOf = async (entryId: string) => {
  const { body } = await server.call('GET', '/v1/operator/exceptions?status=all&limit=200');
  return body.items.filter((each: { entryId: string }) => each.entryId === entryId);
};
/** Whatever is written to the table and fits the condition fails, as if there were a fault. */
async function withFault<T>(
  table: string,
  when: string,
  work: () => Promise<T>,
  state = 'P0001',
): Promise<T> {
  await ownerOf(pool).query(`create or replace function fault() returns trigger language plpgsql as $$
    begin raise exception 'a fault' using errcode = '${state}'; end $$`);
  await ownerOf(pool).query(
    `create trigger fault before insert or update on ${table} for each row when (${when}) execute function fault()`,
  );
  try {
    return await work();
  } finally {
    await ownerOf(pool).query(`drop trigger fault on ${table}`);
  }
}

describe('a deposit that is taken back', () => {
  test('after its excess was refunded is an exception, and is not tried for ever', async () => {
    const { desk, row } = await trade(pool);
    const [paid] = await reported(server, [credit('101000.00', 'EXC-1', row.reference, 'EXC-E2E')], DOLLARS);
    const transaction = `/v1/operator/transactions/${typeId('txn', row.id)}`;
    const scope = { authorization: 'Bearer operator:payouts operator:deposits operator:entries' };
    const refunded = await server.call('POST', `${transaction}/refund-excess`, {}, scope);
    assert.equal(refunded.status, 200, JSON.stringify(refunded.body));
    const [back] = await reported(server, [takenBack('101000.00', 'EXC-2', 'EXC-E2E')], DOLLARS);
    assert.deepEqual(
      [back.paymentState, back.paymentReason, back.returnedDepositId],
      ['mismatch', 'excess_refunded', paid.depositId],
    );
    const deposit = await server.call('GET', `/v1/operator/deposits/${paid.depositId}`);
    assert.deepEqual(deposit.body.exception, { type: 'returned', reason: 'excess_refunded' });
    assert.equal((await current(desk, row)).status, 'funded');
    assert.deepEqual(await failures(), []);
    assert.equal(await sweep(), 0);
  });
});

describe('what cannot be applied', () => {
  test('is an exception with its reason; the others are booked; it is tried later and later, and at once when a person wants it', async () => {
    const entries = await withFault('deposits', "new.bank_reference = 'BAD-1'", async () => {
      const fileId = await reportedFile(
        server,
        camt(
          [
            credit('10.00', 'GOOD-1', 'one', 'G1'),
            credit('20.00', 'BAD-1', 'two', 'B1'),
            credit('30.00', 'GOOD-2', 'three', 'G2'),
          ],
          DOLLARS,
        ),
      );
      const listed = await entriesOf(server, fileId);
      assert.deepEqual(
        listed.map((each: { depositState: string }) => each.depositState),
        ['booked', 'due', 'booked'],
      );
      assert.deepEqual(await failures(), [{ kind: 'credit', attempts: 1, reason: 'internal_error' }]);
      await sweep();
      assert.equal((await failures())[0]?.attempts, 2, 'the next sweep tries it again');
      await sweep();
      assert.equal((await failures())[0]?.attempts, 2, 'then it waits');
      sandbox.clock.advance(2_000);
      await sweep();
      assert.equal((await failures())[0]?.attempts, 3);
      sandbox.clock.advance(2_000);
      await sweep();
      assert.equal((await failures())[0]?.attempts, 3, 'twice as long each time');
      return listed;
    });
    const [, bad] = entries;
    const [open] = await openOf(bad.entryId);
    assert.deepEqual([open.type, open.reason, open.status], ['not_applied', 'internal_error', 'open']);
    const url = `/v1/operator/exceptions/${open.exceptionId}`;
    const shown = (await server.call('GET', url)).body;
    assert.equal(shown.failure.attempts, 3);
    const early = await server.call('POST', `${url}/resolve`, { resolution: 'acknowledged', note: 'x' });
    assert.equal(early.body.code, 'invalid_state_transition', 'money is not resolved away');
    const retried = await server.call('POST', `${url}/retry`, { note: 'the fault is mended' });
    assert.equal(retried.status, 200, JSON.stringify(retried.body));
    await sweep();
    await sweep();
    assert.deepEqual(await failures(), []);
    const [closed] = await openOf(bad.entryId);
    assert.deepEqual([closed.status, closed.resolution], ['resolved', 'applied']);
    const again = await server.call('POST', `${url}/retry`, {});
    assert.equal(again.body.code, 'invalid_state_transition');
    const entry = await server.call('GET', `/v1/operator/statement-entries/${bad.entryId}`);
    assert.equal(entry.body.depositState, 'booked');
  });

  test('of a day that was closed meanwhile, or a lock, passes by itself, and people see it only when it stays', async () => {
    for (const [place, state] of ['FQD01', '55P03'].entries()) {
      const reference = `PASS-${place}`;
      const [entry] = await withFault(
        'deposits',
        `new.bank_reference = '${reference}'`,
        () => reported(server, [credit(`${place + 6}.00`, reference, 'later', `P${place}`)], DOLLARS),
        state,
      );
      assert.deepEqual(await failures(), [{ kind: 'credit', attempts: 1, reason: 'overloaded' }], state);
      assert.deepEqual(await openOf(entry.entryId), [], state);
      await sweep();
      await sweep();
      assert.deepEqual(await failures(), [], state);
    }
  });

  test('may be booked by a person as what it is', async () => {
    const [bad] = await withFault('deposits', "new.bank_reference = 'BAD-2'", () =>
      reported(server, [credit('5.00', 'BAD-2', 'interest', 'B2')], DOLLARS),
    );
    const booked = await server.call('POST', `/v1/operator/statement-entries/${bad.entryId}/book`, {
      as: 'interest',
      reason: 'it is interest',
    });
    assert.equal(booked.status, 200, JSON.stringify(booked.body));
    assert.deepEqual([booked.body.paymentState, booked.body.depositState], ['by_hand', 'none']);
    const [closed] = await openOf(bad.entryId);
    assert.deepEqual([closed.status, closed.resolution], ['resolved', 'booked_as_interest']);
    await sweep();
    assert.deepEqual(await failures(), []);
  });

  test('and has been since is booked no second time by a person who has seen it before', async () => {
    const [bad] = await withFault('deposits', "new.bank_reference = 'BAD-3'", () =>
      reported(server, [credit('8.00', 'BAD-3', 'late', 'B3')], DOLLARS),
    );
    // The sweep after this one forgets the failure.
    await sweep();
    assert.equal((await failures()).length, 1);
    const url = `/v1/operator/statement-entries/${bad.entryId}`;
    assert.equal((await server.call('GET', url)).body.depositState, 'booked');
    const [open] = await openOf(bad.entryId);
    const { orders } = (await server.call('GET', `/v1/operator/exceptions/${open.exceptionId}`)).body;
    assert.deepEqual(
      orders.map(({ order }: { order: string }) => order),
      ['retry', 'resolve', 'assign'],
    );
    const twice = await server.call('POST', `${url}/book`, { as: 'interest', reason: 'it is interest' });
    assert.deepEqual([twice.status, twice.body.code], [409, 'invalid_state_transition']);
    await sweep();
    assert.deepEqual(await failures(), []);
  });

  test('to a deposit that it completes leaves the deposit in the books', async () => {
    const notified = { ...DOLLARS, message: '054' } as const;
    const [first] = await reported(server, [{ amount: '9.00', reference: 'REV-1' }], notified);
    await withFault('deposits', "new.bank_reference = 'REV-1' and new.remittance_text is not null", () =>
      reported(server, [{ amount: '9.00', reference: 'REV-1', details: [txDtls('MORE')] }], notified),
    );
    assert.deepEqual(
      (await failures()).map(({ kind }) => kind),
      ['revise'],
    );
    const url = `/v1/operator/statement-entries/${first.entryId}`;
    const twice = await server.call('POST', `${url}/book`, { as: 'interest', reason: 'it is interest' });
    assert.deepEqual([twice.status, twice.body.code], [409, 'invalid_state_transition']);
    await sweep();
    await sweep();
    assert.deepEqual(await failures(), []);
    const deposit = await server.call('GET', `/v1/operator/deposits/${first.depositId}`);
    assert.deepEqual([deposit.body.status, deposit.body.remittanceText], ['unmatched', 'MORE']);
  });

  test('of debits and returns is the same, whatever refuses', async () => {
    const [paid] = await reported(server, [credit('70.00', 'RET-1', 'nobody', 'RET-E2E')], DOLLARS);
    const [back, unknown] = await withFault(
      'entry_details',
      "new.payment_state in ('applied', 'unknown')",
      () =>
        reported(
          server,
          [
            takenBack('70.00', 'RET-2', 'RET-E2E'),
            { amount: '3.00', direction: 'DBIT', reference: 'UNK-1', details: [txDtls('what is it')] },
          ],
          DOLLARS,
        ),
    );
    assert.deepEqual([back.paymentState, unknown.paymentState], ['due', 'due']);
    assert.deepEqual((await failures()).map((each) => each.kind).sort(), ['deposit_return', 'payment']);
    for (const each of [back, unknown]) assert.equal((await openOf(each.entryId))[0].type, 'not_applied');
    sandbox.clock.advance(3_600_000);
    await sweep();
    await sweep();
    assert.deepEqual(await failures(), []);
    const deposit = await server.call('GET', `/v1/operator/deposits/${paid.depositId}`);
    assert.equal(deposit.body.status, 'returned');
    const about = await openOf(unknown.entryId);
    assert.deepEqual(
      about.map((each: { type: string; status: string }) => [each.type, each.status]),
      [
        ['not_applied', 'resolved'],
        ['payout_mismatch', 'open'],
      ],
    );
  });
});

test('a person who retries what is overcome, and the sweep that forgets it, do not wait for each other in a circle', async () => {
  const [entry] = await reported(server, [credit('40.00', 'OVER-1', 'four', 'OVER')], DOLLARS);
  await noteFailure(sandbox.desk, 'credit', uuidOf('ste', entry.entryId), new Error('a fault'));
  const [{ exceptionId }] = await openOf(entry.entryId);
  const done: unknown[] = [];
  let both: Promise<unknown>[] = [];
  await inTransaction(pool, async (holder) => {
    await findException(holder, uuidOf('exc', exceptionId), true);
    const retried = server.call('POST', `/v1/operator/exceptions/${exceptionId}/retry`, {});
    await untilLocked(pool);
    const forgotten = forgetOvercome(sandbox.desk).then((count) => done.push(count));
    await until('the sweep has gone as far as it gets', async () => {
      const waits = "datname = current_database() and wait_event_type = 'Lock'";
      const { rowCount } = await pool.query(`select from pg_stat_activity where ${waits}`);
      return done.length > 0 || rowCount === 2;
    });
    both = [retried.then(({ status }) => done.push(status)), forgotten];
  });
  await Promise.all(both);
  assert.deepEqual(done, [0, 200]);
  await sweep();
  assert.deepEqual(await failures(), []);
});
