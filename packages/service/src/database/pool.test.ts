import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnectionFailure, sqlState } from './pool.ts';

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
});

test('a code of the system is no SQLSTATE', () => {
  assert.equal(sqlState(withCode('', '23505')), '23505');
  assert.equal(sqlState(withCode('', 'XX000')), 'XX000');
  for (const code of ['EPIPE', 'EBUSY', 'ECONNRESET', '235055', undefined]) {
    assert.equal(sqlState(withCode('', code)), undefined);
  }
});
