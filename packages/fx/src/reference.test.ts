import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  extractReferences,
  isValidReference,
  makeReference,
  REMITTANCE_TEXT_LENGTH_MAX,
} from './reference.ts';

const numbers = fc.bigInt({ min: 0n, max: 10n ** 12n - 1n });

test('the documented reference comes out', () => {
  assert.equal(makeReference(260304001729n), 'RF44260304001729');
  assert.equal(makeReference(0n).length, 16);
  assert.throws(() => makeReference(-1n), RangeError);
  assert.throws(() => makeReference(10n ** 12n), RangeError);
});

test('what is made is valid, satisfies MOD 97-10, and is found again', () => {
  fc.assert(
    fc.property(numbers, (number) => {
      const reference = makeReference(number);
      assert.match(reference, /^RF\d{14}$/);
      assert.ok(isValidReference(reference));
      assert.equal(BigInt(`${reference.slice(4)}2715${reference.slice(2, 4)}`) % 97n, 1n);
      assert.deepEqual(extractReferences(reference), [reference]);
    }),
  );
});

test('every wrong digit and every swap of neighbours is caught', () => {
  fc.assert(
    fc.property(numbers, (number) => {
      const reference = makeReference(number);
      for (let at = 2; at < reference.length; at += 1) {
        const head = reference.slice(0, at);
        const digit = reference.charAt(at);
        for (const wrong of '0123456789') {
          if (wrong === digit) continue;
          assert.equal(
            isValidReference(head + wrong + reference.slice(at + 1)),
            false,
            `${reference} at ${at}`,
          );
        }
        const next = reference.charAt(at + 1);
        if (next === '' || next === digit) continue;
        assert.equal(isValidReference(head + next + digit + reference.slice(at + 2)), false);
      }
    }),
    { numRuns: 300 },
  );
});

test('check digits that pass the bare modulus but are never written are refused', () => {
  // 97 steps around the circle: 98 and 01, 97 and 00, 02 and 99 have the same remainder.
  const aliases: Record<string, string> = { '98': '01', '97': '00', '02': '99' };
  const met = new Set<string>();
  for (let number = 0n; number < 400n; number += 1n) {
    const reference = makeReference(number);
    const written = reference.slice(2, 4);
    const alias = aliases[written];
    if (alias === undefined) continue;
    met.add(written);
    assert.equal(isValidReference(`RF${alias}${reference.slice(4)}`), false);
  }
  assert.deepEqual([...met].sort(), ['02', '97', '98']);
});

test('references are found in what banks pass on', () => {
  const found = ['RF44260304001729'];
  for (const text of [
    'RF44260304001729',
    'rf44 2603 0400 1729',
    '/ROC/RF44.2603.0400.1729//URI/payment',
    'INVOICE REF RF44-2603-0400-1729 THANKS',
    'RF4426030\n4001729',
    'RF4426O3O4OOI729',
    'Ref:RF44260304001729;20260304',
    'RF44260304001729 and again RF44 2603 0400 1729',
    'ＲＦ４４２６０３０４００１７２９',
    'RFRF44260304001729',
  ]) {
    assert.deepEqual(extractReferences(text), found, text);
  }
  const other = makeReference(1n);
  assert.deepEqual(extractReferences(`${other}, RF44 260304001729`), [other, ...found]);
});

test('nothing is found where no valid reference is', () => {
  for (const text of [
    '',
    'RF',
    'RF44',
    'RF44260304001728',
    'RF4426030400172',
    'XF44260304001729',
    '44260304001729',
  ]) {
    assert.deepEqual(extractReferences(text), [], text);
  }
  for (const text of ['rf44260304001729', 'RF44 260304001729', 'RF44260304001729\n', 'RF442603040017290']) {
    assert.equal(isValidReference(text), false, JSON.stringify(text));
  }
});

test('punctuation, blanks and case around and inside do not matter', () => {
  const noise = fc.stringMatching(/^[ ./:,_-]{0,3}$/);
  fc.assert(
    fc.property(
      numbers,
      fc.array(noise, { minLength: 17, maxLength: 17 }),
      fc.boolean(),
      (number, gaps, lower) => {
        const reference = makeReference(number);
        const noisy = [...reference].map((each, index) => `${gaps[index]}${each}`).join('') + gaps[16];
        assert.deepEqual(extractReferences(lower ? noisy.toLowerCase() : noisy), [reference]);
      },
    ),
  );
});

test('text beyond the limit is not searched', () => {
  const reference = makeReference(7n);
  assert.deepEqual(extractReferences('x'.repeat(REMITTANCE_TEXT_LENGTH_MAX) + reference), []);
});
