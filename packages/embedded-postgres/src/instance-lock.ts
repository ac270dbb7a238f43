import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Held for as long as the process that took it lives; `release` gives it back earlier. */
export interface InstanceLock {
  release(): void;
}

/** SQLITE_BUSY, see https://sqlite.org/rescode.html. */
const SQLITE_BUSY = 5;

/**
 * Takes the lock on a file, or returns undefined when another holder has it.
 *
 * It is the operating system's lock on the file, reached through SQLite, since Node has no call of its own for it: the
 * system lets go of it when the holder dies in whatever way, and it holds between containers that share the folder,
 * where process ids say nothing. Nothing is ever written to the file.
 */
export function takeInstanceLock(path: string): InstanceLock | undefined {
  let file: DatabaseSync;
  try {
    file = new DatabaseSync(path, { timeout: 0 });
    // Whoever may open it may hold it.
    if (statSync(path).uid === process.getuid?.()) chmodSync(path, 0o600);
  } catch (error) {
    throw new Error(`Cannot open ${path}; it must be writable for the user who starts the service.`, {
      cause: error,
    });
  }
  try {
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw new Error(`Cannot lock ${path}; it must be writable for the user who starts the service.`, {
      cause: error,
    });
  }
  return { release: () => file.close() };
}
