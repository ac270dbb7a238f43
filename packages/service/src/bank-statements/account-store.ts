import type { Connection, Queryable } from '../database/pool.ts';
import type { OwnAccount } from './own-accounts.ts';

/** The collection accounts, filed under the same text as deposits that operators record by hand. */
export async function ownAccounts(connection: Queryable): Promise<OwnAccount[]> {
  const { rows } = await connection.query<{ currency: string; details: string }>(
    'select currency, details from collection_accounts order by currency',
  );
  return rows.flatMap(({ currency, details }) => {
    const { iban, accountNumber, routingNumber, bic } = JSON.parse(details) as Omit<OwnAccount, 'account'>;
    const account = iban ?? accountNumber;
    return account === null ? [] : [{ currency, account, iban, accountNumber, routingNumber, bic }];
  });
}

/** Whether statements of this account were the house's before, as of an account that customers no longer pay into. */
export async function isKnownOwn(connection: Queryable, account: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    'select 1 from bank_statements where account = $1 and is_own limit 1',
    [account],
  );
  return rowCount === 1;
}

/** Accounts of statements that are none of the house, with their currencies. */
export async function unknownAccounts(
  connection: Queryable,
): Promise<{ account: string; currency: string }[]> {
  const { rows } = await connection.query<{ account: string; currency: string }>(
    'select account, min(currency) as currency from bank_statements where not is_own and set_aside is null group by account order by account limit 200',
  );
  return rows;
}

/** Statements of accounts that were unknown and are the house's now. @returns entries that are due now */
export async function adoptAccount(
  connection: Connection,
  written: string,
  account: string,
): Promise<number> {
  const moved = await connection.query(
    `update statement_entries e
     set account = $2, deposit_state = case e.deposit_state when 'unknown_account' then 'due' else e.deposit_state end,
       payment_state = case e.payment_state when 'unknown_account' then 'due' else e.payment_state end
     from statement_bookings b
     where b.id = e.booking_id and b.account = $1
       and (e.deposit_state = 'unknown_account' or e.payment_state = 'unknown_account')`,
    [written, account],
  );
  await connection.query('update statement_entries set account = $2 where account = $1', [written, account]);
  await connection.query('update statement_bookings set account = $2 where account = $1', [written, account]);
  await connection.query(
    'update bank_statements set account = $2, is_own = true where account = $1 and not is_own and set_aside is null',
    [written, account],
  );
  return moved.rowCount ?? 0;
}
