import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import { SettingsFollower } from '../settings/follower.ts';
import { acceptPrice } from './accept-price.ts';
import { MarketControl } from './control.ts';
import { haltMarket, resumeMarket } from './halt-market.ts';
import { sourceHealthView } from './health-view.ts';
import { midText, readAcceptedPrices, readLastPrices } from './level-store.ts';
import { Market } from './market.ts';
import type { PriceSource } from './sources/source.ts';
import { resetSequence } from './switch-source.ts';
import { decimal, NOW, pair, testBook } from './test-book.ts';

const OPERATOR = '0195f000-0000-7000-8000-00000000000a';
const EUROS = { scope: 'pair', pair: 'EURUSD', customerId: null } as const;
const ORDER = { actor: OPERATOR, reason: 'x' };

let pool: Pool;

before(async () => {
  pool = (await createTestDatabase()).pool;
});

function setUp(sources: readonly PriceSource[] = []) {
  const { clock, book, send } = testBook();
  const market = new Market({ clock, book, hours: 'always', sources });
  const lines: string[] = [];
  const state = { calls: 0, fails: false, halted: [] as boolean[], meanwhile: async () => {} };
  const control = new MarketControl({
    pool,
    clock,
    market,
    logger: createLogger('info', { write: (line: string) => lines.push(line) }),
    unkeptSources: new Set(['simulated']),
    withdrawHalted: async (isCurrent) => {
      state.calls += 1;
      state.halted.push(market.isHalted(pair('EURUSD')));
      if (state.fails) throw new Error('the database is away');
      await state.meanwhile();
      return (await isCurrent()) ? 1 : 0;
    },
  });
  const follower = new SettingsFollower(pool, [control.topic()]);
  const withdraw = control.sweeps().find(({ name }) => name === 'withdraw_halted') ?? assert.fail();
  /** Follows what other instances were told, and does what the sweep does next. */
  const follow = async () => {
    await follower.look();
    return withdraw.run();
  };
  return { clock, send, market, control, state, lines, follow, withdraw };
}

test('sources that fall apart withdraw nothing, and are told of', async () => {
  const { send, market, state, lines, follow } = setUp();
  send('a', '1.08488', '1.08494');
  send('b', '1.09388', '1.09394');
  assert.equal(market.isHalted(pair('EURUSD')), true);
  await follow();
  assert.equal(state.calls, 0);
  assert.match(lines.join(''), /"pair":"EURUSD".*sources disagree|sources disagree.*"pair":"EURUSD"/);
});

test('a halt withdraws quotes at once, and what fails is done by the sweep', async () => {
  const { control, state, follow } = setUp();
  await follow();
  assert.equal(state.calls, 0, 'without a halt nothing is looked for');
  state.fails = true;
  await assert.rejects(haltMarket(control, EUROS, ORDER), /away/);
  await assert.rejects(follow(), /away/);
  state.fails = false;
  assert.equal(await follow(), 1);
  await resumeMarket(control, EUROS, ORDER);
});

test('a halt that keeps quotes withdraws none, until an operator says otherwise', async () => {
  const { control, state, follow } = setUp();
  const kept = await haltMarket(control, EUROS, ORDER, false);
  assert.deepEqual([kept.halt.withdrawsQuotes, kept.withdrawn], [false, 0]);
  await follow();
  assert.equal(state.calls, 0);
  const other = setUp();
  const taken = await haltMarket(control, EUROS, ORDER);
  assert.deepEqual([taken.halt.id, taken.halt.withdrawsQuotes, taken.withdrawn], [kept.halt.id, true, 1]);
  assert.equal(await other.follow(), 1, 'on other instances too');
  assert.equal((await haltMarket(control, EUROS, ORDER, false)).halt.withdrawsQuotes, true);
  await resumeMarket(control, EUROS, ORDER);
});

test('a refused price and a source that is set aside are told of once', async () => {
  const { send, lines } = setUp();
  for (const source of ['a', 'b', 'c']) send(source, '1.08488', '1.08494');
  for (let i = 0; i < 5; i++) send('c', '1.28488', '1.28494');
  const [refused = '', aside = '', ...more] = lines;
  assert.match(refused, /"source":"c".*"reason":"outside_band".*not trusted/);
  assert.match(aside, /"source":"c".*set aside/);
  assert.deepEqual(more, []);
});

test('what an operator accepts holds on every instance, is kept with who and why, and outlives a restart', async () => {
  const [here, there] = [setUp(), setUp()];
  for (const { send } of [here, there]) send('a', '1.10000', '1.10006', 'AUDUSD');
  const wrong = () => here.send('a', '0.69000', '0.69006', 'AUDUSD');
  assert.equal(wrong(), 'outside_band');
  const order = { actor: OPERATOR, reason: 'the first price was wrong' };
  await acceptPrice(here.control, pair('AUDUSD'), decimal('0.69'), order);
  assert.equal(wrong(), 'accepted');
  await there.follow();
  assert.equal(there.send('a', '0.69000', '0.69006', 'AUDUSD'), 'accepted');
  const restarted = setUp();
  await restarted.control.load();
  assert.equal(restarted.send('a', '1.10000', '1.10006', 'AUDUSD'), 'outside_band');
  const [price] = await readAcceptedPrices(pool, 'AUDUSD');
  assert.deepEqual(
    [price?.number, price?.reason, price?.acceptedBy, midText(price?.level.sum ?? decimal('0'))],
    [1, order.reason, OPERATOR, '0.69'],
  );
});

test('where pairs stood is written down every few seconds and read by the next start', async () => {
  const { send, control } = setUp();
  send('a', '0.92000', '0.92010', 'USDCHF');
  const sweep = control.sweeps().find(({ name }) => name === 'keep_last_prices');
  assert.equal(await sweep?.run(), 1);
  send('a', '0.92001', '0.92011', 'USDCHF');
  assert.equal(await sweep?.run(), 0, 'what hardly moves is not written');
  send('a', '0.92700', '0.92710', 'USDCHF');
  assert.equal(await sweep?.run(), 1);
  send('simulated', '1.34000', '1.34010', 'GBPUSD');
  assert.equal(await sweep?.run(), 0, 'what is made up begins anew with each start');
  const restarted = setUp();
  await restarted.control.load();
  assert.equal(restarted.send('a', '0.89000', '0.89010', 'USDCHF'), 'outside_band');
  assert.equal(restarted.send('a', '0.92800', '0.92810', 'USDCHF'), 'accepted');
});

test('older news of another instance does not stand over newer news, but for what a wrong clock wrote', async () => {
  const [here, stalled] = [setUp(), setUp()];
  const write = ({ control }: typeof here) =>
    control
      .sweeps()
      .find(({ name }) => name === 'keep_last_prices')
      ?.run();
  const lastMid = async () => (await readLastPrices(pool, 'NZDUSD')).map(({ last }) => midText(last.sum));
  stalled.send('a', '0.59000', '0.59010', 'NZDUSD');
  here.clock.at += 5_000;
  here.send('a', '0.59500', '0.59510', 'NZDUSD');
  await write(here);
  stalled.clock.at += 5_000;
  await write(stalled);
  assert.deepEqual(await lastMid(), ['0.59505']);
  here.clock.at += 86_400_000;
  here.send('a', '0.59700', '0.59710', 'NZDUSD');
  await write(here);
  assert.deepEqual(await lastMid(), ['0.59705']);
  stalled.clock.at += 5_000;
  stalled.send('a', '0.59200', '0.59210', 'NZDUSD');
  await write(stalled);
  assert.deepEqual(await lastMid(), ['0.59205'], 'nobody knows a price of tomorrow');
});

test('a pair that was quoted before a start is known to it for a month, though it stood still', async () => {
  const { clock, send, control } = setUp();
  const sweep = control.sweeps().find(({ name }) => name === 'keep_last_prices');
  send('a', '3.67240', '3.67260', 'USDAED');
  assert.equal(await sweep?.run(), 1);
  clock.at += 86_400_000;
  send('a', '3.67240', '3.67260', 'USDAED');
  assert.equal(await sweep?.run(), 1, 'once a day what stands still is written anew');
  const restarted = setUp();
  const isSupported = (code: string) => restarted.market.book.isSupported(pair(code));
  assert.deepEqual([isSupported('USDAED'), isSupported('AEDMXN')], [false, false]);
  await restarted.control.load();
  assert.deepEqual(
    [isSupported('USDAED'), isSupported('AEDMXN'), isSupported('USDMXN')],
    [true, false, false],
  );
  restarted.clock.at += 32 * 86_400_000;
  assert.equal(isSupported('USDAED'), true);
  restarted.clock.at += 1;
  assert.equal(isSupported('USDAED'), false);
});

test('an order holds when it resolves, and other instances follow by their sweep', async () => {
  const [here, there] = [setUp(), setUp()];
  await there.control.load();
  const { halt, withdrawn } = await haltMarket(here.control, EUROS, ORDER);
  assert.equal(withdrawn, 1);
  assert.equal(here.market.isHalted(pair('EURUSD')), true);
  assert.equal(there.market.isHalted(pair('EURUSD')), false);
  await there.follow();
  assert.equal(there.market.isHalted(pair('EURUSD')), true);
  assert.equal(there.state.calls, 1, 'it withdraws what it has quoted');
  here.clock.at = NOW - 60_000;
  const resumed = await resumeMarket(here.control, EUROS, { actor: OPERATOR, reason: null });
  assert.deepEqual([resumed.id, resumed.resumedAt], [halt.id, NOW], 'not before it began');
  assert.equal(here.market.isHalted(pair('EURUSD')), false);
  await there.follow();
  assert.equal(there.market.isHalted(pair('EURUSD')), false);
  assert.match(there.lines.join(''), /trading is halted[\s\S]*a halt was lifted/);
});

test('a halt that was lifted elsewhere withdraws no quotes here any more, before it is followed', async () => {
  const [here, there] = [setUp(), setUp()];
  await haltMarket(here.control, EUROS, ORDER);
  await there.follow();
  await resumeMarket(here.control, EUROS, ORDER);
  await there.withdraw.run();
  assert.deepEqual(there.state.halted, [true, false]);
});

test('a halt that is lifted elsewhere while its quotes are looked for withdraws none of them', async () => {
  const [here, there] = [setUp(), setUp()];
  await haltMarket(here.control, EUROS, ORDER);
  await there.follow();
  there.state.meanwhile = async () => {
    there.state.meanwhile = async () => {};
    await resumeMarket(here.control, EUROS, ORDER);
  };
  assert.equal(await there.withdraw.run(), 1, 'what is found under the halts that are left');
  assert.deepEqual(there.state.halted, [true, true, false]);
});

test('settings that change all the time keep no withdrawal going for ever', async () => {
  const { control, state, withdraw } = setUp();
  await haltMarket(control, EUROS, ORDER);
  state.meanwhile = async () => {
    await pool.query('update market_revision set revision = revision + 1');
  };
  const before = state.calls;
  assert.equal(await withdraw.run(), 0);
  assert.equal(state.calls - before, 4);
  state.meanwhile = async () => {};
  assert.equal(await withdraw.run(), 1, 'the sweep goes on');
  await resumeMarket(control, EUROS, ORDER);
});

test('two operators who halt the same at once make one halt', async () => {
  const controls = [setUp(), setUp(), setUp()].map(({ control }) => control);
  const halts = await Promise.all(controls.map((control) => haltMarket(control, EUROS, ORDER)));
  assert.equal(new Set(halts.map(({ halt }) => halt.id)).size, 1);
  const [first] = controls;
  assert.ok(first);
  await resumeMarket(first, EUROS, { actor: OPERATOR, reason: null });
  const second = resumeMarket(first, EUROS, { actor: OPERATOR, reason: null });
  await assert.rejects(second, { code: 'invalid_state_transition' });
});

test('nothing is read again while the revision stays', async () => {
  const { control, market } = setUp();
  await control.load();
  await pool.query(
    `insert into market_halts (id, scope, pair, reason, halted_at, halted_by) values ($1, 'pair', 'USDJPY', 'x', $2, $1)`,
    [OPERATOR, isoInstant(NOW)],
  );
  await control.load();
  assert.equal(market.isHalted(pair('USDJPY')), false);
  await pool.query('update market_revision set revision = revision + 1');
  await control.load();
  assert.equal(market.isHalted(pair('USDJPY')), true);
  assert.deepEqual(
    control.halts.map(({ pair: code }) => code),
    ['USDJPY'],
  );
});

test('sequence numbers that an operator sets are on record, and none that no gateway took', async () => {
  const state = { isRunning: false };
  const numbers = { nextSent: 40, nextReceived: 7 };
  const sent: unknown[] = [];
  const session: PriceSource = {
    name: 'fix:lp',
    start: () => undefined,
    stop: async () => undefined,
    refresh: async () => undefined,
    health: () => ({ state: 'running', ticks: 0 }),
    resetSequence: (...asked) => {
      sent.push(asked);
      return state.isRunning;
    },
  };
  const { control, clock } = setUp([session]);
  const other = setUp();
  await other.control.load();
  const shown = (of = control) => sourceHealthView(of, 'fix:lp').sequenceReset;
  await assert.rejects(resetSequence(control, 'fix:lp', numbers, ORDER), { code: 'price_source_not_found' });
  await assert.rejects(resetSequence(control, 'fix:gone', numbers, ORDER), {
    code: 'price_source_not_found',
  });
  assert.equal(shown(), null);
  state.isRunning = true;
  await resetSequence(control, 'fix:lp', numbers, ORDER);
  const first = {
    ...{ ...numbers, reason: 'x' },
    ...{ resetAt: isoInstant(clock.now()), resetBy: typeId('cli', OPERATOR) },
  };
  assert.deepEqual(shown(), first);
  assert.deepEqual(sent.at(-1), [numbers, { actor: typeId('cli', OPERATOR), reason: 'x' }]);
  await other.control.load();
  assert.deepEqual(shown(other.control), first, 'every instance knows');
  await resetSequence(control, 'fix:lp', { nextSent: 1, nextReceived: 1 }, { ...ORDER, reason: 'y' });
  assert.deepEqual(shown(), { ...first, nextSent: 1, nextReceived: 1, reason: 'y' });
  const { rows } = await pool.query('select number, reason from market_sequence_resets order by number');
  assert.deepEqual(rows, [
    { number: 1, reason: 'x' },
    { number: 2, reason: 'y' },
  ]);
});
