import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findPair, type Pair } from '@firmquote/fx';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk, decimal, executionOf } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { Halts, type HaltTarget } from '../market/halts.ts';
import { Problem } from '../problems/problem.ts';
import { pairStatus } from '../reference/market-status.ts';
import { findQuote } from './quote-lifecycle.ts';
import { withdrawHalted as withdrawUnless } from './withdraw-halted.ts';

let pool: Pool;
let desk: Desk;

before(async () => {
  ({ pool } = await createTestDatabase());
  desk = await createDesk(pool);
});

const GBPUSD = findPair('GBPUSD') as Pair;
const EUROS: HaltTarget = { scope: 'pair', pair: 'EURUSD', customerId: null };

async function code(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof Problem, String(error));
  return [error.code, error.members.reason];
}

/** Where the halts that the market knows are those in force. */
const withdrawHalted = (services = desk.services) => withdrawUnless(services, async () => true);
const statusOf = async (id: string) => (await findQuote(desk.services, desk.customerId, id)).status;

test('a quote under a halt is not executed, also before it is withdrawn', async () => {
  const [euros, pounds] = [await desk.quote(), await desk.quote({ buyCurrency: 'GBP' })];
  desk.market.setHalts(new Halts([EUROS]));
  assert.deepEqual(await code(desk.execute(euros)), ['market_closed', 'halt']);
  await assert.rejects(desk.execute(euros), { message: 'Trading is halted.' });
  assert.deepEqual(await code(desk.quote()), ['market_closed', 'halt']);
  assert.equal(await statusOf(euros.id), 'open');
  assert.equal(await withdrawHalted(), 1);
  assert.equal(await withdrawHalted(), 0);
  assert.equal(await statusOf(euros.id), 'withdrawn');
  assert.deepEqual(await code(desk.execute(euros)), ['quote_withdrawn', undefined]);
  await desk.execute(pounds);
  desk.market.setHalts(Halts.NONE);
  await desk.execute(await desk.quote());
});

test('nothing is withdrawn for a halt that is found to be over', async () => {
  const quote = await desk.quote();
  desk.market.setHalts(new Halts([EUROS]));
  let asked = 0;
  const isOver = async () => {
    asked += 1;
    return false;
  };
  assert.equal(await withdrawUnless(desk.services, isOver), 0);
  assert.equal(asked, 1, 'once what it would withdraw was found');
  desk.market.setHalts(Halts.NONE);
  await desk.execute(quote);
});

test('what was decided before the halt is answered as it was', async () => {
  const quote = await desk.quote();
  const executed = await desk.execute(quote);
  desk.market.setHalts(new Halts([{ scope: 'all', pair: null, customerId: null }]));
  assert.deepEqual(await code(desk.execute(quote)), ['quote_already_executed', undefined]);
  assert.ok(executed.id);
  desk.market.setHalts(Halts.NONE);
});

test('a quote that has run out is not withdrawn: what arrived in time is executed', async () => {
  const quote = await desk.quote();
  const inTime = desk.clock.now();
  const { store, transactions } = desk.services;
  const ids = [{ customerId: desk.customerId, id: quote.id }];
  assert.equal(await store.withdraw(ids, 'market_halt', quote.expiresAt), 0);
  desk.clock.set(quote.expiresAt + 1);
  const { outcome } = await transactions.execute(executionOf(desk, quote.id, { receivedAt: inTime }));
  assert.equal(outcome, 'created');
});

test('a halt of another customer reaches nobody else', async () => {
  const quote = await desk.quote();
  const other = '0198a000-0000-7000-8000-00000000ffff';
  desk.market.setHalts(new Halts([{ scope: 'customer', pair: null, customerId: other }]));
  assert.equal(await withdrawHalted(), 0);
  await desk.execute(quote);
  desk.market.setHalts(new Halts([{ scope: 'customer', pair: null, customerId: desk.customerId }]));
  assert.deepEqual(await code(desk.quote()), ['market_closed', 'halt']);
  desk.market.setHalts(Halts.NONE);
});

test('a market that is closed by the sandbox keeps its quotes', async () => {
  const quote = await desk.quote();
  desk.market.override('closed');
  assert.equal(await withdrawHalted(), 0);
  assert.deepEqual(await code(desk.execute(quote)), ['market_closed', 'halt']);
  desk.market.override('open');
  await desk.execute(quote);
});

test('sources that disagree stop new quotes; those that were given stand and are executed', async () => {
  const { market, clock } = desk;
  market.book.release('USDKWD');
  const send = (source: string, bid: string, ask: string) =>
    market.book.apply({ pair: 'USDKWD', bid: decimal(bid), ask: decimal(ask), at: clock.now(), source });
  send('a', '0.30711', '0.30719');
  const [dinars, cross] = [
    await desk.quote({ buyCurrency: 'KWD' }),
    await desk.quote({ sellCurrency: 'EUR', buyCurrency: 'KWD' }),
  ];
  send('b', '0.30911', '0.30919');
  assert.deepEqual(await code(desk.quote({ buyCurrency: 'KWD' })), ['market_closed', 'halt']);
  assert.equal(await withdrawHalted(), 0);
  await desk.execute(dinars);
  await desk.execute(cross);
});

test('a price that leaves the band stops new quotes; those that were given stand and are executed', async () => {
  const { market, clock } = desk;
  market.book.release('USDJPY');
  const send = (bid: string, ask: string) =>
    market.book.apply({ pair: 'USDJPY', bid: decimal(bid), ask: decimal(ask), at: clock.now(), source: 'a' });
  send('151.236', '151.240');
  const quote = await desk.quote({ buyCurrency: 'JPY' });
  assert.equal(send('171.236', '171.240'), 'outside_band');
  assert.deepEqual(await code(desk.quote({ buyCurrency: 'JPY' })), ['price_unavailable', undefined]);
  assert.equal(await withdrawHalted(), 0);
  await desk.execute(quote);
});

test('a pair without a price since the start is refused for the halt, or the closed market, while there is one', async () => {
  const { market, clock } = desk;
  const pounds = { bid: decimal('1.26810'), ask: decimal('1.26818') };
  market.book.release('GBPUSD');
  const known = { sum: decimal('2.53628'), at: clock.now() - 1_000 };
  market.book.restore(GBPUSD, known, known);
  const quote = () => desk.quote({ buyCurrency: 'GBP' });
  const shown = () => pairStatus(market, GBPUSD, desk.customerId).reason;
  assert.deepEqual(await code(quote()), ['price_unavailable', undefined]);
  assert.equal(shown(), 'no_price');
  market.setHalts(new Halts([{ scope: 'pair', pair: 'GBPUSD', customerId: null }]));
  assert.deepEqual(await code(quote()), ['market_closed', 'halt']);
  assert.equal(shown(), 'halt');
  market.setHalts(Halts.NONE);
  market.override('closed');
  assert.deepEqual(await code(quote()), ['market_closed', 'halt']);
  assert.equal(shown(), 'market_closed');
  market.override('open');
  market.book.freeze('GBPUSD', pounds.bid, pounds.ask);
});

test('quotes that an operator lets stand are executed under the halt', async () => {
  const quote = await desk.quote();
  desk.market.setHalts(new Halts([{ ...EUROS, withdrawsQuotes: false }]));
  assert.deepEqual(await code(desk.quote()), ['market_closed', 'halt']);
  assert.equal(await withdrawHalted(), 0);
  await desk.execute(quote);
  desk.market.setHalts(Halts.NONE);
});

test('a customer whose row is held for a moment only has its quotes withdrawn in the same call', async () => {
  const quote = await desk.quote();
  desk.market.setHalts(new Halts([EUROS]));
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from customer_usage where customer_id = $1 for update', [desk.customerId]);
    const { store } = desk.services;
    const seen: number[] = [];
    const watched = {
      openPairs: (at: number) => store.openPairs(at),
      openUnder: (...asked: Parameters<typeof store.openUnder>) => store.openUnder(...asked),
      async withdraw(...asked: Parameters<typeof store.withdraw>) {
        seen.push(await store.withdraw(...asked));
        if (seen.length === 1) await holder.query('commit');
        return seen.at(-1) ?? 0;
      },
    };
    const services = { ...desk.services, store: watched as unknown as typeof store };
    assert.equal(await withdrawHalted(services), 1);
    assert.deepEqual(seen, [0, 1]);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  assert.equal(await statusOf(quote.id), 'withdrawn');
  desk.market.setHalts(Halts.NONE);
});

test('a customer whose row somebody holds keeps no other quote from being withdrawn', async () => {
  const other = await createDesk(pool, { clock: desk.clock });
  // More of the held one than a look finds at once, and before the free one.
  const many = await Promise.all(Array.from({ length: 260 }, () => desk.quote()));
  const [held, free] = [many[0] ?? assert.fail(), await other.quote()];
  desk.market.setHalts(new Halts([EUROS]));
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from customer_usage where customer_id = $1 for update', [desk.customerId]);
    assert.equal(await withdrawHalted(), 1);
    assert.equal((await findQuote(other.services, other.customerId, free.id)).status, 'withdrawn');
    assert.equal(await statusOf(held.id), 'open');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  assert.equal(await withdrawHalted(), many.length);
  assert.equal(await statusOf(held.id), 'withdrawn');
  desk.market.setHalts(Halts.NONE);
});
