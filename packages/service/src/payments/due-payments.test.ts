import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Payable, payable } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { blockedPayments, stillBlocked, subjectOf } from './due-payments.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
});

const retire = ({ desk }: Payable) =>
  pool.query(
    "update settlement_instructions set status = 'retired' where customer_id = $1 and currency = 'EUR'",
    [desk.customerId],
  );
const blocked = async (rowsMax = 100, except: readonly string[] = []) =>
  (await blockedPayments(pool, rowsMax, except)).map((due) => [due.purpose, subjectOf(due), due.exclusion]);

test('what is due and in no run because of its account is found, of every kind and for every date', async () => {
  const payout = await payable(pool, 'payout');
  const withdrawal = await payable(pool, 'withdrawal');
  // Its customer has another account, and a run would take it.
  const fine = await payable(pool, 'payout');
  assert.deepEqual(await blocked(), []);
  assert.deepEqual(await stillBlocked(pool, [payout.subjectId, withdrawal.subjectId]), new Map());
  await retire(payout);
  await retire(withdrawal);
  assert.deepEqual(await blocked(), [
    ['payout', payout.subjectId, 'instruction_retired'],
    ['withdrawal', withdrawal.subjectId, 'instruction_retired'],
  ]);
  assert.deepEqual(
    await blocked(1),
    [['payout', payout.subjectId, 'instruction_retired']],
    'the first of them',
  );
  assert.deepEqual(await blocked(100, [payout.subjectId]), [
    ['withdrawal', withdrawal.subjectId, 'instruction_retired'],
  ]);
  assert.deepEqual(
    await stillBlocked(pool, [payout.subjectId, withdrawal.subjectId, fine.subjectId]),
    new Map([
      [payout.subjectId, 'instruction_retired'],
      [withdrawal.subjectId, 'instruction_retired'],
    ]),
  );
  assert.deepEqual(await stillBlocked(pool, [fine.subjectId]), new Map());
});
