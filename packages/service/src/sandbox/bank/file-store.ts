import type { Connection, Queryable } from '../../database/pool.ts';
import type { Row } from '../../database/rows.ts';
import { isoInstant } from '../../platform/clock.ts';

export type BankFile = Pick<Row<'sandbox_bank_files'>, 'id' | 'kind' | 'name' | 'content' | 'sha256'>;

export async function insertFile(
  connection: Connection,
  file: Pick<BankFile, 'id' | 'kind' | 'name'> & { readonly xml: string; readonly entries: number },
  now: number,
): Promise<void> {
  await connection.query({
    name: 'sandbox_insert_bank_file',
    text: `insert into sandbox_bank_files (id, kind, name, entries, content, sha256, created_at)
           values ($1, $2, $3, $4, $5, encode(sha256($5), 'hex'), $6)`,
    values: [file.id, file.kind, file.name, file.entries, Buffer.from(file.xml, 'utf8'), isoInstant(now)],
  });
}

/** Files that the service has not imported: those with the ids, or else those left over a while ago. */
export async function undeliveredFiles(
  connection: Queryable,
  ids: readonly string[] | undefined,
  rowsMax: number,
  leftOverMs: number,
): Promise<BankFile[]> {
  const { rows } = await connection.query<BankFile>(
    `select id, kind, name, content, sha256 from sandbox_bank_files
     where told_at is null and ($1::uuid[] is null or id = any ($1))
       and ($1::uuid[] is not null or written_at < clock_timestamp() - $3 * interval '1 millisecond')
     order by sequence limit $2`,
    [ids ?? null, rowsMax, leftOverMs],
  );
  return rows;
}

export async function markDelivered(
  connection: Queryable,
  ids: readonly string[],
  now: number,
): Promise<void> {
  await connection.query({
    name: 'sandbox_mark_delivered',
    text: 'update sandbox_bank_files set told_at = $2 where id = any ($1::uuid[]) and told_at is null',
    values: [ids, isoInstant(now)],
  });
}

export type ListedFile = Omit<Row<'sandbox_bank_files'>, 'content' | 'written_at'> & {
  readonly size_bytes: number;
};

const LISTED =
  'id, sequence, kind, name, entries, length(content) as size_bytes, sha256, created_at, told_at';

/** Newest first. `before` is the place that the page begins after. */
export async function listBankFiles(
  connection: Queryable,
  kinds: readonly string[] | undefined,
  before: bigint | undefined,
  rowsMax: number,
): Promise<ListedFile[]> {
  const { rows } = await connection.query<ListedFile>(
    `select ${LISTED} from sandbox_bank_files
     where ($1::text[] is null or kind = any ($1)) and ($2::bigint is null or sequence < $2)
     order by sequence desc limit $3`,
    [kinds ?? null, before ?? null, rowsMax],
  );
  return rows;
}

export async function bankFilesById(connection: Queryable, ids: readonly string[]): Promise<ListedFile[]> {
  const { rows } = await connection.query<ListedFile>(
    `select ${LISTED} from sandbox_bank_files where id = any ($1::uuid[]) order by sequence`,
    [ids],
  );
  return rows;
}

export async function findBankFile(connection: Queryable, id: string): Promise<BankFile | undefined> {
  const { rows } = await connection.query<BankFile>(
    'select id, kind, name, content, sha256 from sandbox_bank_files where id = $1',
    [id],
  );
  return rows[0];
}
