import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
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
