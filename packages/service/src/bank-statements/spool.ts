import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type ByteSource, FILE_BYTES_MAX } from '@firmquote/bank-formats';
import { Problem } from '../problems/problem.ts';

interface Spooled {
  readonly bytes: ByteSource;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * Writes what arrives to a temporary file of this user, because a statement is read more than once and may be too large for
 * memory. The file is deleted when the work is done. What it does not read of a request is passed over: a request that is
 * left in the middle takes its connection along, and with it the answer.
 * @throws Problem body_too_large
 */
export async function spooled<T>(arriving: Readable, work: (spooled: Spooled) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'firmquote-statement-'));
  try {
    const path = join(folder, 'file');
    const file = await open(path, 'wx', 0o600);
    const digest = createHash('sha256');
    let sizeBytes = 0;
    try {
      for await (const piece of arriving.iterator({ destroyOnReturn: false })) {
        sizeBytes += piece.length;
        if (sizeBytes > FILE_BYTES_MAX) throw tooLarge();
        digest.update(piece);
        await file.writeFile(piece);
      }
    } finally {
      arriving.resume();
      await file.close();
    }
    return await work({ bytes: fileSource(path), sha256: digest.digest('hex'), sizeBytes });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file that does not change. */
function fileSource(path: string): ByteSource {
  return { open: () => createReadStream(path, { highWaterMark: 256 * 1024 }) };
}

/** Hash and size of a file, without keeping it in memory. @throws Problem body_too_large */
export async function measured(path: string): Promise<Spooled> {
  const digest = createHash('sha256');
  const bytes = fileSource(path);
  let sizeBytes = 0;
  for await (const piece of bytes.open()) {
    sizeBytes += piece.length;
    if (sizeBytes > FILE_BYTES_MAX) throw tooLarge();
    digest.update(piece);
  }
  return { bytes, sha256: digest.digest('hex'), sizeBytes };
}

export function tooLarge(): Problem {
  return new Problem('body_too_large', `A statement file has at most ${FILE_BYTES_MAX / 1024 / 1024} MiB.`);
}
