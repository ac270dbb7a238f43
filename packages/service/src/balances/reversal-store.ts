import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** A top-up by hand, with what has become of it. */
export interface ListedTopUp
  extends Pick<
    CamelRow<'balance_top_ups'>,
    'id' | 'bankReference' | 'currency' | 'amountMinor' | 'bookedBy' | 'depositId'
  > {
  readonly bookedAt: number;
  readonly reversedAt: number | null;
  /** UUID of the person or OAuth client. */
  readonly reversedBy: string | null;
  readonly reason: string | null;
  readonly owedMinor: string | null;
}

/** @param before only those that were booked before this one (UUID) */
export async function listTopUps(
  connection: Queryable,
  customerId: string,
  before: string | undefined,
  rowsMax: number,
): Promise<ListedTopUp[]> {
  const which = 'customer_id = $1 and ($2::uuid is null or id < $2)';
  return readTopUps(connection, which, 'id desc', [customerId, before ?? null, rowsMax]);
}

/** The top-up of a customer under a bank reference: the one that stands, or the newest that was reversed. */
export async function findTopUp(
  connection: Queryable,
  customerId: string,
  bankReference: string,
): Promise<ListedTopUp | undefined> {
  const which = 'customer_id = $1 and bank_reference = $2';
  const order = '"reversedAt" desc nulls first, id desc';
  return (await readTopUps(connection, which, order, [customerId, bankReference, 1]))[0];
}

async function readTopUps(
  connection: Queryable,
  which: string,
  order: string,
  values: (string | number | null)[],
): Promise<ListedTopUp[]> {
  const columns =
    'id, bank_reference as "bankReference", currency, amount_minor as "amountMinor", booked_by as "bookedBy"';
  const first = `order by ${order} limit $3`;
  const { rows } = await connection.query<ListedTopUp>(
    `(select ${columns}, deposit_id as "depositId", at as "bookedAt", null::timestamptz as "reversedAt",
        null::uuid as "reversedBy", null as reason, null::numeric as "owedMinor"
      from balance_top_ups where ${which} ${first})
     union all
     (select ${columns}, null, booked_at, at as "reversedAt", reversed_by, reason, owed_minor from reversed_top_ups where ${which} ${first})
     ${first}`,
    values,
  );
  return rows;
}

/** Who reverses a top-up, and why. */
interface Reversed {
  /** UUID of the top-up. */
  readonly id: string;
  readonly customerId: string;
  /** UUID of the journal entry that reverses it. */
  readonly reversalId: string;
  readonly by: string;
  readonly at: number;
  readonly reason: string;
  readonly owedMinor: bigint;
}

/** A top-up whose place no deposit has is none any more. */
export async function setTopUpReversed(connection: Connection, reversed: Reversed): Promise<void> {
  const { rowCount } = await connection.query(
    `with gone as (
       delete from balance_top_ups t where t.customer_id = $1 and t.id = $2 and t.deposit_id is null
       returning t.*, coalesce(t.journal_entry_id, entry_of_top_up(t)) as entry_id
     )
     insert into reversed_top_ups (customer_id, id, currency, amount_minor, bank_reference, booked_by, booked_at,
       journal_entry_id, reversal_id, reversed_by, at, reason, owed_minor)
     select g.customer_id, g.id, g.currency, g.amount_minor, g.bank_reference, g.booked_by, g.at, g.entry_id, $3, $4, $5, $6, $7
     from gone g`,
    [
      ...[reversed.customerId, reversed.id, reversed.reversalId, reversed.by, isoInstant(reversed.at)],
      ...[reversed.reason, reversed.owedMinor.toString()],
    ],
  );
  if (rowCount !== 1) throw new Error(`top-up ${reversed.id} is there no more`);
}
