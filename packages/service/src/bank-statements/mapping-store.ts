import type { CsvMapping } from '@firmquote/bank-formats';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

export interface NamedMapping {
  readonly name: string;
  readonly mapping: CsvMapping;
  readonly version: number;
  readonly updatedAt: number;
}

type MappingRow = Omit<Row<'statement_mappings'>, 'updated_by'>;

/** Any number that nothing else locks: mappings are counted and set one after the other. */
const COUNT_LOCK = 4_201_993;

/** Nobody else sets a mapping until the transaction ends. */
export async function lockMappings(connection: Queryable): Promise<void> {
  await connection.query(`select pg_advisory_xact_lock(${COUNT_LOCK})`);
}

export async function countMappings(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ mappings: number }>(
    'select count(*)::int as mappings from statement_mappings',
  );
  return rows[0]?.mappings ?? 0;
}

export async function listMappings(connection: Queryable): Promise<NamedMapping[]> {
  const { rows } = await connection.query<MappingRow>('select * from statement_mappings order by name');
  return rows.map(mappingOf);
}

export async function findMapping(connection: Queryable, name: string): Promise<NamedMapping | undefined> {
  const text = 'select * from statement_mappings where name = $1';
  const { rows } = await connection.query<MappingRow>(text, [name]);
  return rows[0] && mappingOf(rows[0]);
}

/** Makes a mapping, or replaces the one of this name. */
export async function writeMapping(
  connection: Queryable,
  name: string,
  mapping: CsvMapping,
  by: string,
  now: number,
): Promise<NamedMapping> {
  const { rows } = await connection.query<MappingRow>(
    `insert into statement_mappings (name, mapping, version, updated_by, updated_at) values ($1, $2, 1, $3, $4)
     on conflict (name) do update set mapping = excluded.mapping, version = statement_mappings.version + 1,
       updated_by = excluded.updated_by, updated_at = excluded.updated_at
     returning *`,
    [name, JSON.stringify(mapping), by, isoInstant(now)],
  );
  return mappingOf(rows[0] as MappingRow);
}

/** @returns whether there was one */
export async function deleteMapping(connection: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await connection.query('delete from statement_mappings where name = $1', [name]);
  return rowCount === 1;
}

function mappingOf(row: MappingRow): NamedMapping {
  const { name, version, updated_at: updatedAt } = row;
  return { name, mapping: JSON.parse(row.mapping), version, updatedAt };
}
