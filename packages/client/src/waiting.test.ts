import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeService, json, networkError, problem, type Reply } from '../test/support/fake.ts';
import { transactionOf } from '../test/support/quotes.ts';
import { Firmquote } from './client.ts';
import * as errors from './errors.ts';
import { NEXT_STATES } from './generated/states.ts';
import type { Event, EventPage, TransactionStatus } from './generated/types.ts';
import type { FollowOptions, WaitForOptions } from './options.ts';

function start(replies: readonly Reply[]) {
  const service = new FakeService();
  service.replies.push(...replies);
  return { service, runtime: service.runtime, firmquote: new Firmquote(service.options()) };
}

const thrown = (error: unknown) => error;
const nothing = (): never => assert.fail('it succeeded');

const is = (status: string) => json(200, transactionOf({ status } as never), { etag: `"${status}"` });
/** Held until its time is over, as the service does. */
const held =
  (service: FakeService): Reply =>
  async ({ headers }) => {
    const [, seconds] = /^wait=(\d+)$/.exec(headers.get('prefer') ?? '') ?? assert.fail('it is not held');
    await service.runtime.sleep(Number.parseInt(seconds ?? '', 10) * 1_000);
    return new Response(null, { status: 304 });
  };

describe('waiting for a status', () => {
  function wait(
    replies: readonly Reply[],
    wanted: TransactionStatus | readonly TransactionStatus[],
    options?: WaitForOptions,
  ) {
    const started = start(replies);
    const began = started.runtime.monotonicMs();
    const work = started.firmquote.transactions.waitFor('txn_1', wanted, options);
    const over = started.runtime.run(work.catch(thrown));
    return { ...started, over, tookMs: () => started.runtime.monotonicMs() - began };
  }

  test('is held by the service, and tells every change', async () => {
    const seen: string[] = [];
    const { service, over } = wait(
      [is('awaiting_funds'), is('funded'), is('settling'), is('settled')],
      'settled',
      {
        onChange: ({ status }) => seen.push(status),
      },
    );
    assert.equal(((await over) as { status: string }).status, 'settled');
    assert.deepEqual(seen, ['awaiting_funds', 'funded', 'settling', 'settled']);
    const polls = service.seen.filter(({ path }) => path.includes('txn_1'));
    assert.deepEqual(
      polls.map(({ headers }) => [headers.get('prefer'), headers.get('if-none-match')]),
      [[null, null], ...['awaiting_funds', 'funded', 'settling'].map((each) => ['wait=30', `"${each}"`])],
    );
  });

  /** Where the status lies behind for good. */
  const UNREACHABLE = [
    ['cancelled', 'settled'],
    ['cancelled', ['settled', 'settlement_failed']],
    ['settling', ['awaiting_funds', 'funded', 'overdue']],
    ['settled', 'funded'],
  ] as const;
  for (const [status, wanted] of UNREACHABLE) {
    test(`ends at once where what is ${status} was to be ${[wanted].flat().join(' or ')}`, async () => {
      const { service, over, tookMs } = wait([is(status)], wanted);
      const error = await over;
      assert.ok(error instanceof errors.StatusUnreachableError);
      assert.equal(error.transaction.status, status);
      assert.match(error.message, new RegExp(status));
      assert.deepEqual([service.asked.length, tookMs(), error.code], [1, 0, 'status_unreachable']);
    });
  }

  test('ends early exactly where no way leads', async () => {
    const known = Object.keys(NEXT_STATES) as TransactionStatus[];
    for (const from of [...known, 'moonlit'])
      for (const wanted of known) {
        // Found the slow way: all that can be reached in as many steps as there are states.
        let ahead = new Set<string>([from]);
        for (const _ of known)
          ahead = new Set([...ahead, ...[...ahead].flatMap((at) => NEXT_STATES[at] ?? [])]);
        const isAhead = ahead.has(wanted) || from === 'moonlit';
        const { over } = wait([is(from), is(wanted)], wanted);
        const end = await over;
        assert.equal(end instanceof errors.StatusUnreachableError, !isAhead, `${from} to ${wanted}`);
      }
  });

  test('ends with its time, however the service answers', async () => {
    for (const [name, replies] of [
      ['held', (service: FakeService) => [is('awaiting_funds'), ...Array(9).fill(held(service))]],
      ['not held', () => [is('awaiting_funds'), ...Array(300).fill(new Response(null, { status: 304 }))]],
      ['without a tag', () => Array.from({ length: 300 }, () => json(200, transactionOf()))],
      ['silent', () => [is('awaiting_funds'), ...Array(99).fill('never')]],
      ['silent from the beginning', () => Array(99).fill('never')],
      ['broken', () => [is('awaiting_funds'), ...Array(999).fill(networkError('ECONNRESET'))]],
    ] as const) {
      for (const timeoutMs of [500, 5_000, 70_000]) {
        const { service, firmquote, runtime } = start([]);
        service.replies.push(...replies(service));
        const began = runtime.monotonicMs();
        const waiting = firmquote.transactions.waitFor('txn_1', 'settled', { timeoutMs });
        const error = await runtime.run(waiting.catch(thrown));
        assert.ok(error instanceof errors.TimeoutError, `${name}: ${error}`);
        const took = runtime.monotonicMs() - began;
        assert.ok(took < timeoutMs + 3_000, `${name}: ${took}, not ${timeoutMs}`);
        // Nobody is asked without pause.
        assert.ok(service.asked.length <= 4 + timeoutMs / 900, `${name}: ${service.asked.length}`);
      }
    }
  });

  test('goes on after faults that pass, once it has begun', async () => {
    const lost = () => networkError('ECONNRESET');
    const down = () => problem('overloaded', 503, 'later', { headers: { 'retry-after': '1' } });
    const faults = [lost(), lost(), lost(), down(), down(), down(), lost()];
    const { over } = wait([is('funded'), ...faults, is('settled')], 'settled');
    assert.equal(((await over) as { status: string }).status, 'settled');
    const busy = problem('rate_limited', 429, 'later', { headers: { 'retry-after': '70' } });
    const { over: later, tookMs } = wait([is('funded'), busy, is('settled')], 'settled');
    assert.equal(((await later) as { status: string }).status, 'settled');
    assert.equal(tookMs(), 60_000);
    const { over: first } = wait([lost(), lost(), lost()], 'settled');
    assert.ok((await first) instanceof errors.ConnectionError);
    const { over: gone } = wait([is('funded'), problem('transaction_not_found', 404, 'none')], 'settled');
    assert.ok((await gone) instanceof errors.NotFoundError);
  });

  for (const [name, reply] of [
    ['while it is held', 'never'],
    ['between two answers', new Response(null, { status: 304 })],
  ] as const) {
    test(`ends with its signal ${name}`, async () => {
      const { firmquote, runtime, service } = start([is('funded'), reply]);
      const end = new AbortController();
      const over = firmquote.transactions
        .waitFor('txn_1', 'settled', { signal: end.signal })
        .then(nothing, thrown);
      await runtime.advance(1_500);
      end.abort();
      await runtime.advance(0);
      assert.ok((await over) instanceof errors.CancelledError);
      const asked = service.asked.length;
      await runtime.advance(60_000);
      assert.equal(service.asked.length, asked);
    });
  }

  test('ends with what its listener throws, whatever that is', async () => {
    const own = Object.assign(new Error('of the listener'), { retryable: true });
    const onChange = () => {
      throw own;
    };
    const { over } = wait([is('funded'), is('settled')], 'settled', { onChange });
    assert.equal(await over, own);
  });

  test('does not begin with a signal that has ended', async () => {
    const { over, service } = wait([], 'settled', { signal: AbortSignal.abort() });
    assert.ok((await over) instanceof errors.CancelledError);
    assert.deepEqual(service.asked, []);
  });
});

describe('following the feed', () => {
  const event = (number: number) => ({ eventId: `evt_${number}` }) as Event;
  /** A feed on which events happen, with those that are kept, as the service reads it. */
  class Feed {
    last = 0;
    oldest = 1;
    readonly service: FakeService;
    /** Answers instead of pages. */
    readonly faults: Reply[] = [];

    constructor(service: FakeService) {
      this.service = service;
    }

    /** Replies for ever. */
    serve(pageSize = 3): void {
      const reply: Reply = async (seen) => {
        this.service.replies.push(reply);
        const fault = this.faults.shift();
        if (fault instanceof Error) throw fault;
        if (fault instanceof Response) return fault;
        const query = new URL(seen.path, 'https://fx.example.com').searchParams;
        const after = query.get('after');
        const seconds = /\d+/.exec(seen.headers.get('prefer') ?? '')?.[0];
        const page = () => this.#page(after, pageSize);
        if (seconds !== undefined && page().items.length === 0) {
          await this.service.runtime.sleep(Number.parseInt(seconds, 10) * 1_000, seen.signal ?? undefined);
          seen.signal?.throwIfAborted();
        }
        return json(200, page());
      };
      this.service.replies.push(reply);
    }

    get #newest(): string | null {
      return this.oldest > this.last ? null : `evt_${this.last}`;
    }

    #page(after: string | null, size: number): EventPage {
      const from = after === null ? 0 : after === 'latest' ? this.last : Number.parseInt(after.slice(4), 10);
      const kept = Array.from({ length: this.last - this.oldest + 1 }, (_, index) => this.oldest + index);
      const items = kept.filter((each) => each > from);
      const shown = items.slice(0, size).map(event);
      return {
        items: shown,
        lastEventId: shown.at(-1)?.eventId ?? (after === 'latest' ? this.#newest : after),
        hasMore: items.length > size,
        missed: after === null ? 0 : Math.max(0, this.oldest - from - 1),
      };
    }
  }

  function follow(options: FollowOptions = {}) {
    const { service, runtime, firmquote } = start([]);
    const feed = new Feed(service);
    const seen: string[] = [];
    const missed: number[] = [];
    const end = new AbortController();
    const work = async (onEvent: () => void = () => {}) => {
      const all = { signal: end.signal, onMissed: (count: number) => missed.push(count), ...options };
      for await (const { eventId } of firmquote.events.follow(all)) {
        seen.push(eventId);
        onEvent();
      }
    };
    const ids = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => `evt_${from + index}`);
    return { service, runtime, feed, seen, missed, end, work, ids };
  }

  test('goes on after faults, without losing an event or giving one twice', async () => {
    const { feed, seen, runtime, end, work, ids } = follow();
    feed.serve();
    feed.last = 7;
    const half = () => new Response('{"items":[{"ev', { headers: { 'content-type': 'application/json' } });
    const down = () => problem('overloaded', 503, 'later', { headers: { 'retry-after': '1' } });
    const lost = () => networkError('ECONNRESET');
    const over = work();
    for (let times = 0; times < 40; times++) {
      // Some outlive the attempts of a call, and some do not.
      feed.faults.push(
        ...[half, down, lost].flatMap((fault: () => Reply) => Array.from({ length: times % 5 }, fault)),
      );
      await runtime.advance(20_000);
      feed.last += times % 4;
      await runtime.advance(20_000);
    }
    feed.faults.length = 0;
    await runtime.advance(60_000);
    end.abort();
    await runtime.advance(0);
    await over;
    assert.deepEqual(seen, ids(1, feed.last));
  });

  test('tells what was missed wherever it goes on from, though it was shown none of it', async () => {
    const { service, runtime, missed, end, work } = follow({
      after: 'evt_1',
      types: ['transaction.settled'],
    });
    const page = (lastEventId: string, count: number): Reply =>
      json(200, { items: [], lastEventId, hasMore: false, missed: count });
    // Of other types there were some each time, and the second time the day of the last was deleted.
    service.replies.push(page('evt_9', 3), page('evt_20', 2), page('evt_20', 0), 'never');
    const over = work();
    await runtime.advance(10_000);
    end.abort();
    await runtime.advance(0);
    await over;
    assert.deepEqual(missed, [3, 2]);
  });

  for (const oldest of [1, 8]) {
    test(`begins with what is new, where ${oldest > 7 ? 'no event is kept' : 'others were before'}`, async () => {
      const { feed, seen, service, runtime, end, work, ids } = follow({ after: 'latest' });
      feed.serve();
      feed.last = 7;
      feed.oldest = oldest;
      const over = work();
      await runtime.advance(0);
      assert.equal(service.asked.length, 2, 'what is new is waited for');
      feed.last = 12;
      await runtime.advance(60_000);
      end.abort();
      await runtime.advance(0);
      await over;
      assert.deepEqual(seen, ids(8, 12));
    });
  }

  for (const [asked, pauseMs] of [
    ['45', 45_000],
    ['86400', 60_000],
  ] as const) {
    test(`asks no sooner than it is asked to, but within a minute: ${asked} s`, async () => {
      const { feed, seen, runtime, end, work } = follow();
      feed.serve();
      feed.last = 1;
      feed.faults.push(problem('rate_limited', 429, 'later', { headers: { 'retry-after': asked } }));
      const over = work();
      await runtime.advance(pauseMs - 1);
      assert.deepEqual(seen, []);
      await runtime.advance(1);
      assert.deepEqual(seen, ['evt_1']);
      end.abort();
      await runtime.advance(0);
      await over;
    });
  }

  test('ends with a fault that does not pass', async () => {
    const { feed, runtime, work } = follow({ after: 'evt_9' });
    feed.serve();
    feed.faults.push(problem('cursor_invalid', 400, 'after_fix'));
    assert.ok((await runtime.run(work().catch(thrown))) instanceof errors.InvalidRequestError);
  });

  test('tells once what is kept no longer, and then all that is', async () => {
    const { feed, seen, missed, runtime, end, work, ids } = follow({ after: 'evt_2' });
    feed.last = 9;
    feed.oldest = 6;
    feed.serve();
    const over = work();
    await runtime.advance(120_000);
    assert.deepEqual([missed, seen], [[3], ids(6, 9)]);
    end.abort();
    await runtime.advance(0);
    await over;
  });

  test('tells once that nothing is kept any more, also while nothing new happens', async () => {
    const { feed, seen, missed, runtime, end, work, ids } = follow({ after: 'evt_2' });
    feed.last = 9;
    feed.oldest = 10;
    feed.serve();
    const over = work();
    await runtime.advance(300_000);
    assert.deepEqual([missed, seen], [[7], []]);
    feed.last = 11;
    feed.oldest = 11;
    await runtime.advance(60_000);
    assert.deepEqual([missed, seen], [[7, 1], ids(11, 11)]);
    end.abort();
    await runtime.advance(0);
    await over;
  });

  test('stops with its signal, also in the middle of a page, and while it waits', async () => {
    const { feed, seen, service, end, work } = follow();
    feed.last = 3;
    feed.serve();
    await work(() => end.abort());
    assert.deepEqual(seen, ['evt_1']);
    assert.equal(service.asked.length, 1);
    const waiting = follow();
    waiting.feed.serve();
    const over = waiting.work();
    await waiting.runtime.advance(10_000);
    waiting.end.abort();
    await waiting.runtime.advance(0);
    await over;
    const asked = waiting.service.asked.length;
    await waiting.runtime.advance(120_000);
    assert.equal(waiting.service.asked.length, asked);
  });
});

test('as many events as are wanted are read, and no page more', async () => {
  const page = (...ids: readonly string[]) =>
    json(200, {
      items: ids.map((eventId) => ({ eventId })),
      ...{ lastEventId: ids.at(-1), hasMore: true, missed: 0 },
    });
  const { service, runtime, firmquote } = start([page('evt_1', 'evt_2'), page('evt_3')]);
  const found = await runtime.run(firmquote.events.list().toArray({ limit: 2 }));
  assert.deepEqual(
    found.map(({ eventId }) => eventId),
    ['evt_1', 'evt_2'],
  );
  assert.equal(service.asked.length, 1);
});
