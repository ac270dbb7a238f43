import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sandboxApis } from '../../service/test/support/api.ts';
import { createTestDatabase } from '../../service/test/support/database.ts';
import { startService, temporaryFolder, until } from '../../service/test/support/process.ts';
import { THEM, US } from './testing/harness.ts';
import { MarketMaker } from './testing/market-maker.ts';

const PASSWORD = 'open sesame';

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
  let status = 0;
  let quote: { rate?: { source?: string } } = {};
  const ask = async (): Promise<void> => {
    const answer = await customer.call('POST', '/v1/customer/quotes', terms);
    status = answer.status;
    quote = answer.body;
  };
  await until('a firm quote', async () => {
    await ask();
    return status === 201;
  });
  assert.equal(quote.rate?.source, 'fix:lp');
  await maker.close();
  await until('no firm quote', async () => {
    await ask();
    return status === 503;
  });
  const end = await service.end('SIGTERM');
  assert.equal(end.code, 0);
  assert.ok(!`${end.stdout}${end.stderr}`.includes(PASSWORD));
});
