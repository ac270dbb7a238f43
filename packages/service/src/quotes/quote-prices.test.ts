import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { keepAsBefore } from '../../test/support/quotes-of-before.ts';
import { createDesk, type Desk, decimal, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import { DEFAULT_SETTINGS } from '../customers/profile.ts';
import { type Pool, sqlState } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { TransactionStore } from '../transactions/store.ts';
import { insertParameters } from './insert-parameters.ts';
import type { PriceSnapshot } from './price-text.ts';
import { INSERT_QUOTES, type NewQuote, QuoteStore } from './store.ts';

/** What quotes of one price share is kept once, and read as if each had its own. */

let desk: Desk;

before(async () => {
  desk = await createDesk((await createTestDatabase()).pool);
});

const FINGERPRINT = 'f'.repeat(64);

async function count(table: string, of = desk): Promise<number> {
  const { rows } = await of.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? assert.fail();
}

/** A quote as the use case hands it to the store, not written yet. */
async function unwritten(amount = '1000.00'): Promise<NewQuote> {
  const made: NewQuote[] = [];
  const { insert } = desk.services.store;
  desk.services.store.insert = async (quote) => {
    made.push(quote);
    return { outcome: 'created', at: quote.record.createdAt };
  };
  try {
    await desk.quote({ sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount });
  } finally {
    desk.services.store.insert = insert;
  }
  return made[0] ?? assert.fail();
}

const copyOf = (quote: NewQuote, change: Partial<NewQuote> = {}): NewQuote => ({
  ...quote,
  ...change,
  record: { ...quote.record, id: newUuid(quote.record.createdAt) },
});

/** The same price as if it had come again. */
function priceAgain(price: PriceSnapshot): PriceSnapshot {
  const id = newUuid(EXAMPLE_INSTANT);
  const { market } = price;
  return { ...price, market: { ...market, id, row: market.row.replace(market.id, id) } };
}

const ALL_KEPT = { markets: [], spreads: [] };

test('a quote is read as it was made, and its trade says the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        trade: fc.constantFrom(
          ['USD', 'EUR'],
          ['EUR', 'JPY'],
          ['JPY', 'GBP'],
          ['KWD', 'USD'],
          ['USD', 'KWD'],
        ),
        fixedSide: fc.constantFrom('sell' as const, 'buy' as const),
        units: fc.integer({ min: 500, max: 9_000_000 }),
        disclosure: fc.constantFrom('full' as const, 'total' as const, 'none' as const),
        rounding: fc.constantFrom('half_up' as const, 'house' as const),
        metadata: fc.option(fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }), { nil: undefined }),
        clientReference: fc.option(fc.constantFrom('ref "1", {2}', 'a\\b', '(x,y)'), { nil: undefined }),
      }),
      async ({ trade, fixedSide, units, disclosure, rounding, metadata, clientReference }) => {
        const [sellCurrency, buyCurrency] = trade as [string, string];
        desk.change({
          settings: { ...DEFAULT_SETTINGS, pricingDisclosure: disclosure, amountRounding: rounding },
        });
        const quotes = await Promise.all(
          [units, units + 1].map((amount) =>
            desk.quote({
              sellCurrency,
              buyCurrency,
              fixedSide,
              amount: `${amount}`,
              ...(metadata === undefined ? {} : { metadata }),
              ...(clientReference === undefined ? {} : { clientReference }),
            }),
          ),
        );
        for (const quote of quotes) {
          assert.deepEqual(await desk.services.store.find(desk.customerId, quote.id), quote);
          assert.deepEqual(await desk.services.store.findKept(desk.customerId, quote.id), quote);
        }
        const [quote = assert.fail()] = quotes;
        const { id, rate, pricing } = await desk.execute(quote);
        assert.deepEqual([rate, pricing], [quote.rate, quote.pricing]);
        const read = await desk.services.transactions.find(desk.customerId, id);
        assert.deepEqual(
          [read?.rate, read?.pricing, read?.evidence],
          [quote.rate, quote.pricing, quote.evidence],
        );
      },
    ),
    { numRuns: 60 },
  );
  desk.change({ settings: DEFAULT_SETTINGS });
});

test('a quote of before, with all of its price in one text, is read as it was, executed and cancelled', async () => {
  for (const pricingDisclosure of ['full', 'none'] as const) {
    desk.change({ settings: { ...DEFAULT_SETTINGS, pricingDisclosure } });
    const [quote, traded, cancelled] = await Promise.all([desk.quote(), desk.quote(), desk.quote()]);
    const said = ({ rate, pricing, evidence }: Said) => [rate, pricing, evidence];
    const { id } = await desk.execute(traded);
    const read = async () =>
      (
        await desk.pool.query<Said>('select rate, pricing, evidence from priced_transactions where id = $1', [
          id,
        ])
      ).rows.map(said);
    assert.deepEqual(await read(), [said(traded)]);
    for (const each of [quote, traded, cancelled]) await keepAsBefore(ownerOf(desk.pool), each.id);
    assert.deepEqual(await read(), [said(traded)]);
    assert.deepEqual(await desk.services.store.find(desk.customerId, quote.id), quote);
    const ended = await desk.services.store.cancel(desk.customerId, cancelled.id, desk.clock.now());
    assert.deepEqual(said(ended ?? assert.fail()), said(cancelled));
    assert.deepEqual(said((await desk.execute(quote)) as Said), said(quote));
  }
  desk.change({ settings: DEFAULT_SETTINGS });
});

interface Said {
  readonly rate: string;
  readonly pricing: string;
  readonly evidence: string | null;
}

test('who asks for one quote or trade alone is not kept waiting for a plan of its own', async () => {
  const connection = await desk.pool.connect();
  try {
    const { quotes, transactions } = storesOn(connection as unknown as Pool);
    const quote = await desk.quote();
    const trade = await desk.execute(quote);
    for (let i = 0; i < 12; i++) {
      await quotes.find(desk.customerId, quote.id);
      await transactions.find(desk.customerId, trade.id);
    }
    const { rows } = await connection.query<{ name: string; own: number }>(
      `select name, custom_plans::int as own from pg_prepared_statements
       where name in ('read_quotes', 'read_transactions') order by name`,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['read_quotes', 'read_transactions'],
    );
    // The first five are planned for what they ask for, whatever that costs.
    for (const { name, own } of rows) assert.ok(own <= 5, `${name} was planned ${own} times`);
  } finally {
    connection.release(true);
  }
});

function storesOn(pool: Pool): { quotes: QuoteStore; transactions: TransactionStore } {
  const { clock, limitDay } = desk.services;
  const now = () => clock.now();
  return {
    quotes: new QuoteStore({ pool, now }),
    transactions: new TransactionStore({ pool, now, limitDay }),
  };
}

test('quotes of one batch that have this or that in common are told apart', async () => {
  const bodies = [
    {},
    { validitySeconds: 60 },
    { sellCurrency: 'EUR', buyCurrency: 'JPY' },
    { tenor: 'tom' as const },
    { sellCurrency: 'KWD', buyCurrency: 'USD', clientReference: '"a", (b)' },
    { fixedSide: 'buy' as const, metadata: { a: '\n' } },
    { sellCurrency: 'EUR', buyCurrency: 'USD', amount: '123.45' },
  ];
  const order = Array.from({ length: 40 }, (_, i) => bodies[(i * i + (i >> 2)) % bodies.length] ?? {});
  const quotes = await Promise.all(order.map((body) => desk.quote({ amount: '1000', ...body })));
  const read = await Promise.all(quotes.map(({ id }) => desk.services.store.find(desk.customerId, id)));
  assert.deepEqual(read, quotes);
});

test('quotes of one price and spread share what is kept; each spread and each price is kept once, whoever asks', async () => {
  const own = await createDesk((await createTestDatabase()).pool);
  const kept = async () =>
    Promise.all(['market_prices', 'quote_spreads', 'quotes'].map((table) => count(table, own)));
  own.market.book.freeze('EURUSD', decimal('1.08490'), decimal('1.08495'));
  await Promise.all(Array.from({ length: 20 }, () => own.quote()));
  assert.deepEqual(await kept(), [1, 1, 20]);
  own.change({ settings: { ...DEFAULT_SETTINGS, pricingDisclosure: 'total' } });
  await own.quote();
  assert.deepEqual(await kept(), [1, 2, 21], 'the market is the same for who is shown less of it');
  own.change({ settings: DEFAULT_SETTINGS });
  own.market.book.freeze('EURUSD', decimal('1.08491'), decimal('1.08496'));
  await own.quote();
  assert.deepEqual(await kept(), [2, 2, 22], 'the spread outlives the price');
  await own.quote({ fixedSide: 'buy' });
  assert.deepEqual(await kept(), [2, 3, 23], 'the markup is in the currency that is not fixed');
  await Promise.all([
    own.quote({ sellCurrency: 'USD', buyCurrency: 'EUR' }),
    own.quote({ sellCurrency: 'EUR', buyCurrency: 'USD' }),
  ]);
  const [prices] = await kept();
  assert.equal(prices, 3, 'each side has its own');
});

test('instances that write the same prices at once, in whatever order, do not stand in each other’s way', async () => {
  const quote = await unwritten();
  const prices = Array.from({ length: 12 }, () => priceAgain(quote.price));
  const stores = Array.from(
    { length: 4 },
    () => new QuoteStore({ pool: desk.pool, now: () => desk.clock.now() }),
  );
  const before = await count('market_prices');
  const outcomes = await Promise.all(
    stores.flatMap((store, i) =>
      (i % 2 === 0 ? prices : [...prices].reverse()).map((price) => store.insert(copyOf(quote, { price }))),
    ),
  );
  assert.ok(outcomes.every(({ outcome }) => outcome === 'created'));
  assert.equal(await count('market_prices'), before + prices.length);
});

test('without its price no quote is written; one that was thought to be kept is sent again', async () => {
  const quote = await unwritten();
  const known = copyOf(quote);
  const lost = copyOf(quote, { price: priceAgain(quote.price) });
  const before = await count('quotes');
  await desk.services.store.insert(known);
  await assert.rejects(
    desk.pool.query(INSERT_QUOTES, insertParameters([copyOf(known), lost], ALL_KEPT, desk.clock.now())),
    (error) => sqlState(error) === '23503',
  );
  assert.equal(await count('quotes'), before + 1, 'nor are the others of its batch');

  await assert.rejects(
    ownerOf(desk.pool).query('delete from market_prices where id = $1', [lost.price.market.id]),
    /not deleted/,
  );
  const store = new QuoteStore({ pool: desk.pool, now: () => desk.clock.now() });
  await store.insert(lost);
  await ownerOf(desk.pool).query('alter table market_prices disable trigger user');
  await ownerOf(desk.pool).query('delete from quotes where id = $1', [lost.record.id]);
  await ownerOf(desk.pool).query('delete from market_prices where id = $1', [lost.price.market.id]);
  await ownerOf(desk.pool).query('alter table market_prices enable trigger user');
  const again = [copyOf(lost), copyOf(lost)];
  assert.deepEqual(
    (await Promise.all(again.map((each) => store.insert(each)))).map(({ outcome }) => outcome),
    ['created', 'created'],
  );
});

test('keys of one batch are those of their customers, and not every quote has one', async () => {
  const quote = await unwritten();
  const other = await createDesk(desk.pool);
  const of = (customerId: string, key?: string) => {
    const { record, ...copy } = copyOf(quote);
    const receivedAt = record.createdAt;
    return {
      ...copy,
      record: { ...record, customerId },
      key: key === undefined ? undefined : { key, fingerprint: FINGERPRINT, receivedAt },
    };
  };
  const [ours, theirs] = [of(desk.customerId, 'ours'), of(other.customerId, 'theirs')];
  const batch = [of(desk.customerId), ours, theirs];
  await desk.pool.query(INSERT_QUOTES, insertParameters(batch, ALL_KEPT, desk.clock.now()));
  const { store } = desk.services;
  assert.equal((await store.byKey(desk.customerId, 'ours'))?.record.id, ours.record.id);
  assert.equal((await store.byKey(other.customerId, 'theirs'))?.record.id, theirs.record.id);
  const free = [of(desk.customerId, 'theirs'), of(other.customerId, 'ours')];
  const outcomes = await Promise.all(free.map((each) => store.insert(each)));
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['created', 'created'],
  );
});

test('known keys in a batch of new ones', async () => {
  const quote = await unwritten();
  const keyed = (key: string) =>
    copyOf(quote, { key: { key, fingerprint: FINGERPRINT, receivedAt: quote.record.createdAt } });
  const { store } = desk.services;
  const first = keyed('a "known", one\\');
  await store.insert(first);
  const before = await count('quotes');
  const batch = [keyed('new 1'), keyed(first.key?.key ?? ''), copyOf(quote), keyed('new 2')];
  const outcomes = await Promise.all(batch.map((each) => store.insert(each)));
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['created', 'known', 'created', 'created'],
  );
  const known = await store.byKey(desk.customerId, first.key?.key ?? '');
  assert.deepEqual([known?.fingerprint, known?.record.id], [FINGERPRINT.slice(0, 32), first.record.id]);
  assert.equal(await count('quotes'), before + 3);
  assert.equal((await store.byKey(desk.customerId, 'new 2'))?.record.id, batch[3]?.record.id);
});
