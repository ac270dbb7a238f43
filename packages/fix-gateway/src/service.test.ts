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

const PASSWORD = 'open sesame';
const LIMIT_MS = 40_000;

test('the service makes firm quotes of the prices of a FIX session, and none when the venue is gone', async (t) => {
  const maker = await MarketMaker.open({ compId: THEM, password: PASSWORD, intervalMs: 100 });
  t.after(() => maker.close());
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
  writeFileSync(file, JSON.stringify({ sessions: { lp } }));
  const service = await startService(t, dataDir, {
    DATABASE_URL: url,
    FIRMQUOTE_SOURCES: 'fix:lp',
    FIRMQUOTE_FIX_SESSIONS: file,
    LP_PASSWORD: PASSWORD,
  });
  const { customer } = await sandboxApis(service);
  const terms = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' };
  const isTradable = async (): Promise<boolean> => {
    // As often as the rate limit of a customer lets it.
    await sleep(300);
    const { status, body } = await customer.call('POST', '/v1/customer/quotes/indicative', terms);
    return status === 200 && body.tradable === true;
  };
  await until('a price', isTradable, LIMIT_MS);
  const { body: quote } = await customer.expect(201, 'POST', '/v1/customer/quotes', terms);
  assert.equal(quote.rate.source, 'fix:lp');
  await maker.close();
  await until('no price', async () => !(await isTradable()), LIMIT_MS);
  await customer.expect(503, 'POST', '/v1/customer/quotes', terms);
  const end = await service.end('SIGTERM');
  assert.equal(end.code, 0);
  assert.ok(!`${end.stdout}${end.stderr}`.includes(PASSWORD));
});
