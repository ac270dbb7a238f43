import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BUILT_IN_DATE_RULES, rollingInAuckland, spotDate } from '@firmquote/fx';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { VirtualClock } from '../platform/clock.ts';
import { SettingsFollower } from '../settings/follower.ts';
import { LiveDateRules } from './date-rules.ts';
import { setCalendarYear } from './set-calendar-year.ts';
import { setCutOff } from './set-cut-off.ts';

const CLIENT = '0195f000-0000-7000-8000-00000000000a';
const clock = new VirtualClock();
clock.set(Date.parse('2026-03-04T14:30:00Z'));
let pool: Pool;

before(async () => {
  pool = (await createTestDatabase()).pool;
});

const closed = (date: string) => ({
  complete: false,
  days: [{ date, state: 'closed' as const, reason: 'Test', source: 'Test' }],
  reason: 'Test',
});
const spotOf = (dates: LiveDateRules) => spotDate(['EUR', 'USD'], '2026-03-04', dates.current.calendars);

test('what is in force is exchanged when it changes, and only then', async () => {
  const here = new LiveDateRules();
  const there = new LiveDateRules();
  assert.equal(here.current, BUILT_IN_DATE_RULES);
  await Promise.all([here.refresh(pool), there.refresh(pool)]);
  const room = { pool, clock, dates: here };
  const first = here.current;
  await here.refresh(pool);
  assert.equal(here.current, first, 'a refresh without a change keeps what is remembered for it');

  await setCalendarYear(room, 'EUR', 2026, closed('2026-03-06'), { clientId: CLIENT, ifMatch: 1 });
  assert.equal(spotOf(here), '2026-03-09', 'with the commit');
  assert.equal(spotDate(['EUR', 'USD'], '2026-03-04', first.calendars), '2026-03-06', 'who has the old one');
  assert.equal(spotOf(there), '2026-03-06');
  await there.refresh(pool);
  assert.equal(spotOf(there), '2026-03-09');

  const late = { time: '16:00', zone: 'Europe/London', source: 'Test', reason: 'Test' };
  await setCutOff({ ...room, dates: there }, 'USD', late, { clientId: CLIENT, ifMatch: 1 });
  assert.deepEqual(there.current.cutOffs.sameDay('USD'), { time: '16:00', zone: 'Europe/London' });
  assert.deepEqual(there.current.cutOffs.sameDay('GBP'), BUILT_IN_DATE_RULES.cutOffs.sameDay('GBP'));
  assert.equal(spotOf(there), '2026-03-09', 'one change keeps the others');
});

test('trade dates change when the settings say, before anything is read and after', async () => {
  const rollOf = rollingInAuckland(['AUD']);
  const dates = new LiveDateRules(rollOf);
  assert.equal(dates.current.rollOf, rollOf);
  await dates.refresh(pool);
  assert.equal(dates.current.rollOf, rollOf);
});

test('an older state does not replace a newer one', async () => {
  const dates = new LiveDateRules();
  await dates.refresh(pool);
  const held = dates.current;
  dates.take({ version: 1n, years: [], cutOffs: [] });
  assert.equal(dates.current, held);
  // Nor does the same one, read while it was committed here: what was remembered for it stays.
  const { rows } = await pool.query('select version from date_rules');
  dates.take({ version: BigInt(rows[0].version), years: [], cutOffs: [] });
  assert.equal(dates.current, held);
});

test('when the database does not answer, what is held stays in force', async () => {
  const dates = new LiveDateRules();
  await dates.refresh(pool);
  const held = dates.current;
  const gone = { query: () => Promise.reject(new Error('connection terminated')) } as unknown as Pool;
  await assert.rejects(() => new SettingsFollower(gone, [dates.topic(gone)]).look());
  assert.equal(dates.current, held);
});

test('a refused change leaves nothing behind', async () => {
  const dates = new LiveDateRules();
  await dates.refresh(pool);
  const { rows } = await pool.query('select * from date_rules');
  const room = { pool, clock, dates };
  await assert.rejects(
    setCalendarYear(room, 'EUR', 2026, closed('2026-13-01'), { clientId: CLIENT, ifMatch: '*' }),
    { code: 'validation_failed' },
  );
  await assert.rejects(
    setCalendarYear(room, 'EUR', 2026, closed('2026-03-06'), { clientId: CLIENT, ifMatch: 7 }),
    { code: 'version_mismatch' },
  );
  assert.deepEqual((await pool.query('select * from date_rules')).rows, rows);
});
