import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Positions } from '@firmquote/api/operations/ledger';
import fc from 'fast-check';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { VirtualClock } from '../platform/clock.ts';
import { closeDays } from './closing.ts';
import { positionResult } from './position-result.ts';
import { positionTotals } from './position-store.ts';
import { readPositions, readPositionsBefore } from './positions.ts';
import { trialBalances } from './store.ts';

const cents = (text: string | null) => BigInt((text ?? '').replace('.', ''));

describe('the result of a position', () => {
  const none = { currency: 'EUR', boughtMinor: 0n, boughtUsdMinor: 0n, soldMinor: 0n, soldUsdMinor: 0n };

  test('bought at 1.10, sold a part at 1.20, the rest worth 1.15', () => {
    const totals = {
      ...none,
      boughtMinor: 100_00n,
      boughtUsdMinor: 110_00n,
      soldMinor: 40_00n,
      soldUsdMinor: 48_00n,
    };
    const result = positionResult(totals, (minor) => (minor * 115n) / 100n);
    assert.deepEqual(result, {
      netMinor: 60_00n,
      realisedUsdMinor: 4_00n,
      valueUsdMinor: 69_00n,
      unrealisedUsdMinor: 3_00n,
    });
  });

  test('of a short position', () => {
    const totals = { ...none, soldMinor: 50_00n, soldUsdMinor: 60_00n };
    const result = positionResult(totals, (minor) => minor);
    assert.deepEqual(
      [result.realisedUsdMinor, result.valueUsdMinor, result.unrealisedUsdMinor],
      [0n, -50_00n, 10_00n],
    );
  });

  test('is realised alone when all is sold, whatever there is of a price', () => {
    const totals = { ...none, boughtMinor: 7n, boughtUsdMinor: 10n, soldMinor: 7n, soldUsdMinor: 12n };
    const result = positionResult(totals, () => undefined);
    assert.deepEqual([result.realisedUsdMinor, result.unrealisedUsdMinor], [2n, 0n]);
    assert.equal(positionResult({ ...totals, soldMinor: 6n }, () => undefined).unrealisedUsdMinor, undefined);
  });

  test('adds up to value and yield less cost, to the cent, whatever was traded', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 17n });
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, (bought, cost, sold, yielded, value) => {
        const totals = {
          currency: 'JPY',
          boughtMinor: bought,
          boughtUsdMinor: bought === 0n ? 0n : cost,
          soldMinor: sold,
          soldUsdMinor: sold === 0n ? 0n : yielded,
        };
        const result = positionResult(totals, () => value);
        const worth = bought === sold ? 0n : value;
        assert.equal(
          result.realisedUsdMinor + (result.unrealisedUsdMinor ?? -1n),
          worth + totals.soldUsdMinor - totals.boughtUsdMinor,
        );
      }),
    );
  });
});

describe('positions of the books', () => {
  let pool: Pool;
  let desk: Desk;
  before(async () => {
    ({ pool } = await createTestDatabase());
    desk = await keepBusyBooks(pool);
  });

  const read = (customerId?: string): Promise<Positions> =>
    readPositions(pool, desk.market.book, desk.clock.now(), customerId);

  test('are what the position accounts have in credit, and cancelled trades are as if they had not been', async () => {
    for (const customerId of [undefined, desk.customerId]) {
      const { rows } = await pool.query<{ currency: string; balance: string }>(
        `select currency, sum(balance) as balance from balances
         where account = 'position' and ($1::uuid is null or customer_id = $1) group by currency order by currency`,
        [customerId ?? null],
      );
      const { positions } = await read(customerId);
      assert.deepEqual(
        positions.map(({ currency, position }) => [currency, cents(position)]),
        rows.map(({ currency, balance }) => [currency, -BigInt(balance)]),
      );
    }
    const euro = (await positionTotals(pool, desk.customerId)).find(({ currency }) => currency === 'EUR');
    // 100,000 and 20,000 and 3,000 and 7,000 dollars, and 5,000 euros; not the 900 dollars that were unwound.
    assert.equal(euro?.soldUsdMinor, 100_000_00n + 20_000_00n + 3_000_00n + 7_000_00n + 5_424_70n);
    assert.equal(euro?.boughtMinor, 40_000_00n);
  });

  test('the total result is what all positions are worth together, without what close-outs put there', async () => {
    const { positions, total } = await read();
    assert.equal(total.complete, true);
    const { rows } = await pool.query<{ currency: string; minor: string }>(
      `select currency, sum(amount)::text as minor from journal_postings
       where kind = 'close_out' and account = 'position' group by currency`,
    );
    // A close-out is booked against a result of its own, so it is none of the position's.
    assert.deepEqual(
      rows.map(({ currency }) => currency),
      ['USD'],
    );
    const worth =
      positions.reduce((sum, { valueUsd }) => sum + cents(valueUsd), 0n) + BigInt(rows[0]?.minor ?? '0');
    assert.equal(cents(total.resultUsd), worth);
    assert.equal(cents(total.realisedUsd) + cents(total.unrealisedUsd), worth);
    // Trades are entered at the market's own price, so the result is half of the market's spread and the crosses' error.
    assert.ok(worth > -20_00n && worth < 50_00n, String(worth));
  });

  test('are the same after their days were closed', async () => {
    const open = await read();
    const clock = new VirtualClock();
    clock.set(EXAMPLE_INSTANT + 30 * 86_400_000);
    while ((await closeDays(pool, clock)) > 0);
    const { rows } = await pool.query('select * from position_days');
    assert.ok(rows.length > 5);
    assert.deepEqual({ ...(await read()), at: '' }, { ...open, at: '' });
    assert.deepEqual((await read(desk.customerId)).positions.length, 5);
  });

  test('without a price have no unrealised result, and no total that leaves them out', async () => {
    const bare = await createDesk(pool);
    const { positions, total } = await readPositions(pool, bare.market.book, bare.clock.now(), undefined);
    assert.ok(positions.every(({ mid }) => mid !== undefined));
    bare.market.book.release('USDKWD');
    const partly = await readPositions(pool, bare.market.book, bare.clock.now(), undefined);
    assert.equal(total.complete, true);
    assert.equal(partly.positions.find(({ currency }) => currency === 'KWD')?.unrealisedUsd, null);
    assert.deepEqual(
      [partly.total.complete, partly.total.unrealisedUsd, partly.total.resultUsd],
      [false, null, null],
    );
  });
});

describe('positions as they were', () => {
  let pool: Pool;
  let desk: Desk;
  const DAY_MS = 86_400_000;
  before(async () => {
    ({ pool } = await createTestDatabase());
    desk = await createDesk(pool);
    const other = await createDesk(pool);
    for (let day = 0; day < 6; day++) {
      for (const [each, at] of [
        [desk, EXAMPLE_INSTANT],
        [other, EXAMPLE_INSTANT + DAY_MS / 2],
      ] as const) {
        each.clock.set(at + day * DAY_MS);
        const direction = day % 2 === 0 ? {} : { sellCurrency: 'EUR', buyCurrency: 'USD' };
        await each.execute(await each.quote({ ...direction, amount: `${1000 + 10 * day}.00` }));
        await each.execute(await each.quote({ sellCurrency: 'USD', buyCurrency: 'KWD', amount: '25.00' }));
      }
    }
  });

  /** Of the lines alone, without what depends on prices. */
  const traded = ({ positions }: Positions) =>
    positions.map(({ currency, position, bought, sold, averageBoughtUsd }) => [
      ...[currency, position, bought, sold, averageBoughtUsd],
    ]);

  test('are those of now at the end, and at each instant what the position accounts had', async () => {
    const end = EXAMPLE_INSTANT + 7 * DAY_MS;
    const check = async () => {
      for (const customerId of [undefined, desk.customerId]) {
        assert.deepEqual(
          traded(await readPositionsBefore(pool, end, customerId)),
          traded(await readPositions(pool, desk.market.book, end, customerId)),
        );
        for (let at = EXAMPLE_INSTANT; at < end; at += DAY_MS / 4) {
          const balances = await trialBalances(pool, { customerId }, at);
          const { positions, at: shown } = await readPositionsBefore(pool, at, customerId);
          assert.equal(Date.parse(shown), at);
          assert.deepEqual(
            positions.map(({ currency, position }) => [currency, cents(position)]),
            balances
              .filter(({ account }) => account === 'position')
              .map(({ currency, balance }) => [currency, -balance]),
          );
        }
      }
    };
    await check();
    const clock = new VirtualClock();
    clock.set(EXAMPLE_INSTANT + 4 * DAY_MS);
    while ((await closeDays(pool, clock)) > 0);
    await check();
  });

  test('are worth what the market said last, as far as that is kept', async () => {
    const at = EXAMPLE_INSTANT + 5 * DAY_MS;
    const bar = (table: string, seconds: number, bid: string, ask: string) =>
      pool.query(
        `insert into market_bars_${table} (pair, at, open, high, low, close, bid, ask, ticks)
         values ('EURUSD', $1, $2, $2, $2, $2, $2, $3, 1)`,
        [new Date(at + seconds * 1_000), bid, ask],
      );
    const euros = async () => {
      const { positions, total } = await readPositionsBefore(pool, at, desk.customerId);
      const { mid, valueUsd, position } =
        positions.find(({ currency }) => currency === 'EUR') ?? assert.fail();
      return { mid, valueUsd, position, complete: total.complete };
    };
    const none = await euros();
    assert.deepEqual([none.mid, none.valueUsd, none.complete], [null, null, false]);
    await bar('1m', -7_200, '1.05', '1.07');
    const asOf = (seconds: number) => new Date(at + seconds * 1_000).toISOString();
    assert.deepEqual((await euros()).mid, {
      pair: 'EURUSD',
      value: '1.060',
      asOf: asOf(-7_140),
      stale: true,
    });
    await bar('1s', -30, '1.90', '2.10');
    // Not over by then.
    await bar('1m', -30, '4', '4.02');
    await bar('1s', 0, '3', '3.02');
    const last = await euros();
    assert.deepEqual(last.mid, { pair: 'EURUSD', value: '2.000', asOf: asOf(-29), stale: false });
    assert.equal(cents(last.valueUsd), cents(last.position) * 2n);
    // Of the dinar nothing is kept.
    assert.equal(last.complete, false);
  });

  test('of a currency that is quoted against the euro alone are worth what they were in the book', async () => {
    const at = EXAMPLE_INSTANT + 9 * DAY_MS;
    const bars = (values: string) =>
      pool.query(`insert into market_bars_1s (pair, at, open, high, low, close, bid, ask, ticks)
        select pair, at, bid, bid, bid, bid, bid, ask, 1 from (values ${values}) v (pair, at, bid, ask)`);
    const time = (seconds: number) => `'${new Date(at - seconds * 1_000).toISOString()}'::timestamptz`;
    await bars(`('EURUSD', ${time(30)}, 1.25, 1.25), ('EURKWD', ${time(40)}, 0.375, 0.3751)`);
    const dinars = async () => {
      const { positions, total } = await readPositionsBefore(pool, at, undefined);
      const { mid, valueUsd } = positions.find(({ currency }) => currency === 'KWD') ?? assert.fail();
      return { mid, isValued: valueUsd !== null, complete: total.complete };
    };
    const asOf = new Date(at - 39_000).toISOString();
    assert.deepEqual(await dinars(), {
      mid: { pair: 'USDKWD', value: '0.300040', asOf, stale: false },
      isValued: true,
      complete: true,
    });
    // One that the pair has of its own goes before.
    await bars(`('USDKWD', ${time(7_200)}, 0.31, 0.31)`);
    assert.equal((await dinars()).mid?.value, '0.310');
  });
});
