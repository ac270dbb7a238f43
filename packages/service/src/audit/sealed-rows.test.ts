import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Queryable } from '../database/pool.ts';
import type { LogLine, SealedLog } from './sealed-log.ts';
import { PIECE, readLines, wholeRow } from './sealed-rows.ts';

const NO_DATABASE = {} as Queryable;

/** A log of rows with these keys, in order, which counts what it hands out at once. */
function logOf(keys: readonly string[]): { log: SealedLog; all: readonly LogLine[]; sizes: number[] } {
  const all = keys.map((key, n) => ({ key, line: `row ${n}` }));
  const sizes: number[] = [];
  const lines = async (_: Queryable, after: string, through: string, rowsMax: number) => {
    const found = all.filter(({ key }) => key > after && key <= through).slice(0, rowsMax);
    sizes.push(found.length);
    return found;
  };
  return { log: { lines } as unknown as SealedLog, all, sizes };
}

/** How many rows there are of each key, which is one unless somebody wrote past the service. */
const manyOfOne = fc.oneof({ weight: 20, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: PIECE + 5 }));

test('what is read in pieces is what stands there, also where rows have one key', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(manyOfOne, { maxLength: 3 * PIECE, size: 'max' }),
      fc.nat(4 * PIECE),
      async (counts, most) => {
        const keys = counts.flatMap((count, n) =>
          Array.from({ length: count }, () => String(n).padStart(5, '0')),
        );
        const { log, all } = logOf(keys);
        assert.deepEqual(await readLines(NO_DATABASE, log, '', '~', most, wholeRow), all.slice(0, most));
      },
    ),
    { numRuns: 60 },
  );
});

test('no piece is larger than it has to be', async () => {
  const { log, all, sizes } = logOf(Array.from({ length: 5 * PIECE }, (_, n) => String(n).padStart(5, '0')));
  assert.deepEqual(
    await readLines(NO_DATABASE, log, '00099', '00899', 10 * PIECE, wholeRow),
    all.slice(100, 900),
  );
  assert.ok(Math.max(...sizes) <= PIECE, String(sizes));
});
