import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { formatAmount } from '@firmquote/fx';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { ledgerCurrency } from './accounts.ts';
import { exportJournal } from './export-journal.ts';
import { exportAccount } from './hledger.ts';

/** hledger is a program of its own that has never seen this code: what it accepts adds up. */
const CHECKS = ['balancednoautoconversion', 'accounts', 'commodities', 'ordereddates'];
const hasHledger = spawnSync('hledger', ['--version']).status === 0;
const needed = hasHledger ? {} : { skip: 'hledger is not installed' };

let pool: Pool;
let folder: string;
let journal: string;
before(async () => {
  ({ pool } = await createTestDatabase());
  await keepBusyBooks(pool);
  await assertBooksBalance(pool);
  folder = mkdtempSync(join(tmpdir(), 'fq-hledger-'));
  journal = await textOf(pool);
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function textOf(from: Pool): Promise<string> {
  let text = '';
  for await (const piece of exportJournal(from, EXAMPLE_INSTANT)) text += piece;
  return text;
}

function hledger(text: string, ...args: string[]) {
  const file = join(folder, 'books.journal');
  writeFileSync(file, text);
  return spawnSync('hledger', ['-f', file, ...args], { encoding: 'utf8' });
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

  test('is accepted by hledger', needed, () => {
    const { status, stderr } = hledger(journal, 'check', ...CHECKS);
    assert.equal(status, 0, stderr);
  });

  test('adds up to our balances', needed, async () => {
    const { status, stdout, stderr } = hledger(
      journal,
      'bal',
      '-N',
      '--flat',
      '-E',
      '--layout=bare',
      '-O',
      'csv',
    );
    assert.equal(status, 0, stderr);
    const theirs = stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.replaceAll('"', ''))
      .sort();
    const { rows } = await pool.query<{
      customer_id: string;
      account: string;
      currency: string;
      balance: string;
    }>('select * from balances');
    const ours = rows.map(({ customer_id, account, currency, balance }) => {
      const name = exportAccount(account, customer_id, currency);
      const isZero = BigInt(balance) === 0n;
      return `${name},${currency},${isZero ? '0' : formatAmount(BigInt(balance), ledgerCurrency(currency))}`;
    });
    assert.deepEqual(theirs, ours.sort());
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
    test(`is refused with ${name}`, needed, () => {
      const text = damage(journal);
      assert.ok(text !== journal);
      assert.notEqual(hledger(text, 'check', ...CHECKS).status, 0);
    });
  }

  test('of empty books is empty, and accepted', needed, async () => {
    const { pool: empty } = await createTestDatabase();
    const text = await textOf(empty);
    assert.doesNotMatch(text, /^\d/m);
    assert.equal(hledger(text, 'check', ...CHECKS).status, 0);
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
