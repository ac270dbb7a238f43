import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atField, detailOf, fieldOf } from './problem-words.ts';

const wrong = (pointer: string, detail: string, code = 'wrong_format') => ({ pointer, code, detail });
const of = (...errors: ReturnType<typeof wrong>[]) => detailOf({ detail: 'as the interface has it', errors });

test('a field that is wrong is told by its name, not by its pointer', () => {
  assert.equal(
    of(wrong('/iban', 'must be an IBAN with the right check digits')),
    'IBAN must be an IBAN with the right check digits.',
  );
  assert.equal(
    of(wrong('/zone', 'is not a zone of the IANA database')),
    'Time zone is not a zone of the IANA database.',
  );
  assert.equal(
    of(wrong('/query/valueDate', 'must be a date'), wrong('/rules/3/fromUsd', 'is required.')),
    'Value date must be a date. From usd is required.',
  );
});

test('a reason that is missing is asked for, not told as a header', () => {
  const missing = wrong(
    '/header/Firmquote-Reason',
    'is required: it takes a second person, who has to know why',
    'required',
  );
  assert.equal(of(missing), 'Say why: a second person decides it, and has to know.');
  assert.deepEqual(
    [fieldOf(missing.pointer), atField(missing)],
    ['why', 'Say why: a second person decides it, and has to know.'],
  );
  assert.deepEqual(
    [fieldOf('/rules/3/fromUsd'), atField(wrong('/iban', 'must be an IBAN'))],
    ['fromUsd', 'Must be an IBAN.'],
  );
});

test('why a date cannot be used is told in words, and any other text as it is', () => {
  const told = (detail: string) => detailOf({ detail, errors: [] });
  assert.equal(
    told('EUR/USD cannot settle today: cutoff_passed: EUR; cutoff_passed: USD.'),
    'EUR/USD cannot settle today: the cut-off of EUR has passed, and the cut-off of USD has passed.',
  );
  assert.equal(
    told('EUR/USD cannot settle 2026-11-26: holiday: USD Thanksgiving Day; weekend: EUR.'),
    'EUR/USD cannot settle 2026-11-26: Thanksgiving Day is a holiday for USD, and it is a weekend for EUR.',
  );
  for (const text of ['The market is closed.', 'It is held: see the note.']) assert.equal(told(text), text);
});
