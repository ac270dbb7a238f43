import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { fund } from '../../test/support/stories.ts';
import { createDesk, EXAMPLE_INSTANT, executionOf } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { readHousePositions } from '../exposure/position-store.ts';
import { cancelQuote } from '../quotes/quote-lifecycle.ts';
import { readLadder } from '../reports/trade-store.ts';
import { TransactionStore } from '../transactions/store.ts';
import { checkBooks } from './check-books.ts';
import { type JournalEntry, postEntries } from './journal.ts';
import { keptDifferences } from './kept-row-store.ts';
import { foldSweep } from './kept-rows.ts';
import { pairTotals } from './pair-position-store.ts';
import { dollarPosition, positionTotals } from './position-store.ts';

let pool: Pool;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 12 }));
});

async function rowsOf(of: Pool, table: string): Promise<number> {
  const { rows } = await of.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? 0;
}

/** What is reported of the house, which folding must not change. */
async function reported(of: Pool, at: number) {
  return [
    await readHousePositions(of, at),
    await positionTotals(of, undefined),
    await dollarPosition(of, undefined),
    await readLadder(of, {}),
  ];
}

describe('rows that are kept', () => {
  test('are what journal, quotes and transactions come to after every kind of entry, folded or not', async () => {
    const { pool: own } = await createTestDatabase();
    const desk = await keepBusyBooks(own);
    // Several that run out together: pounds are sold alone, euros bought alone, dollars both.
    for (const amount of ['1000.00', '2000.00', '3000.00']) {
      await desk.quote({ amount, validitySeconds: 60 });
      await desk.quote({ sellCurrency: 'GBP', buyCurrency: 'USD', amount, validitySeconds: 60 });
    }
    const cancelled = await desk.quote({ validitySeconds: 30 });
    await cancelQuote(desk.services, desk.customerId, cancelled.id, desk.clock.now(), undefined);
    await assertBooksBalance(own);
    const before = await reported(own, desk.clock.now());
    const ladder = await readLadder(own, {});
    assert.ok(ladder.length >= 4, 'there is something to compare');
    const many = await rowsOf(own, 'house_positions');
    await foldSweep(own).run();
    assert.ok((await rowsOf(own, 'house_positions')) < many);
    assert.equal(await rowsOf(own, 'house_positions'), 5, 'one for each currency');
    assert.equal(await rowsOf(own, 'house_open_quotes'), 3, 'one for each currency of quotes that are open');
    assert.equal(await rowsOf(own, 'settlement_ladder'), ladder.length, 'one for each date and currency');
    assert.deepEqual(await reported(own, desk.clock.now()), before);
    await assertBooksBalance(own);
  });

  test('hold to the cent what one trade and one quote come to', async () => {
    const { pool: own } = await createTestDatabase();
    const desk = await createDesk(own);
    const row = await desk.execute(await desk.quote());
    await desk.quote({ sellCurrency: 'EUR', buyCurrency: 'USD', amount: '1000.00' });
    await fund(desk, row, 2_500_000n);
    const { byCurrency, openQuotes } = await readHousePositions(own, desk.clock.now());
    // 100,000.00 USD for 92,171.00 EUR at the market; then 1,000.00 EUR for 1,084.88 USD.
    assert.deepEqual(
      [...byCurrency],
      [
        ['EUR', { position: -92_171_00n, openLong: 1_000_00n, openShort: 0n }],
        ['USD', { position: 100_000_00n, openLong: 0n, openShort: 1_084_88n }],
      ],
    );
    assert.equal(openQuotes, 1);
    assert.deepEqual(await readLadder(own, {}), [
      {
        value_date: '2026-03-06',
        currency: 'EUR',
        trades_in: 0,
        expected: '0',
        received: '0',
        outstanding: '0',
        trades_out: 1,
        to_pay: row.buy_minor,
      },
      {
        value_date: '2026-03-06',
        currency: 'USD',
        trades_in: 1,
        expected: '10000000',
        received: '2500000',
        outstanding: '7500000',
        trades_out: 0,
        to_pay: '0',
      },
    ]);
  });

  test('count trades that change places though the sums stay what they were', async () => {
    const { pool: own } = await createTestDatabase();
    const desk = await createDesk(own);
    const bought = async (amount: string) => desk.execute(await desk.quote({ fixedSide: 'buy', amount }));
    const [whole, half, other] = [await bought('100.00'), await bought('50.00'), await bought('50.00')];
    await ownerOf(own).query(
      `update transactions set value_date = '2026-03-09' where id = any ($1::uuid[])`,
      [[half.id, other.id]],
    );
    await ownerOf(own).query(
      `update transactions set value_date = case id when $1::uuid then date '2026-03-09' else date '2026-03-06' end`,
      [whole.id],
    );
    const euros = (await readLadder(own, {})).filter(({ currency }) => currency === 'EUR');
    assert.deepEqual(
      euros.map(({ value_date, trades_out, to_pay }) => [value_date, trades_out, to_pay]),
      [
        ['2026-03-06', 2, '10000'],
        ['2026-03-09', 1, '10000'],
      ],
    );
    await assertBooksBalance(own);
  });

  test('no longer hold quotes that are deleted while they are open, several at once', async () => {
    const { pool: own } = await createTestDatabase();
    const desk = await createDesk(own);
    await desk.quote();
    await desk.execute(await desk.quote());
    const before = await readHousePositions(own, desk.clock.now());
    const more = await Promise.all(['1000.00', '2000.00', '3000.00'].map((amount) => desk.quote({ amount })));
    assert.equal((await readHousePositions(own, desk.clock.now())).openQuotes, 4);
    await ownerOf(own).query('delete from quotes where id = any($1::uuid[])', [more.map(({ id }) => id)]);
    assert.deepEqual(await readHousePositions(own, desk.clock.now()), before);
    await assertBooksBalance(own);
  });

  test('one that is off by one is found by the check of the books', async () => {
    const { pool: own } = await createTestDatabase();
    const desk = await createDesk(own);
    const row = await desk.execute(await desk.quote());
    await desk.quote();
    const look = async () => {
      const { ok, keptDifferences: found } = await checkBooks(own, desk.clock.now());
      return [ok, found.map(({ rows }) => rows)];
    };
    assert.deepEqual(await look(), [true, []]);
    const damages: readonly (readonly [string, string])[] = [
      ['customer_position', 'customer_positions set sold_usd_minor = sold_usd_minor + 1'],
      ['house_position', "house_positions set balance_minor = balance_minor + 1 where currency = 'USD'"],
      ['pair_position', "pair_positions set bought_minor = bought_minor + 1 where first_currency = 'EUR'"],
      ['open_quotes', "house_open_quotes set short_minor = short_minor + 1 where currency = 'EUR'"],
      [
        'settlement_ladder',
        "settlement_ladder set received_minor = received_minor + 1 where currency = 'USD'",
      ],
    ];
    for (const [rows, damage] of damages) {
      await ownerOf(own).query(`update ${damage}`);
      const [ok, found] = await look();
      assert.equal(ok, false);
      assert.ok((found as string[]).every((each) => each === rows) && (found as string[]).length > 0, rows);
      await ownerOf(own).query(`update ${damage.replace('+ 1', '- 1')}`);
    }
    assert.deepEqual(await look(), [true, []]);
    assert.equal(row.status, 'awaiting_funds');
    await ownerOf(own).query('update customer_positions set sold_usd_minor = sold_usd_minor + 1');
    await ownerOf(own).query('update settlement_ladder set received_minor = received_minor + 1');
    const reported = async (rowsMax: number) => (await keptDifferences(own, rowsMax)).map(({ rows }) => rows);
    const all = ['customer_position', 'settlement_ladder', 'settlement_ladder'];
    for (const rowsMax of [1, 2, 3, 9]) assert.deepEqual(await reported(rowsMax), all.slice(0, rowsMax));
  });
});

describe('keeping them', () => {
  test('lets nobody wait for another customer, nor for who folds', async () => {
    const [one, two] = [await createDesk(pool), await createDesk(pool)];
    const [first, second] = [await one.quote(), await two.quote()];
    await inTransaction(pool, async (connection) => {
      const { clock, limitDay } = one.services;
      const store = new TransactionStore({
        pool: connection as unknown as Pool,
        now: () => clock.now(),
        limitDay,
      });
      assert.equal((await store.execute(executionOf(one, first.id))).outcome, 'created');
      await inTransaction(pool, async (other) => {
        await other.query(`set local lock_timeout = '500ms'`);
        const beside = new TransactionStore({
          pool: other as unknown as Pool,
          now: () => clock.now(),
          limitDay,
        });
        assert.equal((await beside.execute(executionOf(two, second.id))).outcome, 'created');
        await foldSweep(pool).run();
        await foldSweep(pool).run();
      });
      // Folded while the first is not committed: what it added is nowhere yet, and is not lost.
      await foldSweep(pool).run();
    });
    await foldSweep(pool).run();
    await assertBooksBalance(pool);
  });

  test('makes reading cost the same however much there is', async () => {
    const { pool: own } = await createTestDatabase({ connections: 6 });
    const desk = await createDesk(own);
    const read = async (): Promise<Map<string, number>> => {
      await foldSweep(own).run();
      return inTransaction(own, async (connection) => {
        const count = async () => {
          const { rows } = await connection.query<{ name: string; read: string }>(
            `select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as read
             from pg_stat_xact_user_tables`,
          );
          return new Map(rows.map(({ name, read }) => [name, Number.parseInt(read, 10)]));
        };
        const start = await count();
        await readHousePositions(connection, desk.clock.now());
        for (const customerId of [undefined, desk.customerId]) {
          await positionTotals(connection, customerId);
          await dollarPosition(connection, customerId);
        }
        await pairTotals(connection);
        await readLadder(connection, {});
        const end = [...(await count())].map(([name, n]) => [name, n - (start.get(name) ?? 0)] as const);
        return new Map(end.filter(([, n]) => n > 0));
      });
    };
    const make = async (n: number) => {
      const quotes = await Promise.all(Array.from({ length: n }, () => desk.quote({ validitySeconds: 60 })));
      await Promise.all(quotes.slice(1).map((quote) => desk.execute(quote)));
    };
    await make(3);
    const few = await read();
    assert.deepEqual([...few.keys()].sort(), [
      'balances',
      'customer_positions',
      'house_open_quotes',
      'house_positions',
      'pair_positions',
      'settlement_ladder',
    ]);
    await make(250);
    assert.deepEqual(await read(), few);
  });
});

test('positions of customers are locked in one order, whether they were there or not', async () => {
  const { pool } = await createTestDatabase({ connections: 10 });
  const customers = Array.from({ length: 6 }, () => randomUUID());
  const sold = (customerId: string, currency: string): JournalEntry => ({
    customerId,
    kind: 'trade_cancelled',
    postings: [
      { account: 'position', currency, amount: 1n },
      { account: 'customer_payable', currency, amount: -1n },
    ],
  });
  const entries = customers.flatMap((id) => ['EUR', 'GBP'].map((currency) => sold(id, currency)));
  // Each books another part, turned round, and parts overlap.
  const partOf = (who: number, round: number) => {
    const part = entries.filter((_, i) => (i + who + round) % 3 !== 0);
    return who % 2 === 0 ? part : part.toReversed();
  };
  const rounds = Array.from({ length: 12 }, (_, round) => round);
  const people = Array.from({ length: 8 }, (_, who) => who);
  await Promise.all(
    people.map(async (who) => {
      for (const round of rounds) await postEntries(pool, partOf(who, round), EXAMPLE_INSTANT);
    }),
  );
  const { rows } = await pool.query(
    'select -sum(bought_minor + sold_minor)::int as moved, count(*)::int as positions from customer_positions',
  );
  const moved = people.flatMap((who) => rounds.flatMap((round) => partOf(who, round))).length;
  assert.deepEqual(rows, [{ moved, positions: entries.length }]);
});
