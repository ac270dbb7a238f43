import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EPOCH, FakeService, json, networkError, problem, TOKEN, TokenReply } from '../test/support/fake.ts';
import { Firmquote } from './client.ts';
import * as errors from './errors.ts';
import type { ClientOptions } from './options.ts';
import type { StoredToken, TokenStore } from './token.ts';

const HOUR_MS = 3_600_000;

function start(options: ClientOptions = {}) {
  const service = new FakeService();
  const firmquote = new Firmquote(service.options(options));
  const read = () => {
    service.replies.push(json(200, { items: [] }));
    return service.runtime.run(firmquote.reference.currencies());
  };
  const used = () =>
    service.seen
      .findLast(({ path }) => path !== '/oauth/token')
      ?.headers.get('authorization')
      ?.slice(`Bearer ${TOKEN}`.length);
  return { service, runtime: service.runtime, firmquote, read, used };
}

describe('a token', () => {
  test('is fetched once for a hundred calls at once', async () => {
    const { service, runtime, firmquote } = start();
    for (let i = 0; i < 100; i++) service.replies.push(json(200, { items: [] }));
    await runtime.run(Promise.all(Array.from({ length: 100 }, () => firmquote.reference.currencies())));
    assert.equal(service.tokens, 1);
    assert.deepEqual(service.seen[0]?.body, {
      ...{ client_id: 'cli_1', client_secret: 'secret-that-nobody-may-see' },
      ...{ audience: 'https://fx.example.com', grant_type: 'client_credentials' },
    });
  });

  for (const [name, leftMs, used, fetched] of [
    ['with more than five minutes left is used', 301_000, '1', 1],
    ['with less is used, and replaced behind', 299_000, '1', 2],
    ['with less than half a minute is waited for', 29_000, '2', 2],
    ['that is over, too', -1_000, '2', 2],
  ] as const) {
    test(name, async () => {
      const { service, runtime, read, used: now } = start();
      await read();
      await runtime.advance(24 * HOUR_MS - leftMs);
      await read();
      assert.equal(now(), used);
      await runtime.advance(1);
      assert.equal(service.tokens, fetched);
      await read();
      assert.equal(now(), `${fetched}`);
      assert.equal(service.tokens, fetched);
    });
  }

  test('that lives for minutes is not replaced with every call', async () => {
    const { service, runtime, read } = start();
    service.tokenSeconds = 200;
    for (let i = 0; i < 10; i++) {
      await read();
      await runtime.advance(10_000);
    }
    assert.equal(service.tokens, 1);
  });

  test('that cannot be replaced is used to its end', async () => {
    const { service, runtime, read, used } = start({ maxRetries: 0 });
    await read();
    await runtime.advance(24 * HOUR_MS - 20_000);
    service.replies.push(new TokenReply(networkError('ECONNREFUSED')));
    await read();
    assert.equal(used(), '1');
    await runtime.advance(30_000);
    service.replies.push(new TokenReply(networkError('ECONNREFUSED')));
    await assert.rejects(read(), errors.ConnectionError);
  });

  test('that cannot be replaced behind is tried again only after a while', async () => {
    const { service, runtime, read } = start({ maxRetries: 0 });
    await read();
    await runtime.advance(24 * HOUR_MS - 200_000);
    const asks = () => service.seen.filter(({ path }) => path === '/oauth/token').length;
    for (const [afterMs, asked] of [
      [0, 2],
      [1_000, 2],
      [5_000, 3],
    ] as const) {
      await runtime.advance(afterMs);
      if (asks() < asked) service.replies.push(new TokenReply(networkError('ECONNREFUSED')));
      await read().catch(() => assert.fail('a call that has a token'));
      service.replies.length = 0;
      await runtime.advance(1);
      assert.equal(asks(), asked);
    }
  });

  test('of wrong credentials says what to do, and is asked for once', async () => {
    const { service, read } = start();
    service.replies.push(new TokenReply(json(401, { error: 'invalid_client', error_description: 'Wrong.' })));
    await assert.rejects(read(), {
      name: 'AuthenticationError',
      code: 'invalid_client',
      nextStep: /clientSecret/,
    });
    assert.equal(service.seen.length, 1);
  });

  for (const [error, nextStep] of [
    ['invalid_target', /audience/],
    ['invalid_scope', /scope/],
  ] as const) {
    test(`refused as ${error} is about credentials, though it is 400`, async () => {
      const { service, read } = start();
      service.replies.push(new TokenReply(json(400, { error, error_description: 'Wrong.' })));
      await assert.rejects(read(), { name: 'AuthenticationError', code: error, status: 400, nextStep });
      assert.equal(service.seen.length, 1);
    });
  }

  for (const [name, refusal] of [
    ['of an overloaded service', () => json(503, { error: 'temporarily_unavailable' })],
    ['of too many requests', () => json(429, { error: 'rate_limited' }, { 'retry-after': '1' })],
    ['that nobody answers', () => networkError('ECONNREFUSED')],
  ] as const) {
    test(`${name} is asked for as often as anything else, and not anew for each attempt of the call`, async () => {
      const { service, read } = start();
      for (let i = 0; i < 9; i++) service.replies.push(new TokenReply(refusal()));
      await assert.rejects(read(), { operation: 'createToken', attempts: 3, retryable: true });
      assert.equal(service.seen.length, 3);
    });
  }

  test('that was refused and cannot be replaced for now is no wrong secret', async () => {
    const { service, runtime, firmquote, read } = start({ maxRetries: 1 });
    await read();
    service.replies.push(problem('token_invalid', 401, 'after_fix'));
    for (let i = 0; i < 2; i++) service.replies.push(new TokenReply(networkError('ECONNREFUSED')));
    service.replies.push(problem('token_invalid', 401, 'after_fix'));
    await assert.rejects(runtime.run(firmquote.limits.get()), {
      ...{ code: 'connection_failed', operation: 'createToken', retryable: true },
    });
  });

  test('that is refused decides nothing about a call that may have been done before', async () => {
    const { service, runtime, firmquote, read } = start();
    await read();
    service.replies.push(networkError('ECONNRESET'), problem('token_invalid', 401, 'after_fix'));
    service.replies.push(new TokenReply(json(404, { error: 'not_found' })));
    const work = firmquote.quotes.execute('quote_1', { checkStatus: false, ifMatch: '"v1"' });
    await assert.rejects(runtime.run(work), errors.OutcomeUnknownError);
  });

  test('that does not come is waited for as long as the call may take, which is what it then tells', async () => {
    const { service, runtime, firmquote } = start();
    service.replies.push(new TokenReply('never'));
    await assert.rejects(runtime.run(firmquote.limits.get({ deadlineMs: 2_000 })), {
      message: 'No answer within 2000 ms.',
    });
  });

  test('given as a function is asked for again when it is refused', async () => {
    const states: boolean[] = [];
    const { service, read } = start({
      token: ({ wasRejected }) => {
        states.push(wasRejected);
        return wasRejected ? 'newer' : 'older';
      },
    });
    service.replies.push(problem('token_expired', 401, 'after_fix'));
    await read();
    assert.deepEqual(states, [false, true]);
    assert.equal(service.seen.at(-1)?.headers.get('authorization'), 'Bearer newer');
  });
});

test('a client with other options has the same token, and leaves the first as it was', async () => {
  const { service, runtime, firmquote } = start({ headers: { 'x-desk': 'a', 'x-floor': '1' } });
  const elsewhere = { baseUrl: 'https://elsewhere.example.com' };
  const other = firmquote.withOptions({ maxRetries: 0, headers: { 'x-desk': 'b' }, ...elsewhere });
  const failing = () => networkError('ECONNRESET');
  service.replies.push(json(200, { items: [] }), failing(), failing(), json(200, { items: [] }));
  await runtime.run(firmquote.reference.currencies());
  const error = await runtime.run(other.reference.currencies().catch((thrown) => thrown));
  assert.ok(error instanceof errors.ConnectionError);
  assert.equal(error.attempts, 1);
  await runtime.run(firmquote.reference.currencies());
  assert.equal(service.tokens, 1);
  assert.equal(other.clock, firmquote.clock);
  const calls = service.seen.filter(({ path }) => path !== '/oauth/token');
  assert.deepEqual(
    calls.map(({ headers }) => [headers.get('x-desk'), headers.get('x-floor'), headers.get('authorization')]),
    ['a', 'b', 'a', 'a'].map((desk) => [desk, '1', `Bearer ${TOKEN}1`]),
  );
  const { baseUrl } = elsewhere;
  assert.ok(!(error as Error).message.includes(new URL(baseUrl).host));
});

describe('a store', () => {
  /** As a table that several processes share, with a lock. */
  class SharedStore implements TokenStore {
    readonly tokens = new Map<string, StoredToken>();
    #queue: Promise<unknown> = Promise.resolve();

    async get(key: string) {
      return this.tokens.get(key) ?? null;
    }
    async set(key: string, token: StoredToken) {
      this.tokens.set(key, token);
    }
    lock<T>(_: string, work: () => Promise<T>): Promise<T> {
      const done = this.#queue.then(work);
      this.#queue = done.catch(() => undefined);
      return done;
    }
  }

  test('lets several clients share one token, also when it is replaced', async () => {
    const service = new FakeService();
    const tokenStore = new SharedStore();
    const clients = Array.from({ length: 5 }, () => new Firmquote(service.options({ tokenStore })));
    const readAll = async () => {
      for (let i = 0; i < 5; i++) service.replies.push(json(200, { items: [] }));
      await service.runtime.run(Promise.all(clients.map((each) => each.reference.currencies())));
    };
    await readAll();
    assert.equal(service.tokens, 1);
    assert.ok(![...tokenStore.tokens.keys()].some((key) => key.includes('secret')));
    await service.runtime.advance(24 * HOUR_MS - 10_000);
    await readAll();
    assert.equal(service.tokens, 2);
  });

  test('whose lock cannot be taken, or not be given back, stops nothing', async () => {
    const failing = () => Promise.reject(new Error('EROFS: read-only file system'));
    for (const lock of [
      failing,
      async <T>(_: string, work: () => Promise<T>): Promise<T> => {
        await work();
        return failing();
      },
    ]) {
      const { service, read } = start({ tokenStore: { get: async () => null, set: failing, lock } });
      await read();
      assert.equal(service.tokens, 1);
    }
    // What fails under the lock is told, and not done once more.
    const { service, runtime, firmquote } = start({
      ...{ tokenStore: { get: async () => null, set: failing, lock: (_, work) => work() }, maxRetries: 0 },
    });
    service.replies.push(new TokenReply(json(401, { error: 'invalid_client' })));
    await assert.rejects(runtime.run(firmquote.reference.currencies()), errors.AuthenticationError);
    assert.equal(service.seen.length, 1);
  });

  test('that fails, or holds anything, stops nothing', async () => {
    for (const kept of [
      new Error('down'),
      { accessToken: 5 },
      'x',
      { accessToken: 'old', expiresAt: EPOCH - 1, lifetimeMs: 1 },
    ]) {
      const { service, read } = start({
        tokenStore: {
          get: async () => (kept instanceof Error ? Promise.reject(kept) : (kept as unknown as StoredToken)),
          set: async () => Promise.reject(new Error('down')),
        },
      });
      await read();
      assert.equal(service.tokens, 1);
    }
  });
});

describe('a private key', () => {
  for (const [alg, algorithm, verification] of [
    ['EdDSA', { name: 'Ed25519' }, { name: 'Ed25519' }],
    ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }, { name: 'ECDSA', hash: 'SHA-256' }],
    [
      'RS256',
      {
        name: 'RSASSA-PKCS1-v1_5',
        hash: 'SHA-256',
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
      },
      { name: 'RSASSA-PKCS1-v1_5' },
    ],
  ] as const) {
    test(`signs with ${alg}, a new assertion each time`, async () => {
      const pair = (await crypto.subtle.generateKey(algorithm as { name: string }, true, [
        'sign',
        'verify',
      ])) as unknown as {
        privateKey: Parameters<typeof crypto.subtle.exportKey>[1];
        publicKey: Parameters<typeof crypto.subtle.exportKey>[1];
      };
      const jwk = { ...(await crypto.subtle.exportKey('jwk', pair.privateKey)), kid: 'k1' };
      const { service, runtime, firmquote } = start({ clientSecret: undefined, privateKey: jwk as never });
      service.replies.push(new TokenReply(networkError('ECONNRESET')), json(200, { items: [] }));
      await runtime.run(firmquote.reference.currencies());
      const assertions = service.seen.flatMap(
        ({ body }) => (body as { client_assertion?: string })?.client_assertion ?? [],
      );
      assert.equal(new Set(assertions).size, 2);
      for (const assertion of assertions) {
        const [header = '', payload = '', signature = ''] = assertion.split('.');
        assert.deepEqual(JSON.parse(atob(header)), { alg, typ: 'JWT', kid: 'k1' });
        const claims = JSON.parse(atob(payload));
        assert.deepEqual(
          [claims.iss, claims.sub, claims.aud],
          ['cli_1', 'cli_1', 'https://fx.example.com/oauth/token'],
        );
        const signed = new TextEncoder().encode(`${header}.${payload}`);
        const bytes = Buffer.from(signature, 'base64url');
        assert.ok(await crypto.subtle.verify(verification, pair.publicKey, bytes, signed));
      }
    });
  }

  test('is tried again where only the clock of the machine was wrong', async () => {
    const { privateKey } = (await crypto.subtle.generateKey({ name: 'Ed25519' }, false, [
      'sign',
      'verify',
    ])) as unknown as {
      privateKey: never;
    };
    const { service, runtime, firmquote } = start({ clientSecret: undefined, privateKey });
    runtime.wrongMs = 600_000;
    const date = () => ({ date: new Date(EPOCH + runtime.monotonicMs()).toUTCString() });
    service.replies.push(
      new TokenReply(() => json(401, { error: 'invalid_client' }, date())),
      json(200, { items: [] }),
    );
    await runtime.run(firmquote.reference.currencies());
    const [wrong, right] = service.seen.slice(0, 2).map(({ body }) => {
      const { client_assertion } = body as { client_assertion: string };
      return JSON.parse(atob(client_assertion.split('.')[1] ?? '')).iat * 1_000;
    });
    assert.ok(Math.abs((wrong ?? 0) - EPOCH) > 500_000);
    assert.ok(Math.abs((right ?? 0) - EPOCH) < 5_000);
  });

  test('is tried again after the machine has slept, for which its clock that only goes forward stood still', async () => {
    const { privateKey } = (await crypto.subtle.generateKey({ name: 'Ed25519' }, false, [
      'sign',
      'verify',
    ])) as unknown as { privateKey: never };
    const { service, runtime, firmquote, read } = start({ clientSecret: undefined, privateKey });
    const date = () => ({ date: new Date(runtime.wallMs()).toUTCString() });
    service.replies.push(json(200, { items: [] }, date()));
    await runtime.run(firmquote.reference.currencies());
    await runtime.advance(24 * HOUR_MS - 20_000);
    runtime.wrongMs = 600_000;
    service.replies.push(new TokenReply(() => json(401, { error: 'invalid_client' }, date())));
    await read();
    const signed = service.seen.flatMap(({ body }) => {
      const { client_assertion } = (body ?? {}) as { client_assertion?: string };
      return client_assertion === undefined ? [] : JSON.parse(atob(client_assertion.split('.')[1] ?? '')).iat;
    });
    assert.equal(signed.length, 3);
    assert.ok(Math.abs(signed[2] - signed[1] - 600) <= 2, `${signed}`);
  });

  test('that cannot sign is told', async () => {
    const { read } = start({ clientSecret: undefined, privateKey: { kty: 'oct', k: 'AAAA' } });
    await assert.rejects(read(), { name: 'ConfigurationError', code: 'private_key_invalid' });
  });
});
