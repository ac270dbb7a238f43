import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findPair, type Pair } from '@firmquote/fx';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { createDesk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { checkBooks } from './check-books.ts';
import { foldSweep } from './kept-rows.ts';
import { pairTotals } from './pair-position-store.ts';
import { pairResult, readPairPositions } from './pair-positions.ts';
import { readPositions } from './positions.ts';

const MIGRATIONS = join(import.meta.dirname, '../../sql/migrations');
const cents = (text: string | null) => BigInt((text ?? assert.fail()).replace('.', ''));
const pairNamed = (code: string): Pair => findPair(code) ?? assert.fail(code);

describe('positions by pair', () => {
  test('both legs of a trade stand together, in the order of the market', async () => {
    const { pool } = await createTestDatabase();
    const desk = await createDesk(pool);
    // The customer sells dollars for euros, then pounds for yen.
    await desk.execute(await desk.quote());
    await desk.execute(await desk.quote({ sellCurrency: 'GBP', buyCurrency: 'JPY', amount: '1000.00' }));
    const { pairs } = await readPairPositions(pool, desk.market.book, desk.clock.now());
    const [euro, pound, ...others] = pairs;
    assert.deepEqual(others, []);
    assert.deepEqual(
      [euro?.pair, euro?.trades, euro?.position, euro?.quotePosition, euro?.averageSold, euro?.averageBought],
      ['EURUSD', 1, '-92171.00', '100000.00', '1.08493995', null],
    );
    assert.deepEqual([pound?.pair, pound?.position, pound?.bought], ['GBPJPY', '1000.00', '1000.00']);
    assert.equal(euro?.realised, '0.00', 'nothing was both bought and sold');
  });

  test('add up to those of currencies, to the last unit, and their results to the cents of rounding', async () => {
    const { pool } = await createTestDatabase();
    const desk = await keepBusyBooks(pool);
    const at = desk.clock.now();
    const read = () => readPairPositions(pool, desk.market.book, at);
    const before = await read();
    await foldSweep(pool).run();
    assert.deepEqual(await read(), before, 'folded or not');
    const sums = new Map<string, bigint>();
    const add = (currency: string, minor: bigint) => sums.set(currency, (sums.get(currency) ?? 0n) + minor);
    for (const { pair, boughtMinor, paidMinor, soldMinor, receivedMinor } of await pairTotals(pool)) {
      add(pair.base.code, boughtMinor - soldMinor);
      add(pair.quote.code, receivedMinor - paidMinor);
    }
    const { positions, total } = await readPositions(pool, desk.market.book, desk.clock.now(), undefined);
    assert.ok(before.pairs.length >= 4 && positions.length >= 5);
    // What a close-out took off or put there belongs to no pair.
    const { rows: closedOut } = await pool.query<{ currency: string; minor: string }>(
      `select l.currency, -sum(l.amount) as minor from journal_entries e
       cross join lateral unnest(e.accounts, e.currencies, e.amounts) as l (account, currency, amount)
       where e.kind = 'close_out' and l.account = 'position' group by l.currency`,
    );
    assert.ok(closedOut.length > 0);
    for (const { currency, minor } of closedOut) add(currency, BigInt(minor));
    for (const { currency, position } of positions) {
      // Legs of other currencies than the dollar leave close-outs out by themselves.
      const other =
        currency === 'USD' ? 0n : BigInt(closedOut.find((each) => each.currency === currency)?.minor ?? 0);
      assert.equal((sums.get(currency) ?? 0n) - other, BigInt(position.replace('.', '')), currency);
    }
    const difference = cents(before.total.resultUsd) - cents(total.resultUsd);
    assert.ok(difference * difference <= BigInt(before.pairs.length ** 2), `${difference} cents apart`);
    assert.equal(
      cents(before.total.realisedUsd) + cents(before.total.unrealisedUsd),
      cents(before.total.resultUsd),
    );
    assert.deepEqual((await checkBooks(pool, desk.clock.now())).keptDifferences, []);
  });

  test('the average price of what was both bought and sold makes the realised result', () => {
    const totals = {
      pair: pairNamed('EURUSD'),
      trades: 3,
      // Bought 300 at 1.10 in the average, sold 100 at 1.15.
      ...{ boughtMinor: 300_00n, paidMinor: 330_00n, soldMinor: 100_00n, receivedMinor: 115_00n },
    };
    const at120 = (minor: bigint, { code }: { code: string }) => (code === 'USD' ? minor : (minor * 6n) / 5n);
    assert.deepEqual(pairResult(totals, at120), {
      realisedMinor: 5_00n,
      realisedUsd: 5_00n,
      // 200 left at 1.20, for 215 paid.
      resultUsd: 25_00n,
    });
    const unpriced = pairResult(totals, (minor, { code }) => (code === 'USD' ? minor : undefined));
    assert.deepEqual([unpriced.realisedUsd, unpriced.resultUsd], [5_00n, undefined]);
  });

  test('an average price has six digits, however little a unit is worth', async () => {
    const { pool } = await createTestDatabase();
    const { market, clock } = await createDesk(pool);
    await ownerOf(
      pool,
    ).query(`insert into pair_positions values ('IDR', 'KWD', 10000000000, 1785412, 0, 0, 1),
      ('EUR', 'USD', 9217100, 10000000, 0, 0, 1), ('KRW', 'USD', 0, 0, 1, 0, 1)`);
    await ownerOf(pool).query(
      `insert into house_positions values ('IDR', -10000000000, 0, 0, 10000000000, 581823)`,
    );
    const { pairs } = await readPairPositions(pool, market.book, clock.now());
    assert.deepEqual(
      pairs.map(({ pair, averageBought, averageSold }) => [pair, averageBought, averageSold]),
      [
        ['EURUSD', '1.08493995', null],
        ['IDRKWD', '0.0000178541', null],
        // A won for nothing.
        ['USDKRW', null, null],
      ],
    );
    const { positions } = await readPositions(pool, market.book, clock.now(), undefined);
    assert.deepEqual(
      positions.map((each) => [each.currency, each.averageBoughtUsd]),
      [['IDR', '0.0000581823']],
    );
  });

  for (const [closed, of] of [
    [null, 'open'],
    ['2026-12-31', 'closed'],
  ] as const) {
    test(`a migration makes of ${of} days what the trigger would have made`, async () => {
      const { pool } = await createTestDatabase();
      await keepBusyBooks(pool);
      const kept = await pairTotals(pool);
      const owner = ownerOf(pool);
      await owner.query('delete from pair_positions');
      await owner.query('update ledger_closing set closed_through = $1, fenced_through = $1', [closed]);
      await runData(owner, '0040_pair_positions.sql');
      if (closed !== null) assert.deepEqual(await pairTotals(pool), kept);
      await runData(owner, '0041_pair_positions_of_open_days.sql');
      assert.deepEqual(await pairTotals(pool), kept);
      assert.ok(kept.length >= 4);
    });
  }
});

/** What a migration does with rows, without the tables that are there already. */
async function runData(owner: Pool, file: string): Promise<void> {
  const statements = readFileSync(join(MIGRATIONS, file), 'utf8')
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim());
  for (const statement of statements) {
    if (/^(insert|drop|create table pair_positions_begin)/.test(statement)) await owner.query(statement);
  }
}
