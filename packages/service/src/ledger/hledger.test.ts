import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import Fastify from 'fastify';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { hledgerBalances, hledgerCheck, needsHledger, ownBalances } from '../../test/support/hledger.ts';
import { EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import { createPool, type Pool } from '../database/pool.ts';
import type { Caller } from '../http/context.ts';
import { handleErrors } from '../http/errors.ts';
import { VirtualClock } from '../platform/clock.ts';
import { EXPORT_BATCH, exportJournal } from './export-journal.ts';
import type { LedgerRoom } from './room.ts';
import { exportRoute } from './routes.ts';

let pool: Pool;
let url: string;
let journal: string;
before(async () => {
  ({ pool, url } = await createTestDatabase());
  await keepBusyBooks(pool);
  await assertBooksBalance(pool);
  journal = await textOf(pool);
});
async function textOf(from: Pool): Promise<string> {
  let text = '';
  for await (const piece of exportJournal(from, EXAMPLE_INSTANT)) text += piece;
  return text;
}

describe('the exported journal', () => {
  test('has a transaction for each entry, and an assertion for each balance', async () => {
    const { rows } = await pool.query<{ entries: number; balances: number; kinds: string[] }>(
      `select (select count(*)::int from journal_entries) as entries, (select count(*)::int from balances) as balances,
         (select array_agg(distinct kind order by kind) from journal_entries) as kinds`,
    );
    assert.deepEqual(rows[0]?.kinds, [
      'bank_entry_booked',
      'close_out',
      'deposit_allocated',
      'deposit_received',
      'deposit_returned',
      'payout_returned',
      'payout_sent',
      'trade_cancelled',
      'trade_executed',
    ]);
    assert.equal(journal.match(/^\d{4}-\d\d-\d\d \* \(je_/gm)?.length, rows[0]?.entries);
    assert.equal(journal.match(/ = -?[\d.]+ [A-Z]{3}$/gm)?.length, rows[0]?.balances);
    assert.match(journal, /^commodity 1000\. JPY$/m);
    assert.match(journal, /^commodity 1000\.000 KWD$/m);
    assert.match(
      journal,
      /^2026-03-04 \* \(je_[0-9a-z]{26}\) trade_executed {2}; txid:txn_[0-9a-z]{26}, at:2026-03-04T/m,
    );
  });

  test('is accepted by hledger', needsHledger, () => {
    const { status, stderr } = hledgerCheck(journal);
    assert.equal(status, 0, stderr);
  });

  test('adds up to our balances', needsHledger, async () => {
    assert.deepEqual(hledgerBalances(journal), await ownBalances(pool));
  });

  const amount = /^( {4}assets:receivable:\S+ {2})(\d+)(\d)(\.\d\d USD)$/m;
  const damaged: readonly (readonly [name: string, damage: (text: string) => string])[] = [
    [
      'an amount that is off',
      (text) => text.replace(amount, (_, a, b, c, d) => `${a}${b}${c === '9' ? '8' : '9'}${d}`),
    ],
    [
      'a lost entry',
      (text) => text.replace(/\n\d{4}-\d\d-\d\d \* \(je_[^\n]+payout_sent[\s\S]*?\n(?=\n)/, '\n'),
    ],
    ['a wrong balance', (text) => text.replace(/(= -?)(\d+\.\d\d EUR\n)/, '$11$2')],
    ['an account that nobody declared', (text) => text.replace(/^account assets:bank[^\n]+\n/m, '')],
    ['an entry out of order', (text) => text.replace(/\n2026-03-04 \* \(/, '\n2027-03-04 * (')],
  ];
  for (const [name, damage] of damaged) {
    test(`is refused with ${name}`, needsHledger, () => {
      const text = damage(journal);
      assert.ok(text !== journal);
      assert.notEqual(hledgerCheck(text).status, 0);
    });
  }

  test('of empty books is empty, and accepted', needsHledger, async () => {
    const { pool: empty } = await createTestDatabase();
    const text = await textOf(empty);
    assert.doesNotMatch(text, /^\d/m);
    assert.equal(hledgerCheck(text).status, 0);
  });

  test('of more balances than are read at once has each of them, under one head', async () => {
    const { pool: large } = await createTestDatabase();
    const count = EXPORT_BATCH + 1;
    await large.query(
      `insert into balances (customer_id, account, currency, balance)
       select gen_random_uuid(), 'bank', case n when 1 then 'JPY' else 'USD' end, 0 from generate_series(1, $1::int) n`,
      [count],
    );
    const text = await textOf(large);
    assert.equal(text.match(/^; Firmquote journal/gm)?.length, 1);
    assert.equal(text.match(/ = 0[.\d]* (?:USD|JPY)$/gm)?.length, count);
    assert.match(text, /^commodity 1000\. JPY$/m);
  });

  test('gives its connection back when its reader goes away', async () => {
    for (let i = 0; i < 20; i++) {
      const broken = exportJournal(pool, EXAMPLE_INSTANT);
      await broken.next();
      await broken.return(undefined);
    }
    assert.equal(pool.waitingCount, 0);
    assert.equal(pool.totalCount, pool.idleCount);
  });

  test('is one snapshot: what is booked while it is read is not in it, balances included', async () => {
    const export_ = exportJournal(pool, EXAMPLE_INSTANT);
    const head = await export_.next();
    await keepBusyBooks(pool);
    let text = String(head.value);
    for await (const piece of export_) text += piece;
    assert.ok(text === journal);
    assert.notEqual((await textOf(pool)).length, journal.length);
  });
});

describe('the export', () => {
  test('of no entries is its head alone', async () => {
    const { pool: empty } = await createTestDatabase();
    const nothing = await textOf(empty);
    assert.match(nothing, /^; .*2026-03-04T/m);
    assert.doesNotMatch(nothing, / \* /);
  });

  test('gives its connection back when all was read, and ends it when the reader went away', async () => {
    const single = createPool({ connection: url, max: 1, onError: () => undefined });
    const session = async () =>
      (await single.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
    const first = await session();
    await textOf(single);
    assert.equal(await session(), first);
    for await (const piece of exportJournal(single, EXAMPLE_INSTANT)) {
      assert.notEqual(piece, '');
      break;
    }
    assert.notEqual(await session(), first, 'its snapshot is gone with it');
    await single.end();
  });

  test('is made for two readers at once; the third is told to come again, until one is done', async () => {
    const waiting: ((error: Error) => void)[] = [];
    const busy = { connect: () => new Promise((_, reject) => waiting.push(reject)) } as unknown as Pool;
    const app = Fastify();
    handleErrors(app, () => 'http://localhost');
    const reader: Caller = {
      actor: { kind: 'client', id: 'x' },
      ...{ personId: undefined, tokenId: 'x', customerId: undefined, scopes: new Set<string>() },
    };
    app.decorate('readmission', () => () => reader);
    exportRoute(app, { pool: busy, clock: new VirtualClock() } as unknown as LedgerRoom);
    const ask = () => app.inject({ url: '/v1/operator/ledger/export' });
    const started = async (count: number) => {
      while (waiting.length < count) await new Promise(setImmediate);
    };
    const readers = [ask().catch(() => undefined), ask().catch(() => undefined)];
    await started(2);
    const third = await ask();
    assert.deepEqual(
      [third.statusCode, third.json().code, third.headers['retry-after']],
      [503, 'overloaded', '10'],
    );
    assert.match(third.json().detail, /^2 exports/);
    waiting[0]?.(new Error('gone'));
    await readers[0];
    readers.push(ask().catch(() => undefined));
    await started(3);
    for (const reject of waiting) reject(new Error('gone'));
    await Promise.all(readers);
    await app.close();
  });
});
