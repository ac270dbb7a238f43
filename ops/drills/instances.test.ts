import assert from 'node:assert/strict';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../packages/service/src/database/pool.ts';
import {
  type Api,
  createDesks,
  QUOTE_BODY,
  sandboxApis,
  withToken,
} from '../../packages/service/test/support/api.ts';
import { assertNothingIsHalf } from '../../packages/service/test/support/audit.ts';
import { createTestDatabase } from '../../packages/service/test/support/database.ts';
import { until } from '../../packages/service/test/support/process.ts';
import { countTrades, tellCounts } from './counts.ts';
import {
  type InstanceName,
  Instances,
  NAMES,
  skipWithoutBalancer,
  skipWithoutFakeClock,
} from './instances.ts';
import { PriceFeed, type Receiver, startReceiver } from './outside.ts';
import { PriceReader, SteadyLoad } from './steady-load.ts';

/**
 * Three instances on one database behind HAProxy: each is killed, stopped for a while, and started anew, one has a clock of its
 * own, and nobody outside notices. STOP_SECONDS=60 stops them for as long as a machine may stand still.
 */

const STOP_MS = Number.parseFloat(process.env.STOP_SECONDS ?? '6') * 1_000;
const TRADES_PER_SECOND = 8;
const READERS = 3;
/** Trades that are acknowledged before the next thing happens. */
const BETWEEN = 5;
const CLOCKS_APART_S = [2, -2] as const;
/** What a process had sent when it was cut off arrives until then. */
const ON_THE_WAY_MS = 2_000;
/** Of the minute of a lease, once a turn of 20 s that began with it has given it back. */
const LEASE_LEFT_S = 35;

test('three instances behind HAProxy: one is killed, stopped, set apart or restarted, and nobody outside notices', {
  skip: skipWithoutBalancer(),
}, async (t) => {
  const { url, pool } = await createTestDatabase();
  const instances = await Instances.start(t, url);
  const first = { baseUrl: instances.url('one'), dataDir: instances.dataDir };
  const { operator } = await sandboxApis(first);
  const feed = new PriceFeed(
    NAMES.map((name) => instances.url(name)),
    operator.token,
  );
  t.after(() => feed.stop());
  const desks = await createDesks(first);
  await operator.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: true });
  const receiver = await startReceiver(t);
  for (const desk of desks)
    await desk.expect(201, 'POST', '/v1/customer/webhooks', { url: receiver.url, ordering: 'resource' });
  const tokens = desks.map(({ token }) => token);
  const token = tokens[0] ?? '';
  const readers = Array.from({ length: READERS }, () => new PriceReader(instances.balancer, token));
  const direct = NAMES.map((name) => new PriceReader(instances.url(name), token));
  t.after(() => Promise.all([...readers, ...direct].map((reader) => reader.stop())));
  const load = new SteadyLoad(instances.balancer, tokens, TRADES_PER_SECOND);
  t.after(() => load.stop());
  await load.acknowledged(BETWEEN);

  /** When an instance was cut off in what it did, in the process's milliseconds. */
  const cuts: number[] = [];
  const during = async (what: string, name: InstanceName, work: () => Promise<unknown>) => {
    if (what === 'killed' || what === 'stopped') cuts.push(performance.now());
    const before = load.failures.length;
    await work();
    await load.acknowledged(BETWEEN);
    tellPhase(t, `${what} ${name}`, load, before);
  };
  for (const name of NAMES) await during('killed', name, () => killAndRestart(instances, name, load));
  for (const name of NAMES) await during('stopped', name, () => stopForAWhile(instances, name));
  if (skipWithoutFakeClock() === false) {
    for (const seconds of CLOCKS_APART_S)
      await during(`${seconds} s apart:`, 'three', () => setApart(instances, 'three', seconds, desks, load));
  } else t.diagnostic(`SKIPPED: a clock apart, since ${skipWithoutFakeClock()}`);
  for (const name of NAMES) await during('restarted', name, () => restart(instances, name));

  await load.stop();
  await tellLoad(t, load, readers);
  comparePrices(t, direct);
  await settle(pool, operator);
  await assertNothingIsHalf(pool);
  const counts = await countTrades(pool, load);
  await tellSweeps(t, pool, receiver, cuts);
  tellCounts(t, counts);
});

async function killAndRestart(instances: Instances, name: InstanceName, load: SteadyLoad): Promise<void> {
  await instances.process(name).end('SIGKILL');
  await load.acknowledged(BETWEEN);
  await instances.startOne(name);
}

/** As a machine that swaps, or is moved: everything of it stands still, its connections stay. */
async function stopForAWhile(instances: Instances, name: InstanceName): Promise<void> {
  const { child } = instances.process(name);
  child.kill('SIGSTOP');
  await sleep(STOP_MS);
  child.kill('SIGCONT');
  await instances.ready(name);
}

/** Its clock jumps: it decides nothing from that moment on, and goes on when the clock is right again. */
async function setApart(
  instances: Instances,
  name: InstanceName,
  seconds: number,
  [desk]: readonly Api[],
  load: SteadyLoad,
): Promise<void> {
  instances.setClock(name, seconds);
  await until('it knows', async () => (await instances.readiness(name))?.checks.clock.ok === false);
  const alone = withToken(instances.url(name), desk?.token ?? '');
  const refused = await alone.call('POST', '/v1/customer/quotes', QUOTE_BODY);
  assert.deepEqual([refused.status, refused.body.code], [503, 'maintenance'], 'it quotes nothing');
  await load.acknowledged(BETWEEN);
  instances.setClock(name, 0);
  await instances.ready(name);
}

async function restart(instances: Instances, name: InstanceName): Promise<void> {
  const { code, stdout, stderr } = await instances.process(name).end('SIGTERM');
  assert.equal(code, 0, `${stdout}${stderr}`);
  await instances.startOne(name);
}

function tellPhase(t: TestContext, what: string, load: SteadyLoad, before: number): void {
  const failures = load.failures.slice(before);
  const texts = failures.map(({ what, isSafe }) => `${isSafe ? '' : 'without a key: '}${what}`);
  t.diagnostic(`${what}: ${failures.length === 0 ? 'nothing failed' : texts.join('; ')}`);
}

async function tellLoad(t: TestContext, load: SteadyLoad, readers: readonly PriceReader[]): Promise<void> {
  const { asked, answered } = load.counts;
  const safe = load.failures.filter(({ isSafe }) => isSafe);
  const sum = (pick: (reader: PriceReader) => number) => readers.reduce((all, each) => all + pick(each), 0);
  t.diagnostic(
    [
      `asked ${asked}, answered ${answered}, failed where another instance could be asked ${safe.length}`,
      `failed without a key ${load.failures.length - safe.length}`,
      `${readers.length} streams opened ${sum((each) => each.opened)} times, ${sum((each) => each.events)} events`,
    ].join(', '),
  );
  assert.deepEqual(safe, []);
}

/** What each instance has made for a customer of the same tick: those that ran had it. */
function comparePrices(t: TestContext, direct: readonly PriceReader[]): void {
  const ofInstant = Map.groupBy(
    direct.flatMap(({ prices }) => [...prices]),
    ([instant]) => instant,
  );
  const shared = [...ofInstant.values()].filter((prices) => prices.length > 1);
  const onAll = shared.filter((prices) => prices.length === direct.length);
  const differing = shared.filter((prices) => new Set(prices.map(([, price]) => price)).size > 1);
  t.diagnostic(
    `prices of one instant on two instances or three ${shared.length}, on all three ${onAll.length}, differing ${differing.length}`,
  );
  assert.ok(onAll.length > 0, 'some ticks reached all three');
  assert.deepEqual(differing, []);
}

/** Until the bank has paid for every trade, and been paid. */
async function settle(pool: Pool, operator: Api): Promise<void> {
  await until('every trade is settled', async () => {
    await operator.expect(200, 'POST', '/v1/sandbox/clock', { advanceSeconds: 30 });
    const { rowCount } = await pool.query(`select from transactions where status <> 'settled' limit 1`);
    return rowCount === 0;
  });
}

/** What sweeps do, on whichever instance: each deposit, payout, reported payment and message once. */
async function tellSweeps(
  t: TestContext,
  pool: Pool,
  { taken }: Receiver,
  cuts: readonly number[],
): Promise<void> {
  // What nobody has looked at yet is no delivery so far.
  const pending = `select from webhook_deliveries where status <> 'delivered'
    union all select from webhook_endpoints where has_news or lease is not null or due_at is not null
    union all select from customer_usage where feed_news limit 1`;
  await until('every webhook is delivered', async () => {
    // As if the leases of those that were killed were over: older ones than those who live have. Nothing else waits for a minute.
    await pool.query(
      `update webhook_endpoints set due_at = now()
       where due_at > now() and (lease is null or due_at < now() + make_interval(secs => $1))`,
      [LEASE_LEFT_S],
    );
    const { rowCount } = await pool.query(pending);
    return rowCount === 0;
  });
  const { rows } = await pool.query<Record<string, number>>(
    `select (select count(*)::int from transactions) as trades, (select count(*)::int from deposits) as deposits,
       (select count(*)::int from bank_notices) as payouts,
       (select count(*)::int from entry_details where same_as is null) as reported,
       (select count(*)::int from webhook_deliveries) as messages,
       (select count(*)::int from feed_events) as events`,
  );
  const [{ trades = 0, deposits = 0, payouts = 0, reported = 0, messages = 0, events = 0 } = {}] = rows;
  const again = [...taken.values()].filter((times) => times.length > 1);
  // Its instance was cut off before it could write down that the first one had arrived.
  const excused = again.filter(([first = 0, second = 0]) =>
    cuts.some((at) => first < at + ON_THE_WAY_MS && second > at),
  );
  t.diagnostic(
    [
      `${trades} trades, ${deposits} deposits, ${payouts} payouts, ${reported} payments reported`,
      `${events} events, ${messages} messages, ${taken.size} received, received again ${again.length}`,
    ].join(', '),
  );
  assert.deepEqual([deposits, payouts, reported], [trades, trades, 2 * trades]);
  assert.deepEqual(
    [taken.size, again.length],
    [messages, excused.length],
    'each message once, but for those that a fault cut off',
  );
}
