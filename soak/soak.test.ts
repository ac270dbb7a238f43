import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { Books } from './bank.ts';
import { check } from './check.ts';
import { Random } from './random.ts';
import { Report } from './report.ts';
import { soak } from './soak.ts';

const PAYMENT = { amountMinor: 100n, endToEndId: null, uetr: null, text: 'x', name: 'y', account: 'z' };

test('some seconds of it pass, and what is broken on purpose is found', async (t) => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fq-soak-'));
  // Started by root, the database runs as another user, who must be able to pass.
  chmodSync(folder, 0o711);
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const report = new Report(join(folder, 'log'));
  let found: readonly string[] = [];
  await soak(
    {
      folder,
      seed: 4,
      seconds: 2,
      daySeconds: 2,
      lastDays: 1,
      async onChecked(databaseUrl, truth) {
        const [trader] = truth.traders;
        const trade = truth.traders.flatMap(({ acknowledged }) => acknowledged)[0];
        assert.ok(trader !== undefined && trade !== undefined, 'there were trades');
        const other = { ...trade, reference: 'RF00000000000000' };
        const books = new Map(truth.books);
        const eur = books.get('EUR');
        assert.ok(eur !== undefined);
        const more = new Books(eur.account, new Random(1));
        more.pay([PAYMENT], '2026-03-02');
        books.set('EUR', more);
        const client = new pg.Client({ connectionString: databaseUrl });
        await client.connect();
        await client.query(`update balances set balance = balance + 1 where account = 'position'`);
        await client.query('update customer_usage set last_event_sequence = last_event_sequence + 1');
        await client.end();
        const broken = new Report(join(folder, 'broken'));
        const traders = [
          Object.assign(Object.create(trader), { acknowledged: [...trader.acknowledged, other] }),
        ];
        await check(databaseUrl, { ...truth, traders, books, paidIn: new Map([['EUR', [1n]]]) }, broken);
        found = broken.violations;
      },
    },
    report,
  );
  assert.deepEqual(report.violations, [], report.table());
  for (const rule of [
    'every acknowledged trade is stored, as it was told',
    'every stored trade was acknowledged: each caller asked until it knew',
    'every payment of a customer is one deposit',
    'the bank of the service is the bank',
    'books balanced: the balances are the sums of the journal',
    'books balanced: owner by owner, the balances add up to nothing',
    'a feed of events has no gap and ends where its customer says',
  ])
    assert.ok(found.includes(rule), rule);
});
