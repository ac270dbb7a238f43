import type { FileSource } from '@firmquote/api/operations/bank-statements';
import { type ByteSource, StatementRefusal } from '@firmquote/bank-formats';
import { type Connection, inTransaction, type Pool, sqlState } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import {
  type Accepted,
  countAttempt,
  findFile,
  insertFile,
  lockFile,
  type NewFile,
  setOutcome,
} from './file-store.ts';
import { importsWait, inTurn } from './import-turns.ts';
import { type ReadAs, readFile } from './read-file.ts';
import type { FileRow } from './record.ts';
import { lockImports } from './statement-store.ts';
import { StatementWriter } from './write-statements.ts';

export interface IncomingFile extends Omit<ReadAs, 'draft'> {
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly bytes: ByteSource;
  readonly source: FileSource;
  readonly receivedBy?: string | undefined;
}

export interface ImportedFile {
  readonly file: FileRow;
  /** `known`: these bytes were accepted before, and nothing was done. */
  readonly outcome: 'accepted' | 'known' | 'refused';
}

/**
 * Imports a statement file in one commit: the file with its bytes, its statements and their entries; or, when it is refused,
 * the file with the reason and nothing else. Entries are left `due`, to be applied in commits of their own (see
 * `book-entries.ts`): a large file must not lock the house's balances.
 * @throws Problem statement_mapping_not_found; overloaded, when another import takes too long
 */
export async function importFile(
  room: { readonly pool: Pool; readonly clock: Clock },
  incoming: IncomingFile,
): Promise<ImportedFile> {
  return orRefuse(room, incoming, takeFileIn);
}

/**
 * Does what takes a file in, in one commit, or keeps the file with the reason where a reader refuses it.
 * @throws Problem overloaded, when another import takes too long, and what the work throws
 */
export async function orRefuse<Done>(
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
  incoming: IncomingFile,
  work: (connection: Connection, given: NewFile, incoming: IncomingFile) => Promise<Done>,
): Promise<Done | ImportedFile> {
  const receivedAt = clock.now();
  const given: NewFile = {
    id: newUuid(receivedAt),
    name: fileName(incoming.name),
    sha256: incoming.sha256,
    sizeBytes: incoming.sizeBytes,
    source: incoming.source,
    receivedBy: incoming.receivedBy,
    receivedAt,
    mapping: incoming.mapping,
  };
  return inTurn(pool, async () => {
    try {
      return await inTransaction(pool, (connection) => work(connection, given, incoming));
    } catch (error) {
      if (error instanceof StatementRefusal)
        return inTransaction(pool, (connection) => refuse(connection, given, incoming, error));
      if (sqlState(error) === '55P03') throw importsWait(error);
      throw error;
    }
  });
}

/** Takes a file in, in the caller's transaction; bytes that were accepted before change nothing but a count. */
export async function takeFileIn(
  connection: Connection,
  given: NewFile,
  incoming: IncomingFile,
): Promise<ImportedFile> {
  await lockImports(connection);
  const before = await lockFile(connection, given.sha256);
  if (before !== undefined) await countAttempt(connection, before.id, given.receivedAt);
  if (before?.status === 'accepted') {
    return { file: await written(connection, before.id), outcome: 'known' };
  }
  const { format, mapping, events } = await readFile(connection, given, incoming);
  const file = { ...given, id: before?.id ?? given.id, mapping };
  const pending: Accepted = { format, statements: 0, entries: 0, newEntries: 0, paymentStatuses: 0 };
  if (before === undefined) await insertFile(connection, file, pending, format, incoming.bytes);
  const writer = new StatementWriter(connection, file);
  await writer.start();
  for await (const piece of events()) await writer.write(piece);
  await writer.end();
  await setOutcome(connection, file, { format, ...writer.counts }, format);
  return { file: await written(connection, file.id), outcome: 'accepted' };
}

async function refuse(
  connection: Connection,
  given: NewFile,
  incoming: IncomingFile,
  refusal: StatementRefusal,
): Promise<ImportedFile> {
  await lockImports(connection);
  const before = await lockFile(connection, given.sha256);
  // Another request has imported the same bytes with the right mapping meanwhile.
  if (before?.status === 'accepted') return { file: before, outcome: 'known' };
  const file = { ...given, id: before?.id ?? given.id };
  if (before === undefined) await insertFile(connection, file, refusal, incoming.format, incoming.bytes);
  else {
    await countAttempt(connection, before.id, given.receivedAt);
    await setOutcome(connection, file, refusal, incoming.format);
  }
  return { file: await written(connection, file.id), outcome: 'refused' };
}

async function written(connection: Connection, id: string): Promise<FileRow> {
  const row = await findFile(connection, id);
  if (row === undefined) throw new Error(`statement file ${id} vanished`);
  return row;
}

/** For display: no folders, no control characters, at most 255 characters. */
export function fileName(text: string): string {
  const last = text.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  return (
    last
      .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
      .trim()
      .slice(0, 255) || 'statement'
  );
}
