import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeService, json, networkError, problem, type Reply, SECRET, TOKEN } from '../test/support/fake.ts';
import { quoteOf, transactionOf } from '../test/support/quotes.ts';
import { Firmquote } from './client.ts';
import * as errors from './errors.ts';
import { FirmquoteOperator } from './operator.ts';
import type { ClientOptions } from './options.ts';

function start(replies: readonly Reply[], options: ClientOptions = {}) {
  const service = new FakeService();
  service.replies.push(...replies);
  return {
    service,
    runtime: service.runtime,
    firmquote: new Firmquote(service.options(options)),
    operator: new FirmquoteOperator(service.options(options)),
  };
}

const nothing = (): never => assert.fail('it succeeded');
const thrown = (error: unknown) => error;

const QUOTE = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00' } as const;
const html = () => new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } });

/** What is answered for ever, and how often it is asked: three times at most. */
const REPEATED: readonly (readonly [name: string, reply: () => Reply, attempts: number])[] = [
  ['a problem that cannot be helped', () => problem('quote_not_found', 404, 'none'), 1],
  ['a wrong request', () => problem('validation_failed', 400, 'after_fix'), 1],
  ['a quote that is over', () => problem('quote_expired', 409, 'new_quote'), 1],
  ['a request under way', () => problem('request_in_progress', 409, 'same_request'), 3],
  ['a fault of the service', () => problem('internal_error', 500, 'same_request'), 3],
  ['an unknown outcome', () => problem('outcome_unknown', 503, 'same_request'), 3],
  ['too much at once', () => problem('rate_limited', 429, 'later', { headers: { 'retry-after': '1' } }), 3],
  [
    'an overloaded service',
    () => problem('overloaded', 503, 'later', { headers: { 'retry-after': '1' } }),
    3,
  ],
  ['a closed market', () => problem('market_closed', 409, 'later', { reopensAt: '2026-03-08T21:00:00Z' }), 1],
  ['a limit', () => problem('limit_exceeded', 422, 'later'), 1],
  [
    'more than the deadline permits',
    () => problem('rate_limited', 429, 'later', { headers: { 'retry-after': '60' } }),
    1,
  ],
  ['a code that nobody knew', () => problem('moon_is_full', 503, 'later'), 3],
  [
    'a code that nobody knew, of a retry class that nobody knew',
    () => problem('moon_is_full', 409, 'pray'),
    1,
  ],
  ['a proxy without a service', html, 3],
  [
    'a proxy that wants a login',
    () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    1,
  ],
  [
    'half a body',
    () => new Response('{"quoteId":"quo', { headers: { 'content-type': 'application/json' } }),
    3,
  ],
  ['a connection that breaks', () => networkError('ECONNRESET'), 3],
  ['a host that is not there', () => networkError('ENOTFOUND'), 3],
  ['silence', () => 'never', 3],
];

describe('a call is made again where that can help', () => {
  for (const [name, reply, attempts] of REPEATED) {
    test(name, async () => {
      const { service, runtime, firmquote } = start([reply(), reply(), reply(), reply()]);
      const error = await runtime.run(firmquote.quotes.create(QUOTE).then(nothing, thrown));
      assert.ok(error instanceof errors.FirmquoteError);
      assert.equal(service.asked.length, attempts, error.message);
      assert.equal(error.attempts, attempts);
      const keys = new Set(service.seen.slice(1).map(({ headers }) => headers.get('idempotency-key')));
      assert.deepEqual([...keys], [error.idempotencyKey]);
      assert.equal(new Set(service.seen.slice(1).map(({ headers }) => headers.get('x-request-id'))).size, 1);
    });
  }

  test('what is changed without a key is not sent again once it may have arrived', async () => {
    const { service, runtime, operator } = start([networkError('ECONNRESET'), json(200, {})]);
    const work = operator.setPricingPolicy({} as never, { ifMatch: '"v1"' });
    await assert.rejects(runtime.run(work), errors.OutcomeUnknownError);
    assert.equal(service.asked.length, 1);
  });

  test('what was never sent is sent', async () => {
    const { service, runtime, operator } = start([networkError('ECONNREFUSED'), json(200, {})]);
    await runtime.run(operator.setPricingPolicy({} as never, { ifMatch: '"v1"' }));
    assert.equal(service.asked.length, 2);
  });

  test('a key of your own is kept, and named by the result', async () => {
    const { runtime, service, firmquote } = start([html(), json(201, quoteOf())]);
    const answer = await runtime.run(
      firmquote.quotes.create(QUOTE, { idempotencyKey: 'mine' }).withResponse(),
    );
    assert.deepEqual([answer.idempotencyKey, answer.attempts], ['mine', 2]);
    assert.deepEqual(
      service.seen.slice(1).map(({ headers }) => headers.get('idempotency-key')),
      ['mine', 'mine'],
    );
  });

  test('a key that is written as a header is as good as one that is named', async () => {
    for (const name of ['Idempotency-Key', 'idempotency-key', 'IDEMPOTENCY-KEY']) {
      const { runtime, service, firmquote } = start([html(), json(201, quoteOf())]);
      const answer = await runtime.run(
        firmquote.quotes.create(QUOTE, { headers: { [name]: 'mine' } }).withResponse(),
      );
      assert.equal(answer.idempotencyKey, 'mine');
      assert.deepEqual(
        service.seen.slice(1).map(({ headers }) => headers.get('idempotency-key')),
        ['mine', 'mine'],
      );
    }
  });

  test("a header of the call counts before the client's, however its name is written", async () => {
    const { runtime, service, firmquote } = start([json(200, {}), json(200, {})], {
      headers: { 'User-Agent': 'treasury', 'X-Desk': 'a' },
    });
    const other = firmquote.withOptions({ headers: { 'x-desk': 'b' } });
    await runtime.run(other.reference.currencies());
    await runtime.run(other.reference.currencies({ headers: { 'X-DESK': 'c', Accept: 'text/csv' } }));
    const names = ['user-agent', 'x-desk', 'accept'];
    assert.deepEqual(
      service.seen.slice(1).map(({ headers }) => names.map((name) => headers.get(name))),
      [
        ['treasury', 'b', 'application/json'],
        ['treasury', 'c', 'text/csv'],
      ],
    );
  });

  test('never, if so wished', async () => {
    const { service, runtime, firmquote } = start([html(), json(200, {})], { maxRetries: 0 });
    await assert.rejects(runtime.run(firmquote.reference.currencies()), errors.UnexpectedAnswerError);
    assert.equal(service.asked.length, 1);
  });
});

describe('the pause before the next attempt', () => {
  for (const [name, headers, pause] of [
    ['seconds', { 'retry-after': '7' }, 7_125],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1_625],
    ['a date', { 'retry-after': 'Wed, 04 Mar 2026 14:30:11 GMT' }, 10_125],
    ['half of the step by chance, where nothing is said', {}, 250],
  ] as const) {
    test(name, async () => {
      const { runtime, firmquote } = start([problem('overloaded', 503, 'later', { headers }), json(200, {})]);
      await runtime.run(firmquote.reference.currencies());
      assert.deepEqual(runtime.slept, [pause]);
    });
  }

  test('is what a proxy asks for, too, and what it then ends with', async () => {
    const busy = (seconds: number) =>
      new Response('<html>', { status: 503, headers: { 'retry-after': `${seconds}` } });
    const { runtime, firmquote } = start([busy(7), json(200, {}), busy(60)]);
    await runtime.run(firmquote.reference.currencies());
    assert.deepEqual(runtime.slept, [7_125]);
    // Longer than the call may take: the caller is told how long.
    const error = await runtime.run(firmquote.reference.currencies().then(nothing, thrown));
    assert.ok(error instanceof errors.UnexpectedAnswerError);
    assert.deepEqual([error.attempts, error.retryable, error.retryAfterMs], [1, true, 60_000]);
  });

  test('grows', async () => {
    const { runtime, firmquote } = start(
      [html(), html(), html(), html(), html(), html(), html(), json(200, {})],
      { maxRetries: 9 },
    );
    await runtime.run(firmquote.reference.currencies());
    assert.deepEqual(runtime.slept, [250, 500, 1_000, 2_000, 2_500, 2_500, 2_500]);
  });

  test('ends with the signal, which is what the call then ended with', async () => {
    for (const reply of [
      html,
      () => networkError('ECONNREFUSED'),
      () => problem('overloaded', 503, 'later'),
    ]) {
      const { service, runtime, firmquote } = start([reply(), json(200, {})]);
      const end = new AbortController();
      const work = firmquote.reference.currencies({ signal: end.signal }).then(nothing, thrown);
      await runtime.advance(0);
      assert.equal(service.asked.length, 1);
      end.abort();
      assert.ok((await work) instanceof errors.CancelledError);
      assert.equal(service.asked.length, 1);
    }
    const { runtime, firmquote } = start([html(), json(201, quoteOf())]);
    const end = new AbortController();
    const work = firmquote.quotes.create(QUOTE, { signal: end.signal }).then(nothing, thrown);
    await runtime.advance(0);
    end.abort();
    // An earlier attempt may have done it.
    assert.ok((await work) instanceof errors.OutcomeUnknownError);
  });

  test('ends with the signal without a warning: following a feed ends in no other way', async () => {
    const warnings: string[] = [];
    const log = () => undefined;
    const warn = (message: string) => void warnings.push(message);
    const { runtime, firmquote } = start(['never'], { logger: { error: log, warn, info: log, debug: log } });
    const end = new AbortController();
    const work = firmquote.reference.currencies({ signal: end.signal }).then(nothing, thrown);
    await runtime.advance(0);
    end.abort();
    assert.ok((await work) instanceof errors.CancelledError);
    assert.deepEqual(warnings, []);
  });

  test('the deadline is for all attempts together', async () => {
    const { service, runtime, firmquote } = start(['never', 'never', 'never'], { deadlineMs: 15_000 });
    await assert.rejects(runtime.run(firmquote.reference.currencies()), errors.TimeoutError);
    assert.equal(service.asked.length, 2);
    assert.ok(runtime.monotonicMs() <= 1_000 + 15_000);
  });
});

const EXECUTE = 'POST /v1/customer/quotes/quote_1/execute';
const READ = 'GET /v1/customer/quotes/quote_1';
const found = (more = {}) => json(200, quoteOf(more), { etag: '"v1"' });

describe('an execution', () => {
  test('reads the quote, and executes what it read', async () => {
    const { service, runtime, firmquote } = start([found(), json(201, transactionOf())]);
    await runtime.run(firmquote.quotes.execute(quoteOf(), { clientReference: 'PO-1' }));
    assert.deepEqual(service.asked, [READ, EXECUTE]);
    const sent = service.seen.at(-1);
    assert.equal(sent?.headers.get('if-match'), '"v1"');
    assert.deepEqual(sent?.body, {
      clientReference: 'PO-1',
      expect: { sellAmount: '100000.00', buyAmount: '91987.01' },
    });
  });

  for (const [status, Class] of [
    ['expired', errors.QuoteExpiredError],
    ['cancelled', errors.QuoteEndedError],
    ['withdrawn', errors.QuoteEndedError],
    ['executed', errors.QuoteAlreadyExecutedError],
  ] as const) {
    test(`is not sent for a quote that is ${status}`, async () => {
      const { service, runtime, firmquote } = start([
        found({ status, transactionId: status === 'executed' ? 'txn_9' : null }),
      ]);
      const error = await runtime.run(firmquote.quotes.execute('quote_1').then(nothing, thrown));
      assert.ok(error instanceof Class);
      if (error instanceof errors.QuoteEndedError) assert.deepEqual(error.requote, { requoteOf: 'quote_1' });
      if (error instanceof errors.QuoteAlreadyExecutedError) assert.equal(error.transactionId, 'txn_9');
      assert.deepEqual(service.asked, [READ]);
    });
  }

  test('stops shortly before the quote expires', async () => {
    const { service, runtime, firmquote } = start([
      found({ validForMs: 400 }),
      networkError('ECONNRESET'),
      json(201, {}),
    ]);
    await assert.rejects(runtime.run(firmquote.quotes.execute('quote_1')), errors.OutcomeUnknownError);
    assert.deepEqual(service.asked, [READ, EXECUTE]);
  });

  test('whose answer is lost asks, and never trades', async () => {
    const lost = networkError('ECONNRESET');
    const { service, runtime, firmquote } = start([found(), lost, lost, lost]);
    const error = await runtime.run(firmquote.quotes.execute('quote_1').then(nothing, thrown));
    assert.ok(error instanceof errors.OutcomeUnknownError);
    assert.ok(error.cause instanceof errors.ConnectionError);
    assert.deepEqual(service.asked.splice(0), [READ, EXECUTE, EXECUTE, EXECUTE]);
    service.seen.length = 0;
    service.replies.push(
      found(),
      found({ status: 'executed', transactionId: 'txn_1' }),
      json(200, transactionOf()),
    );
    const traded = await runtime.run(error.resolve());
    assert.deepEqual((traded as { transactionId?: string }).transactionId, 'txn_1');
    assert.deepEqual(service.asked, [READ, READ, 'GET /v1/customer/transactions/txn_1']);
  });

  test('that never happened is known at once when the quote is cancelled', async () => {
    const { service, runtime, firmquote } = start([
      found(),
      'never',
      'never',
      'never',
      found(),
      json(200, quoteOf()),
      found({ status: 'cancelled' }),
    ]);
    const error = await runtime.run(firmquote.quotes.execute('quote_1').then(nothing, thrown));
    assert.ok(error instanceof errors.OutcomeUnknownError);
    service.seen.length = 0;
    assert.equal(await runtime.run(error.resolve({ cancelIfOpen: true })), null);
    assert.deepEqual(service.asked, [READ, 'POST /v1/customer/quotes/quote_1/cancel', READ]);
  });

  describe('of a quote that looks expired', () => {
    const lost = () => networkError('ECONNRESET');
    // As readers are shown it from its end on, whether that has been written down or not.
    const expired = () => found({ status: 'expired', version: 2 });
    const gone = () => problem('quote_expired', 409, 'new_quote');

    /** Loses an execution, and finds out. */
    async function resolved(...replies: readonly Reply[]) {
      const { service, runtime, firmquote } = start([found(), lost(), lost(), lost()]);
      const error = await runtime.run(
        firmquote.quotes.execute('quote_1', { clientReference: 'PO-1' }).then(nothing, thrown),
      );
      assert.ok(error instanceof errors.OutcomeUnknownError);
      const [first] = service.seen.filter(({ method }) => method === 'POST').slice(-1);
      service.seen.length = 0;
      service.replies.push(...replies);
      const began = runtime.monotonicMs();
      const traded = await runtime.run(error.resolve()).catch(thrown);
      for (const { method, headers, body } of service.seen) {
        if (method !== 'POST') continue;
        assert.equal(headers.get('idempotency-key'), error.idempotencyKey);
        assert.deepEqual(body, first?.body);
      }
      return { traded, asked: service.asked, tookMs: runtime.monotonicMs() - began, left: service.replies };
    }

    test('may still be on its way, and is asked for under its own key', async () => {
      const { traded, asked } = await resolved(expired(), json(201, transactionOf()));
      assert.deepEqual((traded as { transactionId?: string }).transactionId, 'txn_1');
      assert.deepEqual(asked, [READ, EXECUTE]);
    });

    test('never happened where the service says so under that key', async () => {
      const { traded, asked, tookMs } = await resolved(expired(), gone());
      assert.deepEqual([traded, asked, tookMs], [null, [READ, EXECUTE], 0]);
    });

    test('is asked for again where the service does not know yet', async () => {
      const unsure = () => problem('outcome_unknown', 503, 'same_request');
      const { traded, left } = await resolved(expired(), unsure(), unsure(), unsure(), expired(), gone());
      assert.deepEqual([traded, left], [null, []]);
    });

    test('is what another key has made of the quote', async () => {
      const executed = problem('quote_already_executed', 409, 'none', { transactionId: 'txn_1' });
      const { traded } = await resolved(
        ...[expired(), executed, found({ status: 'executed', transactionId: 'txn_1', version: 3 })],
        json(200, transactionOf()),
      );
      assert.deepEqual((traded as { transactionId?: string }).transactionId, 'txn_1');
    });

    test('never happened, for those who may not execute any more, once nothing can be under way', async () => {
      const refused = () => problem('customer_suspended', 403, 'none');
      const { traded, tookMs } = await resolved(
        ...Array.from({ length: 30 }, () => [expired(), refused()]).flat(),
      );
      assert.equal(traded, null);
      // The service works for 17.5 s at most on what arrived in time.
      assert.ok(tookMs > 17_500 && tookMs < 30_000, `${tookMs} ms`);
    });
  });

  for (const [name, reply, Class] of [
    [
      'is known when the service then says what the quote is',
      problem('quote_expired', 409, 'new_quote'),
      errors.QuoteExpiredError,
    ],
    [
      'stays unknown when the service then refuses the token',
      problem('customer_suspended', 403, 'none'),
      errors.OutcomeUnknownError,
    ],
    [
      'stays unknown when there is then too much at once',
      problem('rate_limited', 429, 'later', { headers: { 'retry-after': '99' } }),
      errors.OutcomeUnknownError,
    ],
  ] as const) {
    test(`whose answer is lost ${name}`, async () => {
      const { runtime, firmquote } = start([found(), networkError('ECONNRESET'), reply]);
      await assert.rejects(runtime.run(firmquote.quotes.execute('quote_1')), Class);
    });
  }

  for (const body of [
    { error: 'Gateway Timeout' },
    { code: 'UpstreamTimeout', message: 'The request timed out.' },
    { status: 504, error: 'Gateway Timeout', path: '/v1' },
  ]) {
    test(`that a gateway has waited too long for may have happened: ${JSON.stringify(body)}`, async () => {
      const reply = () => json(504, body, { 'content-type': 'application/json' });
      const { runtime, firmquote, service } = start([found(), reply(), reply(), reply()]);
      const error = await runtime.run(firmquote.quotes.execute('quote_1').then(nothing, thrown));
      assert.ok(error instanceof errors.OutcomeUnknownError, String(error));
      assert.deepEqual(service.asked, [READ, EXECUTE, EXECUTE, EXECUTE]);
    });
  }

  test('whose answer is lost stays unknown when a gateway then knows no such path', async () => {
    const { runtime, firmquote } = start([
      found(),
      networkError('ECONNRESET'),
      json(404, { error: 'no healthy upstream' }),
    ]);
    await assert.rejects(runtime.run(firmquote.quotes.execute('quote_1')), errors.OutcomeUnknownError);
  });

  test('that is sent again with its own key gets the first answer again', async () => {
    const { runtime, firmquote, service } = start([
      found({ status: 'executed', transactionId: 'txn_1', version: 2 }),
      json(201, transactionOf(), { 'idempotency-replayed': 'true' }),
    ]);
    const answer = await runtime.run(
      firmquote.quotes.execute('quote_1', { idempotencyKey: 'mine' }).withResponse(),
    );
    assert.ok(answer.isReplay);
    assert.equal(answer.data.transactionId, 'txn_1');
    assert.deepEqual(service.asked, [READ, EXECUTE]);
  });

  test('whose key was sent before is asked for, though the quote looks expired: no other quote is traded', async () => {
    const { runtime, firmquote, service } = start([found({ status: 'expired' }), json(201, transactionOf())]);
    await runtime.run(firmquote.quotes.executeOrRequote(quoteOf(), { idempotencyKey: 'mine' }));
    assert.deepEqual(service.asked, [READ, EXECUTE]);
  });

  test('whose key and version are written as headers is sent under that key, for that version', async () => {
    const { runtime, firmquote, service } = start([found({ status: 'expired' }), json(201, transactionOf())]);
    const headers = { 'Idempotency-Key': 'mine', 'If-Match': '"v0"' };
    await runtime.run(firmquote.quotes.execute(quoteOf(), { headers }));
    assert.deepEqual(service.asked, [READ, EXECUTE]);
    const sent = service.seen.at(-1)?.headers;
    assert.deepEqual([sent?.get('idempotency-key'), sent?.get('if-match')], ['mine', '"v0"']);
  });

  test('that the service had no room for has not happened', async () => {
    const full = () => problem('overloaded', 503, 'later');
    const { runtime, firmquote } = start([found(), full(), full(), full()]);
    await assert.rejects(runtime.run(firmquote.quotes.execute('quote_1')), errors.ServerError);
  });

  test('that is stopped while it is under way may have happened', async () => {
    const { runtime, firmquote, service } = start([found(), 'never']);
    const end = new AbortController();
    const work = firmquote.quotes.execute('quote_1', { signal: end.signal }).then(nothing, thrown);
    await runtime.advance(10);
    assert.equal(service.asked.length, 2);
    end.abort();
    const error = await work;
    assert.ok(error instanceof errors.OutcomeUnknownError);
    assert.ok(error.cause instanceof errors.CancelledError);
    await assert.rejects(
      firmquote.quotes.execute('quote_1', { signal: AbortSignal.abort() }),
      errors.CancelledError,
    );
  });
});

test('a wrong token is replaced once', async () => {
  const refuse = () => problem('token_invalid', 401, 'after_fix');
  const { service, runtime, firmquote } = start([refuse(), json(200, { items: [] }), refuse(), refuse()]);
  await runtime.run(firmquote.reference.currencies());
  assert.equal(service.tokens, 2);
  assert.equal(service.seen.at(-1)?.headers.get('authorization'), `Bearer ${TOKEN}2`);
  await assert.rejects(runtime.run(firmquote.reference.currencies()), errors.AuthenticationError);
  assert.equal(service.tokens, 3);
  assert.equal(service.asked.length, 4);
  assert.ok(!service.seen.some(({ path }) => path.includes(SECRET)));
});
