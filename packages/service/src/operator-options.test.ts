import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientChangeOf, parse } from './operator-options.ts';
import { UsageError } from './platform/command-line.ts';

test('the id of a key is its id, whatever character it begins with', () => {
  const ids = fc
    .tuple(fc.constantFrom('-', '--', '_', 'a'), fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map(([start, bytes]) => `${start}${Buffer.from(bytes).toString('base64url')}`.slice(0, 43));
  fc.assert(
    fc.property(ids, (id) => {
      const typed = ['keys', 'revoke', '--key', id, '--reason', 'it was copied'];
      const { values, positionals } = parse(typed);
      assert.deepEqual({ ...values }, { key: id, reason: 'it was copied' });
      assert.deepEqual(positionals, ['keys', 'revoke']);
      assert.deepEqual(parse(['keys', 'revoke', `--key=${id}`, '--reason=it was copied']).values, values);
    }),
  );
});

test('an option without its value is told, and does not take the next option for it', () => {
  for (const typed of [
    ['--key'],
    ['--key', '--reason', 'it was copied'],
    ['--key', '--reason=it was copied'],
    ['--key', '--stopped'],
    ['--key', '--help'],
    ['--key', '-h'],
    ['--stopped', '-g7'],
    ['-g7'],
    ['--unknown', 'x'],
  ]) {
    assert.throws(() => parse(typed), UsageError, typed.join(' '));
  }
});

test('an option that is no text takes nothing', () => {
  const { values, positionals } = parse(['clients', '--revoke-tokens', 'rotate', '--price', '-1']);
  assert.deepEqual({ ...values }, { 'revoke-tokens': true, price: '-1' });
  assert.deepEqual(positionals, ['clients', 'rotate']);
});

test('the end of a client is one instant, wherever it is read', () => {
  const ends = (expires: string) => clientChangeOf({ expires }).expiresAt;
  assert.equal(ends('2027-01-31T12:00:00Z'), Date.UTC(2027, 0, 31, 12));
  assert.equal(ends('2027-01-31T12:00:00.250+05:30'), Date.UTC(2027, 0, 31, 6, 30, 0, 250));
  assert.equal(ends('2027-01-31'), Date.UTC(2027, 0, 31));
  for (const wrong of [
    '',
    '7',
    '2027',
    '01/02/2027',
    '31 Jan 2027',
    '2027-01-31T12:00:00',
    '2027-02-30T12:00:00Z',
  ])
    assert.throws(() => ends(wrong), UsageError, wrong);
});
