import { bankDayAt, bankFileName, type Rejection, statusReportXml } from '@firmquote/sandbox-bank';
import type { Connection } from '../../database/pool.ts';
import { isoInstant } from '../../platform/clock.ts';
import { newUuid } from '../../platform/ids.ts';
import { insertFile } from './file-store.ts';

/**
 * The bank does not make payments, and says so: nothing moves in its books. In the caller's transaction.
 * @returns ids of the files, one for each payment file that payments are of
 */
export async function rejectPayments(
  connection: Connection,
  rejections: readonly Rejection[],
  now: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (const members of Map.groupBy(rejections, (each) => each.messageId).values()) {
    const id = newUuid(now);
    const name = bankFileName('pain.002', bankDayAt(now), id);
    const xml = statusReportXml(id, isoInstant(now), members);
    await insertFile(connection, { id, kind: 'pain.002', name, xml, entries: members.length }, now);
    ids.push(id);
  }
  return ids;
}
