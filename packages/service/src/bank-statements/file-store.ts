import type { FileSource } from '@firmquote/api/operations/bank-statements';
import type { ByteSource, StatementFormat, StatementRefusal } from '@firmquote/bank-formats';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { FileRow } from './record.ts';

/** Bytes of a file in one row. */
const PART_BYTES = 1024 * 1024;

export interface NewFile {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly source: FileSource;
  readonly receivedBy: string | undefined;
  readonly receivedAt: number;
  readonly mapping: string | undefined;
}

export interface Accepted {
  readonly format: StatementFormat;
  readonly statements: number;
  readonly entries: number;
  readonly newEntries: number;
  readonly paymentStatuses: number;
  /** Read, and not taken in: it waits for a second person. */
  readonly isHeld?: true;
}

/** Locks the file with these bytes, if they were received before. */
export async function lockFile(connection: Connection, sha256: string): Promise<FileRow | undefined> {
  const { rows } = await connection.query<FileRow>(
    'select * from statement_files where sha256 = $1 for update',
    [sha256],
  );
  return rows[0];
}

export async function lockFileById(connection: Connection, id: string): Promise<FileRow | undefined> {
  const { rows } = await connection.query<FileRow>('select * from statement_files where id = $1 for update', [
    id,
  ]);
  return rows[0];
}

/** Two operators have accepted a file that was refused, or held. */
export async function setAccepted(
  connection: Connection,
  id: string,
  { format, statements, entries, newEntries, paymentStatuses }: Accepted,
  despite: StatementRefusal | undefined,
  by: {
    readonly now: number;
    readonly reason: string;
    readonly proposedBy: string;
    readonly decidedBy: string;
  },
): Promise<void> {
  await connection.query(
    `update statement_files set status = 'accepted', format = $2, refusal_code = null, refusal_line = null,
       refusal_detail = null, statements = $3, bookings = $4, new_bookings = $5, payment_statuses = $6,
       accepted_despite = $7, accepted_despite_line = $8, accepted_despite_detail = $9, accepted_reason = $10,
       accepted_by = $11, approved_by = $12, accepted_at = $13
     where id = $1`,
    [
      ...[id, format, statements, entries, newEntries, paymentStatuses],
      ...[despite?.code, despite?.line, despite?.message],
      ...[by.reason, by.proposedBy, by.decidedBy, isoInstant(by.now)],
    ],
  );
}

/** Writes a file and its bytes. Its outcome may change later, its bytes never. */
export async function insertFile(
  connection: Connection,
  file: NewFile,
  outcome: Accepted | StatementRefusal,
  format: StatementFormat | undefined,
  bytes: ByteSource,
): Promise<void> {
  await connection.query(
    `insert into statement_files (id, name, sha256, size_bytes, source, received_by, received_at, last_attempt_at,
       mapping, status, format, refusal_code, refusal_line, refusal_detail, statements, bookings, new_bookings,
       payment_statuses)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    [
      file.id,
      file.name,
      file.sha256,
      file.sizeBytes,
      file.source,
      file.receivedBy,
      isoInstant(file.receivedAt),
      ...outcomeValues(file, outcome, format),
    ],
  );
  let part = 0;
  for await (const piece of parts(bytes)) {
    await connection.query({
      name: 'insert_statement_file_part',
      text: 'insert into statement_file_parts (file_id, part, bytes) values ($1, $2, $3)',
      values: [file.id, part, piece],
    });
    part += 1;
  }
}

/** Deletes a file that has had no effect, with its bytes. */
export async function deleteFile(connection: Connection, id: string): Promise<void> {
  await connection.query('delete from statement_file_parts where file_id = $1', [id]);
  await connection.query('delete from statement_files where id = $1', [id]);
}

/** Counts a further attempt with the same bytes. */
export async function countAttempt(connection: Connection, id: string, now: number): Promise<void> {
  await connection.query(
    'update statement_files set attempts = attempts + 1, last_attempt_at = $2 where id = $1',
    [id, isoInstant(now)],
  );
}

/** Changes the outcome of a file. */
export async function setOutcome(
  connection: Connection,
  file: NewFile,
  outcome: Accepted | StatementRefusal,
  format: StatementFormat | undefined,
): Promise<void> {
  await connection.query(
    `update statement_files set last_attempt_at = $2, mapping = $3, status = $4, format = $5, refusal_code = $6,
       refusal_line = $7, refusal_detail = $8, statements = $9, bookings = $10, new_bookings = $11,
       payment_statuses = $12
     where id = $1`,
    [file.id, isoInstant(file.receivedAt), ...outcomeValues(file, outcome, format)],
  );
}

function outcomeValues(
  file: NewFile,
  outcome: Accepted | StatementRefusal,
  format: StatementFormat | undefined,
): unknown[] {
  if ('statements' in outcome) {
    const { statements, entries, newEntries, paymentStatuses } = outcome;
    const counts = [statements, entries, newEntries, paymentStatuses];
    const status = outcome.isHeld === true ? 'held' : 'accepted';
    return [file.mapping, status, outcome.format, null, null, null, ...counts];
  }
  return [file.mapping, 'refused', format, outcome.code, outcome.line, outcome.message, 0, 0, 0, 0];
}

async function* parts(bytes: ByteSource): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes.open()) {
    for (let from = 0; from < piece.length; ) {
      const taken = piece.subarray(from, from + PART_BYTES - size);
      waiting.push(taken);
      size += taken.length;
      from += taken.length;
      if (size < PART_BYTES) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(waiting);
}

export async function findFile(connection: Queryable, id: string): Promise<FileRow | undefined> {
  const { rows } = await connection.query<FileRow>('select * from statement_files where id = $1', [id]);
  return rows[0];
}

/** The file with these bytes, if they were received before. */
export async function findSameFile(connection: Queryable, sha256: string): Promise<FileRow | undefined> {
  const { rows } = await connection.query<FileRow>('select * from statement_files where sha256 = $1', [
    sha256,
  ]);
  return rows[0];
}

/** The bytes of a file as they came, part by part. @throws Error where it was deleted meanwhile */
export async function* readFileParts(
  connection: Queryable,
  { id, size_bytes: size }: Pick<FileRow, 'id' | 'size_bytes'>,
): AsyncGenerator<Buffer> {
  let left = BigInt(size);
  for (let part = 0; left > 0n; part++) {
    const { rows } = await connection.query<Pick<Row<'statement_file_parts'>, 'bytes'>>({
      name: 'read_statement_file_part',
      text: 'select bytes from statement_file_parts where file_id = $1 and part = $2',
      values: [id, part],
    });
    const bytes = rows[0]?.bytes;
    if (bytes === undefined) throw new Error(`part ${part} of statement file ${id} is gone`);
    left -= BigInt(bytes.length);
    yield bytes;
  }
}

interface FileFilter {
  readonly status: readonly string[] | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Newest first. `before` is the place that the page begins after. */
export async function listFiles(
  connection: Queryable,
  { status, from, to }: FileFilter,
  before: readonly [receivedAt: string, id: string] | undefined,
  rowsMax: number,
): Promise<FileRow[]> {
  const { rows } = await connection.query<FileRow>(
    `select * from statement_files
     where ($1::text[] is null or status = any ($1)) and ($2::timestamptz is null or received_at >= $2)
       and ($3::timestamptz is null or received_at < $3)
       and ($4::timestamptz is null or (received_at, id) < ($4, $5::uuid))
     order by received_at desc, id desc limit $6`,
    [
      status,
      from === undefined ? null : isoInstant(from),
      to === undefined ? null : isoInstant(to),
      before?.[0],
      before?.[1],
      rowsMax,
    ],
  );
  return rows;
}
