import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ReportName } from '@firmquote/api/operations/reports';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { funded } from '../../test/support/stories.ts';
import { type Desk, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { commandDeposit } from '../deposits/operate-deposit.ts';
import { receiveDeposit } from '../deposits/receive-deposit.ts';
import { returning } from '../deposits/return-deposit.ts';
import { answerReport } from './answer-report.ts';
import { REPORTS } from './catalogue.ts';
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
  readonly balanced?: boolean;
  readonly alarm?: string;
}

async function json(name: ReportName, parameters: ReportParameters = {}): Promise<Answered> {
  const { text } = await answerReport(room, REPORTS[name], 'json', parameters);
  return JSON.parse(text) as Answered;
}

const minor = (text: unknown) => BigInt(String(text).replace('.', ''));

async function sumInDatabase(sql: string, ...values: unknown[]): Promise<bigint> {
  const { rows } = await pool.query<{ sum: string | null }>(sql, values);
  return BigInt(rows[0]?.sum ?? '0');
}

describe('the reconciliation report', () => {
  test('adds up: received = matched + returned + in exceptions, and the journal agrees', async () => {
    const { items, balanced, alarm } = await json('reconciliation', RANGE);
    assert.deepEqual([balanced, alarm], [true, undefined]);
    const dollars = items.find(({ check, currency }) => check === 'received' && currency === 'USD');
    assert.ok(dollars);
    assert.equal(
      minor(dollars.received),
      await sumInDatabase(`select sum(amount_minor) as sum from deposits where currency = 'USD'`),
    );
    assert.equal(
      minor(dollars.received),
      minor(dollars.matched) + minor(dollars.returned) + minor(dollars.inExceptions),
    );
    assert.deepEqual(
      [dollars.ofWhichExcess, dollars.difference, dollars.ledgerDifference],
      ['100.00', '0.00', '0.00'],
    );
    const euros = items.find(({ check, currency }) => check === 'received' && currency === 'EUR');
    assert.equal(euros?.inExceptions, '777.77');
    const suspense = items.find(({ check, currency }) => check === 'suspense_now' && currency === 'EUR');
    assert.deepEqual([suspense?.inExceptions, suspense?.bookedInLedger], ['777.77', '777.77']);
  });

  test('has a deposit in the period that begins when it came, and not in the one that ends then', async () => {
    const { rows } = await pool.query<{ at: number; minor: string; count: number }>(
      `select received_at as at, sum(amount_minor)::text as minor, count(*)::int as count from deposits
       where currency = 'USD' group by received_at`,
    );
    assert.ok(rows.length > 0);
    for (const { at, minor: amount, count } of rows) {
      const begins = { from: at, to: at + 1, currency: 'USD' };
      const [received] = (await json('reconciliation', begins)).items;
      assert.deepEqual([received?.check, minor(received?.received ?? '')], ['received', BigInt(amount)]);
      assert.equal((await json('deposits', begins)).items.length, count);
      const ends = { from: at - 1, to: at, currency: 'USD' };
      assert.ok((await json('reconciliation', ends)).items.every(({ check }) => check !== 'received'));
      assert.deepEqual((await json('deposits', ends)).items, []);
    }
  });

  test('adds up when deposits went back, wholly and in part', async () => {
    const { pool: own } = await createTestDatabase();
    const { desk: other } = await funded(own);
    const at = { pool: own, snapshots: new Snapshots(own), clock: other.clock, book: other.market.book };
    for (const [bankReference, minorUnits, back] of [
      ['WHOLE', 50_000n, undefined],
      ['PART', 70_000n, '200.00'],
    ] as const) {
      const received = await receiveDeposit(other, {
        account: 'house',
        bankReference,
        source: 'operator',
        amountMinor: minorUnits,
        currency: 'USD',
        remitterName: null,
        remitterAccount: null,
        remittanceText: null,
        valueDate: '2026-03-04',
        receivedAt: other.clock.now(),
        fingerprint: bankReference,
      });
      const depositId = received.deposit.id;
      const order = { depositId, ifMatch: undefined, actor: other.clientId, reason: 'not ours' };
      const account = { accountHolder: 'Payer', iban: 'DE02120300000000202051' };
      await commandDeposit(other, order, returning, {
        returnedBy: 'house',
        account,
        ...(back && { amount: back }),
      });
    }
    const { text } = await answerReport(at, REPORTS.reconciliation, 'json', RANGE);
    const { items, balanced } = JSON.parse(text) as Answered;
    assert.equal(balanced, true, text);
    const dollars = items.find(({ check }) => check === 'received');
    assert.deepEqual([dollars?.returned, dollars?.inExceptions], ['700.00', '500.00']);
  });

  test('says whether the banks have what the ledger says', async () => {
    const bankNow = async () => {
      const { items, balanced, alarm } = await json('reconciliation', { ...RANGE, currency: 'EUR' });
      return { row: items.find(({ check }) => check === 'bank_now'), balanced, alarm };
    };
    const { row: before } = await bankNow();
    // No statement has reported anything: all that the ledger has is named one by one.
    assert.deepEqual([before?.bankBalance, before?.unexplained, before?.result], ['0.00', '0.00', 'adds_up']);
    assert.equal(
      minor(before?.bookedInLedger),
      await sumInDatabase(
        `select sum(balance) as sum from balances where account = 'bank' and currency = 'EUR'`,
      ),
    );
    assert.equal(minor(before?.openItems), -minor(before?.bookedInLedger));
    // A statement whose entries are not here, as when one before it is missing.
    await pool.query(
      `insert into statement_files (id, name, sha256, size_bytes, source, received_at, last_attempt_at, status, format)
       values ('0195f000-0000-7000-8000-000000000001', 's', repeat('0', 64), 1, 'api', now(), now(), 'accepted', 'camt')`,
    );
    await pool.query(
      `insert into bank_statements (id, file_id, position, line, kind, account, is_own, currency, period_to, opening_minor,
         opening_currency, opening_date, closing_minor, closing_currency, closing_date, bookings, new_bookings)
       values ('0195f000-0000-7000-8000-000000000002', '0195f000-0000-7000-8000-000000000001', 0, 1, 'statement', 'house', true,
         'EUR', '2026-03-05', 0, 'EUR', '2026-03-05', 700, 'EUR', '2026-03-05', 0, 0)`,
    );
    const { row, balanced, alarm } = await bankNow();
    assert.deepEqual([row?.unexplained, row?.result, balanced], ['7.00', 'DOES_NOT_ADD_UP', false]);
    assert.match(alarm ?? '', /bank_now house EUR/);
    await ownerOf(pool).query('delete from bank_statements');
  });

  const mistakes: readonly (readonly [name: string, sql: string, check: string])[] = [
    [
      'an allocation that is lost',
      `delete from deposit_allocations where allocated_minor = 200000`,
      'received',
    ],
    [
      'an allocation of too much',
      `update deposit_allocations set allocated_minor = allocated_minor + 1 where allocated_minor = 200000`,
      'received',
    ],
    [
      'a deposit that was never booked',
      `update deposits set amount_minor = amount_minor + 1 where bank_reference = 'NOBODY'`,
      'received',
    ],
    [
      'a suspense account that is off',
      `update balances set balance = balance + 1 where account = 'suspense' and currency = 'EUR'`,
      'suspense_now',
    ],
  ];
  for (const [name, sql, check] of mistakes) {
    test(`says it loudly with ${name}`, async () => {
      const { pool: own } = await createTestDatabase();
      const broken = await keepBusyBooks(own);
      const { rowCount } = await own.query(sql);
      assert.equal(rowCount, 1);
      const damaged = {
        pool: own,
        snapshots: new Snapshots(own),
        clock: broken.clock,
        book: broken.market.book,
      };
      const { text, end } = await answerReport(damaged, REPORTS.reconciliation, 'json', RANGE);
      const { items, balanced, alarm } = JSON.parse(text) as Answered;
      assert.deepEqual([balanced, end.balanced], [false, false]);
      assert.match(alarm ?? '', new RegExp(`do not add up: .*${check}`));
      assert.ok(items.some((row) => row.check === check && row.result === 'DOES_NOT_ADD_UP'));
    });
  }
});
