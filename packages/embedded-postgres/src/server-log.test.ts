import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openServerLog } from './server-log.ts';
import { temporaryFolder } from './testing.ts';

test('the log keeps one file before it and is emptied in place', (t) => {
  const path = join(temporaryFolder(t), 'postgres.log');
  writeFileSync(path, 'old\n');
  const log = openServerLog(path, 20);
  t.after(() => log.close());
  writeSync(log.file, 'one\ntwo\n');
  assert.equal(log.tail(1), 'two');
  assert.equal(log.tail(9), 'one\ntwo');
  log.bound();
  assert.equal(readFileSync(path, 'utf8'), 'old\none\ntwo\n');
  writeSync(log.file, 'and more than it may hold\n');
  log.bound();
  assert.equal(readFileSync(path, 'utf8'), '');
  assert.equal(readFileSync(`${path}.1`, 'utf8'), 'old\none\ntwo\nand more than it may hold\n');
  writeSync(log.file, 'new\n');
  assert.equal(readFileSync(path, 'utf8'), 'new\n');
  assert.equal(log.tail(5), '');
});

test('a log that cannot be put away, as on a full disk, ends nothing: it goes on, and is emptied at twice its size', (t) => {
  const path = join(temporaryFolder(t), 'postgres.log');
  // Nothing can be copied there.
  mkdirSync(`${path}.1`);
  const log = openServerLog(path, 20);
  t.after(() => log.close());
  writeSync(log.file, 'more than it may hold\n');
  log.bound();
  assert.equal(readFileSync(path, 'utf8'), 'more than it may hold\n');
  writeSync(log.file, 'and as much as that again\n');
  log.bound();
  assert.equal(readFileSync(path, 'utf8'), '');
  rmdirSync(`${path}.1`);
  writeSync(log.file, 'put away now that it can be\n');
  log.bound();
  assert.equal(readFileSync(`${path}.1`, 'utf8'), 'put away now that it can be\n');
});
