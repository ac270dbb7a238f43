import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hindranceOf, isConnectionFailure, markUnsent, sqlState } from './failures.ts';
import { ReadOnlyDatabase, UnconfirmedCommit } from './session.ts';

const withCode = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

test('a lost connection is told from a statement that failed', () => {
  const lost = [
    withCode('write EPIPE', 'EPIPE'),
    withCode('read ECONNRESET', 'ECONNRESET'),
    withCode('connect ENOENT /tmp/.s.PGSQL.5432', 'ENOENT'),
    withCode('connect ETIMEDOUT 192.0.2.1:5432', 'ETIMEDOUT'),
    withCode('connect EHOSTUNREACH 192.0.2.1:5432', 'EHOSTUNREACH'),
    withCode('getaddrinfo EAI_AGAIN db', 'EAI_AGAIN'),
    withCode('getaddrinfo ENOTFOUND db', 'ENOTFOUND'),
    withCode('', 'ECONNREFUSED'),
    withCode('Connection terminated unexpectedly'),
    withCode('Client has encountered a connection error and is not queryable'),
    withCode('timeout exceeded when trying to connect'),
    withCode('Query read timeout'),
    withCode('terminating connection due to administrator command', '57P01'),
    withCode('connection failure', '08006'),
    withCode('sorry, too many clients already', '53300'),
    withCode('could not extend file', '53100'),
    withCode('could not read block 1', '58030'),
    withCode('cannot execute INSERT in a read-only transaction', '25006'),
    new ReadOnlyDatabase('the server is a standby'),
    new UnconfirmedCommit('canceling wait'),
  ];
  for (const error of lost) assert.ok(isConnectionFailure(error), `${error.message} ${sqlState(error)}`);
  const failed = [
    withCode('duplicate key', '23505'),
    withCode('executed 1 of 2 accepted quotes', 'P0001'),
    withCode('internal error', 'XX000'),
    withCode('a mistake of ours'),
  ];
  for (const error of failed) assert.ok(!isConnectionFailure(error), error.message);
  assert.equal(isConnectionFailure('EPIPE'), false);
  // Words of ours that look like the network's.
  assert.equal(
    hindranceOf(new TypeError("Cannot read properties of undefined (reading 'Connection')")),
    undefined,
  );
});

test('a code of the system is no SQLSTATE', () => {
  assert.equal(sqlState(withCode('', '23505')), '23505');
  assert.equal(sqlState(withCode('', 'XX000')), 'XX000');
  for (const code of ['EPIPE', 'EBUSY', 'ECONNRESET', '235055', undefined]) {
    assert.equal(sqlState(withCode('', code)), undefined);
  }
});

test('what hinders the database has a name, and a fault of ours has none', () => {
  const cases = [
    [new UnconfirmedCommit(''), 'unconfirmed'],
    [new ReadOnlyDatabase(''), 'read_only'],
    [withCode('', '25006'), 'read_only'],
    [withCode('', '53100'), 'no_room'],
    [withCode('no space left on device, write', 'ENOSPC'), 'no_room'],
    [withCode('', 'EDQUOT'), 'no_room'],
    [withCode('', '55P03'), 'busy'],
    [withCode('', '57014'), 'busy'],
    [withCode('', '40P01'), 'busy'],
    [withCode('', '25P03'), 'busy'],
    [withCode('', '25P04'), 'busy'],
    [withCode('', '57P03'), 'unreachable'],
    [withCode('', '57P01'), 'unreachable'],
    [withCode('connect ECONNREFUSED', 'ECONNREFUSED'), 'unreachable'],
    [withCode('Client has encountered a connection error and is not queryable'), 'unreachable'],
    [withCode('Connection terminated unexpectedly'), 'unanswered'],
    [withCode('read ECONNRESET', 'ECONNRESET'), 'unanswered'],
    [withCode('read ECONNABORTED', 'ECONNABORTED'), 'unanswered'],
    [withCode('read EHOSTUNREACH', 'EHOSTUNREACH'), 'unanswered'],
    [withCode('read ENETUNREACH', 'ENETUNREACH'), 'unanswered'],
    [withCode('write ENETDOWN', 'ENETDOWN'), 'unanswered'],
    [withCode('Query read timeout'), 'unanswered'],
    [withCode('server closed the connection unexpectedly', '08006'), 'unanswered'],
    [withCode('', '23505'), undefined],
    [new TypeError('x is not a function'), undefined],
    ['ENOSPC', undefined],
  ] as const;
  for (const [error, hindrance] of cases) assert.equal(hindranceOf(error), hindrance, String(error));
});

test('who got no connection has sent nothing, whatever the network says', () => {
  for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET']) {
    const error = withCode(`connect ${code} 192.0.2.1:5432`, code);
    markUnsent(error);
    assert.equal(hindranceOf(error), 'unreachable', code);
  }
});
