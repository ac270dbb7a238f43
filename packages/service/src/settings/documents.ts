import { isDeepStrictEqual } from 'node:util';
import { afterCommit, current } from '../database/enclosure.ts';
import type { Pool, Queryable } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { isoInstant } from '../platform/clock.ts';
import { Live } from './live.ts';

/** A document in its first version was never set. */
const NEVER_SET = 1;

/**
 * A document that operators replace as a whole. Every version stays, with who set it and when: quotes and decisions name
 * the one that they were made by.
 * @template Input as operators write it
 * @template Ready as it is applied
 */
export interface DocumentKind<Input extends object, Ready> {
  readonly name: string;
  /** Where its versions lie: rows with `version`, `document` and `changed_by`. */
  readonly table: string;
  /** Column that says when. */
  readonly changedAt: 'created_at' | 'changed_at';
  /** Whether the table is of several kinds, and this one's rows have its name as their `kind`. */
  readonly shared: boolean;
  /** What there is before anything was set. */
  readonly initial: Input;
  /** @throws Problem validation_failed with a pointer to each mistake */
  read(document: Input, version: number): Ready;
}

/** A document with its version, which is the version in its ETag. */
export type Versioned<Input> = Input & { readonly version: number };

/** Where the versions of a document lie. */
export type DocumentPlace = Pick<DocumentKind<object, unknown>, 'name' | 'table' | 'changedAt' | 'shared'>;

/** A version of a document, with who has set it and when. */
export interface KeptVersion {
  readonly version: number;
  /** Null: it is too much for the page. */
  readonly document: object | null;
  /** UUID of the person or OAuth client. */
  readonly changedBy: string;
  readonly changedAt: number;
}

/** A list of large documents goes on with another page after so many bytes, as they are stored. */
const PAGE_BYTES = 256 * 1024; // limit: Stored bytes of documents after which a page of their versions ends

/** Who replaces a document, when, and which version they have seen. */
interface Replacement {
  /** UUID of the person or OAuth client. */
  readonly by: string;
  /** Business instant, epoch milliseconds. */
  readonly at: number;
  readonly ifMatch: number | '*';
}

export async function newestDocument<Input extends object>(
  connection: Queryable,
  { name, table, shared, initial }: DocumentKind<Input, unknown>,
): Promise<Versioned<Input>> {
  const { rows } = await connection.query<{ version: number; document: string }>({
    name: `newest_${name}`,
    text: `select version, document::text as document from ${table} ${shared ? `where kind = '${name}'` : ''}
           order by version desc limit 1`,
  });
  const [row] = rows;
  if (row === undefined) return { ...initial, version: NEVER_SET };
  return { ...(JSON.parse(row.document) as Input), version: row.version };
}

/**
 * The versions before one, newest first; those after {@link PAGE_BYTES} without their documents.
 * @param before undefined: from the newest on
 */
export async function listVersions(
  connection: Queryable,
  { name, table, changedAt, shared }: DocumentPlace,
  before: bigint | undefined,
  rowsMax: number,
): Promise<KeptVersion[]> {
  const { rows } = await connection.query<{
    version: number;
    document: string | null;
    changed_by: string;
    changed_at: number;
  }>(
    `select version, case when bytes_before < $3 then document::text end as document, changed_by, ${changedAt} as changed_at
     from (select newest.*, coalesce(sum(pg_column_size(document)) over (
             order by version desc rows between unbounded preceding and 1 preceding), 0) as bytes_before
           from (select * from ${table} where ($1::int is null or version < $1) ${shared ? `and kind = '${name}'` : ''}
                 order by version desc limit $2) newest) measured
     order by version desc`,
    [before ?? null, rowsMax, PAGE_BYTES],
  );
  return rows.map((row) => ({
    version: row.version,
    document: row.document === null ? null : (JSON.parse(row.document) as object),
    changedBy: row.changed_by,
    changedAt: row.changed_at,
  }));
}

/** The newest version as it is applied. */
export async function documentInForce<Input extends object, Ready>(
  connection: Queryable,
  kind: DocumentKind<Input, Ready>,
): Promise<Ready> {
  const newest = await newestDocument(connection, kind);
  return kind.read(newest, newest.version);
}

/**
 * Writes the next version of a document; one that is the same keeps its version.
 * @throws Problem version_mismatch, also when somebody else was a moment faster; validation_failed
 */
export async function replaceDocument<Input extends object>(
  connection: Queryable,
  kind: DocumentKind<Input, unknown>,
  document: Input,
  { by, at, ifMatch }: Replacement,
): Promise<Versioned<Input>> {
  kind.read(document, NEVER_SET);
  const former = await newestDocument(connection, kind);
  requireVersion(ifMatch, former.version);
  const next = { ...document, version: former.version + 1 };
  if (isDeepStrictEqual(former, { ...next, version: former.version })) return former;
  const { rowCount } = await connection.query(
    `insert into ${kind.table} (version, document, changed_by, ${kind.changedAt}${kind.shared ? ', kind' : ''})
     values ($1, $2, $3, $4${kind.shared ? `, '${kind.name}'` : ''}) on conflict do nothing`,
    [next.version, JSON.stringify(document), by, isoInstant(at)],
  );
  if (rowCount === 1) return next;
  // Whatever the caller wanted to replace, it is not the version that somebody else has just written.
  requireVersion(former.version, (await newestDocument(connection, kind)).version);
  throw new Error(`version ${next.version} of ${kind.name} is neither written nor there`);
}

/** A document in force on this instance. */
export class LiveDocument<Input extends object, Ready> extends Live<Ready> {
  readonly #pool: Pool;
  readonly #kind: DocumentKind<Input, Ready>;

  /** @param now real time in milliseconds */
  constructor(pool: Pool, kind: DocumentKind<Input, Ready>, now?: () => number) {
    const { name, table, shared } = kind;
    super({
      name,
      version: `coalesce((select max(version) from ${table}${shared ? ` where kind = '${name}'` : ''}), ${NEVER_SET})`,
      read: async (known) => {
        const newest = await newestDocument(pool, kind);
        if (newest.version === known) return undefined;
        return { version: newest.version, value: kind.read(newest, newest.version) };
      },
      now,
    });
    this.#pool = pool;
    this.#kind = kind;
  }

  /** {@link listVersions} */
  versions(before: bigint | undefined, rowsMax: number): Promise<KeptVersion[]> {
    return listVersions(this.#pool, this.#kind, before, rowsMax);
  }

  newest(): Promise<Versioned<Input>> {
    return newestDocument(this.#pool, this.#kind);
  }

  /**
   * {@link replaceDocument}, in force here when it resolves and everywhere within a second.
   * @throws Problem version_mismatch, validation_failed
   */
  async replace(document: Input, replacement: Replacement): Promise<Versioned<Input>> {
    const set = await replaceDocument(current(this.#pool), this.#kind, document, replacement);
    await afterCommit(() => this.take(set.version, this.#kind.read(set, set.version)));
    return set;
  }
}
