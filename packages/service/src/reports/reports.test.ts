import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as api from '@firmquote/api/operations/reports';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { fund, order } from '../../test/support/stories.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { type Account, HOUSE_ID, postEntries } from '../ledger/journal.ts';
import { readTrialBalance } from '../ledger/trial-balance.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { fail, settle } from '../payments/operate.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { answerReport } from './answer-report.ts';
import { REPORTS } from './catalogue.ts';
import { readCustomerStatement } from './customer-statement.ts';
import type { ReportParameters, Row } from './report.ts';
import type { ReportsRoom } from './room.ts';
import { Snapshots } from './snapshot.ts';

let pool: Pool;
let desk: Desk;
let room: ReportsRoom;
before(async () => {
  ({ pool } = await createTestDatabase());
  desk = await keepBusyBooks(pool);
  desk.clock.set(EXAMPLE_INSTANT + 5 * 86_400_000);
  room = { pool, snapshots: new Snapshots(pool), clock: desk.clock, book: desk.market.book };
});

const RANGE = { from: EXAMPLE_INSTANT - 1_000, to: EXAMPLE_INSTANT + 4 * 86_400_000 };

interface Answered {
  readonly items: readonly Row[];
  readonly rowCount: number;
  readonly balanced?: boolean;
  readonly alarm?: string;
}

async function json(name: api.ReportName, parameters: ReportParameters = {}): Promise<Answered> {
  const { text } = await answerReport(room, REPORTS[name], 'json', parameters);
  return JSON.parse(text) as Answered;
}

const minor = (text: unknown) => BigInt(String(text).replace('.', ''));
const sumOf = (rows: readonly Row[], column: string) =>
  rows.reduce((sum, row) => sum + minor(row[column]), 0n);

async function sumInDatabase(sql: string, ...values: unknown[]): Promise<bigint> {
  const { rows } = await pool.query<{ sum: string | null }>(sql, values);
  return BigInt(rows[0]?.sum ?? '0');
}

describe('reports', () => {
  test('have the same rows as CSV, under a header of their columns', async () => {
    for (const report of Object.values(REPORTS)) {
      const { range, columns } = api.REPORTS[report.name];
      const parameters = range === 'instants' ? RANGE : {};
      const { items, rowCount } = await json(report.name, parameters);
      assert.equal(items.length, rowCount, report.name);
      assert.ok(rowCount > 0 || report.name === 'overdue', report.name);
      for (const row of items) assert.deepEqual(Object.keys(row), columns, report.name);
      const { text } = await answerReport(room, report, 'csv', parameters);
      const lines = text.split('\r\n');
      assert.equal(lines[0], columns.join(','));
      assert.equal(lines.length, rowCount + 2);
    }
  });

  test('that are too large to be answered are refused instead of cut off', async () => {
    const large = {
      ...REPORTS.overdue,
      async *rows() {
        for (let i = 0; i < 11; i++) yield Array.from({ length: 1_000 }, () => ({ transactionId: 'x' }));
        return {};
      },
    };
    await assert.rejects(answerReport(room, large, 'csv', {}), (error) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.code, 'report_too_large');
      return true;
    });
  });

  test('blotter: every trade of the period once, in order', async () => {
    const { items } = await json('blotter', RANGE);
    const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from transactions');
    assert.equal(items.length, rows[0]?.n);
    const ids = items.map(({ transactionId }) => String(transactionId));
    assert.deepEqual(ids, [...new Set(ids)].sort());
    const own = await json('blotter', { ...RANGE, customerId: desk.customerId });
    assert.equal(own.items.length, 10);
    assert.deepEqual((await json('blotter', { from: 0, to: RANGE.from })).items, []);
    const { executedAt, transactionId, customerId, quoteId, reference, ...first } = own.items[0] ?? {};
    assert.deepEqual(first, {
      customerName: 'Test customer',
      clientReference: null,
      pair: 'EURUSD',
      side: 'ask',
      sellCurrency: 'USD',
      sellAmount: '100000.00',
      buyCurrency: 'EUR',
      buyAmount: '91987.01',
      rate: '1.08711',
      markupCurrency: 'EUR',
      markupAmount: '183.99',
      usdEquivalent: '100000.00',
      tradeDate: '2026-03-04',
      valueDate: '2026-03-06',
      status: 'settled',
      statusReason: null,
    });
  });

  test('blotter: more trades than are read at once', async () => {
    const { pool: own } = await createTestDatabase();
    const busy = await createDesk(own);
    await Promise.all(
      Array.from({ length: 1_050 }, async () => busy.execute(await busy.quote({ amount: '10.00' }))),
    );
    const many = { ...room, snapshots: new Snapshots(own) };
    const { text } = await answerReport(many, REPORTS.blotter, 'json', RANGE);
    const { items } = JSON.parse(text) as Answered;
    assert.equal(new Set(items.map(({ transactionId }) => transactionId)).size, 1_050);
  });

  test('settlement ladder: what comes in and goes out of what is open', async () => {
    const { items } = await json('settlement-ladder');
    for (const currency of ['USD', 'EUR', 'JPY', 'GBP']) {
      const of = items.filter((row) => row.currency === currency);
      const open = `status not in ('settled', 'cancelled')`;
      assert.equal(
        sumOf(of, 'outstanding'),
        await sumInDatabase(
          `select sum(sell_minor - received_minor - shortfall_minor) as sum from transactions
           where ${open} and sell_currency = $1`,
          currency,
        ),
      );
      assert.equal(
        sumOf(of, 'toPay'),
        await sumInDatabase(
          `select sum(buy_minor) as sum from transactions where ${open} and buy_currency = $1`,
          currency,
        ),
      );
    }
    assert.deepEqual((await json('settlement-ladder', { toDate: '2026-03-05' })).items, []);
    // A day is the first and the last one of its own range.
    for (const date of new Set(items.map(({ valueDate }) => String(valueDate)))) {
      const ofDay = await json('settlement-ladder', { fromDate: date, toDate: date });
      assert.deepEqual(
        ofDay.items,
        items.filter(({ valueDate }) => valueDate === date),
      );
    }
    const euros = await json('settlement-ladder', { currency: 'EUR' });
    assert.ok(euros.items.every(({ currency }) => currency === 'EUR'));
  });

  test('spread revenue: the change of the markup account, cancelled trades taken back', async () => {
    const { items } = await json('spread-revenue', RANGE);
    for (const currency of ['USD', 'EUR', 'JPY', 'KWD', 'GBP']) {
      assert.equal(
        sumOf(
          items.filter((row) => row.currency === currency),
          'net',
        ),
        await sumInDatabase(
          `select -sum(balance) as sum from balances where account = 'markup_revenue' and currency = $1`,
          currency,
        ),
      );
    }
    assert.ok(items.some(({ cancelled }) => /[1-9]/.test(String(cancelled))));
    const yen = await json('spread-revenue', { ...RANGE, currency: 'JPY' });
    assert.deepEqual(
      yen.items.map(({ earned, cancelled, net }) => [earned, cancelled, net]),
      [['474', '0', '474']],
    );
    const own = items.filter((row) => row.customerId === typeId('cus', desk.customerId));
    assert.ok(own.length > 0 && own.length < items.length);
    assert.deepEqual((await json('spread-revenue', { ...RANGE, customerId: desk.customerId })).items, own);
    assert.deepEqual((await json('spread-revenue', { from: RANGE.to, to: RANGE.to + 1_000 })).items, []);
  });

  test('journal: what each account changed by in the period, whole or in parts', async () => {
    const noon = EXAMPLE_INSTANT + 2;
    const parts = [
      await json('journal', { from: RANGE.from, to: noon }),
      await json('journal', { from: noon, to: RANGE.to }),
    ];
    const { items } = await json('journal', RANGE);
    assert.deepEqual(
      parts.flatMap((part) => part.items),
      items,
    );
    const { rows } = await pool.query<{ account: string; currency: string; balance: string }>(
      'select account, currency, sum(balance) as balance from balances group by account, currency',
    );
    for (const { account, currency, balance } of rows) {
      const of = items.filter((row) => row.account === account && row.currency === currency);
      const side = (column: string) =>
        sumOf(
          of.filter((row) => row[column] !== null),
          column,
        );
      assert.equal(side('debit') - side('credit'), BigInt(balance), `${account} ${currency}`);
    }
    const yen = await json('journal', { ...RANGE, currency: 'JPY' });
    assert.deepEqual(
      yen.items,
      items.filter(({ currency }) => currency === 'JPY'),
    );
    const own = await json('journal', { ...RANGE, customerId: desk.customerId });
    assert.deepEqual(
      own.items,
      items.filter(({ customerId }) => customerId === typeId('cus', desk.customerId)),
    );
    const arrived = items.find(({ kind, line }) => kind === 'deposit_received' && line === 1);
    assert.deepEqual(
      [arrived?.customerId, arrived?.account, typeof arrived?.bankReference, arrived?.credit],
      [null, 'bank', 'string', null],
    );
    const traded = items.find(({ kind }) => kind === 'trade_executed');
    assert.match(String(traded?.reference), /^RF\d+$/);
  });

  test('journal: more entries than are read at once', async () => {
    const { pool: own } = await createTestDatabase();
    const trading = await createDesk(own);
    await own.query(
      `insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
       select $1, (left(uuid_floor($2::timestamptz)::text, 13) || substr(gen_random_uuid()::text, 14))::uuid, 'balance_topped_up', $2,
         array['bank', 'customer_balance'], array['KWD', 'KWD'], array[i, -i] from generate_series(1, 1501) i`,
      [trading.customerId, new Date(EXAMPLE_INSTANT).toISOString()],
    );
    const books = {
      pool: own,
      snapshots: new Snapshots(own),
      clock: trading.clock,
      book: trading.market.book,
    };
    const { text } = await answerReport(books, REPORTS.journal, 'json', RANGE);
    const { items } = JSON.parse(text) as Answered;
    assert.equal(new Set(items.map(({ entryId }) => entryId)).size, 1_501);
    assert.equal(
      sumOf(
        items.filter(({ debit }) => debit !== null),
        'debit',
      ),
      (1_501n * 1_502n) / 2n,
    );
  });

  test('exposure: positions, and accounts on their normal side', async () => {
    const { items } = await json('exposure');
    const euro = items.find(({ currency }) => currency === 'EUR');
    assert.equal(euro?.suspense, '777.77');
    assert.equal(euro?.pair, 'EURUSD');
    assert.equal(
      minor(euro?.owedToCustomers),
      -(await sumInDatabase(
        `select sum(balance) as sum from balances where account = 'customer_payable' and currency = 'EUR'`,
      )),
    );
  });

  test('trial balance: every account on its side, of the house or a customer, now or before', async () => {
    for (const parameters of [{}, { to: RANGE.to }, { customerId: desk.customerId }, { currency: 'EUR' }]) {
      const { to, ...filter } = parameters as ReportParameters;
      const trial = await readTrialBalance(pool, filter, to, desk.clock.now());
      const { items, balanced, alarm } = await json('trial-balance', parameters);
      assert.ok(items.length > 0);
      assert.deepEqual(
        items,
        trial.currencies.flatMap(({ currency, accounts }) => accounts.map((line) => ({ currency, ...line }))),
      );
      assert.deepEqual([balanced, alarm], [true, undefined]);
    }
    assert.deepEqual((await json('trial-balance', { to: RANGE.from })).items, []);
  });

  test('trial balance: says in which currency it does not add up', async () => {
    const { pool: own } = await createTestDatabase();
    await keepBusyBooks(own);
    await own.query(
      `update balances set balance = balance + 1 where account = 'suspense' and currency = 'EUR'`,
    );
    const broken = { ...room, pool: own, snapshots: new Snapshots(own) };
    const { text } = await answerReport(broken, REPORTS['trial-balance'], 'json', {});
    const { balanced, alarm } = JSON.parse(text) as Answered;
    assert.deepEqual([balanced, alarm], [false, 'Debits and credits differ in EUR.']);
  });

  test('exposure: every account is in a column, so that each currency adds up', async () => {
    const { pool: own } = await createTestDatabase();
    const books = await keepBusyBooks(own);
    const house = Object.entries({
      ...{ bank: 60_000n, customer_balance: -40_000n, returns_payable: -20_000n },
      ...{ bank_charges: 4_550n, interest: -120n, house_funds: -70_000n, close_out_result: 65_570n },
    }).map(([account, amount]) => ({ account: account as Account, currency: 'EUR', amount }));
    await inTransaction(own, (connection) =>
      postEntries(
        connection,
        [{ customerId: HOUSE_ID, kind: 'bank_entry_booked', postings: house }],
        books.clock.now(),
      ),
    );
    const read = async (to?: number) => {
      const room = { pool: own, snapshots: new Snapshots(own), clock: books.clock, book: books.market.book };
      const { text } = await answerReport(room, REPORTS.exposure, 'json', { to });
      return (JSON.parse(text) as Answered).items;
    };
    const items = await read();
    // Of a time of which no bars are kept it has no value, and all else.
    const unvalued = { pair: null, mid: null, midStale: null, valueUsd: null, unrealisedUsd: null };
    assert.deepEqual(
      (await read(Date.UTC(2027, 0))).map((row) => (row.mid === null ? row : 'a mid')),
      items.map((row) => (row.pair === null ? row : { ...row, ...unvalued })),
    );
    const { rows: times } = await own.query<{ at: number }>(
      'select distinct at from journal_entries order by at',
    );
    const before = (await Promise.all(times.map(({ at }) => read(at)))).flat();
    assert.deepEqual(await read(times[0]?.at), []);
    assert.ok(items.length > 2);
    for (const row of [...items, ...before]) {
      const of = (...columns: string[]) => columns.reduce((sum, column) => sum + minor(row[column]), 0n);
      const debits = of('bank', 'owedByCustomers', 'charges', 'closeOutResult', 'bankCharges');
      const credits = of(
        ...['owedToCustomers', 'overpaid', 'suspense', 'markup', 'position'],
        ...['customerBalances', 'owedToRemitters', 'interest', 'houseFunds'],
      );
      assert.equal(debits, credits, String(row.currency));
    }
  });

  test('overdue: those whose money has not come, with how long', async () => {
    const { pool: own } = await createTestDatabase();
    const late = await createDesk(own);
    const row = await late.execute(await late.quote());
    await own.query(`update transactions set status = 'overdue', received_minor = 100`);
    late.clock.set(row.funding_cutoff_at + 7_200_000);
    const { text } = await answerReport(
      { ...room, snapshots: new Snapshots(own), clock: late.clock },
      REPORTS.overdue,
      'json',
      {},
    );
    const { items } = JSON.parse(text) as Answered;
    assert.deepEqual(
      items.map(({ received, outstanding, overdueHours }) => [received, outstanding, overdueHours]),
      [['1.00', '99999.00', 2]],
    );
  });
});

const made = async (trading: Desk, amount: string) => {
  // Entries are in the order of their instants.
  trading.clock.advance(1);
  return trading.execute(await trading.quote({ amount }));
};

describe("a customer's statement", () => {
  test('opens and closes with what the ledger says, from any instant', async () => {
    const { rows: instants } = await pool.query<{ at: number }>(
      'select distinct at from journal_entries where customer_id = $1 order by at',
      [desk.customerId],
    );
    const to = RANGE.to;
    for (const from of [RANGE.from, ...instants.map(({ at }) => at)]) {
      const statement = await readCustomerStatement(pool, desk.customerId, { from, to }, undefined, to);
      for (const { currency, openingBalance, closingBalance, lines } of statement.currencies) {
        const debits = lines.reduce((sum, { debit }) => sum + (debit === null ? 0n : minor(debit)), 0n);
        const credits = lines.reduce((sum, { credit }) => sum + (credit === null ? 0n : minor(credit)), 0n);
        assert.equal(minor(openingBalance) + credits - debits, minor(closingBalance));
        assert.equal(
          minor(closingBalance),
          -(await sumInDatabase(
            `select sum(balance) as sum from balances where customer_id = $1 and currency = $2
             and account in ('customer_receivable', 'customer_payable', 'customer_excess')`,
            desk.customerId,
            currency,
          )),
        );
      }
    }
  });

  test('has of each deposit what came, and what was forgiven by itself', async () => {
    const { pool: own } = await createTestDatabase();
    const trading = await createDesk(own);
    const [short, unwound] = [await made(trading, '20000.00'), await made(trading, '10000.00')];
    trading.clock.advance(1);
    await fund(trading, short, 1_998_000n);
    trading.clock.advance(1);
    await fund(trading, unwound, 999_000n);
    await settle(trading, order(unwound));
    await fail(trading, order(unwound), 'payout_rejected', undefined);
    trading.clock.advance(1);
    await endTransaction(trading, order(unwound), { closeOutAt: 'trade' });
    const range = { from: EXAMPLE_INSTANT - 1_000, to: EXAMPLE_INSTANT + 86_400_000 };
    const { currencies } = await readCustomerStatement(own, trading.customerId, range, 'USD', range.to);
    const lines = currencies[0]?.lines.map(({ type, reference, debit, credit }) => [
      ...[reference === short.reference ? 'short' : 'unwound', type, debit ?? credit],
    ]);
    assert.deepEqual(lines, [
      ['short', 'trade_executed', '20000.00'],
      ['unwound', 'trade_executed', '10000.00'],
      ['short', 'deposit_allocated', '19980.00'],
      ['short', 'shortfall_forgiven', '20.00'],
      ['unwound', 'deposit_allocated', '9990.00'],
      ['unwound', 'shortfall_forgiven', '10.00'],
      ['unwound', 'trade_cancelled', '10000.00'],
      ['unwound', 'shortfall_forgiven', '10.00'],
    ]);
    assert.equal(currencies[0]?.closingBalance, '9990.00');
  });

  test('of one currency has room for its lines, however many the others have', async () => {
    const { pool: own } = await createTestDatabase();
    const { customerId } = await createDesk(own);
    const from = EXAMPLE_INSTANT;
    await own.query(
      `insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
       select $1, (left(uuid_floor(a.at)::text, 13) || substr(gen_random_uuid()::text, 14))::uuid, 'balance_topped_up', a.at,
         array['bank', 'customer_balance'], array[a.currency, a.currency], array[100, -100]
       from (
         select $2::timestamptz + make_interval(secs => i) as at, case i when 9000 then 'USD' else 'EUR' end as currency
         from generate_series(0, 10002) i) a`,
      [customerId, new Date(from).toISOString()],
    );
    const range = { from, to: from + 86_400_000 };
    await assert.rejects(
      readCustomerStatement(own, customerId, range, undefined, range.to),
      /more than 10000 lines/,
    );
    await assert.rejects(
      readCustomerStatement(own, customerId, range, 'EUR', range.to),
      /more than 10000 lines/,
    );
    const { currencies } = await readCustomerStatement(own, customerId, range, 'USD', range.to);
    assert.deepEqual(
      currencies.map(({ currency, lines }) => [currency, lines.map(({ credit }) => credit)]),
      [['USD', ['1.00']]],
    );
  });
});
