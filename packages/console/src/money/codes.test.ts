import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCurrency, readPair } from './codes.ts';

test('a pair is read however it is shown or typed', () => {
  for (const text of ['EURUSD', 'eurusd', 'EUR/USD', 'eur/usd', ' eur usd ', 'EUR-USD'])
    assert.equal(readPair(text), 'EURUSD', text);
  for (const text of ['', 'EUR', 'cus_01h45ytscbebyvny4gc8cr8ma2', 'EURUSD1'])
    assert.equal(readPair(text), text);
});

test('a currency is read in small letters too', () => {
  assert.deepEqual([' usd', 'USD', 'dollars'].map(readCurrency), ['USD', 'USD', 'dollars']);
});
