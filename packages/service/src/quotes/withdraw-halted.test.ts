import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk, decimal } from '../../test/support/trading.ts';
import { Halts, type HaltTarget } from '../market/halts.ts';
import { Problem } from '../problems/problem.ts';
import { findQuote } from './close-quotes.ts';
import { withdrawHalted } from './withdraw-halted.ts';

let desk: Desk;

before(async () => {
  desk = await createDesk((await createTestDatabase()).pool);
});

const EUROS: HaltTarget = { scope: 'pair', pair: 'EURUSD', customerId: null };

async function code(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof Problem, String(error));
  return [error.code, error.members.reason];
}

const statusOf = async (id: string) => (await findQuote(desk.services, desk.customerId, id)).status;

test('a quote under a halt is not executed, also before it is withdrawn', async () => {
  const [euros, pounds] = [await desk.quote(), await desk.quote({ buyCurrency: 'GBP' })];
  desk.market.setHalts(new Halts([EUROS]));
  assert.deepEqual(await code(desk.execute(euros)), ['market_closed', 'halt']);
  assert.deepEqual(await code(desk.quote()), ['market_closed', 'halt']);
  assert.equal(await statusOf(euros.id), 'open');
  assert.equal(await withdrawHalted(desk.services), 1);
  assert.equal(await withdrawHalted(desk.services), 0);
  assert.equal(await statusOf(euros.id), 'withdrawn');
  assert.deepEqual(await code(desk.execute(euros)), ['quote_withdrawn', undefined]);
  await desk.execute(pounds);
  desk.market.setHalts(Halts.NONE);
  await desk.execute(await desk.quote());
});

test('what was decided before the halt is answered as it was', async () => {
  const quote = await desk.quote();
  const executed = await desk.execute(quote);
  desk.market.setHalts(new Halts([{ scope: 'all', pair: null, customerId: null }]));
  assert.deepEqual(await code(desk.execute(quote)), ['quote_already_executed', undefined]);
  assert.ok(executed.id);
  desk.market.setHalts(Halts.NONE);
});

test('a halt of another customer reaches nobody else', async () => {
  const quote = await desk.quote();
  const other = '0198a000-0000-7000-8000-00000000ffff';
  desk.market.setHalts(new Halts([{ scope: 'customer', pair: null, customerId: other }]));
  assert.equal(await withdrawHalted(desk.services), 0);
  await desk.execute(quote);
  desk.market.setHalts(new Halts([{ scope: 'customer', pair: null, customerId: desk.customerId }]));
  assert.deepEqual(await code(desk.quote()), ['market_closed', 'halt']);
  desk.market.setHalts(Halts.NONE);
});

test('a market that is closed by the sandbox keeps its quotes', async () => {
  const quote = await desk.quote();
  desk.market.override('closed');
  assert.equal(await withdrawHalted(desk.services), 0);
  assert.deepEqual(await code(desk.execute(quote)), ['market_closed', 'halt']);
  desk.market.override('open');
  await desk.execute(quote);
});

test('sources that disagree withdraw the quotes of their pair, and of the crosses made of it', async () => {
  const { market, clock } = desk;
  market.book.release('USDKWD');
  const send = (source: string, bid: string, ask: string) =>
    market.book.apply({ pair: 'USDKWD', bid: decimal(bid), ask: decimal(ask), at: clock.now(), source });
  send('a', '0.30711', '0.30719');
  const [dinars, cross, euros] = [
    await desk.quote({ buyCurrency: 'KWD' }),
    await desk.quote({ sellCurrency: 'EUR', buyCurrency: 'KWD' }),
    await desk.quote(),
  ];
  assert.equal(await withdrawHalted(desk.services), 0);
  send('b', '0.30911', '0.30919');
  assert.equal(await withdrawHalted(desk.services), 2);
  const statuses = [dinars, cross, euros].map(({ id }) => statusOf(id));
  assert.deepEqual(await Promise.all(statuses), ['withdrawn', 'withdrawn', 'open']);
  assert.deepEqual(await code(desk.quote({ buyCurrency: 'KWD' })), ['market_closed', 'halt']);
});
