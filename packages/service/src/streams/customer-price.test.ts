import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCurrency, findPair, formatDecimal, type Pair } from '@firmquote/fx';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk } from '../../test/support/trading.ts';
import { readPrice } from '../market/current-price.ts';
import { requestIndicative } from '../quotes/request-indicative.ts';
import { customerPriceJson, type PriceSize, priceTerms } from './customer-price.ts';

const database = await createTestDatabase();
const desk = await createDesk(database.pool);
const pairOf = (code: string): Pair => findPair(code) ?? assert.fail();

function termsOf(pair: string, size?: PriceSize) {
  const terms = priceTerms(desk.services, desk.customerId, pairOf(pair), size);
  assert.ok(!(terms instanceof Promise), 'all is in memory');
  return terms;
}

function priceOf(code: string) {
  const terms = termsOf(code);
  const pair = pairOf(code);
  const { price } = readPrice(desk.services.market.book, pair);
  return JSON.parse(`{${customerPriceJson(pair, price, terms.spreadBps ?? assert.fail(), terms)}}`);
}

test('both sides are those of the worked examples, and those of an estimate', async () => {
  const price = priceOf('EURUSD');
  assert.deepEqual(price, { bid: '1.08271', ask: '1.08711', mid: '1.08491', spreadBps: '20.00' });
  const ask = { sellCurrency: 'USD', buyCurrency: 'EUR' } as const;
  const estimate = JSON.parse(await requestIndicative(desk.services, desk.customerId, ask));
  assert.equal(estimate.rate.value, price.ask);
});

test('without tiers an amount changes no spread; a cross has its own decimals', () => {
  const currency = findCurrency('EUR') ?? assert.fail();
  const { spreadBps } = termsOf('EURUSD', { currency, minor: 100n });
  assert.equal(formatDecimal(spreadBps ?? assert.fail()), '20.00');
  assert.equal(priceOf('EURGBP').mid.split('.')[1]?.length, 5);
});
