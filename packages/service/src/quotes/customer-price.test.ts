import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCurrency, formatDecimal } from '@firmquote/fx';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk } from '../../test/support/trading.ts';
import { Problem } from '../problems/problem.ts';
import { customerPrice } from './customer-price.ts';
import { requestIndicative } from './request-indicative.ts';

const database = await createTestDatabase();
const desk = await createDesk(database.pool);

function priceOf(pair: string, ...amount: [] | [Parameters<typeof customerPrice>[3]]) {
  const price = customerPrice(desk.services, desk.customerId, pair, ...amount);
  assert.ok(!(price instanceof Promise), 'all is in memory');
  return price;
}

test('both sides are those of the contract, and those of an estimate', async () => {
  const price = priceOf('EURUSD');
  assert.deepEqual([price.bid, price.ask, price.mid, price.spreadBps].map(formatDecimal), [
    '1.08271',
    '1.08711',
    '1.08491',
    '20.00',
  ]);
  assert.deepEqual([price.spotDate, price.fresh, price.disclosure], ['2026-03-06', true, 'full']);
  const ask = { sellCurrency: 'USD', buyCurrency: 'EUR' } as const;
  const estimate = JSON.parse(await requestIndicative(desk.services, desk.customerId, ask));
  assert.equal(estimate.rate.value, formatDecimal(price.ask));
  const euro = findCurrency('EUR') ?? assert.fail();
  assert.equal(
    priceOf('EURUSD', { currency: euro, minor: 100n }).spread,
    price.spread,
    'one object for one outcome',
  );
});

test('a cross has one, and what has no price is a problem', () => {
  assert.equal(formatDecimal(priceOf('EURGBP').mid).split('.')[1]?.length, 5);
  const code = (pair: string) => {
    try {
      priceOf(pair);
      return 'priced';
    } catch (error) {
      return error instanceof Problem ? error.code : String(error);
    }
  };
  assert.deepEqual(['AUDUSD', 'XXXUSD'].map(code), ['pair_not_supported', 'currency_not_supported']);
});
