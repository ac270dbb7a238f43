import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ecbXml } from '../src/market/sources/test-support.ts';
import { createCustomer, succeed } from './support/acceptance.ts';
import { startTestService } from './support/service.ts';

/** docs/interface.md#quotes: every quote is compared with the ECB's rate. */

const folder = mkdtempSync(join(tmpdir(), 'reference-'));
after(() => rmSync(folder, { recursive: true }));

const ASKED = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00' };

test('quotes are compared with the rates of the configured file', async () => {
  const file = join(folder, 'rates.xml');
  writeFileSync(file, ecbXml({ '2026-03-03': { USD: '1.08490' } }));
  const service = await startTestService({ FIRMQUOTE_SOURCES: `push,ecb:${file}` });
  const acme = await createCustomer(service);
  const prices = [
    { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' },
    { pair: 'EURGBP', bid: '0.85550', ask: '0.85560' },
    { pair: 'GBPUSD', bid: '1.26810', ask: '1.26818' },
  ];
  await succeed(200, service.operate('POST', '/v1/operator/prices', { prices }));
  const reference = { provider: 'ECB', rate: '1.08490', date: '2026-03-03', differencePercent: '0.20' };
  assert.deepEqual((await acme.quote(ASKED)).body.pricing.reference, reference);
  const estimate = await succeed(200, acme.post('/v1/customer/quotes/indicative', ASKED));
  assert.deepEqual(estimate.body.pricing.reference, reference);
  const pound = { ...ASKED, sellCurrency: 'GBP' };
  assert.equal((await acme.quote(pound)).body.pricing.reference, undefined, 'the file has no pound');
  await service.stop();
});

test('a simulated market starts around them', async () => {
  const file = join(folder, 'other.xml');
  writeFileSync(file, ecbXml({ '2026-03-03': { USD: '1.50000' } }));
  const service = await startTestService({ FIRMQUOTE_SOURCES: `simulated,ecb:${file}` });
  const acme = await createCustomer(service);
  const { body } = await acme.quote(ASKED);
  assert.match(body.rate.mid, /^1\.(49|50)/);
  await service.stop();
});
