import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import { MarketControl } from './control.ts';
import { haltMarket, resumeMarket } from './halt-market.ts';
import { Market } from './market.ts';
import { NOW, pair, testBook } from './test-book.ts';

const OPERATOR = '0195f000-0000-7000-8000-00000000000a';
const EUROS = { scope: 'pair', pair: 'EURUSD', customerId: null } as const;
const ORDER = { actor: OPERATOR, reason: 'x' };

let pool: Pool;

before(async () => {
  pool = (await createTestDatabase()).pool;
});

function setUp() {
  const { clock, book, send } = testBook();
  const market = new Market({ clock, book, hours: 'always' });
  const lines: string[] = [];
  const state = { calls: 0, fails: false };
  const control = new MarketControl({
    pool,
    clock,
    market,
    logger: createLogger('info', { write: (line: string) => lines.push(line) }),
    withdrawHalted: async () => {
      state.calls += 1;
      if (state.fails) throw new Error('the database is away');
      return 1;
    },
  });
  const [follow] = control.sweeps();
  assert.ok(follow);
  return { clock, send, market, control, state, lines, follow: () => follow.run() };
}

test('sources that fall apart withdraw quotes at once; what fails is done by the sweep', async () => {
  const { send, market, state, lines, follow } = setUp();
  await follow();
  assert.equal(state.calls, 0, 'without a halt nothing is looked for');
  send('a', '1.08488', '1.08494');
  state.fails = true;
  send('b', '1.09388', '1.09394');
  assert.equal(state.calls, 1);
  assert.equal(market.isHalted(pair('EURUSD')), true);
  await assert.rejects(follow(), /away/);
  state.fails = false;
  assert.equal(await follow(), 1);
  assert.match(
    lines.join(''),
    /sources disagree: the pair is halted.*"pair":"EURUSD"|"pair":"EURUSD".*sources disagree/,
  );
  assert.match(lines.join(''), /withdrawing quotes failed/);
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
