import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from './line-splitter.ts';

function split(pieces: readonly Buffer[], bytesMax = 64): (string | undefined)[] {
  const splitter = new LineSplitter(bytesMax);
  return pieces.flatMap((piece) => splitter.push(piece)).map((line) => line?.toString('utf8'));
}

describe('lines do not depend on where the stream is cut', () => {
  test('any text at any cuts, inside characters too', () => {
    const line = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 16 })
      .filter((text) => !/[\n\r]/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), fc.boolean(), (lines, cuts, carriage) => {
        const bytes = Buffer.from(lines.map((text) => `${text}${carriage ? '\r\n' : '\n'}`).join(''));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        assert.deepEqual(split(pieces), lines);
      }),
    );
  });
});

test('a line past the limit is given up, and the next one is whole', () => {
  const splitter = new LineSplitter(8);
  assert.deepEqual(splitter.push(Buffer.from('12345678\n1234')), [Buffer.from('12345678')]);
  assert.deepEqual(splitter.push(Buffer.from('56789')), []);
  assert.deepEqual(splitter.push(Buffer.alloc(1000, 'x')), []);
  assert.deepEqual(splitter.push(Buffer.from('\nok\n')), [null, Buffer.from('ok')]);
});

test('empty lines are nothing', () => {
  assert.deepEqual(split([Buffer.from('\n\r\n\na\n\n')]), ['a']);
});
