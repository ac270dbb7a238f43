import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { placesOf } from './places.ts';
import { TokenFile } from './token-file.ts';

test('a lock that was left before the clock was set back is broken', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'firmquote-lock-'));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const io = {
    ...{ stdin, stdout, stderr, env: {}, cwd: home, home, platform: process.platform },
    now: () => Date.now(),
    onInterrupt: () => () => undefined,
  };
  const { tokens } = placesOf(io);
  mkdirSync(join(tokens, '..'), { recursive: true });
  const lock = `${tokens}.lock`;
  writeFileSync(lock, '');
  const later = new Date(Date.now() + 3_600_000);
  utimesSync(lock, later, later);
  const end = new AbortController();
  t.after(() => {
    end.abort();
    // Whoever still waits for it gets it.
    rmSync(lock, { force: true });
    rmSync(home, { recursive: true, force: true });
  });
  const late = sleep(2_000, 'it waits', { signal: end.signal });
  late.catch(() => undefined);
  assert.equal(await Promise.race([new TokenFile(io).lock('key', async () => 'done'), late]), 'done');
});
