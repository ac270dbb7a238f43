import { requireCustomer } from '../customers/room.ts';
import { type Connection, inTransaction, sqlState } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { requireCurrency } from '../http/market-codes.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { plainAccount } from './match-context.ts';
import type { DepositsRoom } from './room.ts';

/**
 * An account at the house's bank that belongs to one customer; its number has capitals and digits only. Trades name it from `usableFrom`
 * on, or from the first where that is null. Instants are epoch milliseconds.
 */
export type VirtualAccount = CamelRow<'virtual_accounts'>;

/** As many a customer may have at a time. */
const VIRTUAL_ACCOUNTS_MAX = 100; // limit: Virtual accounts of a customer

const COLUMNS = `id, customer_id as "customerId", currency, number, status, created_at as "createdAt",
  usable_from as "usableFrom", created_by as "createdBy", closed_at as "closedAt"`;

/**
 * Tells the service of a virtual account that the bank has opened for a customer. What arrives on it from now on is the
 * customer's (docs/interface.md#matching). Trades name it when it has waited, as any new account.
 * @throws Problem customer_not_found, currency_not_supported, already_exists, validation_failed
 */
export async function addVirtualAccount(
  room: DepositsRoom,
  given: {
    readonly customerId: string;
    readonly currency: string;
    readonly number: string;
    readonly by: string;
  },
  inCommit?: (connection: Connection, account: VirtualAccount) => Promise<void>,
): Promise<VirtualAccount> {
  requireCurrency(given.currency, '/currency');
  const number = plainAccount(given.number);
  if (number.length < 4) {
    throw validationProblem([
      { pointer: '/number', code: 'wrong_length', detail: 'must have at least four letters or digits' },
    ]);
  }
  const now = room.clock.now();
  try {
    return await inTransaction(room.pool, async (connection) => {
      await requireCustomer(connection, given.customerId);
      const waitMs = (await room.accountWaitMs?.(connection)) ?? 0;
      const { rows } = await connection.query<VirtualAccount>(
        `insert into virtual_accounts (id, customer_id, currency, number, status, created_at, created_by, usable_from)
         select $1, $2, $3, $4, 'active', $5, $6, $8
         where (select count(*) from (
           select from virtual_accounts where customer_id = $2 and status = 'active' limit $7) v) < $7
         returning ${COLUMNS}`,
        [
          newUuid(now),
          given.customerId,
          given.currency,
          number,
          isoInstant(now),
          given.by,
          VIRTUAL_ACCOUNTS_MAX,
          waitMs === 0 ? null : isoInstant(now + waitMs),
        ],
      );
      const [account] = rows;
      if (account === undefined) {
        const detail = `the customer already has ${VIRTUAL_ACCOUNTS_MAX} virtual accounts`;
        throw validationProblem([{ pointer: '/number', code: 'too_many', detail }]);
      }
      await inCommit?.(connection, account);
      return account;
    });
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw new Problem('already_exists', 'This virtual account is already registered.', {
      members: { number },
    });
  }
}

/** Newest first. */
export async function listVirtualAccounts(
  room: DepositsRoom,
  customerId: string,
  before: string | undefined,
  rowsMax: number,
): Promise<VirtualAccount[]> {
  await requireCustomer(room.pool, customerId);
  const { rows } = await room.pool.query<VirtualAccount>(
    `select ${COLUMNS} from virtual_accounts where customer_id = $1 and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [customerId, before, rowsMax],
  );
  return rows;
}

/**
 * Has trades name a virtual account from now on. One that does not wait stays as it is.
 * @throws Problem customer_not_found, virtual_account_not_found
 */
export async function releaseVirtualAccount(
  room: DepositsRoom,
  customerId: string,
  id: string,
): Promise<VirtualAccount> {
  return inTransaction(room.pool, async (connection) => {
    await requireCustomer(connection, customerId);
    const { rows } = await connection.query<VirtualAccount>(
      `update virtual_accounts set usable_from = null where customer_id = $1 and id = $2 returning ${COLUMNS}`,
      [customerId, id],
    );
    if (rows[0] === undefined) throw virtualAccountNotFound();
    return rows[0];
  });
}

function virtualAccountNotFound(): Problem {
  return new Problem('virtual_account_not_found', 'The customer has no such virtual account.');
}

/** What arrives on it afterwards is nobody's. Closing it again changes nothing. */
export async function closeVirtualAccount(room: DepositsRoom, customerId: string, id: string): Promise<void> {
  const { rowCount } = await inTransaction(room.pool, (connection) =>
    connection.query(
      `update virtual_accounts set status = 'closed', closed_at = coalesce(closed_at, $3)
       where customer_id = $1 and id = $2`,
      [customerId, id, isoInstant(room.clock.now())],
    ),
  );
  if (rowCount !== 1) {
    throw virtualAccountNotFound();
  }
}
