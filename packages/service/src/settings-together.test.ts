import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, loadConfig } from './config.ts';

/** Settings that are each right by itself, and not together. */

const PRODUCTION = {
  FIRMQUOTE_MODE: 'production',
  FIRMQUOTE_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  FIRMQUOTE_SOURCES: 'push',
  FIRMQUOTE_BASE_URL: 'https://fx.example.com',
  FIRMQUOTE_TRUST_PROXY: 'none',
};

test('customers and operators are not served at one address by two settings', () => {
  const listen = (operators: string, host = '127.0.0.1', port = '4000') =>
    loadConfig({
      FIRMQUOTE_HOST: host,
      FIRMQUOTE_PORT: port,
      FIRMQUOTE_OPERATOR_LISTEN: operators,
    }).operatorListen;
  for (const [operators, host] of [
    ['127.0.0.1:4000', '127.0.0.1'],
    ['localhost:4000', '127.0.0.1'],
    ['[::1]:4000', 'LOCALHOST'],
    ['0.0.0.0:4000', '10.0.0.5'],
    ['10.0.0.5:4000', '0.0.0.0'],
    ['[::]:4000', '10.0.0.5'],
    ['127.0.0.1:4000', '::'],
    ['fx.internal:4000', '0.0.0.0'],
  ] as const) {
    assert.throws(() => listen(operators, host), {
      name: 'ConfigError',
      message:
        /^FIRMQUOTE_OPERATOR_LISTEN must not be where FIRMQUOTE_HOST and FIRMQUOTE_PORT are: port 4000 on \S+ /,
    });
  }
  assert.equal(listen('127.0.0.1:4001')?.port, 4001);
  assert.equal(listen('10.0.0.6:4000', '10.0.0.5')?.host, '10.0.0.6');
  assert.equal(listen('[::1]:4000', '0.0.0.0')?.host, '::1');
  assert.equal(listen('127.0.0.1:0', '127.0.0.1', '0')?.port, 0);
});

test('in production a token is for customers or for operators, and not for both', () => {
  const refused = {
    name: 'ConfigError',
    message: /^FIRMQUOTE_OPERATOR_AUDIENCE must differ from .* in production/,
  };
  const audiences = (more: Record<string, string>) => loadConfig({ ...PRODUCTION, ...more });
  assert.throws(() => audiences({ FIRMQUOTE_OPERATOR_AUDIENCE: 'https://fx.example.com' }), refused);
  assert.throws(() => audiences({ FIRMQUOTE_AUDIENCE: 'fx', FIRMQUOTE_OPERATOR_AUDIENCE: 'fx' }), refused);
  assert.equal(audiences({ FIRMQUOTE_AUDIENCE: 'fx' }).audience, 'fx');
  assert.equal(audiences({ FIRMQUOTE_OPERATOR_AUDIENCE: 'fx' }).operatorAudience, 'fx');
  // A newcomer needs one.
  assert.ok(loadConfig({ FIRMQUOTE_AUDIENCE: 'fx', FIRMQUOTE_OPERATOR_AUDIENCE: 'fx' }));
});

test('a session is not idle for longer than it lasts', () => {
  const sessions = (more: Record<string, string>) => loadConfig(more).sessions;
  const HOUR_MS = 3_600_000;
  assert.throws(() => sessions({ FIRMQUOTE_SESSION_IDLE_MINUTES: '1441' }), {
    name: 'ConfigError',
    message: /^FIRMQUOTE_SESSION_IDLE_MINUTES must not be longer than FIRMQUOTE_SESSION_HOURS \(24\)/,
  });
  assert.throws(
    () => sessions({ FIRMQUOTE_SESSION_IDLE_MINUTES: '61', FIRMQUOTE_SESSION_HOURS: '1' }),
    ConfigError,
  );
  const { idleMs, lastsMs } = sessions({
    FIRMQUOTE_SESSION_IDLE_MINUTES: '60',
    FIRMQUOTE_SESSION_HOURS: '1',
  });
  assert.deepEqual([idleMs, lastsMs], [HOUR_MS, HOUR_MS]);
  // Nobody has asked for twelve hours here.
  const short = sessions({ FIRMQUOTE_SESSION_HOURS: '8' });
  assert.deepEqual([short.idleMs, short.lastsMs], [8 * HOUR_MS, 8 * HOUR_MS]);
});

test('not everybody is a trusted proxy, which would let callers say where they come from', () => {
  for (const everybody of ['0.0.0.0/0', '::/0', '127.0.0.1, 10.0.0.0/0']) {
    assert.throws(() => loadConfig({ FIRMQUOTE_TRUST_PROXY: everybody }), {
      name: 'ConfigError',
      message: /^FIRMQUOTE_TRUST_PROXY must not be every address \(\S+\/0\): /,
    });
  }
  assert.deepEqual(loadConfig({ FIRMQUOTE_TRUST_PROXY: '10.0.0.0/8' }).trustProxy, ['10.0.0.0/8']);
});
