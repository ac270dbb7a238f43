import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAmount } from './amount.ts';
import { amountOf, lesser, minorOf, minus, percentOf, signOf, sum } from './sum.ts';

test('amounts are added and taken away digit for digit', () => {
  assert.equal(sum(['0.10', '0.20'], 2), '0.30');
  assert.equal(sum([], 3), '0.000');
  assert.equal(sum(['99999999999999999.99', '0.01'], 2), '100000000000000000.00');
  assert.equal(minus('19.99', '20.00', 2), '-0.01');
  assert.equal(minus('1000', '1', 0), '999');
  assert.equal(minus('-0.05', '0.01', 2), '-0.06');
  assert.equal(lesser('10.00', '9.99', 2), '9.99');
});

test('what is pasted in the European way is what the difference is made of', () => {
  const pasted = parseAmount('1.000.000,00', 2);
  assert.ok(pasted.ok);
  assert.equal(minus('1000000.01', pasted.amount, 2), '0.01');
});

test('every number of minor units comes back', () => {
  for (const decimals of [0, 2, 3])
    for (const minor of [0n, 1n, -1n, 99n, 100n, -12345n, 10n ** 20n])
      assert.equal(minorOf(amountOf(minor, decimals), decimals), minor);
});

test('a sign and a part of a whole are told without rounding up', () => {
  assert.deepEqual(['0.00', '-0.00', '0.01', '-0.01'].map(signOf), [0, 0, 1, -1]);
  assert.equal(percentOf('999.99', '1000'), 99);
  assert.equal(percentOf('-500', '1000.00'), 50);
  assert.equal(percentOf('5000', '1000'), 100);
  assert.equal(percentOf('5', '0'), 100);
  assert.equal(percentOf('-0.01', '0'), 100);
  assert.equal(percentOf('0.00', '0'), 0);
});
