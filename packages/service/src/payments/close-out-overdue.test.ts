import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { BUILT_IN_DATE_RULES, type Pair } from '@firmquote/fx';
import fc from 'fast-check';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { current, trade } from '../../test/support/stories.ts';
import { type Desk, decimal } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { Halts } from '../market/halts.ts';
import { Market } from '../market/market.ts';
import { timelineOf } from '../transactions/record.ts';
import { closeOutSweep, throughBankTime } from './close-out-overdue.ts';
import { fundingCutoffSweep } from './sweeps.ts';

const HOUR = 3_600_000;

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});
afterEach(() => assertBooksBalance(pool));

describe('closing out at the market', () => {
  test('is what happens to an overdue trade after the grace period, and not before', async () => {
    const { desk, row } = await trade(pool);
    const sweep = closeOutSweep(desk, 4 * HOUR);
    desk.clock.set(row.funding_cutoff_at);
    await fundingCutoffSweep(desk).run();
    desk.market.book.freeze('EURUSD', decimal('1.08488'), decimal('1.08494'));
    desk.clock.set(row.funding_cutoff_at + 4 * HOUR - 60_000);
    assert.equal(await sweep.run(), 0);
    assert.equal(await closeOutSweep(desk, undefined).run(), 0);
    assert.equal(await sweep.nextDueAt?.(), row.funding_cutoff_at + 4 * HOUR);
    desk.clock.set(row.funding_cutoff_at + 4 * HOUR);
    assert.equal(await sweep.run(), 1);
    assert.equal(await sweep.run(), 0);
    const closed = await current(desk, row);
    assert.deepEqual([closed.status, closed.status_reason], ['cancelled', 'closed_out']);
    assert.equal(timelineOf(closed).at(-1)?.actor, 'system');
  });

  test('waits for a price, and no other trade waits for it', async () => {
    const { desk, row } = await trade(pool, { buyCurrency: 'GBP' });
    const { desk: other, row: newer } = await trade(pool);
    // More trades without a price than are looked at in one turn, all of them older.
    await pool.query(
      `insert into transactions
       select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'quote_id', gen_random_uuid(),
         'reference', reference_of(reference_digits(nextval('transaction_references'))),
         'status', 'overdue', 'funding_cutoff_at', t.funding_cutoff_at - n * interval '1 minute'))).*
       from transactions t, generate_series(1, 501) n where t.id = $1`,
      [row.id],
    );
    desk.market.book.release('GBPUSD');
    const room = { ...desk, clock: other.clock };
    other.clock.set(Math.max(row.funding_cutoff_at, newer.funding_cutoff_at));
    await fundingCutoffSweep(other).run();
    desk.market.book.freeze('EURUSD', decimal('1.08488'), decimal('1.08494'));
    assert.equal(await closeOutSweep(room, 0).run(), 1);
    assert.equal((await current(other, newer)).status, 'cancelled');
    assert.equal((await current(desk, row)).status, 'overdue');
    await ownerOf(pool).query(`delete from transactions where status = 'overdue' and id <> $1`, [row.id]);
    desk.market.book.freeze('GBPUSD', decimal('1.26810'), decimal('1.26818'));
    assert.equal(await closeOutSweep(room, 0).run(), 1);
    assert.equal((await current(desk, row)).status, 'cancelled');
  });

  test('waits while the market is closed or halted, whatever prices come', async () => {
    const { desk, row } = await trade(pool);
    const { clock, book } = desk;
    const market = new Market({ clock, book, hours: 'calendar' });
    const sweep = closeOutSweep({ ...desk, market }, HOUR);
    const runAt = (at: string) => {
      clock.set(Date.parse(at));
      book.freeze('EURUSD', decimal('1.08488'), decimal('1.08494'));
      return sweep.run();
    };
    clock.set(row.funding_cutoff_at);
    await fundingCutoffSweep(desk).run();
    assert.equal(await runAt('2026-03-07T14:00:00Z'), 0, 'Saturday');
    for (const scope of [
      { scope: 'all', pair: null },
      { scope: 'pair', pair: 'EURUSD' },
    ] as const) {
      market.setHalts(new Halts([{ ...scope, customerId: null }]));
      assert.equal(await runAt('2026-03-09T09:00:00Z'), 0, scope.scope);
    }
    market.setHalts(Halts.NONE);
    assert.equal(await runAt('2026-03-09T09:00:00Z'), 1);
    assert.equal((await current(desk, row)).status, 'cancelled');
  });

  test('of a trade whose price goes away meanwhile is tried again, and of the others is done', async () => {
    const { desk, row } = await trade(pool, { buyCurrency: 'GBP' });
    const { desk: other, row: newer } = await trade(pool);
    desk.clock.set(Math.max(row.funding_cutoff_at, newer.funding_cutoff_at));
    await fundingCutoffSweep(desk).run();
    const { book } = desk.market;
    book.freeze('EURUSD', decimal('1.08488'), decimal('1.08494'));
    book.freeze('GBPUSD', decimal('1.26810'), decimal('1.26818'));
    const losing = (last: () => unknown) => {
      let looks = 0;
      const read = (pair: Pair) => {
        if (pair.code === 'GBPUSD' && ++looks > 1) return last();
        return book.read(pair);
      };
      const stateOf = () => ({ state: 'open' });
      return { ...desk, market: { ...desk.market, book: { read }, stateOf } } as unknown as Desk;
    };
    const missing = losing(() => ({ status: 'missing' }));
    assert.equal(await closeOutSweep(missing, 0).run(), 1);
    assert.equal((await current(other, newer)).status, 'cancelled');
    assert.equal((await current(desk, row)).status, 'overdue');
    // A fault is no missing price: it is reported.
    const broken = losing(() => {
      throw new TypeError('a fault');
    });
    await assert.rejects(closeOutSweep(broken, 0).run(), TypeError);
    assert.equal((await current(desk, row)).status, 'overdue');
    assert.equal(await closeOutSweep(desk, 0).run(), 1);
    assert.equal((await current(desk, row)).status, 'cancelled');
  });

  test('counts the grace period on days on which the banks of the sold currency are open', async () => {
    const { desk, row } = await trade(pool);
    // Friday, 2026-03-06.
    desk.clock.set(row.funding_cutoff_at);
    await fundingCutoffSweep(desk).run();
    const sweep = closeOutSweep(desk, 24 * HOUR);
    const due = Date.parse('2026-03-09T13:30:00Z');
    assert.equal(await sweep.nextDueAt?.(), due);
    for (const [at, status] of [
      [Date.parse('2026-03-08T23:00:00Z'), 'overdue'],
      [due - 1_000, 'overdue'],
      [due, 'cancelled'],
    ] as const) {
      desk.clock.set(at);
      desk.market.book.freeze('EURUSD', decimal('1.08488'), decimal('1.08494'));
      await sweep.run();
      assert.equal((await current(desk, row)).status, status);
    }
  });
});

describe('time on days on which banks are open', () => {
  const through = (currency: string, at: string, hours: number) => {
    const end = throughBankTime(currency, Date.parse(at), hours * HOUR, 1, BUILT_IN_DATE_RULES);
    return new Date(end).toISOString().slice(0, 16);
  };

  test('leaves out weekends and holidays, by the clock of the currency', () => {
    assert.equal(through('EUR', '2026-03-04T13:30:00Z', 24), '2026-03-05T13:30');
    assert.equal(through('EUR', '2026-03-06T13:30:00Z', 24), '2026-03-09T13:30');
    // Good Friday and Easter Monday.
    assert.equal(through('EUR', '2026-04-02T13:30:00Z', 24), '2026-04-07T13:30');
    // Saturday begins in Tokyo on Friday at 15:00 UTC.
    assert.equal(through('JPY', '2026-03-06T14:00:00Z', 2), '2026-03-08T16:00');
    assert.equal(through('EUR', '2026-03-07T12:00:00Z', 1), '2026-03-09T01:00');
    assert.equal(through('EUR', '2026-03-07T12:00:00Z', 0), '2026-03-07T12:00');
    // Past the calendars every day counts.
    assert.equal(through('EUR', '2131-03-03T12:00:00Z', 48), '2131-03-05T12:00');
  });

  test('is the same forth and back', () => {
    const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
    const currency = fc.constantFrom('EUR', 'USD', 'JPY', 'NZD', 'AED');
    fc.assert(
      fc.property(
        currency,
        instant,
        instant,
        fc.integer({ min: 0, max: 20 * 24 * HOUR }),
        (code, a, b, span) => {
          const isOver = throughBankTime(code, a, span, 1, BUILT_IN_DATE_RULES) <= b;
          assert.equal(a <= throughBankTime(code, b, span, -1, BUILT_IN_DATE_RULES), isOver);
        },
      ),
    );
  });
});
