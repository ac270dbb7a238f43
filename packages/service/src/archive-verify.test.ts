import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { verifyArchive } from './archive-verify.ts';

function archiveWith(t: TestContext, manifest: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fq-archive-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'manifest.json'), manifest);
  return folder;
}

test('a damaged list of an archive is a fault of the archive, whatever is left of it', async (t) => {
  for (const damaged of [
    '',
    'null',
    '{"format":1}',
    '{"format":1,"files":[null]}',
    '{"format":1,"files":{}}',
  ]) {
    assert.deepEqual(
      await verifyArchive(archiveWith(t, damaged), undefined),
      { ok: false, fault: 'manifest_missing', file: 'manifest.json' },
      damaged,
    );
  }
  const other = await verifyArchive(archiveWith(t, '{"format":2}'), undefined);
  assert.deepEqual(other, { ok: false, fault: 'format_unknown', file: 'manifest.json' });
});

test('an archive whose list leaves out what proves it is not whole', async (t) => {
  const text = 'all that is left';
  const sha256 = createHash('sha256').update(text).digest('hex');
  const left = { name: 'transactions.ndjson', bytes: text.length, lines: 0, sha256 };
  const folder = archiveWith(t, JSON.stringify({ format: 1, year: 2025, files: [left] }));
  writeFileSync(join(folder, left.name), text);
  assert.deepEqual(await verifyArchive(folder, undefined), {
    ok: false,
    fault: 'missing',
    file: 'journal.hledger',
  });
});
