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
  assert.equal(
    of(wrong('/tenor', 'EURUSD cannot settle today: the cut-off of EUR has passed.', 'cutoff_passed')),
    'EURUSD cannot settle today: the cut-off of EUR has passed.',
  );
});

test('a reason that is missing is asked for, not told as a header', () => {
  const missing = wrong(
    '/header/Firmquote-Reason',
    'is required: it takes a second person, who has to know why',
    'required',
  );
  assert.equal(of(missing), 'Enter a reason: a second person needs it to decide.');
  assert.deepEqual(
    [fieldOf(missing.pointer), atField(missing)],
    ['why', 'Enter a reason: a second person needs it to decide.'],
  );
  assert.deepEqual(
    [fieldOf('/rules/3/fromUsd'), atField(wrong('/iban', 'must be an IBAN'))],
    ['fromUsd', 'Must be an IBAN.'],
  );
});
