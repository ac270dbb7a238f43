import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { keepAsBefore } from '../../test/support/quotes-of-before.ts';
import { createDesk, type Desk, decimal } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { isoInstant, VirtualClock } from '../platform/clock.ts';
import { forgetSomePrices, forgetSomeQuotes } from './end-store.ts';
import { explainForOperator } from './explain-quote.ts';
import { forgetQuotes } from './forget-quotes.ts';
import { findQuotes, type QuoteFilter } from './list-store.ts';
import { findQuotesOfAll } from './operator-store.ts';
import { expireQuotes } from './quote-lifecycle.ts';
import type { QuoteRecord } from './record.ts';

/** Quotes that ended without a trade go when they are past their retention; whatever a trade names stays. */

const DAY_MS = 86_400_000;
const KEPT_DAYS = 1_827;
/** When all of a day is past its retention, and when its prices are: a month later, and a day that is begun. */
const QUOTES_GO_MS = (KEPT_DAYS + 1) * DAY_MS;
const PRICES_GO_MS = QUOTES_GO_MS + 31 * DAY_MS;
const DENIED = { code: '42501' };
const ANY: QuoteFilter = {
  ...{ status: undefined, createdFrom: undefined, createdTo: undefined, pair: undefined },
  ...{ sellCurrency: undefined, buyCurrency: undefined, clientReference: undefined },
};

let pool: Pool;
let desk: Desk;
beforeEach(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
  const clock = new VirtualClock();
  // Five years later calendars still know value dates.
  clock.set(Date.parse('2024-01-10T14:30:00Z'));
  desk = await createDesk(pool, { clock });
});

const forget = (at = desk.clock.now(), keptDays = KEPT_DAYS) =>
  forgetQuotes({ pool, clock: { now: () => at }, keptDays });

async function idsIn(table: string, column = 'id'): Promise<string[]> {
  const { rows } = await ownerOf(pool).query<{ id: string }>(
    `select ${column} as id from ${table} order by 1`,
  );
  return rows.map(({ id }) => id);
}

const pricesKept = async () => [...(await idsIn('market_prices')), ...(await idsIn('quote_prices'))].sort();

let cents = 0;
/** At a price of its own. */
async function quoteOfItsOwn(of = desk): Promise<QuoteRecord> {
  cents++;
  of.book.freeze('EURUSD', decimal(`1.08${100 + cents}`), decimal(`1.08${100 + cents}9`));
  return of.quote();
}

/** One of each end, on one price, and one that was executed; and an executed and an expired one on prices of their own. */
async function oneOfEach(of = desk) {
  const { store } = of.services;
  const shared = await quoteOfItsOwn(of);
  const [executed, cancelled, withdrawn] = [await of.quote(), await of.quote(), await of.quote()];
  await of.execute(executed);
  await store.cancel(of.customerId, cancelled.id, of.clock.now());
  await store.withdraw(
    [{ customerId: of.customerId, id: withdrawn.id }],
    'customer_suspended',
    of.clock.now(),
  );
  const alone = await quoteOfItsOwn(of);
  const dealt = await quoteOfItsOwn(of);
  await of.execute(dealt);
  of.clock.advance(120_000);
  await expireQuotes(of.services);
  return { gone: [shared, cancelled, withdrawn, alone], kept: [executed, dealt] };
}
const idsOf = (quotes: readonly QuoteRecord[]) => quotes.map(({ id }) => id).sort();

describe('quotes past their retention', () => {
  test('go by whole days, and are as if they had never been', async () => {
    const { gone, kept } = await oneOfEach();
    const madeAt = Math.floor(desk.clock.now() / DAY_MS) * DAY_MS;
    const late = await quoteOfItsOwn();
    await desk.services.store.cancel(desk.customerId, late.id, desk.clock.now());
    assert.equal(await forget(madeAt + QUOTES_GO_MS - 1), 0);
    assert.equal((await idsIn('quotes')).length, 7);
    assert.equal(await forget(madeAt + QUOTES_GO_MS), 5);
    assert.deepEqual(await idsIn('quotes'), idsOf(kept));
    const { store } = desk.services;
    for (const { id } of gone) assert.equal(await store.find(desk.customerId, id), undefined);
    for (const list of [
      await findQuotes(pool, desk.customerId, ANY, desk.clock.now(), 50, undefined),
      await findQuotes(pool, desk.customerId, ANY, desk.clock.now(), 50, late.id),
      await findQuotesOfAll(pool, ANY, desk.clock.now(), 50, undefined),
    ]) {
      assert.deepEqual(idsOf(list.records), idsOf(kept));
      assert.equal(list.next, undefined);
    }
  });

  test('leave executed ones with price, evidence and explanation', async () => {
    const { kept } = await oneOfEach();
    const { store, transactions } = desk.services;
    const read = async () => ({
      quotes: await Promise.all(kept.map(({ id }) => store.find(desk.customerId, id))),
      trades: await Promise.all(
        (await idsIn('transactions')).map((id) => transactions.find(desk.customerId, id)),
      ),
    });
    const before = await read();
    await forget(desk.clock.now() + PRICES_GO_MS);
    assert.deepEqual(await read(), before);
    for (const quote of before.quotes)
      assert.equal(explainForOperator(quote ?? assert.fail(), 0).verification.outcome, 'matches');
  });

  test('take the prices with them that nothing else names, a month later', async () => {
    const { gone, kept } = await oneOfEach();
    const named = async () =>
      new Map(
        (await pool.query<{ id: string; price_id: string }>('select id, price_id from quotes')).rows.map(
          (row) => [row.id, row.price_id],
        ),
      );
    const first = new Set((await named()).values());
    // Of before, with a price of its own each. What they named is as what came with a quote that was refused: nobody's.
    for (const quote of [gone.at(-1), kept.at(-1)])
      await keepAsBefore(ownerOf(pool), quote?.id ?? assert.fail());
    const priceOf = await named();
    const now = new Set(priceOf.values());
    const orphans = [...first].filter((id) => !now.has(id));
    assert.equal(orphans.length, 2);
    const pricesOf = (quotes: readonly QuoteRecord[]) =>
      [...new Set(quotes.map(({ id }) => priceOf.get(id) ?? assert.fail()))].sort();
    assert.equal(pricesOf(gone).length, 2);
    const all = await pricesKept();
    assert.deepEqual(all, [...pricesOf([...gone, ...kept]), ...orphans].sort());
    assert.equal(await forget(desk.clock.now() + QUOTES_GO_MS), gone.length);
    assert.deepEqual(await pricesKept(), all, 'quotes of later days might name them');
    assert.deepEqual(await idsIn('traded_prices', 'price_id'), pricesOf(kept));
    assert.equal(await forget(desk.clock.now() + PRICES_GO_MS), 3);
    assert.deepEqual(await pricesKept(), pricesOf(kept));
    assert.deepEqual(await idsIn('traded_prices', 'price_id'), []);
    assert.equal(await forget(desk.clock.now() + 2 * PRICES_GO_MS), 0);
  });

  test('wait until each end is written down', async () => {
    const quote = await desk.quote();
    const at = desk.clock.now() + PRICES_GO_MS;
    assert.equal(await forget(at), 0);
    desk.clock.set(at);
    assert.equal(await expireQuotes(desk.services), 1);
    assert.equal(await forget(at), 2, 'the quote and its price');
    assert.equal(await desk.services.store.find(desk.customerId, quote.id), undefined);
  });

  test('go in portions, each from where the one before ended, whatever it kept', async () => {
    const { clock } = desk;
    const others = [await createDesk(pool, { clock }), await createDesk(pool, { clock })];
    const each = [await oneOfEach()];
    for (const other of others) each.push(await oneOfEach(other));
    const request = { now: desk.clock.now() + PRICES_GO_MS, keptDays: KEPT_DAYS };
    const goneAt: number[] = [];
    for (let portion = 0; portion < 100; portion++) {
      const { looked, gone } = await forgetSomeQuotes(pool, request, 2);
      assert.ok(gone <= looked && looked <= 3);
      goneAt.push(gone);
      if (looked < 2) break;
    }
    assert.ok(goneAt.length > 9);
    assert.equal(
      goneAt.reduce((sum, gone) => sum + gone, 0),
      12,
    );
    assert.deepEqual(await idsIn('quotes'), idsOf(each.flatMap(({ kept }) => kept)));
    let prices = 0;
    for (let portion = 0; portion < 100; portion++) {
      const { looked, gone } = await forgetSomePrices(pool, 2);
      prices += gone;
      if (looked < 2) break;
    }
    assert.equal(prices, 3);
    assert.equal((await pricesKept()).length, 6);
  });
});

describe('who does it', () => {
  test('each row goes once, with two instances at it', async () => {
    const { kept } = await oneOfEach();
    const more = await Promise.all(Array.from({ length: 60 }, () => desk.quote()));
    for (const { id } of more) await desk.services.store.cancel(desk.customerId, id, desk.clock.now());
    const request = { now: desk.clock.now() + PRICES_GO_MS, keptDays: KEPT_DAYS };
    const instance = async () => {
      let all = 0;
      for (let portion = 0; portion < 60; portion++) all += (await forgetSomeQuotes(pool, request, 3)).gone;
      return all;
    };
    const counts = await Promise.all([instance(), instance(), instance()]);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      64,
    );
    assert.deepEqual(await idsIn('quotes'), idsOf(kept));
    assert.equal((await forgetSomePrices(pool)).gone, 1);
  });

  test('the role of the service deletes nothing by itself, and by the functions nothing that must stay', async () => {
    await oneOfEach();
    const at = desk.clock.now() + PRICES_GO_MS;
    for (const statement of [
      'delete from quotes',
      `set firmquote.forgets = 'on'; delete from market_prices`,
      `set firmquote.forgets = 'on'; delete from quote_prices`,
      'delete from traded_prices',
      `update quotes_forgotten set through = now()`,
    ])
      await assert.rejects(pool.query(statement), DENIED, statement);
    for (const days of [1_826, 0, -1, null])
      await assert.rejects(forget(at, days as number), { ...DENIED, message: /kept for 1827 days at least/ });
    await assert.rejects(ownerOf(pool).query('delete from market_prices'), /not deleted/);
    await assert.rejects(ownerOf(pool).query('delete from quote_prices'), /not deleted/);
    await assert.rejects(ownerOf(pool).query('truncate quote_prices'), /not deleted/);
    // In production it is late enough when the database says so, whatever the service thinks.
    await ownerOf(pool).query(`insert into database_mode (mode) values ('production')`);
    assert.equal(await forget(at), 0);
    await ownerOf(pool).query(`update database_mode set mode = 'sandbox'`);
    assert.equal(await forget(at), 5);
  });

  test('a sandbox that goes back in time, and a longer retention, keep what is young by then', async () => {
    const first = await oneOfEach();
    const start = desk.clock.now();
    assert.equal(await forget(start + PRICES_GO_MS), 5);
    const second = await oneOfEach();
    // Back, to before what was deleted in the time that never came.
    assert.equal(await forget(start), 0);
    assert.equal(await forget(start + PRICES_GO_MS, KEPT_DAYS + 40), 0);
    assert.equal(await forget(start + PRICES_GO_MS + 2 * DAY_MS), 5);
    assert.deepEqual(await idsIn('quotes'), idsOf([...first.kept, ...second.kept]));
    assert.equal((await pricesKept()).length, 4);

    // In the middle of a walk.
    desk.clock.set(start + PRICES_GO_MS + 10 * DAY_MS);
    const third = await oneOfEach();
    const later = { now: desk.clock.now() + QUOTES_GO_MS, keptDays: KEPT_DAYS };
    assert.deepEqual(await forgetSomeQuotes(pool, later, 4), { looked: 4, gone: 2 });
    assert.equal(await forget(later.now, KEPT_DAYS + 20), 0);
    assert.equal((await idsIn('quotes')).length, 8);
    assert.equal(await forget(later.now), 2);
    assert.deepEqual(await idsIn('quotes'), idsOf([...first.kept, ...second.kept, ...third.kept]));
  });
});

describe('nobody waits for it', () => {
  test('quotes, executions and lists go on while a portion is not committed', async () => {
    const { kept, gone } = await oneOfEach();
    const old = desk.clock.now();
    desk.clock.set(old + PRICES_GO_MS);
    await inTransaction(pool, async (connection) => {
      await connection.query('select forget_quotes($1, $2, 2000)', [isoInstant(desk.clock.now()), KEPT_DAYS]);
      await connection.query('select forget_prices(2000)');
      const fresh = await desk.quote();
      assert.equal((await desk.execute(fresh)).quote_id, fresh.id);
      const { records } = await findQuotes(pool, desk.customerId, ANY, desk.clock.now(), 50, undefined);
      assert.deepEqual(idsOf(records), idsOf([fresh, ...kept, ...gone]));
      assert.equal(await forget(), 0, 'another instance leaves it to this one');
    });
    const { records } = await findQuotes(pool, desk.customerId, ANY, desk.clock.now(), 50, undefined);
    assert.equal(records.length, 3);
  });

  test('where somebody has a row the portion is left to the next run, whole', async () => {
    const { gone } = await oneOfEach();
    const at = desk.clock.now() + PRICES_GO_MS;
    await inTransaction(pool, async (connection) => {
      await connection.query('select from quotes where id = $1 for update', [gone[2]?.id]);
      assert.equal(await forget(at), 0);
    });
    assert.equal((await idsIn('quotes')).length, 6);
    assert.equal(await forget(at), 5);
  });

  test('an execution that races with it finds an end or nothing, and makes no trade', async () => {
    const { kept, gone } = await oneOfEach();
    desk.clock.advance(PRICES_GO_MS);
    const answers = await Promise.allSettled([
      ...gone.flatMap((quote) => [desk.execute(quote), desk.execute(quote)]),
      forget(),
      ...gone.flatMap((quote) => [desk.execute(quote), desk.execute(quote)]),
    ]);
    const ended = ['quote_not_found', 'quote_expired', 'quote_cancelled', 'quote_withdrawn', 'overloaded'];
    for (const answer of answers) {
      if (answer.status === 'fulfilled') assert.equal(typeof answer.value, 'number');
      else assert.ok(ended.includes(answer.reason.code), answer.reason);
    }
    await forget();
    assert.deepEqual(await idsIn('quotes'), idsOf(kept));
    assert.equal((await idsIn('transactions')).length, kept.length);
  });
});

test('a price that stands still is kept anew each hour, so none that is old is named again', async () => {
  const first = await quoteOfItsOwn();
  const priceOf = async ({ id }: QuoteRecord) =>
    (await pool.query<{ price_id: string }>('select price_id from quotes where id = $1', [id])).rows[0]
      ?.price_id;
  desk.clock.advance(3_599_000);
  assert.equal(await priceOf(await desk.quote()), await priceOf(first));
  desk.clock.advance(1_000);
  const second = await desk.quote();
  assert.notEqual(await priceOf(second), await priceOf(first));
  assert.equal(await priceOf(await desk.quote()), await priceOf(second));
  assert.equal((await pricesKept()).length, 2);
  desk.clock.advance(PRICES_GO_MS);
  await expireQuotes(desk.services);
  assert.equal(await forget(), 6);
  const third = await desk.quote();
  assert.deepEqual(await desk.services.store.find(desk.customerId, third.id), third);
});
