import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeWholeFile } from './whole-file.ts';

test('a file is there whole or not at all, and one that is there already is left alone', async (t) => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fq-whole-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'books.hledger');
  const cutShort = async function* () {
    yield '2026-03-04 trade\n';
    throw new Error('the database is gone');
  };
  await assert.rejects(writeWholeFile(path, cutShort()), { message: 'the database is gone' });
  assert.deepEqual(readdirSync(folder), [], 'half of the books would be taken for all of them');
  await writeWholeFile(path, ['2026-03-04 trade\n', '2026-03-05 trade\n']);
  assert.equal(readFileSync(path, 'utf8'), '2026-03-04 trade\n2026-03-05 trade\n');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  await assert.rejects(writeWholeFile(path, ['another']), { message: /exists already/ });
  assert.equal(readFileSync(path, 'utf8').length, 34);
  assert.deepEqual(readdirSync(folder), ['books.hledger']);
});
