import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCurrency, findPair, formatDecimal, inMultiplesOf, type Pair } from '@firmquote/fx';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk } from '../../test/support/trading.ts';
import { readPrice } from '../market/current-price.ts';
import { fixedPricingDesk } from '../pricing/desk.ts';
import { DEFAULT_SETTINGS } from '../pricing/settings.ts';
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

test('the other amount is a multiple of what the policy says, and shared with nobody who deals otherwise', () => {
  const pair = pairOf('EURUSD');
  const [euro, dollar] = [pair.base, pair.quote];
  const sized = (multiple: bigint) => {
    const increments = new Map([['USD', inMultiplesOf(dollar, multiple)]]);
    const policy = { ...DEFAULT_SETTINGS.policy, increments };
    const rules = desk.services.pricing.spreadRules({ id: desk.customerId, groupName: undefined }, pair.code);
    assert.ok(!(rules instanceof Promise));
    const pricing = fixedPricingDesk({ ...DEFAULT_SETTINGS, policy }, () => rules);
    const room = { ...desk.services, pricing };
    const terms = priceTerms(room, desk.customerId, pair, { currency: euro, minor: 12_345n });
    assert.ok(!(terms instanceof Promise));
    const { price } = readPrice(desk.services.market.book, pair);
    const { bidAmount, askAmount } = JSON.parse(
      `{${customerPriceJson(pair, price, terms.spreadBps ?? assert.fail(), terms)}}`,
    );
    return { amounts: [bidAmount, askAmount], key: terms.key };
  };
  // 123.45 × 1.08271 = 133.660…, 123.45 × 1.08711 = 134.203…
  assert.deepEqual(sized(1n).amounts, ['133.66', '134.20']);
  assert.deepEqual(sized(100n).amounts, ['134.00', '134.00']);
  assert.notEqual(sized(1n).key, sized(100n).key);
});
