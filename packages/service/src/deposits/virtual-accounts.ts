import { customerNotFound } from '../customers/records.ts';
import { requireCustomer } from '../customers/room.ts';
import { holdCustomer } from '../customers/standing.ts';
import { type Connection, inTransaction, sqlState } from '../database/pool.ts';
import { requireCurrency } from '../http/market-codes.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { plainAccount } from './record.ts';
import type { DepositsRoom } from './room.ts';
import {
  closeAccount,
  countActiveAccounts,
  insertVirtualAccount,
  releaseAccount,
  type VirtualAccount,
  virtualAccountsOf,
} from './virtual-account-store.ts';

/** As many a customer may have at a time. */
const VIRTUAL_ACCOUNTS_MAX = 100; // limit: Virtual accounts of a customer

/**
 * Registers a virtual account that the bank has opened for a customer. What arrives on it from now on is the
 * customer's (docs/interface.md#matching). Trades name it when it has waited, as any new account.
 * @throws Problem customer_not_found, currency_not_supported, already_exists, limit_exceeded, validation_failed
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
      await makeRoom(connection, given.customerId);
      const waitMs = (await room.accountWaitMs?.(connection)) ?? 0;
      const account = await insertVirtualAccount(connection, {
        id: newUuid(now),
        customerId: given.customerId,
        currency: given.currency,
        number,
        createdAt: now,
        createdBy: given.by,
        usableFrom: waitMs === 0 ? null : now + waitMs,
      });
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

/** Counted under a lock, so that accounts of one customer are added one at a time. */
async function makeRoom(connection: Connection, customerId: string): Promise<void> {
  if (!(await holdCustomer(connection, customerId))) throw customerNotFound();
  const used = await countActiveAccounts(connection, customerId);
  if (used < VIRTUAL_ACCOUNTS_MAX) return;
  const detail = `The customer already has ${VIRTUAL_ACCOUNTS_MAX} virtual accounts. Close one first.`;
  throw new Problem('limit_exceeded', detail, {
    members: { limitType: 'virtual_accounts', limit: VIRTUAL_ACCOUNTS_MAX, used },
  });
}

/** Newest first. */
export async function listVirtualAccounts(
  room: DepositsRoom,
  customerId: string,
  before: string | undefined,
  rowsMax: number,
): Promise<VirtualAccount[]> {
  await requireCustomer(room.pool, customerId);
  return virtualAccountsOf(room.pool, customerId, before, rowsMax);
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
    const account = await releaseAccount(connection, customerId, id);
    if (account === undefined) throw virtualAccountNotFound();
    return account;
  });
}

function virtualAccountNotFound(): Problem {
  return new Problem('virtual_account_not_found', 'The customer has no such virtual account.');
}

/**
 * What arrives on it afterwards is nobody's. Closing it again changes nothing.
 * @throws Problem customer_not_found, virtual_account_not_found
 */
export async function closeVirtualAccount(room: DepositsRoom, customerId: string, id: string): Promise<void> {
  await inTransaction(room.pool, async (connection) => {
    await requireCustomer(connection, customerId);
    if (!(await closeAccount(connection, customerId, id, room.clock.now()))) throw virtualAccountNotFound();
  });
}
