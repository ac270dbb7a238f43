import type pg from 'pg';

/** What the database has written and holds: bytes of its log, and of each table and index. */
export interface Footprint {
  readonly wal: number;
  readonly relations: ReadonlyMap<string, number>;
}

export async function footprint(pool: pg.Pool): Promise<Footprint> {
  const wal = await pool.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes`,
  );
  // A partition counts for its table.
  const relations = await pool.query<{ name: string; bytes: string }>(
    `select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name, sum(pg_table_size(c.oid))::text as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'i') and n.nspname = 'public' group by 1`,
  );
  return {
    wal: Number.parseInt(wal.rows[0]?.bytes ?? '0', 10),
    relations: new Map(relations.rows.map(({ name, bytes }) => [name, Number.parseInt(bytes, 10)])),
  };
}

/** What has been added between footprints, of several stretches of time. */
export class Growth {
  #wal = 0;
  readonly #relations = new Map<string, number>();
  operations = 0;

  add(before: Footprint, after: Footprint, operations: number): void {
    this.operations += operations;
    this.#wal += after.wal - before.wal;
    for (const [name, bytes] of after.relations) {
      const grown = bytes - (before.relations.get(name) ?? 0);
      this.#relations.set(name, (this.#relations.get(name) ?? 0) + grown);
    }
  }

  get walOfEach(): number {
    return this.#wal / Math.max(1, this.operations);
  }

  /** Of tables and indexes. */
  get diskOfEach(): number {
    return (
      [...this.#relations.values()].reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, this.operations)
    );
  }

  /** Bytes of an operation in each table and index that has grown, the largest first. */
  get byRelation(): readonly (readonly [name: string, bytes: number])[] {
    return [...this.#relations]
      .map(([name, bytes]) => [name, Math.round(bytes / Math.max(1, this.operations))] as const)
      .filter(([, bytes]) => bytes > 0)
      .sort(([, a], [, b]) => b - a);
  }
}
