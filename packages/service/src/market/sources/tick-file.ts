import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { type Entry, open, type ZipFile } from 'yauzl';

/** A recording that cannot be played. The message is one line and names the file. */
export class TickFileError extends Error {
  override readonly name = 'TickFileError';
}

/** A day of ticks of a busy pair is about 5 MB; a recording that unpacks to more than this is no recording. */
export const UNPACKED_BYTES_MAX = 256 * 1024 * 1024; // limit: Replayed recording, unpacked

const ZIP_ENTRIES_MAX = 64; // limit: Entries of a zip with a recording

export interface OpenTickFile {
  readonly bytes: Readable;
  /** Lets go of the file, also in the middle of it. */
  close(): void;
}

function isZip(path: string): boolean {
  return /\.zip$/i.test(path);
}

/**
 * Opens a recording for streaming: a `.zip` with exactly one `.csv` in it, or else plain text. A zip is never
 * unpacked to disk, and is refused when an entry's name leaves the archive (absolute, `..`, backslash) or the
 * recording in it is larger than `UNPACKED_BYTES_MAX`; the archive's own claim about sizes is held against the
 * bytes that come. Throws TickFileError.
 */
export async function openTickFile(path: string): Promise<OpenTickFile> {
  if (!isZip(path)) {
    const bytes = createReadStream(path);
    return { bytes, close: () => bytes.destroy() };
  }
  const zip = await openZip(path);
  try {
    const bytes = await entryStream(zip, await onlyCsvOf(zip));
    return {
      bytes,
      close: () => {
        bytes.destroy();
        zip.close();
      },
    };
  } catch (error) {
    zip.close();
    throw new TickFileError(`${basename(path)}: ${messageOf(error)}`);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function openZip(path: string): Promise<ZipFile> {
  const options = {
    lazyEntries: true,
    autoClose: false,
    decodeStrings: true,
    strictFileNames: true,
    validateEntrySizes: true,
  };
  return new Promise((resolve, reject) => {
    open(path, options, (error, zip) => {
      if (error) reject(new TickFileError(`${basename(path)}: ${error.message}`));
      else resolve(zip);
    });
  });
}

/** Reads the whole directory first: a second recording behind the first must be seen before anything is played. */
function onlyCsvOf(zip: ZipFile): Promise<Entry> {
  return new Promise((resolve, reject) => {
    if (zip.entryCount > ZIP_ENTRIES_MAX) {
      reject(new TickFileError(`the archive has ${zip.entryCount} entries, more than ${ZIP_ENTRIES_MAX}`));
      return;
    }
    const found: Entry[] = [];
    zip.on('error', reject);
    zip.on('entry', (entry: Entry) => {
      if (/\.csv$/i.test(entry.fileName)) found.push(entry);
      zip.readEntry();
    });
    zip.on('end', () => {
      const [entry] = found;
      if (entry === undefined || found.length > 1) {
        reject(new TickFileError(`the archive holds ${found.length} csv files, not one`));
      } else if (entry.uncompressedSize > UNPACKED_BYTES_MAX) {
        reject(new TickFileError(`the recording unpacks to more than ${UNPACKED_BYTES_MAX} bytes`));
      } else {
        resolve(entry);
      }
    });
    zip.readEntry();
  });
}

function entryStream(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error) reject(error);
      else resolve(stream);
    });
  });
}
