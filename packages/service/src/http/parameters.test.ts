import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS, type Operation } from '@firmquote/api';
import { listAudit } from '@firmquote/api/operations/audit';
import { type FieldError, Problem } from '../problems/problem.ts';
import { type Judge, readQuery, refuseNoTime } from './parameters.ts';

function errorsOf(operation: Operation, query: object, judge?: Judge<Operation>): FieldError[] {
  try {
    readQuery(operation, query, judge);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.members.errors as FieldError[];
  }
  return [];
}

const CODES = [
  { names: /currenc/i, wrong: ['eur', 'EU', 'EURO'], unknown: 'ZZZ', problem: 'currency_not_supported' },
  { names: /^pairs?$/, wrong: ['eurusd', 'EUR'], unknown: 'ZZZZZZ', problem: 'pair_not_supported' },
] as const;

test('a currency or pair that there is not is refused by every operation, and finds nothing in none', () => {
  let filters = 0;
  for (const operation of OPERATIONS) {
    for (const name of Object.keys(operation.query ?? {})) {
      const codes = CODES.find(({ names }) => names.test(name));
      if (codes === undefined) continue;
      const isRefused = (value: string) =>
        errorsOf(operation, { [name]: value }).some(({ pointer }) => pointer === `/query/${name}`);
      for (const value of codes.wrong) assert.ok(isRefused(value), `${operation.id} takes ${name}=${value}`);
      // What has a code of its own for it is refused by the work.
      const isOfWork = operation.problems?.includes(codes.problem) === true;
      assert.equal(isRefused(codes.unknown), !isOfWork, `${operation.id} ${name}=${codes.unknown}`);
      if (!isOfWork) filters += 1;
    }
  }
  assert.ok(filters >= 20, `${filters}`);
});

test('a range that ends before it begins is refused by every operation, and finds nothing in none', () => {
  const RANGES = {
    date: ['2026-03-06', '2026-03-05'],
    instant: ['2026-03-06T00:00:00Z', '2026-03-05T00:00:00Z'],
  };
  let ranges = 0;
  for (const operation of OPERATIONS) {
    const { query = {} } = operation;
    for (const [from, { kind }] of Object.entries(query)) {
      const to = from.replace(/^from$/, 'to').replace(/From$/, 'To');
      if (to === from || (kind.of !== 'date' && kind.of !== 'instant')) continue;
      const [late, early] = RANGES[kind.of];
      const refusals = (given: object) =>
        errorsOf(operation, given).filter(({ pointer }) => pointer === `/query/${to}`);
      assert.deepEqual(
        refusals({ [from]: late, [to]: early }).map(({ code }) => code),
        ['before_start'],
        `${operation.id} ${from} ${to}`,
      );
      assert.deepEqual(refusals({ [from]: early, [to]: late }), [], operation.id);
      assert.deepEqual(refusals({ [from]: late, [to]: late }), [], operation.id);
      ranges += 1;
    }
  }
  assert.ok(ranges >= 20, `${ranges}`);
});

test('and told once, where the operation refuses it for a reason of its own', () => {
  const given = { from: '2026-03-06T00:00:00Z', to: '2026-03-05T00:00:00Z' };
  assert.deepEqual(
    errorsOf(listAudit, given, refuseNoTime).map(({ pointer, code }) => [pointer, code]),
    [['/query/to', 'out_of_range']],
  );
});
