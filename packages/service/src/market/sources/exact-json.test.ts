import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseExactJson } from './exact-json.ts';

test('numbers keep every digit that was written', () => {
  const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
  const written = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), digits(25)).map(([a, b]) => `${a}.${b}`);
  fc.assert(
    fc.property(written, (text) => {
      assert.deepEqual(parseExactJson(`[{"a":${text},"b":[-${text}]}]`), [{ a: text, b: [`-${text}`] }]);
    }),
  );
  assert.deepEqual(parseExactJson('{"a":1.0850000000000000001e0,"b":-0}'), {
    a: '1.0850000000000000001e0',
    b: '-0',
  });
});

test('everything else is as JSON.parse reads it', () => {
  assert.deepEqual(parseExactJson('{"a":"1.5","b":true,"c":null,"d":[]}'), {
    a: '1.5',
    b: true,
    c: null,
    d: [],
  });
  assert.equal(parseExactJson('"text"'), 'text');
});

test('what is no JSON is undefined, however it is made', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      assert.equal(parseExactJson(text) !== undefined, valid);
    }),
  );
  assert.equal(parseExactJson('['.repeat(1_000_000)), undefined);
});
