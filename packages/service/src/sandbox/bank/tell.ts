import { bookEntries } from '../../bank-statements/book-entries.ts';
import { importFile } from '../../bank-statements/import-file.ts';
import type { Connection } from '../../database/pool.ts';
import { inTransaction } from '../../database/pool.ts';
import type { DepositsRoom } from '../../deposits/room.ts';
import type { Logger } from '../../platform/logger.ts';
import { type BankFile, markTold, untoldFiles } from './file-store.ts';

/** What the bank needs to hand its files over. */
export interface BankRoom extends DepositsRoom {
  readonly logger: Logger;
}

/** Files in one go. */
const FILES_MAX = 100; // limit: Files of the simulated bank told in one go
/** Real time after which a file that nobody has told is somebody else's to tell: whoever made it is gone. */
export const LEFT_OVER_MS = 5_000; // limit: Time after which another instance tells of a file

/**
 * Hands files to the service by the import that every bank's files take, and marks them. A file that was handed over
 * and not marked is handed over again: the same bytes do nothing.
 * @param ids of files that the caller has just made; without them, those that were left over
 * @returns how many were told
 */
export async function tellFiles(room: BankRoom, ids?: readonly string[]): Promise<number> {
  if (ids?.length === 0) return 0;
  const files = await untoldFiles(room.pool, ids, FILES_MAX, LEFT_OVER_MS);
  if (files.length === 0) return 0;
  for (const file of files) await handOver(room, file);
  await bookEntries(room, room.logger);
  await markTold(
    room.pool,
    files.map((each) => each.id),
    room.clock.now(),
  );
  return files.length;
}

async function handOver(room: BankRoom, { kind, name, content, sha256 }: BankFile): Promise<void> {
  const { outcome, file } = await importFile(room, {
    name,
    sha256,
    sizeBytes: content.length,
    bytes: {
      async *open() {
        yield content;
      },
    },
    source: 'sandbox',
    format: kind === 'pain.002' ? kind : 'camt',
  });
  // It stays in the list of statement files with the reason.
  if (outcome === 'refused') {
    room.logger.error({ file: name, reason: file.refusal_code }, 'a file of the sandbox bank was refused');
  }
}

/** Does work that makes files at the bank, in one commit, and hands them over after it. */
export async function actAtBank<T>(
  room: BankRoom,
  act: (connection: Connection, files: string[]) => Promise<T>,
): Promise<T> {
  const files: string[] = [];
  const result = await inTransaction(room.pool, (connection) => act(connection, files));
  await tellFiles(room, files);
  return result;
}
