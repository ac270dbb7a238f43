import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Payable, payable } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { blockedPayments, type DueForRun, duePayments, stillBlocked, subjectOf } from './due-payments.ts';

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

const UNWRITABLE = `account_holder = '株式会社'`;
const BANKLESS = "iban = null, account_number = '4711'";
const FORGOTTEN = new Error('only looked at');

/** What a run in a currency of their own takes of so many returns of deposits, made in this order and then forgotten. */
async function dueOf(
  returns: readonly (readonly [count: number, set?: string])[],
  paymentsMax: number,
): Promise<DueForRun> {
  const { subjectId } = await payable(pool, 'deposit_return');
  let found: DueForRun | undefined;
  const looking = inTransaction(pool, async (connection) => {
    let made = 0;
    for (const [count, set] of returns) {
      await copies(connection, subjectId, made, count, set);
      made += count;
    }
    found = await duePayments(connection, 'CHF', '2026-03-06', paymentsMax);
    throw FORGOTTEN;
  });
  await assert.rejects(looking, FORGOTTEN);
  assert.ok(found);
  return found;
}

/** Returns like one, whose ids say their order from 1 on. */
async function copies(connection: Connection, like: string, after: number, count: number, set?: string) {
  const { rows } = await connection.query<{ id: string }>(
    `insert into deposit_returns
       (id, deposit_id, currency, amount_minor, status, account_holder, iban, requested_by, reason, created_at, updated_at)
     select lpad(n::text, 32, '0')::uuid, deposit_id, 'CHF', amount_minor, status, account_holder, iban, requested_by, reason,
            created_at, updated_at
     from deposit_returns cross join generate_series($2::int + 1, $2::int + $3::int) n where id = $1 returning id`,
    [like, after, count],
  );
  if (set !== undefined)
    await connection.query(`update deposit_returns set ${set} where id = any ($1)`, [
      rows.map(({ id }) => id),
    ]);
}

const numberOf = (due: DueForRun['due'][number]) => Number(subjectOf(due).replaceAll('-', ''));

test('a run reads fifty pages at most, and says that there is more when they hold too little', async () => {
  // A page of the payouts, of the refunds and of the withdrawals, and 47 of two returns each.
  const inLast = await dueOf([[93, UNWRITABLE], [1]], 1);
  assert.deepEqual([inLast.due.map(numberOf), inLast.hasMore], [[94], true]);
  const behind = await dueOf([[94, UNWRITABLE], [1]], 1);
  assert.deepEqual([behind.due, behind.hasMore], [[], true]);
  const few = await dueOf([[91, UNWRITABLE], [1]], 1);
  assert.deepEqual([few.due.map(numberOf), few.hasMore], [[92], false]);
});

test('the first two hundred that are left out are told, whatever the reason', async () => {
  const reported = async (unwritable: number, bankless: number) => {
    const { excluded } = await dueOf(
      [
        [unwritable, UNWRITABLE],
        [bankless, BANKLESS],
      ],
      300,
    );
    const of = (reason: string) => excluded.filter((each) => each.reason === reason).length;
    return [of('name_not_representable'), of('bank_unknown'), excluded.length];
  };
  assert.deepEqual(await reported(199, 2), [199, 1, 200]);
  assert.deepEqual(await reported(201, 2), [200, 0, 200]);
  assert.deepEqual(await reported(0, 201), [0, 200, 200]);
});
