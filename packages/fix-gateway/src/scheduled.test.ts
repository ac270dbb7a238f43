import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type SessionSchedule, WEEKDAYS } from '../../service/src/market/fix/protocol.ts';
import { Desk, settings, THEM, temporaryFolder, US, until } from './testing/harness.ts';
import { RawVenue } from './testing/raw-venue.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A session every day from an instant on, for an hour; the zone keeps no summer time. */
function hourFrom(instant: number): SessionSchedule {
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const [start, end] = [clock(instant), clock(instant + HOUR_MS)];
  return { zone: 'UTC', days: WEEKDAYS, start, end, resetAtStart: true };
}

async function listen(t: TestContext): Promise<RawVenue> {
  const venue = await RawVenue.listen(THEM, US);
  t.after(() => venue.close());
  return venue;
}

test('outside of its schedule a session does not connect, and says when it will', async (t) => {
  const venue = await listen(t);
  const start = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + 2 * HOUR_MS;
  const session = settings(venue.port, { schedule: hourFrom(start) });
  const desk = new Desk(t, temporaryFolder(t), session);
  await until('the pause', () => desk.venue.status().state === 'waiting');
  assert.equal(desk.venue.status().opensAt, start);
  assert.match(desk.venue.status().error ?? '', /^outside of its schedule until .*:00\.000Z$/);
  assert.ok(!venue.has(/35=A/));
});

test('at its end the session logs out, and the prices go', async (t) => {
  const venue = await listen(t);
  const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  let aheadMs = 0;
  const session = settings(venue.port, { schedule: hourFrom(start), maxAgeMs: 2 * HOUR_MS });
  const desk = new Desk(t, temporaryFolder(t), session, () => Date.now() + aheadMs);
  await venue.logon();
  await desk.up();
  aheadMs = HOUR_MS - 2 * MINUTE_MS;
  desk.venue.tick();
  aheadMs = HOUR_MS;
  desk.venue.tick();
  await venue.received(/\|35=5\|/);
  venue.send('5', '58=bye');
  await until('the pause', () => desk.venue.status().opensAt !== undefined);
  assert.equal(desk.venue.status().opensAt, start + 24 * HOUR_MS);
});

test('a new session begins at number 1, the same one goes on', async (t) => {
  const folder = temporaryFolder(t);
  const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const first = await listen(t);
  const schedule = hourFrom(start);
  const one = new Desk(t, folder, settings(first.port, { schedule }));
  await first.logon();
  await one.up();
  await one.stop();
  assert.ok(one.venue.status().nextSent > 2);
  const second = await listen(t);
  const two = new Desk(t, folder, settings(second.port, { schedule }));
  assert.match(await second.received(/35=A/), new RegExp(`\\|34=${one.venue.status().nextSent}\\|`));
  await two.stop();
  // Tomorrow's.
  const third = await listen(t);
  new Desk(t, folder, settings(third.port, { schedule }), () => Date.now() + 24 * HOUR_MS);
  assert.match(await third.received(/35=A/), /\|34=1\|/);
});

test('a session that follows without a pause begins at number 1 too: that the one before it logged out is none of its messages', async (t) => {
  const venue = await listen(t);
  const start = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS).toISOString().slice(11, 16);
  const schedule = { zone: 'UTC', days: WEEKDAYS, start, end: start, resetAtStart: true };
  let aheadMs = 0;
  const session = settings(venue.port, { schedule });
  const desk = new Desk(t, temporaryFolder(t), session, () => Date.now() + aheadMs);
  await venue.logon();
  await desk.up();
  aheadMs = 24 * HOUR_MS;
  desk.venue.tick();
  await venue.received(/\|35=5\|/);
  venue.send('5', '58=bye');
  await until('the second logon', () => venue.all(/\|35=A\|/).length === 2);
  assert.match(venue.all(/\|35=A\|/)[1] ?? '', /\|34=1\|/);
  venue.send('A', '98=0|108=0', { sequence: 1 });
  await desk.up(2);
  // The same session goes on when its connection is lost.
  await desk.stop();
  assert.ok(desk.venue.status().nextSent > 2);
});

test('numbers that an operator sets are those of the next logon, which follows at once', async (t) => {
  const venue = await listen(t);
  const desk = new Desk(t, temporaryFolder(t), settings(venue.port));
  await venue.logon();
  await desk.up();
  venue.send('W', '55=EUR/USD|268=2|269=0|270=1.1|271=1|269=1|270=1.2|271=1');
  await desk.next('tick');
  desk.venue.resetSequence({ nextSent: 40, nextReceived: 7 });
  await venue.received(/\|35=5\|/);
  venue.send('5', '58=bye');
  assert.ok(await venue.received(/\|35=A\|.*\|34=40\|/));
  venue.send('A', '98=0|108=0', { sequence: 7 });
  await desk.up(2);
  await until('the numbers', () => desk.venue.status().nextReceived === 8);
  assert.ok(!venue.has(/\|35=2\|/), 'nothing is missing');
});
