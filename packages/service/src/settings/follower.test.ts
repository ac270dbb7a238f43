import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { SetPricingPolicy } from '@firmquote/api/operations/pricing';
import { createTestDatabase } from '../../test/support/database.ts';
import { LiveDateRules } from '../calendars/date-rules.ts';
import { setCutOff } from '../calendars/set-cut-off.ts';
import type { Pool } from '../database/pool.ts';
import { VirtualClock } from '../platform/clock.ts';
import { LivePricingSettings } from '../pricing/settings.ts';
import { liveSpreadRules } from '../pricing/spread-rules.ts';
import { SettingsFollower, type Topic } from './follower.ts';

const OPERATOR = '0195f000-0000-7000-8000-00000000000a';
const clock = new VirtualClock();
let pool: Pool;

before(async () => {
  pool = (await createTestDatabase()).pool;
});

/** A process on the database, with the statements that it has sent. */
function instance() {
  const statements: string[] = [];
  const counted = new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target);
      return (statement: { name?: string; text: string } | string, values?: unknown[]) => {
        statements.push(typeof statement === 'string' ? statement : (statement.name ?? statement.text));
        return target.query(statement as string, values);
      };
    },
  });
  const dates = new LiveDateRules();
  const settings = new LivePricingSettings(counted);
  const topics = [dates.topic(counted), ...settings.topics, liveSpreadRules(counted)];
  const follower = new SettingsFollower(counted, topics);
  const look = async () => {
    statements.length = 0;
    await follower.look();
    return [...statements].sort();
  };
  return { dates, settings, look };
}

describe('two instances', () => {
  test('a look is one statement, and loads what another instance has changed and nothing else', async () => {
    const [here, there] = [instance(), instance()];
    const all = await there.look();
    assert.deepEqual(all, [
      ...['followed_versions', 'newest_amount_limits', 'newest_pricing_policy', 'read_date_rules'],
      'read_spread_rules',
    ]);
    await here.look();
    assert.deepEqual(await there.look(), ['followed_versions']);

    const validityPremium: SetPricingPolicy['validityPremium'] = {
      method: 'table',
      table: [{ upToSeconds: 60, bps: '1.00' }],
      volatility: null,
    };
    const change = { by: OPERATOR, at: clock.now(), ifMatch: 1 };
    const set = await here.settings.policy.replace({ validityPremium, marketHours: [] }, change);
    const held = here.settings.current();
    assert.ok(!(held instanceof Promise), 'in force here with the commit');
    assert.deepEqual([set.version, held.policy.version, held.policy.table.length], [2, 2, 1]);
    assert.equal((await there.settings.current()).policy.version, 1);
    assert.deepEqual(await there.look(), ['followed_versions', 'newest_pricing_policy']);
    assert.equal((await there.settings.current()).policy.version, 2);

    const cutOff = { time: '16:00', zone: 'Europe/London', source: 'Test', reason: 'Test' };
    const room = { pool, clock, dates: here.dates };
    await setCutOff(room, 'USD', cutOff, { clientId: OPERATOR, ifMatch: 1 });
    assert.deepEqual(await there.look(), ['followed_versions', 'read_date_rules']);
    assert.deepEqual(there.dates.current.cutOffs.sameDay('USD'), { time: '16:00', zone: 'Europe/London' });
    assert.deepEqual(await there.look(), ['followed_versions']);
  });
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

test('a name is of one topic', () => {
  const twice = { version: 1, loads: 0 };
  assert.throws(() => new SettingsFollower(pool, [topic('a', twice), topic('a', twice)]), /same name/);
});
