import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { SetPricingPolicy } from '@firmquote/api/operations/pricing';
import type { SpreadRuleInput } from '@firmquote/api/operations/spread-rules';
import { BUILT_IN_DATE_RULES } from '@firmquote/fx';
import { createTestDatabase } from '../../test/support/database.ts';
import { createCalendars } from '../calendars/room.ts';
import { setCutOff } from '../calendars/set-cut-off.ts';
import type { Pool } from '../database/pool.ts';
import { createExposure } from '../exposure/room.ts';
import { MarketControl } from '../market/control.ts';
import { haltMarket } from '../market/halt-market.ts';
import { Market } from '../market/market.ts';
import { pair, testBook } from '../market/test-book.ts';
import { VirtualClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import { createPricing } from '../pricing/room.ts';
import { setSpreadRules } from '../pricing/set-spread-rules.ts';
import { SandboxControls } from '../sandbox/controls.ts';
import { DEFAULT_POLICY } from '../swap-points/policy.ts';
import { createSwapPoints } from '../swap-points/room.ts';
import { setSwapPointPolicy } from '../swap-points/set-points.ts';
import { SettingsFollower, type Topic } from './follower.ts';

const OPERATOR = '0195f000-0000-7000-8000-00000000000a';
const clock = new VirtualClock();
let pool: Pool;

before(async () => {
  pool = (await createTestDatabase()).pool;
});

/** A process on the database, with every room that follows something, and the statements that it has sent. */
async function instance() {
  const statements: string[] = [];
  const counted = new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target);
      return (statement: { name?: string; text: string } | string, values?: unknown[]) => {
        const { name: known, text } = typeof statement === 'string' ? { text: statement } : statement;
        statements.push(known ?? /\bfrom (\w+)/.exec(text)?.[1] ?? text);
        return target.query(statement as string, values);
      };
    },
  });
  const { book } = testBook();
  const given = { pool: counted, clock, book };
  const logger = createLogger('silent');
  const market = new Market({ clock, book, hours: 'always', sources: [] });
  const control = new MarketControl({ pool: counted, clock, market, logger, withdrawHalted: async () => 0 });
  const calendars = await createCalendars({ pool: counted, clock, logger });
  const { dates } = calendars;
  const swapPoints = await createSwapPoints({ ...given, dates, isSandbox: false });
  const customers = { profile: () => assert.fail(), collectionCurrencies: () => assert.fail() };
  const pricing = createPricing({ ...given, customers });
  const exposure = createExposure(given);
  const sandbox = new SandboxControls(counted, clock);
  const rooms = [calendars, swapPoints, pricing, exposure].flatMap(({ topics }) => topics);
  const follower = new SettingsFollower(counted, [control.topic(), ...rooms, sandbox.topic()]);
  const look = async () => {
    statements.length = 0;
    await follower.look();
    return statements.sort().join(' ');
  };
  return { look, market, control, dates, swapPoints, pricing, sandbox };
}

type Instance = Awaited<ReturnType<typeof instance>>;

describe('two instances', () => {
  let here: Instance;
  let there: Instance;

  before(async () => {
    [here, there] = [await instance(), await instance()];
  });

  test('a look is one statement, after the first one has loaded what nobody had asked for', async () => {
    await here.look();
    assert.match(await there.look(), /followed_versions .*newest_pricing_policy .*read_spread_rules/);
    assert.equal(await there.look(), 'followed_versions');
  });

  const order = { by: OPERATOR, at: clock.now(), ifMatch: '*' as const };
  const change = { clientId: OPERATOR, ifMatch: '*' as const };
  const cutOff = { time: '16:00', zone: 'Europe/London', source: 'Test', reason: 'Test' };
  const table = [{ upToSeconds: 60, bps: '1.00' }];
  const policy: SetPricingPolicy = {
    validityPremium: { method: 'table', table, volatility: null },
    marketHours: [],
  };
  const limit = { customerId: null, groupName: null, pair: null, minimum: '100.00', maximum: null };
  const rule = { spreadBps: '20.00' } as SpreadRuleInput;
  const swapRoom = (of: Instance) => ({
    pool,
    clock,
    dates: of.dates,
    book: testBook().book,
    desk: of.swapPoints.desk,
  });
  const stored = ({ pricing }: Instance) => pricing.settings.current();

  /** What an operator changes on one instance, what the other reads to follow, and what it then says. */
  const changes: readonly (readonly [
    name: string,
    change: () => Promise<unknown>,
    reads: string,
    shown: (of: Instance) => unknown,
    expected: unknown,
  ])[] = [
    [
      'a halt',
      () =>
        haltMarket(
          here.control,
          { scope: 'all', pair: null, customerId: null },
          { actor: OPERATOR, reason: 'x' },
        ),
      'market_accepted_prices market_halts market_pairs market_revision market_sequence_resets market_source_switches',
      ({ market }) => market.isHalted(pair('EURUSD')),
      true,
    ],
    [
      'a cut-off',
      () => setCutOff({ pool, clock, dates: here.dates }, 'USD', cutOff, change),
      'read_date_rules',
      ({ dates }) => dates.current.cutOffs.sameDay('USD'),
      { time: '16:00', zone: 'Europe/London' },
    ],
    [
      'the policy of swap points',
      () => setSwapPointPolicy(swapRoom(here), { ...DEFAULT_POLICY, ratesMaxAgeDays: 3 }, '*', OPERATOR),
      'read_swap_points',
      ({ swapPoints }) =>
        swapPoints.desk.way(pair('EURUSD'), '2026-03-04', '2026-03-04', BUILT_IN_DATE_RULES, 0).policyVersion,
      2,
    ],
    [
      'the pricing policy',
      () => here.pricing.settings.policy.replace(policy, order),
      'newest_pricing_policy',
      async (of) => (await stored(of)).policy.table.length,
      1,
    ],
    [
      'amount limits',
      () => here.pricing.settings.amountLimits.replace({ limits: [limit] }, order),
      'newest_amount_limits',
      async (of) =>
        (await stored(of)).amountLimits.boundsFor({ id: undefined, groupName: undefined }, 'EURUSD')
          .minUsdMinor,
      10_000n,
    ],
    [
      'spread rules',
      () => setSpreadRules(here.pricing, [rule], '*'),
      'read_spread_rules',
      async ({ pricing }) =>
        (await pricing.spreads.candidates({ id: OPERATOR, groupName: undefined }, 'EURUSD')).rules.length,
      1,
    ],
    [
      'the bank of the sandbox',
      () => here.sandbox.setBank({ autoDeposit: false }),
      'sandbox_settings',
      ({ sandbox }) => sandbox.bank.autoDeposit,
      false,
    ],
  ];
  for (const [name, order, reads, shown, expected] of changes) {
    test(`${name} is in force here at once and there with the next look, which reads nothing else`, async () => {
      assert.notDeepEqual(await shown(there), expected);
      await order();
      assert.deepEqual(await shown(here), expected);
      assert.notDeepEqual(await shown(there), expected);
      assert.equal(await there.look(), ['followed_versions', ...reads.split(' ')].sort().join(' '));
      assert.deepEqual(await shown(there), expected);
      assert.equal(await there.look(), 'followed_versions');
    });
  }
});

/** A topic whose version is in the test's hands. */
function topic(name: string, state: { version: number; fails?: boolean; loads: number }): Topic {
  let held: string | undefined;
  return {
    name,
    version: `select ${state.version}`,
    held: () => held,
    load: async () => {
      state.loads++;
      if (state.fails === true) throw new Error(`${name} cannot be read`);
      held = String(state.version);
    },
  };
}

test('what one topic cannot load holds up no other, and is tried again', async () => {
  const [broken, sound] = [
    { version: 1, fails: true, loads: 0 },
    { version: 2, loads: 0 },
  ];
  const own = (await createTestDatabase()).pool;
  const follower = new SettingsFollower(own, [topic('broken', broken), topic('sound', sound)]);
  await assert.rejects(follower.look(), /broken cannot be read/);
  await assert.rejects(follower.sweep.run(), /broken cannot be read/);
  broken.fails = false;
  assert.equal(await follower.sweep.run(), 0);
  await follower.look();
  assert.deepEqual([broken.loads, sound.loads], [3, 1]);
});

test('topics are loaded one after the other: they need one connection', async () => {
  let running = 0;
  let most = 0;
  const load = async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  };
  const topics = ['a', 'b', 'c'].map((name) => ({ name, version: 'select 1', held: () => undefined, load }));
  await new SettingsFollower((await createTestDatabase()).pool, topics).look();
  assert.equal(most, 1);
});

test('a name is of one topic', () => {
  const twice = { version: 1, loads: 0 };
  assert.throws(() => new SettingsFollower(pool, [topic('a', twice), topic('a', twice)]), /same name/);
});
