import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldPolls } from '../http/held-polls.ts';
import { RateLimiter } from '../http/rate-limits.ts';
import { shareTakes } from '../http/shared-takes.ts';
import { joinMetrics } from '../operations/join-metrics.ts';
import { ofAll } from '../operations/of-all.ts';
import { HeldElsewhere } from '../platform/neighbours.ts';
import { PAIRS_PER_CUSTOMER_MAX, Slots, STREAMS_PER_CUSTOMER_MAX } from '../streams/slots.ts';
import { NewsSender } from './news-sender.ts';
import { channelsOf } from './test-support.ts';

/** What several processes have in common, over the channel between them. */

test('a rate is that of one service, whichever process is asked', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { channels } = channelsOf(3);
  const now = { ms: 0 };
  const limiters = channels.map((channel) => shareTakes(new RateLimiter(() => now.ms), 'requests', channel));
  const quota = { perMinute: 60, burst: 6 };
  const taken = () => {
    let count = 0;
    for (let i = 0; i < 30; i++) {
      for (const limiter of limiters) if (limiter.take('a customer', 'quotes', quota).allowed) count++;
      t.mock.timers.tick(20);
    }
    return count;
  };
  assert.equal(taken(), 6);
  now.ms += 3_000;
  assert.equal(taken(), 3, 'one a second comes back for all of them');
  const [a, b] = limiters;
  now.ms += 60_000;
  assert.equal(a?.take('a customer', 'quotes', quota).remaining, 5);
  a?.giveBack('a customer', 'quotes');
  t.mock.timers.tick(20);
  assert.equal(b?.take('a customer', 'quotes', quota).remaining, 5, 'what is given back is so for all');
});

test('what all gave at once, before they knew of each other, they owe', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { channels } = channelsOf(2);
  const now = { ms: 0 };
  const limiters = channels.map((channel) => shareTakes(new RateLimiter(() => now.ms), 'requests', channel));
  const quota = { perMinute: 60, burst: 2 };
  const allowed = () => limiters.map((limiter) => limiter.take('a customer', 'quotes', quota).allowed);
  assert.deepEqual([allowed(), allowed()].flat(), [true, true, true, true]);
  t.mock.timers.tick(20);
  now.ms += 2_000;
  assert.deepEqual(allowed(), [false, false]);
  now.ms += 1_000;
  assert.deepEqual(allowed(), [true, true]);
});

test('streams and their pairs are counted over all processes, and those of one that is gone are not', () => {
  const { channels } = channelsOf(2);
  const [a, b] = channels.map((channel) => new Slots(new HeldElsewhere(channel, 'streams')));
  assert.ok(a && b);
  const pairs = Array.from({ length: PAIRS_PER_CUSTOMER_MAX }, (_, index) => `pair ${index}`);
  const slot = a.take('a customer', pairs);
  assert.throws(() => b.take('a customer', ['one more']), { code: 'too_many_pairs' });
  b.take('a customer', pairs);
  for (let open = 2; open < STREAMS_PER_CUSTOMER_MAX; open++) a.take('a customer', []);
  assert.throws(() => b.check('a customer'), { code: 'too_many_streams' });
  b.check('another customer');
  a.release(slot);
  b.check('a customer');
  channels[1]?.take({ type: 'left', process: 1 });
  for (let open = 1; open < STREAMS_PER_CUSTOMER_MAX; open++) b.take('a customer', []);
});

test('who begins later knows what the others hold', () => {
  const { channels } = channelsOf(2);
  const [a, b] = channels.map((channel) => new HeldElsewhere<number>(channel, 'polls'));
  assert.ok(a && b);
  a.set('a customer', 3);
  channels[1]?.take({ type: 'left', process: 1 });
  assert.deepEqual([...b.of('a customer')], []);
  channels[0]?.take({ type: 'joined', process: 2 });
  assert.deepEqual([...b.of('a customer')], [3]);
});

test('held polls are counted over all processes', async () => {
  const anybody = { authenticate: () => assert.fail('nobody asks by HTTP') };
  const { channels } = channelsOf(2);
  const [a, b] = channels.map((channel) => new HeldPolls(anybody, new HeldElsewhere(channel, 'polls')));
  assert.ok(a && b);
  const { signal } = new AbortController();
  const hold = (polls: HeldPolls) => polls.hold('a customer', 30, signal, async () => undefined);
  const held = [a, b, a, b, a, b, a, b, a, b].map(hold);
  await assert.rejects(hold(a), { code: 'rate_limited' });
  for (const polls of [a, b]) polls.close();
  await Promise.all(held);
  await hold(a);
});

test('ready is ready as a whole', async () => {
  const { channels } = channelsOf(3);
  const [a, b, c] = channels;
  const good = {
    ready: true,
    checks: { database: { ok: true, detail: 'yes' }, accepting: { ok: true, detail: 'yes' } },
  };
  const bad = { ...good, ready: false, checks: { ...good.checks, database: { ok: false, detail: 'no' } } };
  b?.onAsked('ready', () => good);
  c?.onAsked('ready', () => good);
  assert.deepEqual(await ofAll(good, a, 'ready', 'accepting'), good);
  c?.onAsked('ready', () => bad);
  assert.deepEqual((await ofAll<'database' | 'accepting'>(good, a, 'ready', 'accepting')).checks.database, {
    ok: false,
    detail: 'process 3: no',
  });
  b?.onAsked('ready', () => Promise.reject(new Error('it cannot say')));
  const { ready, checks } = await ofAll(good, a, 'ready', 'accepting');
  assert.deepEqual([ready, checks.accepting.detail], [false, 'process 2: it does not answer']);
  assert.deepEqual(await ofAll(bad, undefined, 'ready', 'accepting'), bad, 'one alone asks nobody');
});

test('each family of figures stands once, with the samples of all', () => {
  const text = (process: number, more = '') =>
    `# HELP asked_total Asked.\n# TYPE asked_total counter\nasked_total{process="${process}"} ${process}\n${more}`;
  assert.equal(
    joinMetrics([text(2), text(1, '# HELP open Open.\n# TYPE open gauge\nopen{process="1"} 5\n')]),
    [
      '# HELP asked_total Asked.',
      '# TYPE asked_total counter',
      'asked_total{process="2"} 2',
      'asked_total{process="1"} 1',
      '# HELP open Open.',
      '# TYPE open gauge',
      'open{process="1"} 5',
      '',
    ].join('\n'),
  );
});

test('the next news go when those before were taken, and answers after what they are about', async () => {
  const sent: string[] = [];
  const sender = new NewsSender(({ prices }) => sent.push(prices.map(({ bid }) => bid).join(' ')));
  const say = (bid: string) =>
    sender.add({ withdrawals: [], prices: [{ source: 'bank', pair: 'EURUSD', bid, ask: bid, at: 1 }] });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  sender.afterSent(() => sent.push('at once'));
  say('1');
  say('2');
  await turn();
  say('3');
  sender.afterSent(() => sent.push('answer'));
  say('4');
  await turn();
  assert.deepEqual(sent, ['at once', '2']);
  sender.taken();
  assert.deepEqual(sent, ['at once', '2', '4', 'answer']);
  sender.taken();
  await turn();
  assert.equal(sent.length, 4);
});
