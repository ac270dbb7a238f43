import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import type { ManualWork } from './operate-deposit.ts';
import { type DepositRecord, remitterAccount } from './record.ts';

/** A customer pays from a few accounts; what comes after so many is not remembered. */
const KNOWN_REMITTERS_MAX = 200; // limit: Known remitters of a customer

export type KnownRemitter = Omit<CamelRow<'known_remitters'>, 'customerId'>;

/** Remembers from which account a customer pays, because a person has said whose deposit it is. */
export async function learnRemitter(work: ManualWork, deposit: DepositRecord): Promise<void> {
  const account = remitterAccount(deposit);
  if (account === undefined || deposit.customerId === null) return;
  await work.connection.query(
    `insert into known_remitters (id, customer_id, account, name, learnt_at, learnt_by, deposit_id)
     select $1, $2, $3, $4, $5, $6, $7
     where (select count(*) from (select from known_remitters where customer_id = $2 limit $8) k) < $8
     on conflict (customer_id, account) do nothing`,
    [
      newUuid(work.now),
      deposit.customerId,
      account,
      deposit.remitterName,
      isoInstant(work.now),
      work.actor,
      deposit.id,
      KNOWN_REMITTERS_MAX,
    ],
  );
}

/** Forgets the account that was remembered because of a deposit. */
export async function forgetRemitterOf(connection: Connection, depositId: string): Promise<void> {
  await connection.query('delete from known_remitters where deposit_id = $1', [depositId]);
}

/** All of a customer, newest first. */
export async function listRemitters(connection: Queryable, customerId: string): Promise<KnownRemitter[]> {
  const { rows } = await connection.query<KnownRemitter>(
    `select id, account, name, learnt_at as "learntAt", learnt_by as "learntBy", deposit_id as "depositId"
     from known_remitters where customer_id = $1 order by id desc limit $2`,
    [customerId, KNOWN_REMITTERS_MAX],
  );
  return rows;
}

/** @returns false when the customer has none with this id */
export async function removeRemitter(
  connection: Queryable,
  customerId: string,
  id: string,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'delete from known_remitters where customer_id = $1 and id = $2',
    [customerId, id],
  );
  return rowCount === 1;
}

type AccountOwner = Pick<CamelRow<'known_remitters'>, 'account' | 'customerId'>;

/** Customers that have paid from the accounts before. */
export async function remitterOwners(
  connection: Queryable,
  accounts: readonly string[],
): Promise<AccountOwner[]> {
  const { rows } = await connection.query<AccountOwner>({
    name: 'remitter_owners',
    text: `select account, customer_id as "customerId" from known_remitters where account = any ($1::text[])`,
    values: [accounts],
  });
  return rows;
}
