import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { createBalanceHolder } from '../../test/support/balance-holder.ts';
import { reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { createOperatedSandbox, type OperatorServer, peopleOf } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { fund, order, trade } from '../../test/support/stories.ts';
import { createDesk, decimal, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { bankEntry } from '../deposits/funding.ts';
import { closeDays } from '../ledger/closing.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { typeId } from '../platform/ids.ts';
import { readCustomerStatement, statementCsv } from './customer-statement.ts';

/** What a customer owes apart from open trades, as the statement of a period states it. */

const DAY_MS = 86_400_000;

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
});

const { get, done } = peopleOf(() => server);
let named = 0;

async function stated(customerId: string, of = pool, range = { from: 0, to: Date.UTC(2027, 0) }) {
  const { currencies } = await readCustomerStatement(of, customerId, range, undefined, range.to);
  return new Map(currencies.map(({ currency, debt }) => [currency, debt]));
}
const sums = ({ opening, booked, released, closing }: Record<string, unknown> = {}) => [
  ...[opening, booked, released, closing],
];

test('a debt is stated from its beginning to its end, with what it is of', async () => {
  const { desk, customerId, byHand, reverse, withdraw, owed } = await createBalanceHolder(sandbox, server);
  await byHand('500.00', 'WRONG');
  await withdraw('420.00');
  await reverse('WRONG', { owesRest: true });
  await byHand('100.00', 'RIGHT');
  const end = (how: string, amount: string) =>
    done(
      `customers/${customerId}/balances/debt-${how}`,
      { currency: 'USD', amount },
      { 'idempotency-key': `end ${++named}` },
    );
  await end('payments', '100.00');
  await end('write-offs', '19.99');
  const debt = (await stated(desk.customerId)).get('USD');
  assert.deepEqual(sums(debt), ['0.00', '420.00', '119.99', '300.01']);
  assert.deepEqual(
    debt?.lines.map((each) => [each.type, each.debit, each.credit, each.balance, each.reference]),
    [
      ['top_up_reversed', '420.00', null, '420.00', 'WRONG'],
      ['paid', null, '100.00', '320.00', null],
      ['written_off', null, '19.99', '300.01', null],
    ],
  );
  assert.equal(await owed(), '300.01');
});

test('the loss of a trade names the trade, and an open trade is no debt', async () => {
  const { desk, row } = await trade(pool);
  await fund(desk, row, 50_000n);
  await desk.execute(await desk.quote({ amount: '700.00' }));
  desk.market.book.freeze('EURUSD', decimal('1.07488'), decimal('1.07494'));
  await endTransaction(desk, order(row), { closeOutAt: 'market', chargeCustomer: true });
  const debt = (await stated(desk.customerId)).get('USD');
  assert.deepEqual(sums(debt), ['0.00', '427.24', '0.00', '427.24']);
  assert.deepEqual(
    debt?.lines.map((each) => [each.type, each.transactionId, each.reference]),
    [['close_out', typeId('txn', row.id), row.reference]],
  );
});

test('what a trade bore of its loss is owed once the money for it turns out never to have come', async () => {
  const { desk, row } = await trade(pool);
  const told = { amount: '40000.00', currency: 'USD', reference: 'NEVER', details: [txDtls(row.reference)] };
  const [{ entryId, depositId }] = await reported(server, [told], { currency: 'USD', message: '054' });
  desk.market.book.freeze('EURUSD', decimal('1.07488'), decimal('1.07494'));
  await endTransaction(desk, order(row), { closeOutAt: 'market', chargeCustomer: true });
  const balances = { opening: '0.00', closing: '0.00', number: '1' };
  await reported(server, [], { currency: 'USD', date: '2026-03-04', ...balances });
  await done(`statement-entries/${entryId}/never-booked`);
  const debt = (await stated(desk.customerId)).get('USD');
  assert.deepEqual(sums(debt), ['0.00', '927.24', '0.00', '927.24']);
  assert.deepEqual(
    debt?.lines.map((each) => [each.type, each.transactionId, each.depositId]),
    [['close_out', typeId('txn', row.id), depositId]],
  );
  const { debts } = await get(`customers/${typeId('cus', desk.customerId)}/balances`);
  assert.deepEqual(debts, [{ currency: 'USD', amount: '927.24' }]);
});

test('as CSV it follows the balances, in columns of its own', async () => {
  const { desk, byHand, reverse, withdraw } = await createBalanceHolder(sandbox, server);
  await byHand('5.00', 'FIVE');
  await withdraw('5.00');
  await reverse('FIVE', { owesRest: true });
  const range = { from: 0, to: Date.UTC(2027, 0) };
  const csv = statementCsv(await readCustomerStatement(pool, desk.customerId, range, 'USD', 0));
  const [head = '', ...lines] = csv.split('\r\n');
  const columns = head.split(',');
  const shown = lines.slice(-4, -1).map((line) => {
    const cells = line.split(',');
    const of = (column: string) => cells[columns.indexOf(column)];
    return ['type', 'debit', 'balance', 'reference', 'debtReason', 'debtBooked', 'debtReleased', 'debt'].map(
      of,
    );
  });
  assert.deepEqual(shown, [
    ['opening_debt', '', '', '', '', '', '', '0.00'],
    ['debt_booked', '', '', 'FIVE', 'top_up_reversed', '5.00', '', '5.00'],
    ['closing_debt', '', '', '', '', '', '', '5.00'],
  ]);
  const other = await createDesk(pool);
  await other.execute(await other.quote());
  const none = statementCsv(await readCustomerStatement(pool, other.customerId, range, undefined, 0));
  assert.doesNotMatch(none, /_debt,/);
});

/** Forty days with a debt booked or ended on each second one, in currencies of two, no and three decimals. */
async function oweForDays(own: Pool): Promise<string> {
  const { customerId } = await createDesk(own);
  const { customerId: other } = await createDesk(own);
  for (let day = 0; day < 40; day += 2) {
    const at = Date.UTC(2026, 2, 1) + day * DAY_MS;
    const entries = ['USD', 'JPY', 'KWD'].map((currency, i): JournalEntry => {
      const minor = day % 6 === 4 ? -50n : BigInt(100 + day + i);
      return { ...bankEntry(currency, -minor, 'customer_receivable'), customerId };
    });
    const others = { ...bankEntry('USD', -7n, 'customer_receivable'), customerId: other };
    // Exactly at midnight, and in the last millisecond of a day.
    await inTransaction(own, (connection) =>
      postEntries(connection, [...entries, others], day % 4 === 0 ? at : at + DAY_MS - 1),
    );
  }
  return customerId;
}

test('it opens with what was owed at that instant, whichever days are closed', async () => {
  const { pool: own } = await createTestDatabase();
  const customerId = await oweForDays(own);
  const start = Date.UTC(2026, 2, 1);
  const instants = Array.from({ length: 42 }, (_, i) => start - DAY_MS + i * DAY_MS).flatMap((at) => [
    ...[at - 1, at, at + 1],
  ]);
  const atAll = async () => {
    const shown = [];
    for (const from of instants) {
      const to = from + 10 * DAY_MS;
      for (const [currency, debt] of await stated(customerId, own, { from, to })) {
        const [opening = 0, booked = 0, released = 0, closing] = sums(debt).map((each) =>
          Number.parseInt(String(each).replace('.', ''), 10),
        );
        assert.equal(opening + booked - released, closing);
        shown.push([from, currency, debt.opening, debt.closing]);
      }
    }
    return shown;
  };
  const open = await atAll();
  assert.deepEqual(
    open.slice(-3).map((each) => each.slice(1)),
    [
      ['JPY', '1380', '1380'],
      ['KWD', '1.394', '1.394'],
      ['USD', '13.66', '13.66'],
    ],
  );
  const clock = { now: () => Date.UTC(2026, 2, 20) };
  while ((await closeDays(own, clock)) > 0);
  const { rows } = await own.query(
    'select debts_closed_through as through, (select count(*)::int from debt_days where customer_id = $1) as days from ledger_closing',
    [customerId],
  );
  assert.deepEqual(rows, [{ through: '2026-03-18', days: 27 }]);
  assert.deepEqual(await atAll(), open);
  // Set back: what was closed is open again.
  await closeDays(own, { now: () => Date.UTC(2026, 2, 10) });
  assert.deepEqual(await atAll(), open);
  while ((await closeDays(own, { now: () => Date.UTC(2026, 5, 1) })) > 0);
  assert.deepEqual(await atAll(), open);
});

test('days that another version has closed are made good for', async () => {
  const { pool: own } = await createTestDatabase();
  const customerId = await oweForDays(own);
  while ((await closeDays(own, { now: () => Date.UTC(2026, 5, 1) })) > 0);
  const at = EXAMPLE_INSTANT + 20 * DAY_MS;
  const whole = await stated(customerId, own, { from: at, to: at + DAY_MS });
  await ownerOf(own).query(
    `delete from debt_days where day > '2026-03-10'; update ledger_closing set debts_closed_through = '2026-03-10'`,
  );
  assert.deepEqual(await stated(customerId, own, { from: at, to: at + DAY_MS }), whole);
  await closeDays(own, { now: () => Date.UTC(2026, 5, 1) });
  const { rows } = await own.query(`select max(day)::text as day from debt_days`);
  assert.deepEqual(rows, [{ day: '2026-04-08' }]);
  assert.deepEqual(await stated(customerId, own, { from: at, to: at + DAY_MS }), whole);
  // It opens days again without knowing of these.
  for (const day of ["'2026-03-12'", 'null']) {
    await ownerOf(own).query(
      `delete from ledger_days where day > coalesce(${day}::date, '-infinity');
       delete from position_days where day > coalesce(${day}::date, '-infinity');
       update ledger_closing set closed_through = ${day}, fenced_through = ${day}`,
    );
    await closeDays(own, { now: () => Date.UTC(2026, 3, 2) });
    while ((await closeDays(own, { now: () => Date.UTC(2026, 5, 1) })) > 0);
    assert.deepEqual(await stated(customerId, own, { from: at, to: at + DAY_MS }), whole);
  }
});
