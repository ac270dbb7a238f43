import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

type DoubtRow = Pick<Row<'recalls_in_doubt'>, 'deposit_id'>;

/** Keeps the deposits one of which a debit takes back. */
export async function keepDoubt(
  connection: Connection,
  detailId: string,
  depositIds: readonly string[],
): Promise<void> {
  await connection.query(
    'insert into recalls_in_doubt (detail_id, deposit_id) select $1, d from unnest($2::uuid[]) d on conflict do nothing',
    [detailId, depositIds],
  );
}

/** The deposits of which these debits may take back any. */
export async function doubtedDeposits(
  connection: Queryable,
  detailIds: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query<DoubtRow>(
    'select distinct deposit_id from recalls_in_doubt where detail_id = any ($1::uuid[])',
    [detailIds],
  );
  return rows.map((row) => row.deposit_id);
}

/** What these debits take back is known. @returns the deposits of which no other debit may take back any */
export async function forgetDoubts(connection: Connection, detailIds: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<DoubtRow>(
    `with forgotten as (delete from recalls_in_doubt where detail_id = any ($1::uuid[]) returning deposit_id)
     select distinct deposit_id from forgotten f where not exists (
       select from recalls_in_doubt o where o.deposit_id = f.deposit_id and o.detail_id <> all ($1::uuid[]))`,
    [detailIds],
  );
  return rows.map((row) => row.deposit_id);
}
