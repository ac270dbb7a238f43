import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { onDatabase } from './database-tests.ts';
import { asksDatabase, isDrill } from './drills.ts';

const ROOT = resolve(import.meta.dirname, '..');
const files = globSync('packages/service/{src,test}/**/*.test.ts', { cwd: ROOT }).sort();
const chosen = onDatabase(ROOT, files);

test('files that reach the server of the run are told from those that do not', () => {
  for (const file of ['ledger.test.ts', 'process/restart.test.ts', 'rows-read.test.ts'])
    assert.ok(chosen.includes(`packages/service/test/${file}`), file);
  for (const file of ['src/market/rate-book.test.ts', 'src/market/majority.test.ts'])
    assert.ok(!chosen.includes(`packages/service/${file}`), file);
});

test('who names the server, its database or a service on it is among them', () => {
  const others = files.filter((file) => !chosen.includes(file));
  const names = /^import [^;]*\b(createTestDatabase|startTestService|createDesk)\b[^;]* from/m;
  for (const file of others) assert.doesNotMatch(readFileSync(resolve(ROOT, file), 'utf8'), names, file);
});

test('drills that ask nothing of a database run on one, and each that is named is there', () => {
  const drills = files.filter(isDrill);
  const again = drills.filter(asksDatabase).map((file) => file.replace(/^.*\/|\.test\.ts$/g, ''));
  assert.deepEqual(again, [
    'database-faults',
    'full-disk',
    'keys',
    'migrate',
    'replication',
    'rolling-upgrade',
  ]);
  assert.ok(asksDatabase('packages/service/test/process/kill.test.ts'));
});
