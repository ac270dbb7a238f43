import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseAmount, parseSide } from './amount.ts';
import { CliError } from './errors.ts';

describe('an amount is written out', () => {
  const AMOUNTS: Readonly<Record<string, string>> = {
    '1000': '1000',
    '1_000.50': '1000.50',
    '1_000_000': '1000000',
    '250k': '250000',
    '1m': '1000000',
    '1.5m': '1500000',
    '1.25K': '1250',
    '2b': '2000000000',
    '0.5k': '500',
    '1.2345k': '1234.5',
    '007': '7',
    '0.10': '0.10',
  };
  for (const [text, amount] of Object.entries(AMOUNTS)) {
    test(text, () => assert.equal(parseAmount(text), amount));
  }
});

describe('what could be meant in two ways is refused, with what to write instead', () => {
  const REFUSED: readonly (readonly [text: string, instead: RegExp])[] = [
    ['1.000.000,00', /decimal point as “\.”/],
    ['1,000', /thousands with “_”/],
    ['1,5', /thousands with “_”/],
    ['1.000.000', /thousands with “_”/],
    ['-5', /no sign/],
    ['+5', /no sign/],
    ['1e6', /Write it out/],
    ['1_00', /look like/],
    ['1 000', /look like/],
    ['.5', /look like/],
    ['5.', /look like/],
    ['1mm', /look like/],
    ['', /look like/],
    ['١٠', /look like/],
  ];
  for (const [text, instead] of REFUSED) {
    test(text === '' ? 'nothing' : text, () => {
      assert.throws(
        () => parseAmount(text),
        (error) => error instanceof CliError && error.exitCode === 2 && instead.test(error.next ?? ''),
      );
    });
  }
});

test('k, m and b move the point and nothing else', () => {
  const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 8 }));
  const factor = fc.constantFrom(['k', 3], ['m', 6], ['b', 9]) as fc.Arbitrary<[string, number]>;
  fc.assert(
    fc.property(decimal, factor, ([units, scale], [letter, shift]) => {
      const digits = String(units).padStart(scale + 1, '0');
      const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
      const [whole = '', rest = ''] = parseAmount(`${text}${letter}`).split('.');
      assert.equal(BigInt(whole + rest) * 10n ** BigInt(scale), units * 10n ** BigInt(shift + rest.length));
      assert.doesNotMatch(whole, /^0\d/);
      assert.doesNotMatch(rest, /0$/);
    }),
    { numRuns: 300 },
  );
});

test('a side is a currency, with an amount or without one, in either order', () => {
  assert.deepEqual(parseSide(['1m', 'eur'], '--sell'), { currency: 'EUR', amount: '1000000' });
  assert.deepEqual(parseSide(['EUR', '10'], '--sell'), { currency: 'EUR', amount: '10' });
  assert.deepEqual(parseSide(['USD'], '--buy'), { currency: 'USD', amount: undefined });
  for (const wrong of [[], ['1m'], ['EUR', 'USD'], ['1', '2', 'EUR']]) {
    assert.throws(() => parseSide(wrong, '--sell'), /--sell takes a currency/);
  }
});
