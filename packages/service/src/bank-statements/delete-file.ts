import { inTransaction } from '../database/pool.ts';
import type { DepositsRoom } from '../deposits/room.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { deleteFile, lockFileById } from './file-store.ts';
import type { FileRow } from './record.ts';
import { noSuchFile } from './view.ts';

/**
 * Deletes a file that was refused, with its bytes: nothing has come of it, and it may hold what should not be kept. What was
 * taken in stays; it can be withdrawn.
 * @throws Problem statement_file_not_found, invalid_state_transition
 */
export function deleteRefusedFile(room: DepositsRoom, fileId: string): Promise<FileRow> {
  return inTransaction(room.pool, async (connection) => {
    const file = await lockFileById(connection, fileId);
    if (file === undefined) throw noSuchFile();
    if (file.status !== 'refused') {
      throw new Problem(
        'invalid_state_transition',
        `Only a refused file can be deleted; this one is ${file.status}.`,
        {
          members: { from: file.status, to: 'deleted', fileId: typeId('stf', file.id) },
        },
      );
    }
    await deleteFile(connection, file.id);
    return file;
  });
}
