import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { keepEqual } from './keep-equal.ts';

const plain = fc.oneof(
  fc.constantFrom(undefined, null, true, 0, -0, Number.NaN, '', 'a', 1n),
  fc.array(fc.constantFrom('a', 'b', 1n), { maxLength: 2 }),
  fc.array(fc.constantFrom('a', 'b')).map((values) => new Set(values)),
  fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom<unknown>(1, '1', undefined, ['a']), {
    noNullPrototype: true,
  }),
);
const record = fc.dictionary(fc.constantFrom('a', 'b', 'c'), plain, { noNullPrototype: true });

test('what comes out is what was read, and what is equal in it is what was held', () => {
  fc.assert(
    fc.property(record, record, (before, read) => {
      const kept = keepEqual(before, read);
      assert.deepStrictEqual(kept, read);
      assert.equal(kept === before, isDeepStrictEqual(before, read));
      for (const [name, value] of Object.entries(read)) {
        if (isDeepStrictEqual(before[name], value)) assert.ok(Object.is(kept[name], before[name]), name);
      }
    }),
  );
});

test('something equal that was read stays what was held, and nothing held is no hindrance', () => {
  const held = { settings: { validities: [10, 30] }, currencies: new Set(['EUR']), used: 1n };
  const read = () => structuredClone(held);
  assert.equal(keepEqual(held, read()), held);
  const used = keepEqual(held, { ...read(), used: 2n });
  assert.deepEqual(used, { ...held, used: 2n });
  assert.equal(used.settings, held.settings);
  assert.equal(used.currencies, held.currencies);
  const currencies = new Set(['EUR']);
  assert.equal(keepEqual(currencies, new Set(['EUR'])), currencies);
  assert.equal(keepEqual(undefined, held), held);
  assert.equal(keepEqual(held as typeof held | undefined, undefined), undefined);
});

test('an object of a class counts as another one, whatever it shows', () => {
  class Guarded {
    readonly #secret: string;
    constructor(secret: string) {
      this.#secret = secret;
    }
    tell() {
      return this.#secret;
    }
  }
  const read = { guard: new Guarded('new') };
  assert.equal(keepEqual({ guard: new Guarded('old') }, read).guard.tell(), 'new');
});
