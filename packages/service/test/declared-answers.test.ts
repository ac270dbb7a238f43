import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAnswersDeclared, expectDeclared, expectDeclaredHeaders } from './support/declared-answers.ts';

/** What the tests of answers hear of, of schemas and of headers. */

const NAMED = { type: 'object', properties: { named: { type: 'string' } } };

test('a member that is not named is heard of, unless the object is open', () => {
  for (const [schema, isHeard] of [
    [NAMED, true],
    [{ ...NAMED, additionalProperties: false }, true],
    [{ ...NAMED, additionalProperties: true }, false],
    [{ ...NAMED, additionalProperties: { type: 'string' } }, false],
    [{ ...NAMED, patternProperties: { '^.*$': {} } }, false],
  ] as const) {
    expectDeclared('it', schema, { named: 'x', other: 'y' });
    if (isHeard) assert.throws(assertAnswersDeclared, /it\/other is not declared/, JSON.stringify(schema));
    else assertAnswersDeclared();
  }
});

test('so are a header that is not declared, and a declared one that is missing', () => {
  const heard = (path: string, headers: Record<string, string>) =>
    expectDeclaredHeaders('POST', `http://localhost${path}`, 201, new Headers(headers));
  const made = { ETag: '"v1"', Location: '/v1/customer/quotes/x' };
  heard('/v1/customer/quotes', { ...made, 'Firmquote-Valid-For-Ms': '1', 'X-Request-Id': 'x' });
  assertAnswersDeclared();
  heard('/v1/customer/quotes', { ...made, Link: '<x>' });
  assert.throws(assertAnswersDeclared, /createQuote 201 has an undeclared link/);
  heard('/v1/customer/quotes/quote_x/execute', { ETag: '"v1"' });
  assert.throws(assertAnswersDeclared, /executeQuote 201 lacks the declared Location/);
});
