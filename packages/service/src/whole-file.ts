import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file for its owner only, whole and on disk or not at all: half of the books looks like all of them.
 * @throws Error when there is one already, which is left alone
 */
export async function writeWholeFile(
  path: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  requireNone(path);
  const part = `${path}.part-${randomUUID()}`;
  try {
    const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(pieces, { objectMode: false }), file);
    requireNone(path);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

function requireNone(path: string): void {
  if (existsSync(path)) throw new Error(`${path} exists already. Name a new file.`);
}
