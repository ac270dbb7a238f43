import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sandboxApis } from '../../service/test/support/api.ts';
import { createTestDatabase } from '../../service/test/support/database.ts';
import { startService, temporaryFolder, until } from '../../service/test/support/process.ts';
import { THEM, US } from './testing/harness.ts';
import { MarketMaker } from './testing/market-maker.ts';
import { RawVenue } from './testing/raw-venue.ts';

const PASSWORD = 'open sesame';

test('a service with two FIX sessions', async (t) => {
  const maker = await MarketMaker.open({ compId: THEM, password: PASSWORD, intervalMs: 100 });
  t.after(() => maker.close());
  const raw = await RawVenue.listen('RAW', US);
  t.after(() => raw.close());
  const { url } = await createTestDatabase();
  const dataDir = temporaryFolder(t);
  const file = join(dataDir, 'sessions.json');
  const lp = {
    host: '127.0.0.1',
    port: maker.venue.port,
    tls: false,
    senderCompId: US,
    targetCompId: THEM,
    username: 'desk',
    passwordEnv: 'LP_PASSWORD',
    pairs: ['EURUSD'],
  };
  const other = { ...lp, port: raw.port, targetCompId: 'RAW', pairs: ['GBPUSD'] };
  writeFileSync(file, JSON.stringify({ sessions: { lp, raw: other } }));
  const [service] = await Promise.all([
    startService(t, dataDir, {
      DATABASE_URL: url,
      FIRMQUOTE_SOURCES: 'fix:lp,fix:raw',
      FIRMQUOTE_FIX_SESSIONS: file,
      LP_PASSWORD: PASSWORD,
    }),
    raw.logon(),
  ]);
  const { customer, operator } = await sandboxApis(service);

  await t.test('numbers that an operator sets reach the venue, and are on record', async () => {
    const health = async () => {
      const { body } = await operator.expect(200, 'GET', '/v1/operator/market/health');
      return body.sources.find(({ source }: { source: string }) => source === 'fix:raw');
    };
    await until('the session', async () => (await health()).connectedSince !== undefined);
    assert.equal((await health()).sequenceReset, null);
    const order = { nextSent: 40, nextReceived: 7, reason: 'agreed with the venue' };
    const path = '/v1/operator/market/sources/fix:raw/reset-sequence';
    const { body } = await operator.expect(202, 'POST', path, order);
    const { resetAt, resetBy, ...reported } = body.sequenceReset;
    assert.deepEqual(reported, order);
    assert.match(resetBy, /^cli_/);
    await raw.received(/\|35=5\|/);
    raw.send('5', '58=bye');
    await raw.received(/\|35=A\|.*\|34=40\|/);
    raw.send('A', '98=0|108=0', { sequence: 7 });
    await until('the numbers', async () => (await health()).nextReceived === 8);
    assert.deepEqual((await health()).sequenceReset, { ...order, resetAt, resetBy });
  });

  await t.test('firm quotes are made of its prices, and none when the venue is gone', async () => {
    const terms = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' };
    const isTradable = async (): Promise<boolean> => {
      // As often as the rate limit of a customer lets it.
      await sleep(300);
      const { status, body } = await customer.call('POST', '/v1/customer/quotes/indicative', terms);
      return status === 200 && body.tradable === true;
    };
    await until('a price', isTradable);
    const { body: quote } = await customer.expect(201, 'POST', '/v1/customer/quotes', terms);
    assert.equal(quote.rate.source, 'fix:lp');
    await maker.close();
    await until('no price', async () => !(await isTradable()));
    await customer.expect(503, 'POST', '/v1/customer/quotes', terms);
  });

  const end = await service.end('SIGTERM');
  assert.equal(end.code, 0);
  assert.ok(!`${end.stdout}${end.stderr}`.includes(PASSWORD));
});
