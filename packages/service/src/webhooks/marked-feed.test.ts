import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { endQuotesOf } from '../quotes/end-quotes.ts';
import { EXPIRY_GRACE_MS } from '../quotes/expiry-grace.ts';
import { cancelQuote, expireQuotes } from '../quotes/quote-lifecycle.ts';
import type { QuoteRecord } from '../quotes/record.ts';

/** Endpoints are looked for by the marks of feeds: an event without one would wait for the next of its customer, however long. */

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

/** By the function that writes the event. */
const WRITERS: Readonly<Record<string, readonly ((desk: Desk, quote: QuoteRecord) => Promise<unknown>)[]>> = {
  append_events: [
    ({ customerId, clock }) => appendEvents(pool, [{ customerId, type: 'market.closed' }], clock.now()),
  ],
  book_trades: [(desk, quote) => desk.execute(quote)],
  close_quotes: [
    ({ services, customerId, clock }, { id }) =>
      cancelQuote(services, customerId, id, clock.now(), undefined),
    ({ customerId, clock }) =>
      inTransaction(pool, (each) => endQuotesOf(each, customerId, 'customer_suspended', clock.now())),
  ],
  expire_quotes: [
    ({ services, clock }, { expiresAt }) => {
      clock.set(expiresAt + EXPIRY_GRACE_MS);
      return expireQuotes(services);
    },
  ],
};

describe('the feed of a customer that has an endpoint is marked by', () => {
  for (const [name, acts] of Object.entries(WRITERS)) {
    test(name, async () => {
      for (const act of acts) {
        const desk = await createDesk(pool);
        const quote = await desk.quote();
        const state = async () => {
          const { rows } = await pool.query<{ marked: boolean | null; events: string }>(
            'select feed_news as marked, last_event_sequence as events from customer_usage where customer_id = $1',
            [desk.customerId],
          );
          return rows[0];
        };
        await pool.query('update customer_usage set feed_news = false where customer_id = $1', [
          desk.customerId,
        ]);
        const earlier = await state();
        await act(desk, quote);
        const later = await state();
        assert.ok(Number(later?.events) > Number(earlier?.events), 'there is an event');
        assert.equal(later?.marked, true);
      }
    });
  }
});

test('every function that writes events is tried above', () => {
  const functions = globSync('*.sql', { cwd: new URL('../../sql/functions/', import.meta.url) });
  const writers = functions.filter((file) =>
    /insert into events\b/.test(
      readFileSync(new URL(`../../sql/functions/${file}`, import.meta.url), 'utf8'),
    ),
  );
  assert.deepEqual(writers.map((file) => file.replace('.sql', '')).sort(), Object.keys(WRITERS));
});
