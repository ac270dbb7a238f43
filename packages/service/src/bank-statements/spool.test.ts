import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { FILE_BYTES_MAX } from '@firmquote/bank-formats';
import { Problem } from '../problems/problem.ts';
import { spooled } from './spool.ts';

test('a request whose file is refused while it arrives is read to its end, so that it can be answered', async () => {
  // Of a piece only the length is looked at when the file is too large with it.
  const arriving = new Readable({ objectMode: true, read: () => undefined });
  arriving.push({ length: FILE_BYTES_MAX + 1 });
  await assert.rejects(
    spooled(arriving, () => assert.fail('it was taken')),
    (error) => error instanceof Problem && error.code === 'body_too_large',
  );
  assert.equal(arriving.destroyed, false, 'the connection would go with it');
  arriving.push({ length: 1 });
  arriving.push(null);
  await once(arriving, 'end', { signal: AbortSignal.timeout(5_000) });
});

test('what arrives is read from its start as often as it is wanted, and has no name that a crash would leave behind', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'spool-test-'));
  const { TMPDIR } = process.env;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    return rm(folder, { recursive: true });
  });
  process.env.TMPDIR = folder;
  const pieces = [Buffer.alloc(300_000, 'a'), Buffer.alloc(300_000, 'b')];
  await spooled(Readable.from(pieces), async ({ bytes, sizeBytes }) => {
    assert.deepEqual(await readdir(folder), []);
    assert.equal(sizeBytes, 600_000);
    // Whoever has seen enough leaves it to the others.
    for await (const piece of bytes.open()) {
      assert.equal(piece[0], 'a'.charCodeAt(0));
      break;
    }
    const read = () => buffer(bytes.open());
    for (const content of [await read(), ...(await Promise.all([read(), read()]))]) {
      assert.deepEqual(content, Buffer.concat(pieces));
    }
  });
});
