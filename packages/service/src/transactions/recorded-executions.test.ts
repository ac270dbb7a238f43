import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { EventType } from '@firmquote/api/operations/events';
import { assertNothingIsHalf } from '../../test/support/audit.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { recordTwiceAsBefore } from '../../test/support/quotes-of-before.ts';
import { createDesk, type Desk, executionOf, expireDue, openQuotesOf } from '../../test/support/trading.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { CustomerFeed } from '../events/customer-feed.ts';
import { findPlace, readEvents } from '../events/list-events.ts';
import { parseTypeId } from '../platform/ids.ts';
import { endQuotesOf } from '../quotes/end-quotes.ts';
import { EXPIRY_GRACE_MS } from '../quotes/expiry-grace.ts';
import { findQuotes } from '../quotes/list-store.ts';
import { cancelQuote } from '../quotes/quote-lifecycle.ts';
import type { QuoteRecord } from '../quotes/record.ts';
import { QuoteStore } from '../quotes/store.ts';
import { TransactionStore } from './store.ts';

/**
 * That a quote was executed is told by its trade, and where it was executed before 0053 by the quote as well. Whichever it is, everybody
 * sees the same, and what ends a quote and what executes it exclude each other.
 */

interface FeedItem {
  readonly eventId: string;
  readonly sequence: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 10 }));
});

const cancel = (desk: Desk, quote: QuoteRecord) =>
  cancelQuote(desk.services, desk.customerId, quote.id, desk.clock.now(), undefined);

for (const isOfBefore of [false, true]) {
  describe(isOfBefore ? 'executed before 0053' : 'executed', () => {
    const execute = async (desk: Desk, quote: QuoteRecord, patch?: Parameters<typeof executionOf>[2]) => {
      const { outcome } = await desk.services.transactions.execute(executionOf(desk, quote.id, patch));
      assert.equal(outcome, 'created');
      if (isOfBefore) await recordTwiceAsBefore(ownerOf(pool), quote.id);
    };

    test('an executed quote is read as such everywhere', async () => {
      const desk = await createDesk(pool);
      const { customerId, clock, services } = desk;
      const [quote, open] = [await desk.quote(), await desk.quote()];
      await execute(desk, quote);
      const { rows: stored } = await pool.query('select status from quotes where id = $1', [quote.id]);
      assert.deepEqual(stored, [{ status: isOfBefore ? 'executed' : 'open' }]);
      const { rows } = await pool.query<{ id: string; created_at: number }>(
        'select id, created_at from transactions where quote_id = $1',
        [quote.id],
      );
      const [trade] = rows;
      const wanted = {
        status: 'executed',
        version: 2,
        transactionId: trade?.id,
        closedAt: trade?.created_at,
      };
      const list = (filter: Partial<Parameters<typeof findQuotes>[2]>) =>
        findQuotes(pool, customerId, filter as Parameters<typeof findQuotes>[2], clock.now(), 10, undefined);
      const read = [
        await services.quotes.find(customerId, quote.id),
        await services.store.findKept(customerId, quote.id),
        ...(await list({ status: ['executed'] })).records,
        (await list({})).records.find(({ id }) => id === quote.id),
      ];
      assert.equal(read.length, 4);
      for (const record of read) assert.partialDeepStrictEqual(record, wanted);
      assert.deepEqual(
        (await list({ status: ['open'] })).records.map(({ id }) => id),
        [open.id],
      );
      assert.deepEqual(await openQuotesOf(pool, customerId, clock.now()), [{ customerId, id: open.id }]);
      assert.deepEqual(
        await services.store.openUnder({ pairs: [], customers: [customerId], besides: [] }, clock.now(), 10),
        [{ customerId, id: open.id }],
      );
      await cancel(desk, open);
      await assertNothingIsHalf(pool);
    });

    test('it is not ended and not executed again, by anything', async () => {
      const desk = await createDesk(pool);
      const { customerId, clock, services } = desk;
      const quote = await desk.quote();
      await execute(desk, quote);
      const { transactionId } = (await services.quotes.find(customerId, quote.id)) ?? assert.fail();
      await assert.rejects(cancel(desk, quote), { code: 'quote_already_executed' });
      assert.equal(
        await services.store.withdraw([{ customerId, id: quote.id }], 'market_halt', clock.now()),
        0,
      );
      assert.deepEqual(
        await inTransaction(pool, (c) => endQuotesOf(c, customerId, 'customer_suspended', clock.now())),
        { withdrawn: 0, expired: 0 },
      );
      const again = await services.transactions.execute(executionOf(desk, quote.id));
      assert.partialDeepStrictEqual(again, {
        outcome: 'quote_already_executed',
        quote_transaction_id: transactionId,
      });
      // Another one of the same ten seconds makes the sweep look there.
      const late = await desk.quote();
      clock.advance(120_000);
      assert.equal(await expireDue(services.store, clock.now() - EXPIRY_GRACE_MS, clock.now(), 10), 1);
      assert.equal((await services.quotes.find(customerId, late.id))?.status, 'expired');
      assert.partialDeepStrictEqual(await services.quotes.find(customerId, quote.id), {
        status: 'executed',
        version: 2,
      });
      await assertNothingIsHalf(pool);
    });

    test('one that was executed at its end has the version after the one that readers saw', async () => {
      const desk = await createDesk(pool);
      const { customerId, clock, services } = desk;
      for (const [ahead, version] of [
        [5_000, 2],
        [150, 3],
        [-100, 3],
      ] as const) {
        const each = await desk.quote();
        clock.set(each.expiresAt - ahead);
        await execute(desk, each, { receivedAt: each.createdAt });
        assert.equal(
          (await services.quotes.find(customerId, each.id))?.version,
          version,
          `${ahead} ms ahead`,
        );
        const { rows } = await pool.query<{ version: number }>(
          `select version from feed_events where quote_id = $1 and type = 'quote.executed'`,
          [each.id],
        );
        assert.deepEqual(rows, [{ version }]);
      }
    });

    test('its two events stand one after the other, wherever the feed is cut', async () => {
      const desk = await createDesk(pool);
      const { customerId } = desk;
      const quotes = [
        await desk.quote({ clientReference: 'of the quote' }),
        await desk.quote(),
        await desk.quote({ clientReference: 'of both' }),
      ];
      for (const [i, quote] of quotes.entries())
        await execute(desk, quote, { clientReference: i === 1 ? 'of the trade' : undefined });
      const { rows } = await pool.query('select from events where customer_id = $1', [customerId]);
      assert.equal(rows.length, isOfBefore ? 2 * quotes.length : quotes.length);
      const feedOf = async (
        after: string | undefined,
        limit: number,
        types?: readonly EventType[],
        from = pool,
      ) => {
        const wanted = { customerId, after, types, limit };
        const page = await readEvents(from, wanted, await findPlace(from, wanted));
        return JSON.parse(page.body) as { items: FeedItem[]; hasMore: boolean; missed: number };
      };
      const { items: all } = await feedOf(undefined, 100);
      assert.deepEqual(
        all.map(({ type, sequence, data: { version, status, previousStatus, clientReference } }) => [
          sequence,
          type,
          version,
          status,
          previousStatus,
          clientReference,
        ]),
        [
          [1, 'quote.executed', 2, 'executed', 'open', 'of the quote'],
          [2, 'transaction.created', 1, 'awaiting_funds', null, 'of the quote'],
          [3, 'quote.executed', 2, 'executed', 'open', null],
          [4, 'transaction.created', 1, 'awaiting_funds', null, 'of the trade'],
          [5, 'quote.executed', 2, 'executed', 'open', 'of both'],
          [6, 'transaction.created', 1, 'awaiting_funds', null, 'of both'],
        ],
      );
      const following = new CustomerFeed(pool, customerId);
      for (const [i, { eventId, sequence }] of all.entries()) {
        assert.deepEqual((await feedOf(eventId, 100)).items, all.slice(i + 1));
        assert.partialDeepStrictEqual(await feedOf(all[i - 1]?.eventId, 1), {
          items: [{ eventId }],
          hasMore: i < all.length - 1,
          missed: 0,
        });
        for (const types of [['quote.executed'], ['transaction.created']] as const)
          assert.deepEqual(
            (await feedOf(eventId, 100, types)).items,
            all.slice(i + 1).filter(({ type }) => type === types[0]),
          );
        const uuid = parseTypeId('evt', eventId) ?? assert.fail();
        const [found, ...others] = await following.find([uuid]);
        assert.partialDeepStrictEqual(found, { id: uuid, sequence: BigInt(sequence) });
        assert.equal(others.length, 0);
        const place = BigInt(sequence);
        assert.deepEqual(await following.read({ after: place - 1n, until: place, limit: 10 }), [found]);
      }
      // What this deletes the next tests would miss.
      const connection = await ownerOf(pool).connect();
      await connection.query('begin');
      await connection.query('delete from events where customer_id = $1 and sequence <= 2', [customerId]);
      const left = await feedOf(all[0]?.eventId, 1, undefined, connection as unknown as Pool);
      assert.partialDeepStrictEqual(left, { items: [{ sequence: 3 }], missed: 1 });
      await connection.query('rollback');
      connection.release();
    });
  });
}

/** Rooms that work in the transaction of a connection. */
const within = (desk: Desk, connection: Connection) => {
  const options = { pool: connection as unknown as Pool, now: () => desk.clock.now() };
  return {
    quotes: new QuoteStore(options),
    transactions: new TransactionStore({ ...options, limitDay: desk.services.limitDay }),
  };
};

for (const [how, end] of [
  [
    'cancelled',
    (desk: Desk, c: Connection, { id }: QuoteRecord) =>
      within(desk, c).quotes.cancel(desk.customerId, id, desk.clock.now()),
  ],
  [
    'withdrawn',
    (desk: Desk, c: Connection, { id }: QuoteRecord) =>
      within(desk, c).quotes.withdraw([{ customerId: desk.customerId, id }], 'market_halt', desk.clock.now()),
  ],
  [
    'expired',
    (desk: Desk, c: Connection, { expiresAt }: QuoteRecord) =>
      expireDue(within(desk, c).quotes, expiresAt, desk.clock.now(), 10),
  ],
] as const) {
  test(`an execution that waits for who ends its quote finds it ${how}`, async () => {
    const desk = await createDesk(pool);
    const { services, customerId, clock } = desk;
    const quote = await desk.quote();
    if (how === 'expired') clock.set(quote.expiresAt + 100);
    const { execution } = await inTransaction(pool, async (connection) => {
      assert.ok(await end(desk, connection, quote));
      const pending = services.transactions.execute(
        executionOf(desk, quote.id, { receivedAt: quote.createdAt }),
      );
      await untilLocked(pool);
      return { execution: pending };
    });
    assert.equal((await execution).outcome, `quote_${how}`);
    assert.equal((await services.quotes.find(customerId, quote.id))?.status, how);
    await assertNothingIsHalf(pool);
  });
}

test('who ends a quote that is being executed waits, and leaves it', async () => {
  const desk = await createDesk(pool);
  const { services, customerId, clock } = desk;
  const [first, second, third] = [await desk.quote(), await desk.quote(), await desk.quote()];
  const { cancelled, suspended, twice } = await inTransaction(pool, async (connection) => {
    const { transactions } = within(desk, connection);
    for (const { id } of [first, second, third])
      assert.equal((await transactions.execute(executionOf(desk, id))).outcome, 'created');
    const pending = {
      cancelled: assert.rejects(cancel(desk, first), { code: 'quote_already_executed' }),
      suspended: inTransaction(pool, (c) => endQuotesOf(c, customerId, 'customer_suspended', clock.now())),
      twice: services.transactions.execute(executionOf(desk, third.id)),
    };
    await untilLocked(pool, 3);
    // Nobody waits who need not.
    assert.equal(await expireDue(services.store, second.expiresAt, second.expiresAt, 10), 0);
    return pending;
  });
  await cancelled;
  assert.deepEqual(await suspended, { withdrawn: 0, expired: 0 });
  assert.equal((await twice).outcome, 'quote_already_executed');
  for (const { id } of [first, second, third])
    assert.equal((await services.quotes.find(customerId, id))?.status, 'executed');
  await assertNothingIsHalf(pool);
});

test('a quote that is executed after it was found to have run out is left', async () => {
  const desk = await createDesk(pool);
  const { services, customerId } = desk;
  const quote = await desk.quote();
  await desk.execute(quote);
  const { rows } = await pool.query(
    'select expire_quotes(array[$1::uuid], array[$2::uuid], to_timestamp($3::bigint / 1000), $4) as ended',
    [customerId, quote.id, quote.expiresAt, '0'.repeat(12)],
  );
  assert.deepEqual(rows, [{ ended: 0 }]);
  assert.equal((await services.quotes.find(customerId, quote.id))?.status, 'executed');
  await assertNothingIsHalf(pool);
});

test('of executions and ends that race over two instances, each quote sees one', async () => {
  const desk = await createDesk(pool);
  const { services, customerId, clock } = desk;
  const other = new TransactionStore({ pool, now: () => clock.now(), limitDay: services.limitDay });
  const quotes = await Promise.all(Array.from({ length: 40 }, () => desk.quote()));
  const results = await Promise.all(
    quotes.flatMap(({ id }, i) => [
      services.transactions.execute(executionOf(desk, id)).then(({ outcome }) => outcome),
      i % 2 === 0
        ? other.execute(executionOf(desk, id)).then(({ outcome }) => outcome)
        : services.store.cancel(customerId, id, clock.now()).then((done) => done?.status),
    ]),
  );
  for (const [i, { id }] of quotes.entries()) {
    const [one, two] = results.slice(2 * i, 2 * i + 2);
    const won = [one, two].filter((result) => result === 'created' || result === 'cancelled');
    assert.equal(won.length, 1, `${one} and ${two}`);
    const { status } = (await services.quotes.find(customerId, id)) ?? assert.fail();
    assert.equal(status, won[0] === 'created' ? 'executed' : 'cancelled');
  }
  await assertNothingIsHalf(pool);
});
