import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EPOCH, FakeRuntime, FakeService, json } from '../test/support/fake.ts';
import { quoteOf } from '../test/support/quotes.ts';
import { Firmquote } from './client.ts';
import { ServerClock } from './clock.ts';
import { REAL } from './runtime.ts';

test("the service's clock is never further away than it says, however wrong this machine's is", async () => {
  const answers = fc.array(fc.record({ after: fc.nat(60_000), there: fc.nat(2_000), back: fc.nat(2_000) }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(answers, fc.integer({ min: -1_200_000, max: 1_200_000 }), async (seen, wrongMs) => {
      const runtime = new FakeRuntime();
      runtime.wrongMs = wrongMs;
      const clock = new ServerClock(runtime);
      let now = 1_000;
      const truth = (monotonicMs: number) => EPOCH + monotonicMs;
      for (const { after, there, back } of seen) {
        const sent = now + after;
        now = sent + there + back;
        clock.observe(new Date(truth(sent + there)).toUTCString(), sent, now);
        const error = Math.abs(clock.now() - runtime.monotonicMs() - EPOCH);
        assert.ok(error <= clock.uncertaintyMs, `${error} > ${clock.uncertaintyMs}`);
      }
    }),
    { numRuns: 100 },
  );
});

test('a clock that was set is believed anew', () => {
  const clock = new ServerClock(new FakeRuntime());
  clock.observe(new Date(EPOCH).toUTCString(), 0, 10);
  clock.observe(new Date(EPOCH + 7_200_000).toUTCString(), 1_000, 1_010);
  assert.ok(Math.abs(clock.now() - (EPOCH + 7_200_000)) < 2_000);
  clock.observe('no date', 0, 0);
  clock.observe(null, 0, 0);
  assert.ok(clock.isKnown);
});

test('a countdown is right with a clock that is ten minutes off, and never promises more than there is', async () => {
  for (const wrongMs of [-600_000, 0, 600_000]) {
    const { runtime, replies, options } = ((service) => ({
      ...{ runtime: service.runtime, replies: service.replies, options: service.options() },
    }))(new FakeService());
    runtime.wrongMs = wrongMs;
    const firmquote = new Firmquote(options);
    // Two seconds under way, of which the service counts none.
    replies.push(async () => {
      await runtime.advance(2_000);
      return json(200, quoteOf({ validForMs: 29_500 }), { date: new Date(EPOCH + 3_000).toUTCString() });
    });
    const quote = await runtime.run(firmquote.quotes.get('quote_1'));
    assert.equal(firmquote.quotes.secondsLeft(quote), 27.5);
    await runtime.advance(27_000);
    assert.equal(firmquote.quotes.secondsLeft(quote), 0.5);
    await runtime.advance(5_000);
    assert.equal(firmquote.quotes.secondsLeft(quote), 0);
    // A quote from elsewhere: by the service's clock.
    const elsewhere = quoteOf({ expiresAt: new Date(EPOCH + runtime.monotonicMs() + 10_000).toISOString() });
    assert.ok(Math.abs(firmquote.quotes.secondsLeft(elsewhere) - 10) < 1.6);
  }
});

test('quotes of a list have no more time left than one that is read alone', async () => {
  const service = new FakeService();
  const { runtime } = service;
  const firmquote = new Firmquote(service.options());
  // Its business time was moved, so that `expiresAt` says nothing here.
  const quote = quoteOf({
    validForMs: 29_500,
    expiresAt: new Date(EPOCH + 86_400_000).toISOString(),
  });
  service.replies.push(
    async () => {
      await runtime.advance(2_000);
      return json(200, { items: [quote], nextCursor: 'more', hasMore: true });
    },
    json(200, { items: [quote], nextCursor: null, hasMore: false }),
  );
  const left: number[] = [];
  await runtime.run(
    (async () => {
      for await (const each of firmquote.quotes.list()) left.push(firmquote.quotes.secondsLeft(each));
    })(),
  );
  assert.deepEqual(left, [27.5, 29.5]);
});

test('an answer that a cache may have given sets no clock', async () => {
  const service = new FakeService();
  const firmquote = new Firmquote(service.options());
  const old = new Date(EPOCH - 3_600_000).toUTCString();
  const expiresAt = new Date(EPOCH + 10_000).toISOString();
  for (const headers of [{ 'cache-control': 'private, max-age=3600' }, { age: '3600' }]) {
    service.replies.push(json(200, [], { date: old, ...headers }));
    await service.runtime.run(firmquote.reference.currencies());
    const secondsLeft = firmquote.quotes.secondsLeft(quoteOf({ expiresAt }));
    assert.ok(Math.abs(secondsLeft - 10) < 1.6, `${secondsLeft}`);
  }
});

test('a replayed quote has as much time left as its header says', async () => {
  const service = new FakeService();
  const firmquote = new Firmquote(service.options());
  service.replies.push(
    json(200, quoteOf(), { 'firmquote-valid-for-ms': '4000', 'idempotency-replayed': 'true' }),
  );
  const { data, isReplay } = await service.runtime.run(firmquote.quotes.get('quote_1').withResponse());
  assert.ok(isReplay);
  assert.equal(firmquote.quotes.secondsLeft(data), 4);
});

test('a time without an end is waited for, not over at once', async () => {
  for (const ms of [Number.POSITIVE_INFINITY, 40 * 86_400_000]) {
    const end = new AbortController();
    let isOver = false;
    const slept = REAL.sleep(ms, end.signal).then(() => {
      isOver = true;
    });
    // A timer of one millisecond is over by then, which is what the system makes of one that is too long.
    await REAL.sleep(30);
    assert.ok(!isOver, `${ms}`);
    end.abort();
    await slept;
  }
});
