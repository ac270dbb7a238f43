import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../problems/problem.ts';
import {
  CursorCodec,
  type CursorPart,
  type CursorScope,
  nextPageLink,
  type PlaceParts,
  pageSize,
  readPlace,
} from './paging.ts';

const codec = new CursorCodec(randomBytes(32));
const scope: CursorScope = { list: 'orders', sort: '-createdAt', filters: { status: ['open'], from: 5 } };

function isInvalid(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return error instanceof Problem && error.code === 'cursor_invalid';
  }
}

test('a cursor leads back to its place, in its own list only', () => {
  const parts = fc.array(fc.oneof(fc.string({ maxLength: 50 }), fc.integer(), fc.constant(null)), {
    maxLength: 3,
  });
  fc.assert(
    fc.property(parts, (place) => {
      assert.deepEqual(codec.decode(scope, codec.encode(scope, place)), place);
    }),
  );
  const cursor = codec.encode(scope, [1, 'id']);
  assert.match(cursor, /^eyJ2Ijox/);
  const reordered = { ...scope, filters: { from: 5, pair: undefined, status: ['open'] } };
  assert.deepEqual(codec.decode(reordered, cursor), [1, 'id']);
  for (const other of [
    { ...scope, list: 'others' },
    { ...scope, sort: 'createdAt' },
    { ...scope, filters: {} },
    { ...scope, filters: { ...scope.filters, from: 6 } },
    { ...scope, filters: { ...scope.filters, pair: 'EURUSD' } },
  ]) {
    assert.ok(
      isInvalid(() => codec.decode(other, cursor)),
      JSON.stringify(other),
    );
  }
  assert.ok(
    isInvalid(() => new CursorCodec(randomBytes(32)).decode(scope, cursor)),
    'another key',
  );
});

test('no damaged or invented cursor is taken', () => {
  const cursor = codec.encode(scope, [1, 'id']);
  fc.assert(
    fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_=+/ .'), (at, character) => {
      const damaged = cursor.slice(0, at) + character + cursor.slice(at + 1);
      assert.equal(
        isInvalid(() => codec.decode(scope, damaged)),
        damaged !== cursor,
        damaged,
      );
    }),
  );
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  // Another last character of the code with the same bytes behind it.
  const genuine = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter((last) =>
    Buffer.from(`${genuine.m.slice(0, -1)}${last}`, 'base64url').equals(Buffer.from(genuine.m, 'base64url')),
  );
  assert.equal(spellings.length, 4);
  for (const last of spellings) {
    const spelt = encoded({ ...genuine, m: `${genuine.m.slice(0, -1)}${last}` });
    assert.equal(
      isInvalid(() => codec.decode(scope, spelt)),
      spelt !== cursor,
    );
  }
  const mac = 'A'.repeat(43);
  for (const invented of [
    '',
    `${cursor}=`,
    'x'.repeat(5_000),
    ...[
      null,
      1,
      [],
      {},
      { v: 1 },
      { v: 1, k: 'x', m: mac },
      { v: 2, k: [], m: mac },
      { v: 1, k: [{}], m: mac },
    ].map(encoded),
    encoded({ v: 1, k: [1, 'other'], m: mac }),
    encoded({ v: 1, k: [1, 'other'], m: '' }),
    Buffer.from('{').toString('base64url'),
  ]) {
    assert.ok(
      isInvalid(() => codec.decode(scope, invented)),
      invented,
    );
  }
  assert.throws(() => new CursorCodec(randomBytes(16)), RangeError);
});

test('pages end with what there is', () => {
  const rows = [3, 2, 1];
  const place = (row: number) => [row];
  const item = (row: number) => ({ row });
  const first = codec.page(scope, rows, 2, place, item);
  assert.deepEqual(first.items, [{ row: 3 }, { row: 2 }]);
  assert.equal(first.hasMore, true);
  assert.deepEqual(codec.decode(scope, first.nextCursor ?? ''), [2]);
  assert.deepEqual(codec.page(scope, rows, 3, place, item), {
    items: rows.map(item),
    nextCursor: null,
    hasMore: false,
  });
  assert.deepEqual(codec.page(scope, [], 3, place, item), { items: [], nextCursor: null, hasMore: false });
});

test('limit', () => {
  assert.equal(pageSize(undefined), 50);
  assert.equal(pageSize('1'), 1);
  assert.equal(pageSize('200'), 200);
  for (const wrong of ['0', '201', '-1', '1.0', '1e2', '', ' 1', '01', '9999']) {
    assert.equal(pageSize(wrong), undefined, wrong);
  }
});

test('the link keeps the other parameters and cannot be broken out of', () => {
  assert.equal(
    nextPageLink('/v1/list?status=a&status=b&cursor=old&limit=2', 'new'),
    '</v1/list?status=a&status=b&cursor=new&limit=2>; rel="next"',
  );
  assert.equal(
    nextPageLink('/v1/list', 'c', 'https://fx.example.com'),
    '<https://fx.example.com/v1/list?cursor=c>; rel="next"',
  );
  const hostile = nextPageLink('/v1/a>b?x=%3E%0D%0Ay"', 'c');
  assert.match(hostile, /^<[^<>"\r\n]+>; rel="next"$/);
});

test('a place is read as its list declares it, whole or not at all', () => {
  const id = '019cb941-7c69-768c-8d0d-1a2b9e7d16b1';
  const read = (parts: readonly CursorPart[], ...kinds: (keyof PlaceParts)[]) => readPlace(parts, kinds);
  assert.deepEqual(read(['a', 7, '-12'], 'text', 'number', 'integer'), ['a', 7, -12n]);
  const written = ['2026-03-04T14:30:00.000Z', '2026-03-04', id];
  assert.deepEqual(read(written, 'instant', 'date', 'uuid'), written);
  assert.deepEqual(read([]), []);
  const wrong: readonly (readonly [CursorPart, ...(keyof PlaceParts)[]])[] = [
    [null, 'text', 'number', 'integer', 'uuid', 'instant', 'date'],
    [7, 'text', 'integer', 'uuid', 'instant', 'date'],
    [1.5, 'number'],
    ['x', 'number', 'integer', 'uuid', 'instant', 'date'],
    ['', 'number', 'integer', 'uuid', 'instant', 'date'],
    ['2026-02-30', 'instant', 'date'],
    ['2026-03-04', 'instant'],
    [`{${id}}`, 'uuid'],
  ];
  for (const [part, ...kinds] of wrong)
    for (const kind of kinds)
      assert.ok(
        isInvalid(() => read([part], kind)),
        `${part} as ${kind}`,
      );
  assert.ok(isInvalid(() => read([id, id], 'uuid')));
  assert.ok(isInvalid(() => read([id], 'uuid', 'uuid')));
});
