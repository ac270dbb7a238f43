import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../platform/logger.ts';
import { Problem } from '../problems/problem.ts';
import { logFailure } from './log-failure.ts';
import { ReadOnlyDatabase, UnconfirmedCommit } from './session.ts';

const withCode = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

function written(error: unknown, level?: 'warn'): Record<string, unknown> {
  const lines: string[] = [];
  const logger = createLogger('trace', { write: (line: string) => lines.push(line) });
  logFailure(logger, error, { sweep: 'close-outs' }, 'a sweep failed', level);
  const [line = '', ...others] = lines;
  assert.deepEqual(others, []);
  assert.equal(line.includes('"stack"'), 'err' in JSON.parse(line));
  const { time: _time, service: _service, ...rest } = JSON.parse(line);
  return rest;
}

test('what passes by itself is a warning of one line, and says what stands in the way', () => {
  const passing = [
    [withCode('Query read timeout'), 'unanswered'],
    [withCode('the day 2026-03-04 is closed', 'FQD01'), 'busy'],
    [withCode('canceling statement due to lock timeout', '55P03'), 'busy'],
    [withCode('deadlock detected', '40P01'), 'busy'],
    [withCode('terminating connection due to administrator command', '57P01'), 'unreachable'],
    [withCode('the database system is starting up', '57P03'), 'unreachable'],
    [withCode('connect ECONNREFUSED', 'ECONNREFUSED'), 'unreachable'],
    [withCode('Cannot use a pool after calling end on the pool'), 'unreachable'],
    [withCode('could not extend file', '53100'), 'no_room'],
    [new ReadOnlyDatabase('the server is a standby'), 'read_only'],
    [new UnconfirmedCommit('canceling wait'), 'unconfirmed'],
  ] as const;
  for (const [error, hindrance] of passing) {
    const { sqlState: _sqlState, ...line } = written(error);
    assert.deepEqual(line, {
      ...{ level: 'warn', sweep: 'close-outs', msg: 'a sweep failed' },
      ...{ hindrance, reason: error.message },
    });
  }
  assert.equal(written(withCode('the day is closed', 'FQD01')).sqlState, 'FQD01');
});

test('a refusal for the moment is no fault, and its cause says why', () => {
  const overloaded = new Problem('overloaded', 'Too much waits.');
  assert.deepEqual([written(overloaded).level, written(overloaded).reason], ['warn', 'Too much waits.']);
  const cause = withCode('canceling statement due to lock timeout', '55P03');
  const caused = written(new Problem('overloaded', 'Other work holds it.', { cause }));
  assert.deepEqual([caused.level, caused.hindrance, caused.reason], ['warn', 'busy', cause.message]);
});

test('a fault is an error with its stack, a warning where another attempt follows', () => {
  const faults = [
    withCode('duplicate key', '23505'),
    withCode('a mistake of ours'),
    new Problem('internal_error', 'A fault.'),
    new Problem('quote_not_found', 'There is no such quote.'),
  ];
  for (const error of faults) {
    assert.equal(written(error).level, 'error');
    assert.equal((written(error).err as { message: string }).message, error.message);
    assert.equal(written(error, 'warn').level, 'warn');
    assert.ok('err' in written(error, 'warn'));
  }
});
