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

/** Each is compared with the name of each file in the watched folder. */
export const MAPPINGS_MAX = 200; // limit: Mappings of CSV files

export async function listMappings(connection: Queryable): Promise<NamedMapping[]> {
  const { rows } = await connection.query<MappingRow>('select * from statement_mappings order by name');
  return rows.map(mappingOf);
}

export function findMapping(connection: Queryable, name: string): Promise<NamedMapping | undefined> {
  return readMapping(connection, 'select * from statement_mappings where name = $1', name);
}

/** The same, held until the transaction ends. */
export function lockMapping(connection: Queryable, name: string): Promise<NamedMapping | undefined> {
  return readMapping(connection, 'select * from statement_mappings where name = $1 for update', name);
}

async function readMapping(
  connection: Queryable,
  text: string,
  name: string,
): Promise<NamedMapping | undefined> {
  const { rows } = await connection.query<MappingRow>(text, [name]);
  return rows[0] && mappingOf(rows[0]);
}

/** @returns undefined when there is no room for another one */
export async function writeMapping(
  connection: Queryable,
  name: string,
  mapping: CsvMapping,
  by: string,
  now: number,
): Promise<NamedMapping | undefined> {
  const { rows } = await connection.query<MappingRow>(
    `insert into statement_mappings (name, mapping, version, updated_by, updated_at)
     select $1, $2, 1, $3, $4
     where exists (select 1 from statement_mappings where name = $1)
       or (select count(*) from statement_mappings) < $5
     on conflict (name) do update set mapping = excluded.mapping, version = statement_mappings.version + 1,
       updated_by = excluded.updated_by, updated_at = excluded.updated_at
     returning *`,
    [name, JSON.stringify(mapping), by, isoInstant(now), MAPPINGS_MAX],
  );
  return rows[0] && mappingOf(rows[0]);
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
