import { insertRows } from '../database/insert-rows.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { TransactionId } from '../transactions/store.ts';
import type { AllocationRecord } from './record.ts';

export async function insertAllocations(
  connection: Connection,
  allocations: readonly AllocationRecord[],
): Promise<void> {
  const rows = allocations.map((each) => ({
    customer_id: each.customerId,
    transaction_id: each.transactionId,
    deposit_id: each.depositId,
    allocated_minor: each.allocatedMinor.toString(),
    excess_minor: each.excessMinor.toString(),
    shortfall_minor: each.shortfallMinor.toString(),
    rule: each.rule,
    score: each.score,
    matched_by: each.matchedBy,
    actor: each.actor,
    evidence: JSON.parse(each.evidence) as unknown,
    at: isoInstant(each.at),
  }));
  await insertRows(connection, 'deposit_allocations', rows);
}

/** Takes allocations of a deposit away. What they were stays in the deposit's history. */
export async function deleteAllocations(
  connection: Connection,
  depositId: string,
  parts: readonly Pick<AllocationRecord, 'customerId' | 'transactionId'>[],
): Promise<void> {
  const { rowCount } = await connection.query(
    `delete from deposit_allocations a using unnest($2::uuid[], $3::uuid[]) as p (customer_id, transaction_id)
     where a.deposit_id = $1 and a.customer_id = p.customer_id and a.transaction_id is not distinct from p.transaction_id`,
    [depositId, parts.map((each) => each.customerId), parts.map((each) => each.transactionId)],
  );
  if (rowCount !== parts.length) throw new Error(`deposit ${depositId} had other allocations`);
}

/** Of every allocation of a deposit the excess is taken away; the rest stays. */
export async function clearAllocationExcess(connection: Connection, depositId: string): Promise<void> {
  await connection.query('update deposit_allocations set excess_minor = 0 where deposit_id = $1', [
    depositId,
  ]);
}

type AllocationRow = Row<'deposit_allocations'>;

export async function allocationsOf(
  connection: Queryable,
  depositIds: readonly string[],
): Promise<AllocationRecord[]> {
  if (depositIds.length === 0) return [];
  const { rows } = await connection.query<AllocationRow>(
    'select * from deposit_allocations where deposit_id = any ($1::uuid[]) order by at, transaction_id',
    [depositIds],
  );
  return rows.map(allocationFromRow);
}

function allocationFromRow(row: AllocationRow): AllocationRecord {
  return {
    customerId: row.customer_id,
    transactionId: row.transaction_id,
    depositId: row.deposit_id,
    allocatedMinor: BigInt(row.allocated_minor),
    excessMinor: BigInt(row.excess_minor),
    shortfallMinor: BigInt(row.shortfall_minor),
    rule: row.rule,
    score: row.score,
    matchedBy: row.matched_by,
    actor: row.actor,
    evidence: row.evidence,
    at: row.at,
  };
}

/** The newest deposit that a trade has a part of. */
export async function newestDepositOf(
  connection: Queryable,
  customerId: string,
  transactionId: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ id: string }>(
    `select deposit_id as id from deposit_allocations where customer_id = $1 and transaction_id = $2
     order by at desc, deposit_id desc limit 1`,
    [customerId, transactionId],
  );
  return rows[0]?.id;
}

/** A part of a deposit completes its trade: what is missing is forgiven. */
export async function addShortfall(
  connection: Connection,
  depositId: string,
  transactionId: string,
  minor: bigint,
): Promise<void> {
  const { rowCount } = await connection.query(
    `update deposit_allocations set shortfall_minor = shortfall_minor + $3
     where deposit_id = $1 and transaction_id = $2`,
    [depositId, transactionId, minor.toString()],
  );
  if (rowCount !== 1) throw new Error(`deposit ${depositId} has no part with ${transactionId}`);
}

/** Ids of deposits of which a trade keeps more than it needs; nothing is locked. */
export async function depositsWithExcess(
  connection: Queryable,
  { customerId, id }: TransactionId,
): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'deposit_allocations'>, 'deposit_id'>>(
    'select deposit_id from deposit_allocations where customer_id = $1 and transaction_id = $2 and excess_minor > 0',
    [customerId, id],
  );
  return rows.map((row) => row.deposit_id);
}
