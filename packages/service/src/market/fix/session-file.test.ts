import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ConfigError } from '../../config.ts';
import { readSessionFile } from './session-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'fix-sessions-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'fix.json');
writeFileSync(join(folder, 'ca.pem'), '');

const SESSION = {
  host: 'fix.example.com',
  port: 9880,
  tls: true,
  senderCompId: 'US',
  targetCompId: 'LP',
  username: 'desk',
  passwordEnv: 'LP_PASSWORD',
  pairs: ['EURUSD', 'USDJPY'],
};
const PASSWORD = 'open sesame';
const secret = (name: string): string | undefined => (name === 'LP_PASSWORD' ? PASSWORD : undefined);

function read(content: unknown, secrets = secret) {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readSessionFile(path, secrets);
}

test('a session with its defaults, and its password from the environment', () => {
  const settings = read({ sessions: { lp: SESSION } }).get('lp');
  assert.deepEqual(settings, {
    name: 'lp',
    host: 'fix.example.com',
    port: 9880,
    tls: {},
    senderCompId: 'US',
    targetCompId: 'LP',
    username: 'desk',
    password: PASSWORD,
    pairs: ['EURUSD', 'USDJPY'],
    mode: 'marketData',
    updates: 'full',
    symbolSeparator: '/',
    quoteQuantity: '1000000',
    heartbeatSeconds: 30,
    resetSequence: false,
    maxAgeMs: 2_000,
  });
});

test('other forms: no TLS, certificates beside the file, symbols without a slash', () => {
  const sessions = read({
    sessions: {
      plain: { ...SESSION, tls: false, symbols: 'EURUSD', passwordEnv: undefined },
      own: { ...SESSION, tls: { ca: 'ca.pem', serverName: 'lp' }, symbols: 'EUR-USD' },
    },
  });
  assert.equal(sessions.get('plain')?.tls, undefined);
  assert.equal(sessions.get('plain')?.password, undefined);
  assert.equal(sessions.get('plain')?.symbolSeparator, '');
  assert.deepEqual(sessions.get('own')?.tls, { ca: join(folder, 'ca.pem'), serverName: 'lp' });
  assert.equal(sessions.get('own')?.symbolSeparator, '-');
});

describe('refused with one line that names the file and never the password', () => {
  const { tls: _, ...withoutTls } = SESSION;
  const wrong: readonly (readonly [name: string, content: unknown, message: RegExp])[] = [
    ['no JSON', `{"password": "${PASSWORD}" oops`, /it is not JSON/],
    ['no sessions', {}, /the file must have required properties sessions/],
    ['an unknown field', { sessions: { lp: { ...SESSION, prot: 1 } } }, /sessions\.lp\.prot is not a field/],
    [
      'a password in the file',
      { sessions: { lp: { ...SESSION, password: PASSWORD } } },
      /sessions\.lp\.password is not a field/,
    ],
    ['TLS left open', { sessions: { lp: withoutTls } }, /sessions\.lp must have required properties tls/],
    ['a port that is none', { sessions: { lp: { ...SESSION, port: 70_000 } } }, /sessions\.lp\.port/],
    ['a name with signs', { sessions: { '../lp': SESSION } }, /the file|sessions/],
    [
      'an unknown pair',
      { sessions: { lp: { ...SESSION, pairs: ['USDEUR'] } } },
      /lp: USDEUR is listed twice, or/,
    ],
    [
      'a pair twice',
      { sessions: { lp: { ...SESSION, pairs: ['EURUSD', 'EURUSD'] } } },
      /EURUSD is listed twice/,
    ],
    [
      'a variable that is not set',
      { sessions: { lp: { ...SESSION, passwordEnv: 'NONE' } } },
      /NONE is not set/,
    ],
    [
      'a certificate without key',
      { sessions: { lp: { ...SESSION, tls: { cert: 'ca.pem' } } } },
      /cert and key/,
    ],
    [
      'a missing authority',
      { sessions: { lp: { ...SESSION, tls: { ca: 'x.pem' } } } },
      /there is no file .*x\.pem/,
    ],
    [
      'a separator in a field',
      { sessions: { lp: { ...SESSION, username: 'a\u0001b=c' } } },
      /sessions\.lp\.username/,
    ],
  ];
  for (const [name, content, message] of wrong) {
    test(name, () => {
      assert.throws(
        () => read(content),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.match(error.message, message);
          assert.ok(error.message.startsWith(`FIRMQUOTE_FIX_SESSIONS: ${path}: `), error.message);
          assert.ok(!error.message.includes('\n') && !error.message.includes(PASSWORD));
          return true;
        },
      );
    });
  }

  test('a password that would break out of its field', () => {
    const broken = () => read({ sessions: { lp: SESSION } }, () => 'a\u0001554=b');
    assert.throws(broken, /LP_PASSWORD must hold 1 to 256 printable characters/);
  });

  test('a file that is not there', () => {
    assert.throws(() => readSessionFile(join(folder, 'none.json'), secret), /cannot be read \(ENOENT\)/);
  });
});
