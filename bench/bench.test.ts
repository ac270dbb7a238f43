import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { LOAD_PATHS } from './operations.ts';
import { readOptions, SHORT } from './options.ts';
import { findPgbench } from './pgbench.ts';
import { cellsOf } from './report.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

function bench(...flags: string[]): Promise<Ended> {
  const argv = [join(import.meta.dirname, 'main.ts'), ...flags];
  return new Promise((resolve) => {
    execFile(process.execPath, argv, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error });
    });
  });
}

test('the short form of the measurement runs through everything that the long one measures', async () => {
  const { code, out, error } = await bench('--short', '--history', '200');
  assert.equal(code, 0, `${out}\n${error}`);
  const lines = cellsOf(out);
  const throughput = lines.filter(({ table }) => table === 'Throughput, closed loop');
  assert.equal(
    throughput.length,
    LOAD_PATHS.length + 3,
    'a line for each path, and for one customer where it has one',
  );
  for (const { cells } of throughput) assert.equal(cells.at(-1), '0', cells.join());
  const costs = lines.filter(({ table }) => table.startsWith('Processor time'));
  const hasPgbench = findPgbench() !== undefined;
  assert.equal(costs.length, hasPgbench ? 16 : 15);
  assert.match(out, hasPgbench ? /pgbench \d+/ : /SKIPPED pgbench: /);
  const latencies = lines.filter(({ table }) => table.startsWith('Latency at half'));
  assert.deepEqual(
    latencies.map(({ cells }) => [cells[0], cells.at(-1)]),
    [
      ['firm quote + execute', '0'],
      ['its execution', '0'],
      ['firm quote', '0'],
    ],
  );
  const bank = lines.filter(({ table }) => table === 'Bank');
  assert.deepEqual(
    bank.map(({ cells }) => cells[1]),
    [String(SHORT.payments), String(SHORT.payments)],
  );
  const footprint = lines.filter(({ table }) => table === 'Footprint');
  for (const { cells } of footprint.slice(0, 2)) assert.ok(Number(cells[1]) > 500, cells.join());
  assert.match(out, /0 sums of the books are wrong: right\./);
});

test('flags that are not known, and wrong values, are refused before anything starts', () => {
  const read = (...args: string[]) => readOptions({ args, refuse: (message) => assert.fail(message) });
  assert.throws(() => read('--fast'), /no option --fast/);
  assert.throws(() => read('--rounds', '0'), /--rounds takes/);
  assert.throws(() => read('--path', 'quote,nothing'), /--path takes/);
  assert.throws(() => read('--path', 'read-quote', '--history', '0', '--payments', '0'), /read trades: add/);
  assert.equal(read('--path', 'read-quote,trade', '--history', '0', '--payments', '0').history, 0);
  assert.deepEqual(read('--path', 'quote,trade').paths, ['trade', 'quote']);
  assert.equal(read('--short', '--history', '7').history, 7);
});
