import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JSON_DEPTH_MAX, parseStrictly } from './strict-json.ts';

const strictly = (text: string): unknown => parseStrictly(text, JSON.parse);
const twice = { name: 'AmbiguousJson', message: 'a member is given twice' };
const deep = { name: 'DeepJson', message: 'nested more than 32 levels deep' };

test('what JSON.stringify writes is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, 3), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      assert.deepEqual(strictly(text), JSON.parse(text));
    }),
  );
});

test('a member given twice is refused, wherever it is and however it is written', () => {
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '{"x":{"a":1,"a":2}}',
    '[{"b":[]},{"a":"}","a":"{"}]',
    '{"a":1,"\\u0061":2}',
    '{"a:":1,"a:":2}',
    '{"a\\"":1,"a\\"":2}',
    '{"a\\\\":1,"a\\\\":2}',
    '{"":1,"":2}',
  ]) {
    assert.throws(() => strictly(text), twice, text);
  }
  const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
    const [name = ''] = Object.keys(object);
    const again = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:0}`;
    assert.throws(() => strictly(again), twice, again);
  });
  fc.assert(property);
});

test('colons, brackets and quotation marks in strings count for nothing', () => {
  const value = { 'a:b': ':', c: '"{[":\\', '\\': ['"', '\\"', ':::'], d: '[[['.repeat(40) };
  assert.deepEqual(strictly(JSON.stringify(value)), value);
});

test('a text is nested so deeply and no deeper', () => {
  const nested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);
  strictly(nested(JSON_DEPTH_MAX));
  assert.throws(() => strictly(nested(JSON_DEPTH_MAX + 1)), deep);
  assert.throws(
    () => strictly(`${'{"a":'.repeat(JSON_DEPTH_MAX + 1)}1${'}'.repeat(JSON_DEPTH_MAX + 1)}`),
    deep,
  );
  // The length of a body, and nothing but brackets: refused before anything walks over it.
  assert.throws(() => strictly('['.repeat(64 * 1024)), deep);
});

test('what is no JSON is for the parser to refuse', () => {
  for (const text of ['', '{', '"', '"\\', '{"a":1,}', '{"a"}', ']', '{"a":1}}']) {
    assert.throws(() => strictly(text), SyntaxError, text);
  }
});
