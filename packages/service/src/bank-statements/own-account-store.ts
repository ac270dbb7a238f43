import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

/** Whether the account was the house's before, such as one that customers no longer pay into. */
export async function isKnownOwn(connection: Queryable, account: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    'select 1 from bank_statements where account = $1 and is_own limit 1',
    [account],
  );
  return rowCount === 1;
}

/** Accounts of statements that are not the house's, by name after another one, each with a currency. */
export async function unknownAccounts(
  connection: Queryable,
  after: string,
  rowsMax: number,
): Promise<Pick<Row<'bank_statements'>, 'account' | 'currency'>[]> {
  const { rows } = await connection.query<Pick<Row<'bank_statements'>, 'account' | 'currency'>>({
    name: 'unknown_accounts_after',
    text: `select account, min(currency) as currency from bank_statements
           where not is_own and set_aside is null and account > $1 group by account order by account limit $2`,
    values: [after, rowsMax],
  });
  return rows;
}

type Filed = Pick<Row<'bank_statements'>, 'account' | 'currency'>;

/** Under which of these names statements of the house's accounts are filed, and in which currencies. */
export async function filedUnder(connection: Connection, names: readonly string[]): Promise<Filed[]> {
  if (names.length === 0) return [];
  const { rows } = await connection.query<Filed>({
    name: 'filed_under_names',
    text: `select distinct account, currency from bank_statements where account = any ($1::text[]) and is_own
           order by account, currency`,
    values: [names],
  });
  return rows;
}

/** Entries that one statement of SQL files anew: an account may have any number. */
const FILED_AT_ONCE = 5_000;

/** Files what is filed under a name of an account under the one that it has now. */
export async function fileUnder(connection: Connection, filed: Filed, account: string): Promise<void> {
  const values = [filed.account, filed.currency, account];
  for (let moved: number | null = 1; moved !== 0; ) {
    const { rowCount } = await connection.query({
      name: 'file_entries_under',
      text: `with filed as materialized (
               select id from bank_entries where account = $1 and currency = $2 order by booking_date, id limit $4
             ), moved as (
               update bank_entries b set account = $3 from filed where b.id = filed.id returning b.id
             )
             update entry_details e set account = $3 from moved where e.entry_id = moved.id`,
      values: [...values, FILED_AT_ONCE],
    });
    moved = rowCount;
  }
  await connection.query(
    'update bank_statements set account = $3 where account = $1 and currency = $2',
    values,
  );
}

/** Statements that are filed under a name of an account, in the order in which they came. */
export async function statementsUnder(connection: Connection, account: string): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'bank_statements'>, 'id'>>(
    'select id from bank_statements where account = $1 and set_aside is null order by id',
    [account],
  );
  return rows.map((row) => row.id);
}

/** Statements of accounts that were unknown and are the house's now. @returns entries that are due now */
export async function adoptAccount(
  connection: Connection,
  written: string,
  account: string,
): Promise<number> {
  const moved = await connection.query(
    `update entry_details e
     set account = $2, deposit_state = case e.deposit_state when 'unknown_account' then 'due' else e.deposit_state end,
       payment_state = case e.payment_state when 'unknown_account' then 'due' else e.payment_state end
     from bank_entries b
     where b.id = e.entry_id and b.account = $1
       and (e.deposit_state = 'unknown_account' or e.payment_state = 'unknown_account')`,
    [written, account],
  );
  await connection.query('update entry_details set account = $2 where account = $1', [written, account]);
  await connection.query('update bank_entries set account = $2 where account = $1', [written, account]);
  await connection.query(
    'update bank_statements set account = $2, is_own = true where account = $1 and not is_own and set_aside is null',
    [written, account],
  );
  return moved.rowCount ?? 0;
}
