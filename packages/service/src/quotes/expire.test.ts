import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, expireDue, openQuotesOf } from '../../test/support/trading.ts';
import { MAX_CLOCK_SKEW_MS } from '../database/clock-watch.ts';
import type { Pool } from '../database/pool.ts';
import { eventSequenceOf } from '../platform/ids.ts';
import { EXPIRY_GRACE_MS } from './expiry-grace.ts';
import { cancelQuote, expireQuotes } from './quote-lifecycle.ts';
import type { QuoteRecord } from './record.ts';
import { shownVersion } from './render.ts';

let pool: Pool;
// Each on its own: what runs out is whoever's.
beforeEach(async () => {
  ({ pool } = await createTestDatabase());
});

interface EventRow {
  id: string;
  sequence: string;
  type: string;
  quote_id: string;
  version: number;
  client_reference: string | null;
}

async function eventsOf(customerId: string): Promise<EventRow[]> {
  const { rows } = await pool.query<EventRow>(
    'select id, sequence, type, quote_id, version, client_reference from feed_events where customer_id = $1 order by sequence',
    [customerId],
  );
  return rows;
}

test('quotes of several customers run out together, each told once in its own feed', async () => {
  const one = await createDesk(pool);
  const desks = [
    one,
    await createDesk(pool, { clock: one.clock }),
    await createDesk(pool, { clock: one.clock }),
  ];
  const quotes = await Promise.all(
    desks.flatMap((desk, i) => [
      ...Array.from({ length: 3 + i }, (_, n) => desk.quote({ clientReference: `PO-${n}` })),
      desk.quote({ validitySeconds: 300 }),
    ]),
  );
  const due = Math.max(
    ...quotes.filter((quote) => quote.validitySeconds === 30).map((quote) => quote.expiresAt),
  );
  one.clock.set(due + EXPIRY_GRACE_MS - 1_000);
  assert.equal(await expireQuotes(one.services), 0, 'what came in time may still be on its way');
  one.clock.set(due + EXPIRY_GRACE_MS);
  assert.equal(await expireQuotes(one.services), 3 + 4 + 5);
  assert.equal(await expireQuotes(one.services), 0);
  const ids = new Set<string>();
  for (const [i, desk] of desks.entries()) {
    const events = await eventsOf(desk.customerId);
    assert.deepEqual(
      events.map(({ sequence, type, version }) => [sequence, type, version]),
      Array.from({ length: 3 + i }, (_, n) => [String(n + 1), 'quote.expired', 2]),
    );
    for (const event of events) {
      ids.add(event.id);
      assert.match(event.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(eventSequenceOf(event.id), BigInt(event.sequence));
      const quote = await desk.services.quotes.find(desk.customerId, event.quote_id);
      assert.deepEqual(
        [quote?.status, quote?.version, quote?.clientReference],
        ['expired', 2, event.client_reference],
      );
      const at = quote?.closedAt ?? 0;
      assert.ok(at >= due && at <= one.clock.now(), `closed at ${at}`);
      assert.equal(Number.parseInt(event.id.replaceAll('-', '').slice(0, 12), 16), at);
    }
    const open = await openQuotesOf(pool, desk.customerId, one.clock.now());
    assert.equal(open.length, 1, 'the longer quote stays open');
  }
  assert.equal(ids.size, 12);
});

test('the oldest go first, no more than asked for, and those in other hands are passed over', async () => {
  const desk = await createDesk(pool);
  const made: QuoteRecord[] = [];
  for (let i = 0; i < 5; i++) {
    made.push(await desk.quote({ validitySeconds: 10 }));
    desk.clock.advance(1_000);
  }
  desk.clock.advance(3_600_000);
  const now = desk.clock.now();
  const { quotes } = desk.services;
  const left = async () => {
    const { rows } = await pool.query<{ id: string }>(
      `select id from current_quotes where customer_id = $1 and status = 'open' order by id`,
      [desk.customerId],
    );
    return rows.map(({ id }) => made.findIndex((quote) => quote.id === id));
  };
  assert.equal(await expireDue(quotes, now, now, 2), 2);
  assert.deepEqual(await left(), [2, 3, 4]);
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query('select from quotes where customer_id = $1 and id = $2 for update', [
      desk.customerId,
      made[3]?.id,
    ]);
    assert.equal(await expireDue(quotes, now, now, 100), 2);
    assert.deepEqual(await left(), [3]);
  } finally {
    await other.query('rollback');
    other.release();
  }
  assert.equal(await expireDue(quotes, now, now, 100), 1);
  assert.equal(await expireDue(quotes, now, now, 100), 0);
});

test('a quote that was cancelled in time does not run out as well', async () => {
  const desk = await createDesk(pool);
  const quote = await desk.quote();
  await cancelQuote(desk.services, desk.customerId, quote.id, desk.clock.now(), undefined);
  desk.clock.advance(3_600_000);
  await expireQuotes(desk.services);
  assert.deepEqual(
    (await eventsOf(desk.customerId)).map(({ type }) => type),
    ['quote.cancelled'],
  );
});

test('no version is both of an expired quote and of one that was cancelled or withdrawn, as far apart as clocks may be', async () => {
  const desk = await createDesk(pool);
  const { clock, customerId, services } = desk;
  const ends = {
    cancelled: (id: string) => services.quotes.cancel(customerId, id, clock.now()),
    withdrawn: (id: string) => services.quotes.withdraw([{ customerId, id }], 'market_halt', clock.now()),
  };
  for (const [status, afterEndMs] of [
    // It came in time, and its statement had to wait.
    ['cancelled', 1_000],
    // The clock of the instance that reads is ahead of the database's, that of the one that ends the quote behind it.
    ['cancelled', -2 * MAX_CLOCK_SKEW_MS],
    ['withdrawn', -2 * MAX_CLOCK_SKEW_MS],
  ] as const) {
    const quote = await desk.quote();
    const shown = shownVersion(quote, quote.expiresAt);
    clock.set(quote.expiresAt + afterEndMs);
    await ends[status](quote.id);
    const ended = await services.quotes.find(customerId, quote.id);
    assert.deepEqual([shown, ended?.status, ended?.version], [2, status, 3]);
    const [event] = (await eventsOf(customerId)).slice(-1);
    assert.deepEqual([event?.type, event?.version], [`quote.${status}`, 3], 'the feed says the same');
  }
  const early = await desk.quote();
  assert.equal((await ends.cancelled(early.id))?.version, 2);
});
