import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sequenceLine } from './protocol.ts';
import { resetSequenceFile } from './reset-sequence-file.ts';

test('the numbers of a session are set in its file, unless a gateway has it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fq-seq-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const numbers = { nextSent: 1, nextReceived: 45 };
  const set = (session: string, isStopped = false) => resetSequenceFile(folder, session, numbers, isStopped);
  assert.throws(() => set('lp1'), /There is no file of the session "lp1"/);
  mkdirSync(join(folder, 'fix'));
  const path = join(folder, 'fix', 'lp1.DESK-VENUE.seq');
  const other = join(folder, 'fix', 'lp12.DESK-VENUE.seq');
  const old = sequenceLine({ nextSent: 7, nextReceived: 8 }, 'open');
  writeFileSync(path, old);
  writeFileSync(other, old);
  assert.throws(() => set('lp1'), /is in use, or its gateway was killed/);
  assert.equal(readFileSync(path, 'latin1'), old);
  assert.equal(set('lp1', true), path);
  assert.equal(readFileSync(path, 'latin1'), '0000000001 0000000045 closed\n');
  assert.equal(readFileSync(other, 'latin1'), old);
  writeFileSync(path, sequenceLine({ nextSent: 7, nextReceived: 8 }, 'closed'));
  assert.equal(set('lp1'), path, 'a closed file needs no word');
});
