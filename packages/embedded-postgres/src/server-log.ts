import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';

const SIZE_MAX = 10 * 1024 * 1024; // limit: {bytes} Log of the embedded PostgreSQL, of which one older is kept
/** How many times as much it may be while it cannot be put away. */
const OVERSIZE = 2;
const CHECK_INTERVAL_MS = 60_000;

/** The file that takes the server's messages; the one before it is kept as `<path>.1`. */
interface ServerLog {
  readonly file: number;
  /** The last lines since this log was opened. */
  tail(lines: number): string;
  /** Moves the text to `<path>.1` and empties the file when it has outgrown its limit. */
  bound(): void;
  close(): void;
}

/**
 * Opens the log for appending. The server writes to the open file, so that its last words are kept when the service
 * is gone; hence the file is emptied in place instead of being renamed.
 */
export function openServerLog(path: string, sizeMax: number = SIZE_MAX): ServerLog {
  const file = openSync(path, 'a+', 0o600);
  const bound = (): void => {
    const { size } = fstatSync(file);
    if (size <= sizeMax) return;
    try {
      copyFileSync(path, `${path}.1`);
    } catch {
      // A full disk, for one: the service and its database go on. It is tried again, until the log itself takes too much.
      if (size <= OVERSIZE * sizeMax) return;
    }
    ftruncateSync(file, 0);
  };
  bound();
  const start = fstatSync(file).size;
  const timer = setInterval(bound, CHECK_INTERVAL_MS).unref();
  const tail = (lines: number): string => {
    const text = Buffer.alloc(Math.max(0, fstatSync(file).size - start));
    readSync(file, text, 0, text.length, start);
    return text.toString('utf8').trim().split('\n').slice(-lines).join('\n');
  };
  const close = (): void => {
    clearInterval(timer);
    closeSync(file);
  };
  return { file, tail, bound, close };
}
