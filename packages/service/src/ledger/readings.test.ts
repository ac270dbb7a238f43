import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { readStatement } from './account-statement.ts';
import { customerBalances, customerMovements } from './customer-account.ts';
import { HOUSE_ID, type JournalEntry, type Posting, postEntries } from './journal.ts';
import { findEntry, listEntries, nextBalances, nextEntries, ownerBalances } from './store.ts';
import { readTrialBalance } from './trial-balance.ts';

/** A handful of entries, and everything that reads them, to the last minor unit. */

const DAY = Date.UTC(2026, 2, 4, 9);
const at = (minutes: number) => DAY + minutes * 60_000;
const ACME = newUuid(DAY);
const OTHER = newUuid(DAY);
const TRADE = newUuid(DAY);
const DEPOSIT = newUuid(DAY);
const WITHDRAWAL = newUuid(DAY);
let pool: Pool;

const line = (account: Posting['account'], amount: bigint, currency = 'USD'): Posting => ({
  account,
  currency,
  amount,
});

/** Minutes after nine at which each is booked. */
const ENTRIES: readonly (readonly [number, JournalEntry])[] = [
  [
    0,
    {
      customerId: ACME,
      kind: 'deposit_received',
      depositId: DEPOSIT,
      postings: [line('bank', 1n), line('customer_receivable', -1n)],
    },
  ],
  [
    1,
    {
      customerId: ACME,
      kind: 'deposit_allocated',
      transactionId: TRADE,
      postings: [line('customer_receivable', 500n), line('customer_balance', -500n)],
    },
  ],
  [
    2,
    {
      customerId: ACME,
      kind: 'payout_sent',
      transactionId: TRADE,
      postings: [line('customer_payable', 70n, 'EUR'), line('bank', -70n, 'EUR')],
    },
  ],
  [
    3,
    {
      customerId: ACME,
      kind: 'withdrawal_paid',
      withdrawalId: WITHDRAWAL,
      postings: [line('customer_excess', 9n), line('bank', -9n)],
    },
  ],
  [
    4,
    { customerId: ACME, kind: 'close_out', postings: [line('position', 3n), line('close_out_result', -3n)] },
  ],
  [
    5,
    {
      customerId: OTHER,
      kind: 'deposit_received',
      postings: [line('bank', 40n), line('customer_balance', -40n)],
    },
  ],
  [
    6,
    {
      customerId: HOUSE_ID,
      kind: 'bank_entry_booked',
      postings: [line('bank_charges', 2n), line('bank', -2n)],
    },
  ],
];

before(async () => {
  ({ pool } = await createTestDatabase());
  for (const [minutes, entry] of ENTRIES) await postEntries(pool, [entry], at(minutes));
});

describe('the statement of an account', () => {
  const receivable = { customerId: ACME, account: 'customer_receivable', currency: 'USD' };

  test('says each posting on its side, to one minor unit, and what it is for', async () => {
    const { lines, ...page } = await readStatement(
      pool,
      receivable,
      { from: 0, to: undefined },
      undefined,
      10,
    );
    assert.deepEqual(page, { openingBalance: '0.00', closingBalance: '4.99' });
    const views = lines.map(({ view }) => [view.kind, view.debit, view.credit, view.balance, view.at]);
    assert.deepEqual(views, [
      ['deposit_received', null, '0.01', '-0.01', '2026-03-04T09:00:00.000Z'],
      ['deposit_allocated', '5.00', null, '4.99', '2026-03-04T09:01:00.000Z'],
    ]);
    const [deposit, allocation] = lines.map(({ view }) => view);
    assert.match(`${deposit?.depositId} ${deposit?.transactionId}`, /^dep_\w{26} null$/);
    assert.match(`${allocation?.depositId} ${allocation?.transactionId}`, /^null txn_\w{26}$/);
    assert.match(deposit?.entryId ?? '', /^je_\w{26}$/);
    const bank = await readStatement(
      pool,
      { ...receivable, account: 'bank' },
      { from: 0, to: undefined },
      undefined,
      10,
    );
    assert.deepEqual(
      bank.lines.map(({ view }) => [view.debit, view.credit]),
      [
        ['0.01', null],
        [null, '0.09'],
      ],
    );
  });

  test('begins with the balance of then, ends before its end, and has one when nothing moved', async () => {
    const read = (from: number, to?: number) => readStatement(pool, receivable, { from, to }, undefined, 10);
    const brief = async (from: number, to?: number) => {
      const { openingBalance, closingBalance, lines } = await read(from, to);
      return [openingBalance, closingBalance, lines.length];
    };
    assert.deepEqual(await brief(at(1)), ['-0.01', '4.99', 1]);
    assert.deepEqual(await brief(at(0), at(1)), ['0.00', '-0.01', 1]);
    assert.deepEqual(await brief(at(2)), ['4.99', '4.99', 0]);
  });
});

describe('who has what on an account', () => {
  const read = (account: string, before?: number, after?: string, rowsMax = 10) =>
    ownerBalances(pool, { account, currency: 'USD' }, before, after, rowsMax);
  const owners = [ACME, OTHER].toSorted();

  test('the parts add up to the total, the house among them, and who has nothing is not there', async () => {
    for (const before of [undefined, at(6), at(5.5), at(5), at(3), at(0)]) {
      const [parts, total] = [
        await read('bank', before),
        (await readTrialBalance(pool, { currency: 'USD' }, before, at(10))).currencies[0]?.accounts,
      ];
      const bank = total?.find(({ account }) => account === 'bank') ?? { debit: '0.00', credit: '0.00' };
      const sum = parts.reduce((so, { balance }) => so + balance, 0n);
      assert.equal(`${sum}`, `${BigInt(bank.debit.replace('.', '')) - BigInt(bank.credit.replace('.', ''))}`);
    }
    assert.deepEqual(await read('bank'), [
      { customerId: HOUSE_ID, balance: -2n },
      ...owners.map((customerId) => ({ customerId, balance: customerId === ACME ? -8n : 40n })),
    ]);
    assert.deepEqual(await read('bank', at(2)), [{ customerId: ACME, balance: 1n }]);
    assert.deepEqual(await read('interest'), []);
  });

  test('a balance that came to nothing keeps its row, and is not there', async () => {
    const { pool } = await createTestDatabase();
    const book = (amount: bigint, minutes: number) =>
      postEntries(
        pool,
        [
          {
            customerId: OTHER,
            kind: 'close_out',
            postings: [line('position', amount), line('close_out_result', -amount)],
          },
        ],
        at(minutes),
      );
    await book(5n, 1);
    await book(-5n, 2);
    const read = (before?: number) =>
      ownerBalances(pool, { account: 'position', currency: 'USD' }, before, undefined, 10);
    assert.deepEqual(
      [await read(at(1)), await read(at(2)), await read(at(3)), await read()],
      [[], [{ customerId: OTHER, balance: 5n }], [], []],
    );
  });

  test('goes on after one of them', async () => {
    const first = await read('bank', undefined, undefined, 2);
    assert.deepEqual(
      [first.length, await read('bank', undefined, first[1]?.customerId)],
      [2, (await read('bank')).slice(2)],
    );
    assert.deepEqual(await read('bank', at(10), first[1]?.customerId), (await read('bank')).slice(2));
  });
});

describe('what a customer and the house owe each other', () => {
  test('is what moved on the accounts between them, seen by the customer', async () => {
    const moved = await customerMovements(pool, ACME, { from: 0, to: at(10) }, 10);
    assert.deepEqual(
      moved.map(({ kind, currency, amount }) => [kind, currency, amount]),
      [
        ['deposit_received', 'USD', 1n],
        // What is taken from a balance for a trade moves nothing between the two.
        ['payout_sent', 'EUR', -70n],
        ['withdrawal_paid', 'USD', -9n],
      ],
    );
    assert.equal(moved[1]?.transactionId, TRADE);
    assert.deepEqual([moved[0]?.transactionId, moved[0]?.at], [null, at(0)]);
    const part = await customerMovements(pool, ACME, { from: at(0), to: at(2) }, 10);
    assert.deepEqual(
      part.map(({ kind }) => kind),
      ['deposit_received'],
      'from inclusive, to exclusive',
    );
    assert.equal((await customerMovements(pool, ACME, { from: 0, to: at(10) }, 2)).length, 2);
  });

  test('adds up to the balances', async () => {
    assert.deepEqual(Object.fromEntries(await customerBalances(pool, ACME, at(10))), { USD: -8n, EUR: -70n });
    assert.deepEqual(Object.fromEntries(await customerBalances(pool, ACME, at(1))), { USD: 1n });
    assert.deepEqual(Object.fromEntries(await customerBalances(pool, OTHER, at(10))), { USD: 40n });
  });
});

describe('entries', () => {
  const kinds = async (filter: Parameters<typeof listEntries>[1], rowsMax = 10, last?: string) =>
    (await listEntries(pool, filter, last, rowsMax)).map(({ kind }) => kind);

  test('are found by owner, kind, trade, deposit and time, newest first', async () => {
    assert.deepEqual(await kinds({ customerId: OTHER }), ['deposit_received']);
    assert.deepEqual(await kinds({ customerId: HOUSE_ID }), ['bank_entry_booked']);
    assert.deepEqual(await kinds({ kind: 'deposit_received' }), ['deposit_received', 'deposit_received']);
    assert.deepEqual(await kinds({ customerId: ACME, transactionId: TRADE }), [
      'payout_sent',
      'deposit_allocated',
    ]);
    assert.deepEqual(await kinds({ customerId: OTHER, transactionId: TRADE }), []);
    assert.deepEqual(await kinds({ depositId: DEPOSIT }), ['deposit_received']);
    assert.deepEqual(await kinds({ from: at(5) }), ['bank_entry_booked', 'deposit_received']);
    assert.deepEqual(await kinds({ to: at(1) }), ['deposit_received']);
    assert.deepEqual(await kinds({}, 1), ['bank_entry_booked']);
    const [newest] = await listEntries(pool, {}, undefined, 1);
    assert.deepEqual(await kinds({}, 1, newest?.id), ['deposit_received']);
  });

  test('and read with all that they hold', async () => {
    const [entry] = await listEntries(pool, { kind: 'withdrawal_paid' }, undefined, 1);
    const { id, ...rest } = entry ?? assert.fail();
    assert.deepEqual(await findEntry(pool, id), entry);
    assert.deepEqual(rest, {
      customerId: ACME,
      kind: 'withdrawal_paid',
      at: at(3),
      transactionId: null,
      depositId: null,
      withdrawalId: WITHDRAWAL,
      postings: [line('customer_excess', 9n), line('bank', -9n)],
    });
  });

  test('and balances come in batches, each after the last', async () => {
    const first = await nextEntries(pool, HOUSE_ID, 3);
    const second = await nextEntries(pool, first.at(-1)?.id ?? '', 9);
    assert.deepEqual(
      [...first, ...second].map(({ at: booked }) => booked),
      ENTRIES.map(([minutes]) => at(minutes)),
    );
    const all = await nextBalances(pool, undefined, 99);
    const singles = [];
    for (
      let [row] = await nextBalances(pool, undefined, 1);
      row !== undefined;
      [row] = await nextBalances(pool, row, 1)
    ) {
      singles.push(row);
    }
    assert.deepEqual(singles, all);
    assert.equal(all.length, 12);
  });
});

describe('a trial balance', () => {
  test('has each balance on its side, one minor unit too, in the order of the chart', async () => {
    const { currencies, ...rest } = await readTrialBalance(pool, { currency: 'USD' }, undefined, at(7));
    assert.deepEqual(rest, { at: '2026-03-04T09:07:00.000Z', customerId: null, balanced: true });
    assert.deepEqual(
      currencies.map(({ accounts, ...sums }) => [
        accounts.map((each) => Object.values(each).join(' ')),
        sums,
      ]),
      [
        [
          [
            ...['bank 0.30 0.00', 'customer_receivable 4.99 0.00', 'customer_excess 0.09 0.00'],
            ...['position 0.03 0.00', 'customer_balance 0.00 5.40', 'close_out_result 0.00 0.03'],
            'bank_charges 0.02 0.00',
          ],
          { currency: 'USD', debit: '5.43', credit: '5.43', difference: '0.00' },
        ],
      ],
    );
  });

  test('is of an instant, of an owner, and of all currencies in their order', async () => {
    const early = await readTrialBalance(pool, { customerId: ACME }, at(1), at(7));
    assert.equal(early.at, '2026-03-04T09:01:00.000Z');
    assert.match(early.customerId ?? '', /^cus_/);
    assert.deepEqual(
      early.currencies[0]?.accounts.map((each) => [each.debit, each.credit]),
      [
        ['0.01', '0.00'],
        ['0.00', '0.01'],
      ],
    );
    const all = await readTrialBalance(pool, {}, undefined, at(7));
    assert.deepEqual(
      all.currencies.map(({ currency }) => currency),
      ['EUR', 'USD'],
    );
  });
});
