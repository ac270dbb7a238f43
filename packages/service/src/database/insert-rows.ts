import type { Connection } from './pool.ts';

/** Tables into which rows are written as they are. */
type PlainTable =
  | 'acted_amounts'
  | 'bank_entries'
  | 'bank_notices'
  | 'deposit_allocations'
  | 'deposit_history'
  | 'entry_details'
  | 'entry_listings'
  | 'payment_statuses';

/**
 * Writes rows in one statement, in the caller's transaction: members are the table's columns, in any order, and a column
 * that is left out is null. None is nothing to do.
 */
export async function insertRows(
  connection: Connection,
  table: PlainTable,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  await connection.query({
    name: `insert_${table}`,
    text: `insert into ${table} select n.* from json_populate_recordset(null::${table}, $1) n`,
    values: [JSON.stringify(rows)],
  });
}
