import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Payable, payable } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { entryOf, takenBack, topUpByDeposit } from '../../test/support/missing-money.ts';
import { rowsReadWithin } from '../../test/support/rows-read.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { duePayments, subjectOf } from './due-payments.ts';
import type { Purpose } from './payment-states.ts';

/** Whether a run pays something: what is changed about it, one thing at a time, and then forgotten again. */

const PURPOSES = ['payout', 'refund', 'withdrawal', 'deposit_return'] as const;
const VALUE_DATE = '2026-03-06';

let pool: Pool;
const made = new Map<Purpose, Payable>();
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
  for (const purpose of PURPOSES) made.set(purpose, await payable(pool, purpose));
});

const FORGOTTEN = new Error('only looked at');
type Change = (connection: Connection, payable: Payable) => Promise<unknown>;

/** `due`, `not due`, or why it is left out. */
async function lookedAt(
  purpose: Purpose,
  change: Change,
  currency = 'EUR',
  valueDate = VALUE_DATE,
): Promise<string> {
  const one = made.get(purpose);
  assert.ok(one);
  let found = 'not due';
  const looking = inTransaction(pool, async (connection) => {
    await change(connection, one);
    const { due, excluded } = await duePayments(connection, currency, valueDate, 100);
    if (due.some((each) => subjectOf(each) === one.subjectId)) found = 'due';
    found = excluded.find((each) => subjectOf(each.due) === one.subjectId)?.reason ?? found;
    throw FORGOTTEN;
  });
  await assert.rejects(looking, FORGOTTEN);
  return found;
}

/** A statement in which $1 is the id of the payable and $2 its customer's, as far as it names them. */
const sql =
  (text: string): Change =>
  (connection, { subjectId, desk }) =>
    connection.query(
      text,
      [subjectId, desk.customerId].slice(0, text.includes('$2') ? 2 : text.includes('$1') ? 1 : 0),
    );
const both =
  (...changes: readonly Change[]): Change =>
  async (connection, one) => {
    for (const each of changes) await each(connection, one);
  };
const nothing: Change = async () => undefined;
const suspended = sql(`update customers set status = 'suspended' where id = $2 and $1::uuid is not null`);
const NAMED = (text: string) => `iban = null, account_number = '4711', ${text}`;
const ofAccounts = (set: string) =>
  sql(`update settlement_instructions set ${set} where customer_id = $2 and $1::uuid is not null`);

/** Its money was reported by a statement, and is or is not in those that cover the day. */
const reported =
  (isMissing: boolean): Change =>
  async (connection, { purpose, subjectId }) => {
    const { rows } = await connection.query<{ id: string }>(
      purpose === 'deposit_return'
        ? 'select deposit_id as id from deposit_returns where id = $1'
        : 'select deposit_id as id from deposit_allocations where transaction_id = $1',
      [subjectId],
    );
    assert.ok(rows[0]);
    await entryOf(connection, rows[0].id, isMissing);
  };
/** So much of a currency was put into the customer's balance by a deposit that a statement reported. */
const toppedUp =
  (minor: string, currency: string, isMissing: boolean): Change =>
  async (connection, { desk }) =>
    entryOf(connection, await topUpByDeposit(connection, desk.customerId, minor, currency), isMissing);
/** As much, which the remitter's bank has taken back. */
const recalled =
  (minor: string, currency: string): Change =>
  async (connection, { desk }) =>
    takenBack(connection, await topUpByDeposit(connection, desk.customerId, minor, currency));
/** What becomes of all that was taken back. */
const DECIDED = sql(
  `update reconciliation_exceptions set status = 'resolved', resolved_at = opened_at, resolution = 'acknowledged' where $1::uuid is not null`,
);
/** As if the trade had been paid from the balance, of which so much is left. */
const fromBalance = (left: string) =>
  both(
    sql('update transactions set pre_funded = true where id = $1'),
    sql(`insert into balances (customer_id, account, currency, balance)
         select $2, 'customer_balance', sell_currency, -${left} from transactions where id = $1`),
  );

const BANKLESS = "iban = null, bic = null, routing_number = null, account_number = '4711'";
const TRADE = 'update transactions set';
/** By what is changed about it: what becomes of each kind. */
const CASES: readonly (readonly [what: string, change: Change, Partial<Record<Purpose, string>>])[] = [
  ['nothing', nothing, { payout: 'due', refund: 'due', withdrawal: 'due', deposit_return: 'due' }],
  [
    'its customer is suspended',
    suspended,
    {
      payout: 'customer_suspended',
      refund: 'customer_suspended',
      withdrawal: 'customer_suspended',
      deposit_return: 'due',
    },
  ],
  [
    'its customer is suspended and an operator has ordered it',
    both(suspended, sql(`update balance_withdrawals set requested_as = 'operator' where id = $1`)),
    { withdrawal: 'due' },
  ],
  ['its money was told of', reported(false), { payout: 'due', refund: 'due', deposit_return: 'due' }],
  [
    'its money is missing',
    reported(true),
    { payout: 'not_in_statement', refund: 'not_in_statement', deposit_return: 'not_in_statement' },
  ],
  // 200.00 are left in the balance of the withdrawal.
  ['all of the missing money is still in the balance', toppedUp('20000', 'EUR', true), { withdrawal: 'due' }],
  [
    'a cent of the missing money was paid out',
    toppedUp('20001', 'EUR', true),
    { withdrawal: 'not_in_statement' },
  ],
  ['no money is missing', toppedUp('20001', 'EUR', false), { withdrawal: 'due' }],
  [
    'other money is missing',
    toppedUp('20001', 'USD', true),
    { withdrawal: 'due', payout: 'due', refund: 'due' },
  ],
  [
    'missing money paid for the trade from the balance',
    both(toppedUp('20001', 'USD', true), fromBalance('20000')),
    { payout: 'not_in_statement' },
  ],
  [
    'the trade was paid from the balance, and what is missing is still there',
    both(toppedUp('20001', 'USD', true), fromBalance('20001')),
    { payout: 'due' },
  ],
  [
    'its money was taken back',
    async (connection, { subjectId }) => {
      const { rows } = await connection.query<{ id: string }>(
        'select deposit_id as id from deposit_allocations where transaction_id = $1',
        [subjectId],
      );
      assert.ok(rows[0]);
      await takenBack(connection, rows[0].id);
    },
    { payout: 'deposit_returned', refund: 'deposit_returned' },
  ],
  ['all that was taken back is still in the balance', recalled('20000', 'EUR'), { withdrawal: 'due' }],
  [
    'a cent of what was taken back was paid out',
    recalled('20001', 'EUR'),
    { withdrawal: 'deposit_returned' },
  ],
  [
    'other money was taken back',
    recalled('20001', 'USD'),
    { withdrawal: 'due', payout: 'due', refund: 'due' },
  ],
  [
    'what was taken back paid for the trade from the balance',
    both(recalled('20001', 'USD'), fromBalance('20000')),
    { payout: 'deposit_returned' },
  ],
  // Of neither is anything there, so they count together.
  [
    'a cent of two deposits that are missing was paid out',
    both(toppedUp('10000', 'EUR', true), toppedUp('10001', 'EUR', true)),
    { withdrawal: 'not_in_statement' },
  ],
  [
    'a cent of what is missing or was taken back was paid out',
    both(toppedUp('10000', 'EUR', true), recalled('10001', 'EUR')),
    { withdrawal: 'not_in_statement' },
  ],
  [
    'all that is missing or was taken back is still in the balance',
    both(toppedUp('10000', 'EUR', true), recalled('10000', 'EUR')),
    { withdrawal: 'due' },
  ],
  [
    'a cent of two deposits that were taken back was paid out',
    both(recalled('10000', 'EUR'), recalled('10001', 'EUR')),
    { withdrawal: 'deposit_returned' },
  ],
  [
    'a cent of what was listed or taken back was paid out',
    both(toppedUp('10000', 'EUR', false), recalled('10001', 'EUR')),
    { withdrawal: 'due' },
  ],
  [
    'a cent of what is missing, or was taken back and decided on, was paid out',
    both(toppedUp('10000', 'EUR', true), recalled('10001', 'EUR'), DECIDED),
    { withdrawal: 'due' },
  ],
  [
    'one deposit is missing and was taken back, and all of it is still in the balance',
    async (connection, { desk }) => {
      const deposit = await topUpByDeposit(connection, desk.customerId, '20000', 'EUR');
      await entryOf(connection, deposit, true);
      await takenBack(connection, deposit);
    },
    { withdrawal: 'due' },
  ],
  [
    'what is missing and what was taken back paid for the trade from the balance',
    both(toppedUp('10000', 'USD', true), recalled('10001', 'USD'), fromBalance('20000')),
    { payout: 'not_in_statement' },
  ],
  [
    'its account is gone',
    sql('update transactions set destination_id = customer_id where id = $1'),
    { payout: 'no_account', refund: 'due' },
  ],
  [
    'no account of the customer is active',
    ofAccounts(`status = 'retired'`),
    {
      payout: 'instruction_retired',
      refund: 'no_account',
      withdrawal: 'instruction_retired',
      deposit_return: 'due',
    },
  ],
  [
    'nothing names the bank',
    ofAccounts(BANKLESS),
    { payout: 'bank_unknown', refund: 'bank_unknown', withdrawal: 'bank_unknown' },
  ],
  [
    'a BIC names the bank',
    ofAccounts(NAMED(`bic = 'COBADEFFXXX', routing_number = null`)),
    { payout: 'due', refund: 'due', withdrawal: 'due' },
  ],
  [
    'a routing number names the bank',
    ofAccounts(NAMED(`bic = null, routing_number = '021000021'`)),
    { payout: 'due', refund: 'due', withdrawal: 'due' },
  ],
  [
    'nothing names the bank of the remitter',
    sql(`update deposit_returns set ${BANKLESS} where id = $1`),
    { deposit_return: 'bank_unknown' },
  ],
  [
    'a BIC names the bank of the remitter',
    sql(`update deposit_returns set iban = null, bic = 'COBADEFFXXX', account_number = '4711' where id = $1`),
    { deposit_return: 'due' },
  ],
  [
    'a routing number names the bank of the remitter',
    sql(
      `update deposit_returns set iban = null, routing_number = '021000021', account_number = '4711' where id = $1`,
    ),
    { deposit_return: 'due' },
  ],
  [
    'the trade is not settling',
    sql(`${TRADE} status = 'cancelled' where id = $1`),
    { payout: 'not due', refund: 'due' },
  ],
  [
    'the payout is not under way',
    sql(`${TRADE} payout_status = 'rejected' where id = $1`),
    { payout: 'not due', refund: 'due' },
  ],
  [
    'the refund is not owed',
    sql(`${TRADE} refund = '{"status": "paid", "amount": "40000.00", "currency": "EUR"}' where id = $1`),
    { refund: 'not due' },
  ],
  [
    'the withdrawal is not owed',
    sql(`update balance_withdrawals set status = 'cancelled' where id = $1`),
    { withdrawal: 'not due' },
  ],
  [
    'the return is not owed',
    sql(`update deposit_returns set status = 'paid', paid_at = now() where id = $1`),
    { deposit_return: 'not due' },
  ],
  [
    'the trade is of a later value date',
    sql(`${TRADE} value_date = '2026-03-07' where id = $1`),
    { payout: 'not due', refund: 'due' },
  ],
  [
    'the trade is of this value date',
    sql(`${TRADE} value_date = '2026-03-06' where id = $1`),
    { payout: 'due' },
  ],
];

describe('a run that is made when', () => {
  for (const [what, change, expected] of CASES) {
    test(`${what}: ${Object.entries(expected)
      .map((each) => each.join(' '))
      .join(', ')}`, async () => {
      for (const [purpose, outcome] of Object.entries(expected)) {
        assert.equal(await lookedAt(purpose as Purpose, change), outcome, purpose);
      }
    });
  }

  test('it is for another currency holds nothing of this one', async () => {
    for (const purpose of PURPOSES) assert.equal(await lookedAt(purpose, nothing, 'USD'), 'not due', purpose);
  });

  test('much of it is due, and much of the money is missing, reads a few rows of each', async () => {
    const count = 200;
    const one = made.get('withdrawal');
    assert.ok(one);
    const looking = inTransaction(pool, async (connection) => {
      await connection.query(
        `insert into balance_withdrawals select r.* from balance_withdrawals w, generate_series(1, $1) n,
           json_populate_record(w, json_build_object('id', gen_random_uuid(), 'reference', 'OF-' || n)) r
         where w.id = $2`,
        [count, one.subjectId],
      );
      for (let n = 0; n < count; n++) await toppedUp('100', 'EUR', true)(connection, one);
      const read = await rowsReadWithin(connection, async () => {
        const { due } = await duePayments(connection, 'EUR', VALUE_DATE, 1_000);
        assert.equal(due.length, count + PURPOSES.length);
      });
      for (const [table, rows] of read)
        assert.ok(rows <= 20 * count, `${rows / count} rows of ${table} for each payment`);
      throw FORGOTTEN;
    });
    await assert.rejects(looking, FORGOTTEN);
  });
});
