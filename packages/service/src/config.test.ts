import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, loadConfig, SETTINGS, SettingUnavailable } from './config.ts';
import { readSecret, secretSettings } from './secret-settings.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

test('the sandbox starts on nothing but defaults', () => {
  const config = loadConfig({});
  assert.equal(config.mode, 'sandbox');
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 4000);
  assert.equal(config.sources, 'simulated,push');
  assert.equal(config.feeds.oanda.url, 'https://stream-fxtrade.oanda.com');
  assert.equal(config.feeds.oanda.token, undefined);
  assert.equal(config.marketHours, 'always');
  assert.match(config.dataDir, /\/data$/);
});

test('a wrong value is named in one line, without its secret', () => {
  const wrong: Record<string, string>[] = [
    { FIRMQUOTE_PORT: '70000' },
    { FIRMQUOTE_PORT: '40 00' },
    { FIRMQUOTE_PORT: '' },
    { FIRMQUOTE_MODE: 'staging' },
    { FIRMQUOTE_HOST: ' ' },
    { FIRMQUOTE_DATA_DIR: '' },
    { FIRMQUOTE_DATA_DIR: '/srv/firmquote\r' },
    { FIRMQUOTE_AUDIENCE: 'fx\r' },
    { DATABASE_URL: 'mysql://user:hunter2@db/x' },
    { DATABASE_URL: 'postgres://user:hunter2@%ff/x', FIRMQUOTE_UNSAFE_DATABASE: 'refuse' },
    { FIRMQUOTE_BASE_URL: 'ftp://x' },
    // A reader of addresses makes something else of these, and every link and token would have them as they are.
    { FIRMQUOTE_BASE_URL: 'https:fx.example.com' },
    { FIRMQUOTE_BASE_URL: 'https:/fx.example.com' },
    { FIRMQUOTE_BASE_URL: 'https:\\\\fx.example.com' },
    { FIRMQUOTE_BASE_URL: ' https://fx.example.com' },
    { FIRMQUOTE_BASE_URL: 'HTTPS://fx.example.com' },
    // Of a file with the line ends of Windows.
    { FIRMQUOTE_AUTH_URL: 'https://fx.example.com\r' },
    { FIRMQUOTE_OPERATOR_URL: 'https://fx.example\n.com' },
    { FIRMQUOTE_OPERATOR_URL: 'https://user:hunter2@fx.example.com' },
    { FIRMQUOTE_OPERATOR_URL: 'https://:hunter2@fx.example.com' },
    { FIRMQUOTE_MODE: 'sandbox\r\n' },
    { FIRMQUOTE_TRUST_PROXY: '10.0.0.1\n10.0.0.2' },
    { FIRMQUOTE_KEY_ENCRYPTION_KEY: 'short' },
    { FIRMQUOTE_COMPOSITE: 'mid' },
    { FIRMQUOTE_OVERDUE_GRACE_HOURS: '-1' },
    { FIRMQUOTE_APPROVAL_HOURS: '0' },
    { FIRMQUOTE_CLOSE_OUT_CHARGE: 'all' },
    { FIRMQUOTE_AUCKLAND_ROLL: 'NZD,Kiwi' },
    { FIRMQUOTE_SECOND_BARS_HOURS: '0' },
    { FIRMQUOTE_MINUTE_BARS_DAYS: '9999' },
    { FIRMQUOTE_STATEMENT_FOLDER: ' ' },
    { FIRMQUOTE_PROT: '4000' },
    { FIRMQUOTE_OANDA_ACCOUNT: '../hunter2' },
    { FIRMQUOTE_OANDA_TOKEN: 'hunter2\nX-Other: 1' },
    { FIRMQUOTE_OANDA_TOKEN: '' },
    { FIRMQUOTE_OANDA_TOKEN_FILE: '/nowhere/token' },
    { FIRMQUOTE_OANDA_URL: 'http://stream-fxtrade.oanda.com' },
    { FIRMQUOTE_OANDA_URL: 'https://user:hunter2@stream-fxtrade.oanda.com' },
    { FIRMQUOTE_OANDA_URL: 'https://stream-fxtrade.oanda.com/?token=hunter2' },
    { FIRMQUOTE_MASSIVE_KEY: 'hunter2 hunter2' },
    { FIRMQUOTE_MASSIVE_URL: 'ws://socket.massive.com/forex' },
    { FIRMQUOTE_TRADERMADE_URL: 'https://marketdata.tradermade.com' },
    { FIRMQUOTE_WEBSOCKET_KEY_FILE: '/' },
  ];
  for (const environment of wrong) {
    assert.throws(
      () => loadConfig(environment),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError);
        assert.ok(error.message.includes(Object.keys(environment)[0] as string), error.message);
        assert.ok(!error.message.includes('\n') && !error.message.includes('hunter2'), error.message);
        return true;
      },
    );
  }
});

test('what the quickstart exports for programs is said to be theirs', () => {
  for (const name of [
    'FIRMQUOTE_CLIENT_ID',
    'FIRMQUOTE_CLIENT_SECRET',
    'FIRMQUOTE_TOKEN',
    'FIRMQUOTE_PROFILE',
  ]) {
    assert.throws(() => loadConfig({ [name]: 'hunter2' }), {
      message: `${name} is not a setting of this service, but of programs that use it: unset it, or use another terminal.`,
    });
  }
});

test('production refuses the defaults of the sandbox', () => {
  const production = {
    FIRMQUOTE_MODE: 'production',
    FIRMQUOTE_KEY_ENCRYPTION_KEY: KEY,
    FIRMQUOTE_SOURCES: 'push',
    FIRMQUOTE_BASE_URL: 'https://fx.example.com/',
    FIRMQUOTE_TRUST_PROXY: '10.0.0.0/8, ::1',
  };
  const config = loadConfig(production);
  assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '::1']);
  assert.deepEqual(loadConfig({ ...production, FIRMQUOTE_TRUST_PROXY: 'none' }).trustProxy, []);
  assert.equal(config.marketHours, 'calendar');
  assert.equal(config.baseUrl, 'https://fx.example.com');
  for (const name of [
    'FIRMQUOTE_KEY_ENCRYPTION_KEY',
    'FIRMQUOTE_SOURCES',
    'FIRMQUOTE_BASE_URL',
    'FIRMQUOTE_TRUST_PROXY',
  ] as const) {
    const { [name]: _, ...rest } = production;
    assert.throws(() => loadConfig(rest), new RegExp(name));
  }
  assert.throws(() => loadConfig({ ...production, FIRMQUOTE_SOURCES: 'simulated' }), /simulated/);
  for (const name of ['FIRMQUOTE_BASE_URL', 'FIRMQUOTE_AUTH_URL']) {
    assert.throws(
      () => loadConfig({ ...production, [name]: 'http://fx.example.com' }),
      /must begin with https/,
    );
    assert.throws(() => loadConfig({ ...production, [name]: 'HTTP://fx.example.com' }), new RegExp(name));
    assert.throws(() => loadConfig({ ...production, [name]: 'http://localhost' }), /must begin with https/);
  }
  // Where operators are served apart, a tunnel brings them there.
  const desk = (url: string) => loadConfig({ ...production, FIRMQUOTE_OPERATOR_URL: url }).operatorUrl;
  assert.equal(desk('http://localhost:4001'), 'http://localhost:4001');
  assert.throws(() => desk('http://desk.example.com'), /must begin with https/);
  assert.throws(() => desk('http://localhost.example.com'), /must begin with https/);
  for (const wrong of [
    '',
    'proxy.example.com',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.1,',
    '10.0.0.1/8/8',
    'none,::1',
  ]) {
    assert.throws(
      () => loadConfig({ ...production, FIRMQUOTE_TRUST_PROXY: wrong }),
      /FIRMQUOTE_TRUST_PROXY must be/,
    );
  }
  for (const near of [
    'postgres://u@127.0.0.1/db',
    'postgres://u@%2Frun%2Fpg/db',
    'postgres:///db?host=/run/pg',
  ]) {
    assert.equal(loadConfig({ ...production, DATABASE_URL: near }).databaseUrl, near);
  }
  const far = 'postgres://u:hunter2@db.example.com/db';
  assert.ok(loadConfig({ ...production, DATABASE_URL: `${far}?sslmode=verify-full` }));
  assert.ok(loadConfig({ ...production, DATABASE_URL: far, FIRMQUOTE_UNSAFE_DATABASE: 'warn' }));
  for (const open of [
    far,
    `${far}?sslmode=require`,
    `${far}?sslmode=no-verify`,
    `${far}?host=10.0.0.1`,
    `${far}?host=`,
    `${far}?host=localhost&host=10.0.0.1`,
    `${far}?sslmode=verify-full&sslmode=disable`,
  ]) {
    assert.throws(
      () => loadConfig({ ...production, DATABASE_URL: open }),
      ({ message }) => /^DATABASE_URL must be on this machine/.test(message) && !message.includes('hunter2'),
      open,
    );
  }
  // Where the address names no host, the driver goes to the one of PGHOST.
  for (const bare of ['postgres:///db', 'postgres:///db?password=hunter2&sslmode=require']) {
    assert.ok(loadConfig({ ...production, DATABASE_URL: bare }));
    assert.ok(loadConfig({ ...production, DATABASE_URL: bare, PGHOST: '/run/pg' }));
    assert.throws(
      () => loadConfig({ ...production, DATABASE_URL: bare, PGHOST: 'db.example.com' }),
      /^ConfigError: DATABASE_URL must be on this machine/,
    );
  }
});

test('the audit trail is kept for ever, or for a year at least', () => {
  assert.equal(loadConfig({}).auditRetentionDays, undefined);
  assert.equal(loadConfig({ FIRMQUOTE_AUDIT_RETENTION_DAYS: '365' }).auditRetentionDays, 365);
  for (const days of ['364', '0', 'never'])
    assert.throws(() => loadConfig({ FIRMQUOTE_AUDIT_RETENTION_DAYS: days }), /from 365 to 36500/);
});

test('each group has its roles in one place, of which none is passed over', () => {
  const rolesOf = (roles: string) =>
    loadConfig({
      FIRMQUOTE_OIDC_ISSUER: 'https://login.example.com',
      FIRMQUOTE_OIDC_CLIENT_ID: 'firmquote',
      FIRMQUOTE_OIDC_CLIENT_SECRET: 'a-secret-of-the-service',
      FIRMQUOTE_OIDC_ROLES: roles,
    }).provider?.roles;
  assert.deepEqual(
    [...(rolesOf('fx=dealer+viewer, ops=viewer') ?? [])],
    [
      ['fx', ['dealer', 'viewer']],
      ['ops', ['viewer']],
    ],
  );
  assert.throws(
    () => rolesOf('fx=dealer,ops=viewer,fx=viewer'),
    new ConfigError('FIRMQUOTE_OIDC_ROLES names the group "fx" twice. Join its roles with +.'),
  );
});

test('quotes that came to nothing are kept for seven years, or for five at least', () => {
  assert.equal(loadConfig({}).quoteRetentionDays, 2_557);
  assert.equal(loadConfig({ FIRMQUOTE_QUOTE_RETENTION_DAYS: '1827' }).quoteRetentionDays, 1_827);
  for (const days of ['1826', '0', 'never'])
    assert.throws(() => loadConfig({ FIRMQUOTE_QUOTE_RETENTION_DAYS: days }), /from 1827 to 36500/);
});

test('the key and the address of the database can come from files', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  writeFileSync(file, `${KEY}\n`);
  const key = loadConfig({ FIRMQUOTE_KEY_ENCRYPTION_KEY_FILE: file }).keyEncryption.current;
  assert.equal(key?.toString('base64'), KEY);
  assert.throws(
    () => loadConfig({ FIRMQUOTE_KEY_ENCRYPTION_KEY: KEY, FIRMQUOTE_KEY_ENCRYPTION_KEY_FILE: file }),
    /are both set/,
  );
  writeFileSync(file, 'postgres://u:hunter2@127.0.0.1/db\n');
  assert.equal(loadConfig({ DATABASE_URL_FILE: file }).databaseUrl, 'postgres://u:hunter2@127.0.0.1/db');
  writeFileSync(file, 'hunter2');
  assert.throws(
    () => loadConfig({ DATABASE_URL_FILE: file }),
    ({ message }) => message === 'DATABASE_URL_FILE must be a postgres:// or postgresql:// address.',
  );
  assert.throws(() => loadConfig({ DATABASE_URL_FILE: join(folder, 'none') }), /cannot be read/);
});

test('a secret can come from a file, and a replaced file needs no restart', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'token');
  writeFileSync(file, 'first\n');
  const { token } = loadConfig({ FIRMQUOTE_OANDA_TOKEN_FILE: file }).feeds.oanda;
  assert.equal(token?.(), 'first');
  writeFileSync(file, 'second');
  assert.equal(token?.(), 'second');
  writeFileSync(file, '');
  assert.equal(token?.(), 'second', 'an empty file is one that is being written');
  rmSync(file);
  assert.equal(token?.(), 'second');
  writeFileSync(file, 'third');
  assert.throws(
    () => loadConfig({ FIRMQUOTE_OANDA_TOKEN: 'hunter2', FIRMQUOTE_OANDA_TOKEN_FILE: file }),
    /^ConfigError: FIRMQUOTE_OANDA_TOKEN and FIRMQUOTE_OANDA_TOKEN_FILE are both set/,
  );
});

const PRINTER = (text: string) => JSON.stringify([process.execPath, '-e', text]);

test('every secret that can come from a file can come from a command', () => {
  const names = Object.keys(SETTINGS).filter((name) => `${name}_FILE` in SETTINGS);
  assert.ok(names.length >= 8, String(names));
  for (const name of names) assert.ok(`${name}_COMMAND` in SETTINGS, name);
  const asked = { FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND: PRINTER(`process.stdout.write('${KEY}')`) };
  assert.equal(loadConfig(asked).keyEncryption.current?.toString('base64'), KEY);
  assert.equal(
    loadConfig({ DATABASE_URL_COMMAND: 'echo postgres://u@127.0.0.1/db' }).databaseUrl,
    'postgres://u@127.0.0.1/db',
  );
  assert.equal(loadConfig({ FIRMQUOTE_OANDA_TOKEN_COMMAND: 'echo  asked ' }).feeds.oanda.token?.(), 'asked');
  assert.equal(loadConfig({ LP_PASSWORD_COMMAND: 'echo asked' }).secret('LP_PASSWORD'), 'asked');
  assert.throws(
    () => loadConfig({ FIRMQUOTE_KEY_ENCRYPTION_KEY: KEY, ...asked }),
    /^ConfigError: FIRMQUOTE_KEY_ENCRYPTION_KEY and FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND are both set/,
  );
});

test('a command for a secret that fails ends the start with what it did, and nothing that it said', () => {
  const wrong: readonly (readonly [command: string, what: RegExp])[] = [
    [
      PRINTER("process.stderr.write('hunter2'); process.stdout.write('hunter2'); process.exit(3)"),
      /the command ended with exit code 3\.$/,
    ],
    [PRINTER("process.kill(process.pid, 'SIGTERM')"), /was ended by SIGTERM/],
    [PRINTER("process.stdout.write('hunter2'.repeat(20_000))"), /printed more than 65536 bytes/],
    [PRINTER(''), /printed nothing/],
    [PRINTER("process.stdout.write('hunter2')"), /must be 32 random bytes in base64/],
    ['/nowhere/hunter2', /cannot be run \(ENOENT\)/],
    ['vault read hunter2 | base64', /no shell is used/],
    ['["vault", 2]', /no shell is used/],
    ['["vault"', /no shell is used/],
    [' ', /no shell is used/],
  ];
  for (const [command, what] of wrong) {
    assert.throws(
      () => loadConfig({ FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND: command }),
      (error: unknown) => {
        // Who tries again later is right about a command that fails, and not about a wrong one.
        const isPassing = /ended (with|by)/.test(String(error));
        assert.ok(error instanceof (isPassing ? SettingUnavailable : ConfigError));
        assert.match(error.message, what);
        assert.match(error.message, /^FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND\b[^\n]*$/);
        assert.ok(!error.message.includes('hunter2'), error.message);
        return true;
      },
    );
  }
});

test('a command for a secret gets the environment without the secrets', () => {
  const command = PRINTER(
    'process.stdout.write(Object.keys(process.env).filter((name) => /FIRMQUOTE|DATABASE|OTEL|REGION/.test(name)).join())',
  );
  const environment = {
    FIRMQUOTE_OANDA_TOKEN: 'hunter2',
    DATABASE_URL: 'postgres://u:hunter2@127.0.0.1/db',
    DATABASE_OWNER_URL: 'postgres://owner:hunter2@127.0.0.1/db',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hunter2',
    REGION: 'eu',
  };
  const { key } = loadConfig({ ...environment, FIRMQUOTE_MASSIVE_KEY_COMMAND: command }).feeds.massive;
  assert.equal(key?.(), 'REGION');
});

test('a command for a secret that hangs is ended, whoever else holds its output', () => {
  const endless = JSON.stringify(['sh', '-c', 'sleep 10 & exec sleep 60']);
  const begun = performance.now();
  assert.throws(
    () => readSecret({ X_COMMAND: endless }, 'X', secretSettings('X', '', String), 50),
    ({ message }) => message === 'X_COMMAND: the command took longer than 0.05 s.',
  );
  assert.ok(performance.now() - begun < 9_000);
});

test('production takes every source whose prices are of now', () => {
  const production = {
    FIRMQUOTE_MODE: 'production',
    FIRMQUOTE_KEY_ENCRYPTION_KEY: KEY,
    FIRMQUOTE_BASE_URL: 'https://fx.example.com/',
    FIRMQUOTE_TRUST_PROXY: 'none',
  };
  const sources = 'oanda:EURUSD,massive:EURUSD,tradermade:EURUSD,websocket:feed.json,push,ecb';
  assert.equal(loadConfig({ ...production, FIRMQUOTE_SOURCES: sources }).sources, sources);
  for (const wrong of [`${sources},simulated`, `simulated,${sources}`, `push, simulated ,ecb`]) {
    assert.throws(
      () => loadConfig({ ...production, FIRMQUOTE_SOURCES: wrong }),
      /must not name the simulated/,
    );
  }
  // A recording is played as if each of its prices came this moment: nothing else would tell that it did not.
  for (const wrong of ['replay:ticks.csv@EURUSD', 'push,replay:ticks.csv@EURUSD@max=monday', 'ecb, replay']) {
    assert.throws(
      () => loadConfig({ ...production, FIRMQUOTE_SOURCES: wrong }),
      /^ConfigError: FIRMQUOTE_SOURCES must not name a recording \(replay\) in production: /,
    );
  }
  assert.ok(loadConfig({ ...production, FIRMQUOTE_SOURCES: 'push:replay,websocket:replay.json' }));
});

test('traces have the settings that OpenTelemetry gives them, and no secret of theirs is in a message', () => {
  assert.equal(loadConfig({}).traces, undefined);
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };
  assert.deepEqual(loadConfig(collector).traces, {
    url: 'http://127.0.0.1:4318/v1/traces',
    headers: {},
    share: 1,
    serviceName: 'firmquote',
  });
  const more = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%3Db, x-team=fx', OTEL_TRACES_SAMPLER_ARG: '0.25' };
  const { headers, share } = loadConfig({ ...collector, ...more }).traces ?? {};
  assert.deepEqual([headers, share], [{ 'api-key': 'a=b', 'x-team': 'fx' }, 0.25]);
  for (const wrong of [
    { OTEL_TRACES_SAMPLER_ARG: '2' },
    { OTEL_TRACES_SAMPLER_ARG: '10%' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=%hunter2' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'a=b', OTEL_EXPORTER_OTLP_HEADERS_FILE: 'package.json' },
  ]) {
    assert.throws(
      () => loadConfig({ ...collector, ...wrong }),
      ({ message }) => message.includes(Object.keys(wrong)[0] ?? '') && !message.includes('hunter2'),
    );
  }
});
