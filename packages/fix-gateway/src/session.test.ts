import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Desk, settings, THEM, temporaryFolder, US, until } from './testing/harness.ts';
import { MarketMaker, type MarketMakerOptions } from './testing/market-maker.ts';

async function open(t: TestContext, options: Partial<MarketMakerOptions> = {}): Promise<MarketMaker> {
  const maker = await MarketMaker.open({ compId: THEM, password: 'open sesame', intervalMs: 0, ...options });
  t.after(() => maker.close());
  return maker;
}

test('prices of snapshots and of changes are the texts that the venue sent', async (t) => {
  const maker = await open(t, { mids: { 'EUR/USD': { units: 117_001n, decimals: 5 } } });
  for (const updates of ['full', 'incremental'] as const) {
    const desk = new Desk(t, temporaryFolder(t), settings(maker.venue.port, { updates }));
    const first = await desk.next('tick');
    const { bid, ask } = maker.priceOf('EUR/USD');
    assert.deepEqual([first.pair, first.bid, first.ask, first.bidSize], ['EURUSD', bid, ask, '1000000']);
    maker.move();
    const moved = maker.priceOf('EUR/USD');
    await desk.next('tick', (tick) => tick.bid === moved.bid && tick.ask === moved.ask);
    await desk.stop();
    assert.equal(desk.venue.status().state, 'stopped');
  }
});

test('a price keeps its last zero', async (t) => {
  const maker = await open(t, { mids: { 'EUR/USD': { units: 117_001n, decimals: 5 } } });
  const desk = new Desk(t, temporaryFolder(t), settings(maker.venue.port));
  const tick = await desk.next('tick');
  assert.deepEqual([tick.bid, tick.ask], ['1.17000', '1.17002']);
});

test('a wrong password is refused, told without the password, and not counted as a logon', async (t) => {
  const maker = await open(t);
  const desk = new Desk(t, temporaryFolder(t), settings(maker.venue.port, { password: 'guess' }));
  await until('two refusals', () => desk.statuses.filter(({ state }) => state === 'waiting').length >= 2);
  const { error, logons } = desk.venue.status();
  assert.match(error ?? '', /logged out by the venue: logon rejected/);
  assert.equal(logons, 0);
  assert.ok(!JSON.stringify(desk.statuses).includes('guess'));
});

test('a pair that the venue does not have is told, and the others get their prices', async (t) => {
  const maker = await open(t);
  const pairs = ['AUDNZD', 'EURUSD'];
  const desk = new Desk(t, temporaryFolder(t), settings(maker.venue.port, { pairs }));
  assert.equal((await desk.next('tick')).pair, 'EURUSD');
  await until('the refusal', () => /AUDNZD refused: no prices of AUD/.test(desk.venue.status().error ?? ''));
});

test('a quote on request: both sides, one side, and none', async (t) => {
  const maker = await open(t);
  const desk = new Desk(t, temporaryFolder(t), settings(maker.venue.port, { pairs: ['EURUSD', 'AUDNZD'] }));
  await desk.up();
  desk.venue.requestQuote({ id: 'q1', pair: 'EURUSD', quantity: '250000.00' });
  const both = await desk.next('quote', ({ id }) => id === 'q1');
  const { bid, ask } = maker.priceOf('EUR/USD');
  assert.deepEqual([both.bid, both.ask, both.bidSize], [bid, ask, '1000000']);
  assert.ok((both.validUntil ?? 0) > Date.now());
  desk.venue.requestQuote({ id: 'q2', pair: 'EURUSD', side: 'buy', quantity: '250000.00' });
  const one = await desk.next('quote', ({ id }) => id === 'q2');
  assert.deepEqual([one.bid, one.ask], [undefined, ask]);
  desk.venue.requestQuote({ id: 'q3', pair: 'AUDNZD', quantity: '1' });
  assert.match((await desk.next('quoteRefused', ({ id }) => id === 'q3')).reason, /no quotes of AUD\/NZD/);
  const [session] = maker.venue.sessions;
  assert.ok(session?.received.some((message) => message.includes('|38=250000.00|')));
});

test('mode quotes: the prices come from quotes that are asked for again', async (t) => {
  const maker = await open(t);
  let now = Date.now();
  const desk = new Desk(t, temporaryFolder(t), settings(maker.venue.port, { mode: 'quotes' }), () => now);
  const first = await desk.next('tick');
  assert.equal(first.bid, maker.priceOf('EUR/USD').bid);
  maker.move();
  now += 1_100;
  desk.venue.tick();
  const { bid } = maker.priceOf('EUR/USD');
  await desk.next('tick', (tick) => tick.bid === bid);
  assert.deepEqual(desk.of('quote'), [], 'they are for the book, not for whoever asks');
});

test('orders: filled, filled in part, rejected, and never sent twice', async (t) => {
  const maker = await open(t);
  const desk = new Desk(t, temporaryFolder(t), settings(maker.venue.port));
  await desk.up();
  const order = {
    pair: 'EURUSD',
    side: 'buy',
    type: 'market',
    timeInForce: 'immediateOrCancel',
  } as const;
  const { ask } = maker.priceOf('EUR/USD');
  desk.venue.placeOrder({ ...order, id: 'o1', quantity: '1000000.00' });
  const filled = await desk.next('execution', ({ id }) => id === 'o1');
  assert.deepEqual(
    [filled.status, filled.lastPrice, filled.filledQuantity, filled.remainingQuantity],
    ['filled', ask, '1000000', '0'],
  );
  desk.venue.placeOrder({ ...order, id: 'o2', quantity: '7000000' });
  await desk.next('execution', ({ id, status }) => id === 'o2' && status === 'cancelled');
  const parts = desk.of('execution').filter(({ id }) => id === 'o2');
  assert.deepEqual(
    parts.map(({ status, filledQuantity }) => [status, filledQuantity]),
    [
      ['partiallyFilled', '5000000'],
      ['cancelled', '5000000'],
    ],
  );
  desk.venue.placeOrder({ ...order, id: 'o3', type: 'limit', price: '1.00000', quantity: '1' });
  const rejected = await desk.next('execution', ({ id }) => id === 'o3');
  assert.deepEqual([rejected.status, rejected.text], ['rejected', 'price not available']);
  desk.venue.placeOrder({ ...order, id: 'o1', quantity: '1000000.00' });
  assert.match((await desk.next('orderRefused')).reason, /sent before/);
  desk.venue.placeOrder({ ...order, id: 'o4', type: 'quoted', quantity: '1' });
  assert.match((await desk.next('orderRefused', ({ id }) => id === 'o4')).reason, /needs a price/);
});

test('numbers go on over a lost line and a restart, and a gap is asked for', async (t) => {
  const maker = await open(t);
  const folder = temporaryFolder(t);
  const desk = new Desk(t, folder, settings(maker.venue.port));
  await desk.next('tick');
  for (const session of maker.venue.sessions) session.requestStop('as if the line broke');
  await desk.up(2);
  await until('prices again', () => desk.of('tick').length >= 2);
  const before = desk.venue.status();
  await desk.stop();
  assert.ok(before.nextSent > 3, 'the second logon did not begin at 1');
  maker.venue.skip(US, 5);
  const again = new Desk(t, folder, settings(maker.venue.port));
  await again.next('tick');
  const [session] = maker.venue.sessions;
  assert.ok(
    session?.received.some((message) => /\|35=2\|.*\|7=\d+\|16=0\|/.test(message)),
    'a resend request',
  );
  await again.stop();
  const ours = again.venue.status();
  const theirs = maker.venue.numbersOf(US);
  assert.deepEqual([ours.nextSent, ours.nextReceived], [theirs.nextReceived, theirs.nextSent]);
});

test('a venue that begins anew is asked to intervene, in its own words and ours', async (t) => {
  const folder = temporaryFolder(t);
  const first = await open(t);
  const desk = new Desk(t, folder, settings(first.venue.port));
  await desk.next('tick');
  await desk.stop();
  const second = await open(t);
  const again = new Desk(t, folder, settings(second.venue.port));
  await until('the refusal', () => again.venue.status().state === 'waiting');
  assert.match(again.venue.status().error ?? '', /MsgSeqNum too low, expecting \d+ but received 1/);
  await again.stop();
  const reset = new Desk(t, folder, settings(second.venue.port, { resetSequence: true }));
  await reset.next('tick');
});

test('several sessions at once keep to themselves', async (t) => {
  const makers = await Promise.all(['A', 'B', 'C'].map((compId) => open(t, { compId })));
  const folder = temporaryFolder(t);
  const desks = makers.map(
    (maker, index) =>
      new Desk(
        t,
        folder,
        settings(maker.venue.port, { name: `lp${index}`, targetCompId: 'ABC'[index] ?? '' }),
      ),
  );
  for (const [index, desk] of desks.entries()) assert.equal((await desk.next('tick')).session, `lp${index}`);
  for (const session of makers[1]?.venue.sessions ?? []) session.requestStop('gone');
  await desks[1]?.up(2);
  assert.deepEqual(
    desks.map((desk) => desk.venue.status().logons),
    [1, 2, 1],
  );
});
