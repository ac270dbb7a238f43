import type { Pool } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

/** Tables of what quotes share of their prices. They only ever get more rows. */
export type SharedTable = 'market_prices' | 'quote_spreads' | 'quote_prices';

/** Rows of such a table by their ids; those that are gone with their quotes are left out. */
export async function readShared<Table extends SharedTable>(
  pool: Pool,
  table: Table,
  ids: readonly string[],
): Promise<(Row<Table> & { readonly id: string })[]> {
  const { rows } = await pool.query<Row<Table> & { readonly id: string }>({
    name: `read_${table}`,
    text: `select x.* from unnest((select $1::uuid[])) as i (id)
           cross join lateral (select * from ${table} x where x.id = i.id limit 1) x`,
    values: [ids],
  });
  return rows;
}
