import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FieldError, Problem } from '../problems/problem.ts';
import { parseRfc3339, QueryReader } from './query.ts';

function errorsOf(query: object, read: (reader: QueryReader) => void): [string, string][] {
  const reader = new QueryReader(query);
  read(reader);
  try {
    reader.finish();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    assert.equal(error.code, 'validation_failed');
    return (error.members.errors as FieldError[]).map(({ pointer, code }) => [pointer, code]);
  }
  return [];
}

test('instants are strict', () => {
  assert.equal(parseRfc3339('2026-03-04T14:30:00Z'), Date.UTC(2026, 2, 4, 14, 30));
  assert.equal(parseRfc3339('2026-03-04T14:30:00.123456789+01:00'), Date.UTC(2026, 2, 4, 13, 30, 0, 123));
  assert.equal(parseRfc3339('2024-02-29T23:59:59.9-12:30'), Date.UTC(2024, 2, 1, 12, 29, 59, 900));
  for (const wrong of [
    '2026-02-30T00:00:00Z',
    '2026-03-04T24:00:00Z',
    '2026-03-04T14:30:60Z',
    '2026-03-04T14:30:00',
    '2026-03-04 14:30:00Z',
    '2026-03-04T14:30:00 01:00',
    '2026-03-04T14:30:00+24:00',
    '2026-03-04',
    '2026-03-04t14:30:00z',
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    '',
  ]) {
    assert.equal(parseRfc3339(wrong), undefined, wrong);
  }
});

test('parameters are read by kind', () => {
  const reader = new QueryReader({
    status: ['open,closed', 'open'],
    pairs: 'EURUSD,USDJPY',
    from: '2026-03-04T14:30:00.000Z',
    on: '2026-03-04',
    sort: '-createdAt',
    reference: 'INV 1',
    limit: '7',
    cursor: 'abc',
  });
  assert.deepEqual(reader.list('status', ['open', 'closed', 'gone']), ['open', 'closed']);
  assert.deepEqual(reader.listMatching('pairs', /^[A-Z]{6}$/, 'six letters'), ['EURUSD', 'USDJPY']);
  assert.equal(reader.instant('from'), Date.UTC(2026, 2, 4, 14, 30));
  assert.equal(reader.date('on'), '2026-03-04');
  assert.equal(reader.choice('sort', ['createdAt', '-createdAt']), '-createdAt');
  assert.equal(reader.text('reference'), 'INV 1');
  assert.equal(reader.limit(), 7);
  assert.equal(reader.cursor(), 'abc');
  assert.equal(reader.text('absent'), undefined);
  reader.finish();
  assert.equal(new QueryReader(undefined).limit(), 50);
});

test('everything that is wrong is told at once', () => {
  const query = {
    status: 'open,',
    pairs: 'eurusd',
    from: 'yesterday',
    on: '2026-02-29',
    sort: ['createdAt', 'createdAt'],
    reference: '',
    note: 'a\u0000b',
    limit: '0',
    colour: 'red',
  };
  assert.deepEqual(
    errorsOf(query, (reader) => {
      reader.list('status', ['open']);
      reader.listMatching('pairs', /^[A-Z]{6}$/, 'six letters');
      reader.instant('from');
      reader.date('on');
      reader.choice('sort', ['createdAt']);
      reader.text('reference');
      reader.text('note');
      reader.limit();
      reader.refuse('to', 'out_of_range', 'must be later than from');
    }),
    [
      ['/query/status', 'not_permitted'],
      ['/query/pairs', 'wrong_format'],
      ['/query/from', 'wrong_format'],
      ['/query/on', 'wrong_format'],
      ['/query/sort', 'repeated'],
      ['/query/reference', 'wrong_length'],
      ['/query/note', 'wrong_format'],
      ['/query/limit', 'not_permitted'],
      ['/query/to', 'out_of_range'],
      ['/query/colour', 'unknown_field'],
    ],
  );
  const many = { pairs: Array.from({ length: 51 }, () => 'EURUSD') };
  assert.deepEqual(
    errorsOf(many, (reader) => reader.listMatching('pairs', /^[A-Z]{6}$/, 'six letters')),
    [['/query/pairs', 'too_many']],
  );
});
