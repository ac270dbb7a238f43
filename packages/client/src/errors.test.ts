import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { PROBLEMS } from '@firmquote/api/problems';
import {
  FakeService,
  json,
  networkError,
  problem,
  type Reply,
  SECRET,
  TOKEN,
  TokenReply,
} from '../test/support/fake.ts';
import { quoteOf } from '../test/support/quotes.ts';
import { Firmquote } from './client.ts';
import * as errors from './errors.ts';
import type { ClientOptions } from './options.ts';

const CODES = Object.entries(PROBLEMS) as [string, { status: number; retry: string }][];

async function failWith(
  reply: Reply | TokenReply,
  options: ClientOptions = {},
): Promise<errors.FirmquoteError> {
  const service = new FakeService();
  const firmquote = new Firmquote(service.options({ maxRetries: 0, ...options }));
  service.replies.push(reply);
  const read = firmquote.quotes.get('quote_1').then(
    () => assert.fail('it succeeded'),
    (error: unknown) => error,
  );
  const error = await service.runtime.run(read);
  assert.ok(error instanceof errors.FirmquoteError);
  return error;
}

describe('every code of the registry is an error with a meaning', () => {
  for (const [code, { status, retry }] of CODES) {
    test(code, async () => {
      const error = await failWith(
        problem(code, status, retry, { errors: [{ pointer: '/amount', code: 'x', detail: 'y' }] }),
        { token: 'one that is not replaced' },
      );
      assert.ok(error instanceof errors.ApiError);
      assert.notEqual(error.constructor, errors.ApiError);
      assert.equal(error.name, error.constructor.name);
      assert.deepEqual(
        [error.code, error.status, error.retry, error.requestId],
        [code, status, retry, 'req_1'],
      );
      assert.equal(error.retryable, retry === 'same_request' || retry === 'later');
      assert.deepEqual(error.fields, ['amount']);
      assert.match(error.docUrl, new RegExp(code.replaceAll('_', '-')));
      assert.ok(error.nextStep.length > 10);
    });
  }

  test('a code that nobody knew has the class of its status', async () => {
    for (const [status, name] of [
      [400, 'InvalidRequestError'],
      [401, 'AuthenticationError'],
      [403, 'PermissionError'],
      [404, 'NotFoundError'],
      [409, 'ConflictError'],
      [418, 'InvalidRequestError'],
      [429, 'RateLimitError'],
      [500, 'ServerError'],
      [503, 'ServerError'],
    ] as const) {
      const error = await failWith(problem('moon_is_full', status, 'none', { moon: 'full' }), {
        token: 'given',
      });
      assert.equal(error.name, name);
      assert.deepEqual((error as errors.ApiError).members, { moon: 'full' });
    }
  });
});

const html = (status: number, text = `<html>${SECRET}`) =>
  new Response(text, { status, headers: { 'content-type': 'text/html' } });
const text = (body: string, headers = {}) =>
  new Response(body, { headers: { 'content-type': 'application/json', ...headers } });

/** What is no answer of the service, and what is said of it. */
const MALFORMED: readonly (readonly [name: string, reply: () => Reply, code: string])[] = [
  ['HTML', () => html(200), 'answer_not_json'],
  ['HTML of a gateway', () => html(502), 'answer_not_of_service'],
  ['no type at all', () => new Response('{}', { headers: { 'content-type': '' } }), 'answer_not_json'],
  ['JSON that is not whole', () => text('{"quoteId":"quote'), 'answer_malformed'],
  ['nothing where something should be', () => text(''), 'answer_malformed'],
  ['more than there may be', () => text(`"${'x'.repeat(2_000)}"`), 'answer_too_large'],
  [
    'a way to somewhere else',
    () => new Response(null, { status: 302, headers: { location: 'https://login' } }),
    'answer_not_of_service',
  ],
  ['JSON that is no problem', () => json(500, { message: SECRET }), 'answer_not_of_service'],
  ['a connection that breaks', () => networkError('ECONNRESET'), 'connection_lost'],
  [
    'a connection that breaks without a word',
    () => new TypeError(`fetch failed with ${SECRET}`),
    'connection_lost',
  ],
  ['a host that is not there', () => networkError('ENOTFOUND'), 'connection_failed'],
  ['silence', () => 'never', 'timeout'],
];

describe('what is no answer of the service is told apart', () => {
  for (const [name, reply, code] of MALFORMED) {
    test(name, async () => {
      const error = await failWith(reply(), { maxAnswerBytes: 1_000 });
      assert.equal(error.code, code);
      assert.ok(error.nextStep.length > 10 && error.message.length > 10);
      assert.match(error.requestId ?? '', /^req_/);
    });
  }
});

test('a service that is not ready has answered, and says why; what stands between has not', async () => {
  const service = new FakeService();
  const firmquote = new Firmquote(service.options({ maxRetries: 0 }));
  const body = { ready: false, checks: { database: { ok: false, detail: 'no connection' } } };
  service.replies.push(json(503, body));
  const { data, status } = await service.runtime.run(firmquote.service.readiness().withResponse());
  assert.deepEqual([status, data], [503, body]);
  service.replies.push(
    new Response('<h1>503</h1>', { status: 503, headers: { 'content-type': 'text/html' } }),
  );
  await assert.rejects(service.runtime.run(firmquote.service.readiness()), errors.UnexpectedAnswerError);
  service.replies.push(json(503, body));
  await assert.rejects(service.runtime.run(firmquote.quotes.get('quote_1')), errors.UnexpectedAnswerError);
});

describe('what cannot be sent is an error of this package as well', () => {
  const quote = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1.00' } as const;
  for (const [name, call] of [
    ['a path that leads elsewhere', ({ quotes }) => quotes.get('..')],
    ['a key of other characters', ({ quotes }) => quotes.create(quote, { idempotencyKey: 'INV–1' })],
    ['a version of other characters', ({ quotes }) => quotes.cancel('quote_1', { ifMatch: '"v–1"' })],
    ['a header without a name', ({ quotes }) => quotes.get('quote_1', { headers: { '': 'x' } })],
  ] as readonly (readonly [string, (firmquote: Firmquote) => PromiseLike<unknown>])[]) {
    test(name, async () => {
      const service = new FakeService();
      const firmquote = new Firmquote(service.options());
      await assert.rejects(service.runtime.run(call(firmquote)), {
        ...{ name: 'ConfigurationError', code: 'request_not_made' },
      });
      assert.ok(service.seen.every(({ path }) => path.startsWith('/oauth/')));
    });
  }

  test('a token that is none of one line, and is not told', async () => {
    const service = new FakeService();
    const firmquote = new Firmquote({ baseUrl: service.options().baseUrl, token: `${SECRET}\n${TOKEN}` });
    for (const call of [firmquote.quotes.get('quote_1'), firmquote.prices.socket()]) {
      const error: unknown = await call.catch((found: unknown) => found);
      assert.ok(error instanceof errors.ConfigurationError, String(error));
      for (const shown of shownAs(error)) assertSafe(shown, 'token');
    }
  });
});

test('nothing that is kept secret is in any error, log line, or view of a client', async () => {
  const echo = ({ headers, body }: { headers: Headers; body: unknown }) =>
    problem('validation_failed', 400, 'after_fix', {
      detail: `You sent ${JSON.stringify([...headers])} ${JSON.stringify(body)}`,
      errors: [{ pointer: '/x', code: 'x', detail: `${headers.get('authorization')}` }],
    });
  const echoToken = ({ body }: { body: unknown }) =>
    json(400, { error: 'invalid_request', error_description: `${JSON.stringify(body)}` });
  const replies: (() => Reply | TokenReply)[] = [
    ...CODES.map(
      ([code, { status, retry }]) =>
        () =>
          problem(code, status, retry),
    ),
    ...MALFORMED.map(([, reply]) => reply),
    () => echo,
    () => new TokenReply(echoToken),
    () => new TokenReply(() => json(401, { error: 'invalid_client', error_description: SECRET })),
    () => new TokenReply(() => html(500)),
  ];
  const lines: unknown[] = [];
  const log = (...given: unknown[]) => lines.push(given);
  const logger = { error: log, warn: log, info: log, debug: log };
  for (const logLevel of ['debug', 'off'] as const) {
    for (const reply of replies) {
      const error = await failWith(reply(), { logger, logLevel, maxAnswerBytes: 1_000, maxRetries: 1 });
      for (const shown of shownAs(error)) assertSafe(shown, error.code);
    }
    assertSafe(inspect(lines, { depth: 9 }), 'log');
    assert.equal(lines.length > 0, logLevel === 'debug');
    lines.length = 0;
  }
  const service = new FakeService();
  const firmquote = new Firmquote(service.options({ clientSecret: async () => SECRET, token: undefined }));
  service.replies.push(json(200, quoteOf()));
  const answer = await service.runtime.run(firmquote.quotes.get('quote_1').withResponse());
  for (const shown of [...shownAs(firmquote), ...shownAs(answer)]) assertSafe(shown, 'client');
});

function shownAs(value: object): string[] {
  const options = { depth: 20, showHidden: true };
  return [String(value), `${(value as Error).stack}`, inspect(value, options), JSON.stringify(value) ?? ''];
}

function assertSafe(shown: string, what: string): void {
  assert.ok(!shown.includes(SECRET), `${what} shows the secret`);
  assert.ok(!shown.includes(TOKEN), `${what} shows a token`);
}

describe('options that cannot work are refused before anything is sent', () => {
  for (const [name, options, code] of [
    ['no address', { baseUrl: undefined }, 'base_url_invalid'],
    ['no address at all', { baseUrl: 'fx.example.com' }, 'base_url_invalid'],
    ['another protocol', { baseUrl: 'ftp://fx.example.com' }, 'base_url_invalid'],
    ['an address that is not encrypted', { baseUrl: 'http://fx.example.com' }, 'base_url_insecure'],
    ['no secret', { clientSecret: undefined }, 'credentials_missing'],
  ] as const) {
    test(name, () => {
      const service = new FakeService();
      assert.throws(() => new Firmquote({ ...service.options(), ...options }), {
        name: 'ConfigurationError',
        code,
      });
    });
  }

  test('this machine needs no encryption, and others none where that is wished', () => {
    for (const baseUrl of ['http://localhost:4000', 'http://127.0.0.1:4000/', 'http://[::1]:4000']) {
      assert.ok(new Firmquote({ ...new FakeService().options(), baseUrl }));
    }
    assert.ok(
      new Firmquote({ ...new FakeService().options(), baseUrl: 'http://fx.internal', allowInsecure: true }),
    );
  });
});
