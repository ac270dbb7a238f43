import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CURRENCIES, findCurrency } from './currency.ts';
import { formatAmount, parseAmount, writtenMinor } from './money.ts';

function currency(code: string) {
  const found = findCurrency(code);
  assert.ok(found, code);
  return found;
}

test('amounts are padded to exactly the minor units', () => {
  assert.equal(formatAmount(10000000n, currency('USD')), '100000.00');
  assert.equal(formatAmount(1510090n, currency('JPY')), '1510090');
  assert.equal(formatAmount(306340n, currency('KWD')), '306.340');
  assert.equal(formatAmount(-5n, currency('EUR')), '-0.05');
});

test('decimals may be left out', () => {
  assert.deepEqual(parseAmount('100000', currency('USD')), { ok: true, minor: 10000000n });
  assert.deepEqual(parseAmount('0.5', currency('KWD')), { ok: true, minor: 500n });
  assert.deepEqual(parseAmount('0', currency('JPY')), { ok: true, minor: 0n });
  assert.deepEqual(parseAmount('999999999999999.99', currency('EUR')), { ok: true, minor: 10n ** 17n - 1n });
});

test('more decimals than the currency has are refused, zeros too', () => {
  const error = { ok: false, error: 'amount_precision_invalid' };
  assert.deepEqual(parseAmount('100.0', currency('JPY')), error);
  assert.deepEqual(parseAmount('100.000', currency('USD')), error);
  assert.deepEqual(parseAmount('1.0001', currency('BHD')), error);
});

test('what is not an amount is refused', () => {
  const refused = [
    '',
    '.',
    '1.',
    '.5',
    '-1',
    '+1',
    '01',
    '1e3',
    '1,000',
    ' 1',
    '1\n',
    '1.00000',
    '1'.repeat(16),
    '１',
  ];
  for (const text of refused) {
    assert.deepEqual(parseAmount(text, currency('USD')), { ok: false, error: 'amount_invalid' }, text);
  }
});

test('every amount of every currency is read back as it was written', () => {
  const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n });
  fc.assert(
    fc.property(fc.constantFrom(...CURRENCIES), amounts, (each, minor) => {
      assert.deepEqual(parseAmount(formatAmount(minor, each), each), { ok: true, minor });
    }),
  );
});

test('what was written is read again, however much it is, and nothing else', () => {
  const minor = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  fc.assert(
    fc.property(minor, fc.constantFrom('JPY', 'EUR', 'KWD'), (units, code) => {
      assert.equal(writtenMinor(formatAmount(units, currency(code)), currency(code)), units);
    }),
  );
  for (const text of ['1', '1.0', '1.000', '1,00', '', '1e2'])
    assert.throws(() => writtenMinor(text, currency('EUR')), RangeError, text);
});
