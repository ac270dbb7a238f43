import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { entrySweep } from './book-entries.ts';

/** What a person says of an entry of which a person has said something before. */

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

const credit = (amount: string, reference: string, text: string): CamtEntry => ({
  ...{ amount, currency: 'USD', reference },
  details: [txDtls(text)],
});
const say = (entryId: string, verb: string, body: object = {}) =>
  server.call('POST', `/v1/operator/statement-entries/${entryId}/${verb}`, {
    reason: 'asked the bank',
    ...body,
  });
const entry = async (id: string) => (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;

test('an entry that is the same, and another one after all, is booked however often that is said', async () => {
  const options = { currency: 'USD', message: '054' } as const;
  const [first] = await reported(server, [credit('13.00', 'A-1', 'X')], options);
  const [second] = await reported(server, [credit('13.00', 'A-2', 'Y')], options);
  for (let times = 1; times <= 3; times++) {
    const same = await say(second.entryId, 'same', { as: first.entryId });
    assert.equal(same.status, 200, JSON.stringify(same.body));
    assert.equal((await say(second.entryId, 'another')).status, 200);
    await entrySweep(sandbox.desk, silentLogger).run();
    const { depositState, depositId } = await entry(second.entryId);
    assert.deepEqual([times, depositState, depositId !== null], [times, 'booked', true]);
  }
});

test('an entry is not the same as one that the bank has never booked: nobody would have its money', async () => {
  const options = { currency: 'USD', date: '2026-03-04' } as const;
  const [ghost] = await reported(server, [credit('14.00', 'N-1', 'X')], { ...options, message: '054' });
  const statement = (amount: string, reference: string, number: string, opening: string, closing: string) =>
    reported(server, [credit(amount, reference, 'X')], { ...options, number, opening, closing });
  await statement('1.00', 'N-2', '1', '0.00', '1.00');
  assert.equal((await say(ghost.entryId, 'never-booked')).status, 200);
  const [real] = await statement('14.00', 'N-1', '2', '1.00', '15.00');
  assert.equal(real.depositState, 'booked', JSON.stringify(real));
  const refused = await say(real.entryId, 'same', { as: ghost.entryId });
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
  assert.equal((await entry(real.entryId)).depositState, 'booked');
});
