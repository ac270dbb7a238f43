import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type ByteSource, FILE_BYTES_MAX } from '@firmquote/bank-formats';
import { Problem } from '../problems/problem.ts';

const PIECE_BYTES = 256 * 1024;
/** Work that never ends, as of an instance that crashes in the simulator, leaves its file to the process and not to the garbage collection. */
const OPEN = new Set<FileHandle>();

export interface Spooled {
  readonly bytes: ByteSource;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * Writes what arrives to a temporary file of this user, because a statement is read more than once and may be too large for
 * memory. The file has no name from the beginning: whatever happens to the process, nothing of a bank's stays behind. What it does not read of a
 * request is passed over: a request that is left in the middle takes its connection along, and with it the answer.
 * @throws Problem body_too_large
 */
export async function spooled<T>(arriving: Readable, work: (spooled: Spooled) => Promise<T>): Promise<T> {
  const file = await namelessFile();
  try {
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
    }
    return await work({ bytes: { open: () => piecesOf(file) }, sha256: digest.digest('hex'), sizeBytes });
  } finally {
    OPEN.delete(file);
    await file.close();
  }
}

/** From its start, whoever else is in it; a stream would close the file for all of them. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function namelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'firmquote-statement-'));
  try {
    const file = await open(join(folder, 'file'), 'wx+', 0o600);
    OPEN.add(file);
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The same of a file: whoever has it may still write to it, and what is hashed, kept and read must be the same bytes.
 * @param flags that it is opened with
 * @throws Problem body_too_large
 */
export async function spooledFile<T>(
  path: string | Buffer,
  work: (spooled: Spooled) => Promise<T>,
  flags: number = constants.O_RDONLY,
): Promise<T> {
  const file = await open(path, flags);
  try {
    return await spooled(
      file.createReadStream({ highWaterMark: PIECE_BYTES, start: 0, autoClose: false }),
      work,
    );
  } finally {
    await file.close();
  }
}

export function tooLarge(): Problem {
  return new Problem('body_too_large', `A statement file has at most ${FILE_BYTES_MAX / 1024 / 1024} MiB.`);
}
