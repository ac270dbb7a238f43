import { bookEntries } from '../../bank-statements/book-entries.ts';
import { importFile } from '../../bank-statements/import-file.ts';
import type { StatementsRoom } from '../../bank-statements/room.ts';
import type { Connection } from '../../database/pool.ts';
import { inTransaction } from '../../database/pool.ts';
import type { Logger } from '../../platform/logger.ts';
import { type BankFile, markDelivered, undeliveredFiles } from './file-store.ts';

/** What the bank needs to deliver its files. */
export interface BankRoom extends StatementsRoom {
  readonly logger: Logger;
}

/** Files in one go. */
const FILES_MAX = 100; // limit: Files of the simulated bank delivered in one go
/** Real time after which another instance delivers a file: the one that made it is gone. */
const LEFT_OVER_MS = 5_000; // limit: Time after which another instance delivers a file

/**
 * Delivers files through the import of any bank's files, and marks them. A file that was delivered and not marked is delivered
 * again: the same bytes have no effect.
 * @param ids of files that the caller has just made; by default, those that are left over
 * @returns how many were delivered
 */
export async function deliverFiles(room: BankRoom, ids?: readonly string[]): Promise<number> {
  if (ids?.length === 0) return 0;
  const files = await undeliveredFiles(room.pool, ids, FILES_MAX, LEFT_OVER_MS);
  if (files.length === 0) return 0;
  for (const file of files) await deliver(room, file);
  await bookEntries(room, room.logger);
  await markDelivered(
    room.pool,
    files.map((each) => each.id),
    room.clock.now(),
  );
  return files.length;
}

async function deliver(room: BankRoom, { kind, name, content, sha256 }: BankFile): Promise<void> {
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
  // The list of statement files shows it with the reason.
  if (outcome === 'refused') {
    room.logger.error({ file: name, reason: file.refusal_code }, 'a sandbox bank file was refused');
  }
}

/** Does work that makes files at the bank, in one commit, and delivers them afterwards. */
export async function actAtBank<T>(
  room: BankRoom,
  act: (connection: Connection, files: string[]) => Promise<T>,
): Promise<T> {
  const files: string[] = [];
  const result = await inTransaction(room.pool, (connection) => act(connection, files));
  await deliverFiles(room, files);
  return result;
}
