import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, loadConfig } from './config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

test('the sandbox starts on nothing but defaults', () => {
  const config = loadConfig({});
  assert.equal(config.mode, 'sandbox');
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 4000);
  assert.equal(config.sources, 'simulated');
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
    { DATABASE_URL: 'mysql://user:hunter2@db/x' },
    { FIRMQUOTE_BASE_URL: 'ftp://x' },
    { FIRMQUOTE_KEY_ENCRYPTION_KEY: 'short' },
    { FIRMQUOTE_COMPOSITE: 'mid' },
    { FIRMQUOTE_SECOND_BARS_HOURS: '0' },
    { FIRMQUOTE_MINUTE_BARS_DAYS: '9999' },
    { FIRMQUOTE_PROT: '4000' },
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

test('production refuses the defaults of the sandbox', () => {
  const production = {
    FIRMQUOTE_MODE: 'production',
    FIRMQUOTE_KEY_ENCRYPTION_KEY: KEY,
    FIRMQUOTE_SOURCES: 'replay:ticks.csv@EURUSD',
    FIRMQUOTE_BASE_URL: 'https://fx.example.com/',
  };
  const config = loadConfig(production);
  assert.equal(config.marketHours, 'calendar');
  assert.equal(config.baseUrl, 'https://fx.example.com');
  for (const name of ['FIRMQUOTE_KEY_ENCRYPTION_KEY', 'FIRMQUOTE_SOURCES', 'FIRMQUOTE_BASE_URL'] as const) {
    const { [name]: _, ...rest } = production;
    assert.throws(() => loadConfig(rest), new RegExp(name));
  }
  assert.throws(() => loadConfig({ ...production, FIRMQUOTE_SOURCES: 'simulated' }), /simulated/);
});
