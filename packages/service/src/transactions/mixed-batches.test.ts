import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk, executionOf } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { cancelQuote } from '../quotes/quote-lifecycle.ts';
import type { QuoteRecord } from '../quotes/record.ts';
import type { ExecutionItem } from './store.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

const keyed = (key: string, fingerprint = 'f') => ({ key: { key, fingerprint } });

/** Items that are put in one turn of the event loop go in one statement. */
const together = (desk: Desk, items: readonly ExecutionItem[]) =>
  Promise.all(items.map((item) => desk.services.transactions.execute(item)));

async function writtenFor(desk: Desk) {
  const { rows } = await pool.query<{
    executed: number;
    transactions: number;
    references: number;
    entries: number;
    sequences: string[] | null;
    end: string;
    usd: string;
    traded: string;
  }>(
    `select (select count(*)::int from current_quotes where customer_id = $1 and status = 'executed') as executed,
            (select count(*)::int from transactions where customer_id = $1) as transactions,
            (select count(distinct reference)::int from transactions where customer_id = $1) as references,
            (select count(*)::int from journal_entries where customer_id = $1) as entries,
            (select array_agg(sequence::text order by sequence) from feed_events where customer_id = $1) as sequences,
            (select last_event_sequence from customer_usage where customer_id = $1) as end,
            (select open_usd_minor from customer_usage where customer_id = $1) as usd,
            (select coalesce(sum(usd_minor), 0) from transactions where customer_id = $1) as traded`,
    [desk.customerId],
  );
  const row = rows[0];
  assert.ok(row !== undefined);
  return row;
}

/** Whatever a batch held: trades are whole, the feed has no gap, and limits count what was traded. */
async function assertWhole(desk: Desk, trades: number): Promise<void> {
  const { executed, transactions, references, entries, sequences, end, usd, traded } = await writtenFor(desk);
  assert.deepEqual([executed, transactions, references, entries], [trades, trades, trades, trades]);
  assert.deepEqual(
    sequences ?? [],
    Array.from({ length: Number(end) }, (_, i) => String(i + 1)),
  );
  assert.equal(usd, traded);
}

async function keysOf(desk: Desk, keys: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ key: string; outcome: string }>(
    `select key, outcome from idempotency_keys where customer_id = $1 and operation like 'execute:%'
     union all
     select n.key, 'created' from transactions t join unnest($2::text[]) as n (key) on t.key_id = text_id(n.key)
     where t.customer_id = $1 order by key`,
    [desk.customerId, keys],
  );
  return Object.fromEntries(rows.map(({ key, outcome }) => [key, outcome]));
}

describe('one batch', () => {
  test('of good and bad items: each good one is executed, each bad one told its own reason', async () => {
    const desk = await createDesk(pool);
    const [short, cancelled, gone, stale, priced, replayed, twice, ...good] = (await Promise.all([
      desk.quote({ validitySeconds: 10 }),
      ...Array.from({ length: 12 }, () => desk.quote()),
    ])) as [QuoteRecord, QuoteRecord, QuoteRecord, QuoteRecord, QuoteRecord, QuoteRecord, QuoteRecord];
    await cancelQuote(desk.services, desk.customerId, cancelled.id, desk.clock.now(), undefined);
    const [first] = await together(desk, [executionOf(desk, replayed.id, keyed('known'))]);
    await desk.execute(gone);
    desk.clock.set(short.expiresAt);
    const items = [
      executionOf(desk, short.id, keyed('late')),
      executionOf(desk, cancelled.id, keyed('cancelled')),
      executionOf(desk, gone.id, keyed('gone')),
      executionOf(desk, stale.id, { ...keyed('stale'), ifMatch: 9 }),
      executionOf(desk, priced.id, { ...keyed('priced'), expectBuy: 1n }),
      executionOf(desk, newUuid(desk.clock.now()), keyed('unknown')),
      executionOf(desk, replayed.id, keyed('known')),
      executionOf(desk, twice.id, keyed('once')),
      executionOf(desk, twice.id, keyed('twice')),
      ...(good as QuoteRecord[]).map(({ id, sellMinor, buyMinor }, i) =>
        executionOf(desk, id, {
          ...keyed(`good-${i}`),
          ...(i % 2 === 0 ? {} : { expectSell: sellMinor, expectBuy: buyMinor }),
        }),
      ),
    ];
    const results = await together(desk, items);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      [
        'quote_expired',
        'quote_cancelled',
        'quote_already_executed',
        'version_mismatch',
        'quote_terms_mismatch',
        'quote_not_found',
        'created',
        'created',
        'quote_already_executed',
        ...good.map(() => 'created'),
      ],
    );
    assert.deepEqual(
      results.flatMap(({ replayed: again }, i) => (again ? [i] : [])),
      [6],
    );
    assert.equal(results[6]?.quote_transaction_id, first?.transaction?.id);
    assert.equal(results[8]?.quote_transaction_id, results[7]?.transaction?.id);
    await assertWhole(desk, 3 + good.length);
    assert.deepEqual(
      await keysOf(
        desk,
        items.flatMap(({ key }) => key?.key ?? []),
      ),
      {
        cancelled: 'quote_cancelled',
        gone: 'quote_already_executed',
        ...Object.fromEntries(good.map((_, i) => [`good-${i}`, 'created'])),
        known: 'created',
        late: 'quote_expired',
        once: 'created',
        twice: 'quote_already_executed',
      },
    );
  });

  test('of several customers: one who is suspended or has no account stops nobody else', async () => {
    const clock = (await createDesk(pool)).clock;
    const [one, suspended, moved, two] = await Promise.all(
      Array.from({ length: 4 }, () => createDesk(pool, { clock })),
    );
    assert.ok(one && suspended && moved && two);
    const quotes = await Promise.all([one, suspended, moved, two, one, two].map((desk) => desk.quote()));
    await pool.query(`update customers set status = 'suspended' where id = $1`, [suspended.customerId]);
    await pool.query(`update settlement_instructions set status = 'retired' where customer_id = $1`, [
      moved.customerId,
    ]);
    const results = await together(
      one,
      [one, suspended, moved, two, one, two].map((desk, i) => executionOf(desk, quotes[i]?.id ?? '')),
    );
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['created', 'customer_suspended', 'settlement_instructions_missing', 'created', 'created', 'created'],
    );
    for (const [i, desk] of [one, suspended, moved, two, one, two].entries()) {
      const { transaction } = results[i] ?? {};
      if (transaction !== undefined) assert.equal(transaction.customer_id, desk.customerId);
    }
    await assertWhole(one, 2);
    await assertWhole(two, 2);
    await assertWhole(suspended, 0);
    await assertWhole(moved, 0);
  });

  test('what is answered for a new transaction is what the database holds', async () => {
    const desk = await createDesk(pool);
    const quotes = await Promise.all(Array.from({ length: 5 }, () => desk.quote()));
    const results = await together(
      desk,
      quotes.map(({ id }, i) =>
        executionOf(desk, id, { clientReference: `PO "${i}"`, metadata: { n: `${i}` } }),
      ),
    );
    for (const [i, { transaction }] of results.entries()) {
      assert.equal(transaction?.quote_id, quotes[i]?.id);
      assert.ok(transaction);
      const read = await desk.services.transactions.find(desk.customerId, transaction.id);
      // What is read has besides what the terms were put together from.
      assert.partialDeepStrictEqual({ ...read }, { ...transaction });
    }
  });
});
