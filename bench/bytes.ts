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

/** Lines that say what each of so many trades has cost between two footprints; `isByRelation` lists them. */
export function bytesPerTrade(
  before: Footprint,
  after: Footprint,
  trades: number,
  isByRelation: boolean,
): string[] {
  const each = (bytes: number) => Math.round(bytes / trades);
  const grown = [...after.relations]
    .map(([name, bytes]) => ({ name, bytes: each(bytes - (before.relations.get(name) ?? 0)) }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  const disk = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  const lines = [
    `a trade (${trades} measured): ${disk} bytes of tables and indexes, ${each(after.wal - before.wal)} bytes of WAL`,
  ];
  if (isByRelation) {
    lines.push('', '| table or index | bytes of a trade |', '| --- | --- |');
    lines.push(...grown.map(({ name, bytes }) => `| ${name} | ${bytes} |`));
  }
  return lines;
}
