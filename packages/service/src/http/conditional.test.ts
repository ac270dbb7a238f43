import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../problems/problem.ts';
import {
  etagOf,
  ifNoneMatch,
  NO_SUCH_VERSION,
  parseIfMatch,
  preferredWait,
  requireVersion,
} from './conditional.ts';

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'none';
}

test('If-None-Match compares weakly, in lists too', () => {
  for (const header of ['"v7"', 'W/"v7"', '"v1", "v7"', '"a,b", W/"v7" ', '*', ' * ', '"x"\t,\t"v7"']) {
    assert.equal(ifNoneMatch(header, 7), true, header);
  }
  for (const header of [
    '"v70"',
    '"v07"',
    'v7',
    '"v7',
    '"a,"v7""',
    '',
    ',',
    '"v7" "v8"',
    '"v7",',
    undefined,
  ]) {
    assert.equal(ifNoneMatch(header, 7), false, String(header));
  }
});

test('If-Match compares strongly and names one version', () => {
  assert.equal(parseIfMatch(undefined), undefined);
  assert.equal(parseIfMatch('*'), '*');
  assert.equal(parseIfMatch(etagOf(7)), 7);
  assert.equal(parseIfMatch('"v2147483647"'), 2_147_483_647, 'the largest that the database holds');
  assert.equal(parseIfMatch('"v7", "v7"'), 7);
  for (const foreign of [
    'W/"v7"',
    '"abc"',
    '"v0"',
    '"v07"',
    '"v2147483648"',
    '"v9999999999"',
    '"v99999999999"',
    '""',
  ]) {
    assert.equal(parseIfMatch(foreign), NO_SUCH_VERSION, foreign);
  }
  for (const junk of ['v7', '7', '', '"v7', '"v1", "v2"', '"v7",', '"v7" x', 'w/"v7"']) {
    assert.equal(
      codeOf(() => parseIfMatch(junk)),
      'validation_failed',
      junk,
    );
  }
});

test('another version is a mismatch that tells the current one', () => {
  for (const wanted of [undefined, '*', 3] as const) requireVersion(wanted, 3);
  for (const wanted of [2, NO_SUCH_VERSION]) {
    assert.throws(
      () => requireVersion(wanted, 3),
      (error) => error instanceof Problem && error.status === 412 && error.members.currentVersion === 3,
    );
  }
});

test('Prefer: wait is capped, and never an error', () => {
  for (const [header, seconds] of [
    ['wait=10', 10],
    ['wait=0', 0],
    ['wait=31', 30],
    ['wait=999999999', 30],
    ['respond-async, WAIT = "5"; x=y', 5],
    ['wait=4, wait=9', 4],
  ] as const) {
    assert.equal(preferredWait(header), seconds, header);
  }
  for (const header of [
    undefined,
    '',
    'wait',
    'wait=-1',
    'wait=1.5',
    'wait=x, wait=5',
    'await=5',
    'wait=5 6',
  ]) {
    assert.equal(preferredWait(header), undefined, String(header));
  }
});
