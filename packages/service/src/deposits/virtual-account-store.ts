import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { type DepositRecord, houseAccounts } from './record.ts';

/**
 * An account at the house's bank that belongs to one customer; its number has capitals and digits only. Trades name it from `usableFrom`
 * on, or from the first where that is null. Instants are epoch milliseconds.
 */
export type VirtualAccount = CamelRow<'virtual_accounts'>;

const COLUMNS = `id, customer_id as "customerId", currency, number, status, created_at as "createdAt",
  usable_from as "usableFrom", created_by as "createdBy", closed_at as "closedAt"`;

export async function countActiveAccounts(connection: Queryable, customerId: string): Promise<number> {
  const { rows } = await connection.query<{ accounts: number }>(
    "select count(*)::int as accounts from virtual_accounts where customer_id = $1 and status = 'active'",
    [customerId],
  );
  return rows[0]?.accounts ?? 0;
}

/** Writes an account that is active. */
export async function insertVirtualAccount(
  connection: Connection,
  account: Omit<VirtualAccount, 'status' | 'closedAt'>,
): Promise<VirtualAccount> {
  const { rows } = await connection.query<VirtualAccount>(
    `insert into virtual_accounts (id, customer_id, currency, number, status, created_at, created_by, usable_from)
     values ($1, $2, $3, $4, 'active', $5, $6, $7)
     returning ${COLUMNS}`,
    [
      account.id,
      account.customerId,
      account.currency,
      account.number,
      isoInstant(account.createdAt),
      account.createdBy,
      account.usableFrom === null ? null : isoInstant(account.usableFrom),
    ],
  );
  return rows[0] as VirtualAccount;
}

/** Newest first; `before` is the id that the page begins after. */
export async function virtualAccountsOf(
  connection: Queryable,
  customerId: string,
  before: string | undefined,
  rowsMax: number,
): Promise<VirtualAccount[]> {
  const { rows } = await connection.query<VirtualAccount>(
    `select ${COLUMNS} from virtual_accounts where customer_id = $1 and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [customerId, before, rowsMax],
  );
  return rows;
}

/** Has trades name an account from now on. @returns undefined when the customer has no such account */
export async function releaseAccount(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<VirtualAccount | undefined> {
  const { rows } = await connection.query<VirtualAccount>(
    `update virtual_accounts set usable_from = null where customer_id = $1 and id = $2 returning ${COLUMNS}`,
    [customerId, id],
  );
  return rows[0];
}

/** @returns false when the customer has no such account */
export async function closeAccount(
  connection: Connection,
  customerId: string,
  id: string,
  at: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update virtual_accounts set status = 'closed', closed_at = coalesce(closed_at, $3)
     where customer_id = $1 and id = $2`,
    [customerId, id, isoInstant(at)],
  );
  return rowCount === 1;
}

type AccountOwner = Pick<VirtualAccount, 'customerId'> & {
  /** The number. */
  readonly account: string;
};

/** Customers of active virtual accounts, by number. */
export async function virtualAccountOwners(
  connection: Queryable,
  numbers: readonly string[],
): Promise<AccountOwner[]> {
  const { rows } = await connection.query<AccountOwner>({
    name: 'virtual_account_owners',
    text: `select number as account, customer_id as "customerId" from virtual_accounts
           where status = 'active' and number = any ($1::text[])`,
    values: [numbers],
  });
  return rows;
}

/** Whose virtual account a deposit came in on. */
export async function accountOwnerOf(connection: Queryable, deposit: DepositRecord): Promise<string | null> {
  const [owner] = await virtualAccountOwners(connection, houseAccounts(deposit));
  return owner?.customerId ?? null;
}
