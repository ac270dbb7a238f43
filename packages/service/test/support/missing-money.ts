import type { Queryable } from '../../src/database/pool.ts';
import { newUuid } from '../../src/platform/ids.ts';

/**
 * An entry of a statement that told of a deposit, and whether later statements have it. There is no such statement, so that
 * the transaction cannot be committed.
 */
export async function entryOf(connection: Queryable, depositId: string, isMissing: boolean): Promise<void> {
  const entry = newUuid(0);
  await connection.query(
    `insert into bank_entries (id, statement_id, line, account, currency, direction, status, amount_minor, booking_date, value_date)
     values ($1, $1, 1, 'A', 'EUR', 'credit', 'booked', 1, '2026-03-04', '2026-03-04')`,
    [entry],
  );
  await connection.query(
    `insert into entry_details (id, entry_id, number, kind, amount_minor, structured_references, deposit_state, deposit_id, missing_since)
     values ($1, $2, 1, 'payment', 1, '{}', 'booked', $3, $4)`,
    [newUuid(0), entry, depositId, isMissing ? '2026-03-05T00:00:00Z' : null],
  );
}

/** The remitter's bank has taken a deposit back, and nobody is done with that. */
export async function takenBack(connection: Queryable, depositId: string): Promise<void> {
  await connection.query(
    `insert into reconciliation_exceptions (id, type, reason, deposit_id, status, opened_at, version)
     values ($1, 'returned', 'balance_spent', $2, 'open', '2026-03-05', 1)`,
    [newUuid(0), depositId],
  );
}

/**
 * So much of a currency was put into a customer's balance by a deposit.
 * @returns the id of the deposit, which is the bank's reference too
 */
export async function topUpByDeposit(
  connection: Queryable,
  customerId: string,
  minor: string,
  currency: string,
): Promise<string> {
  const deposit = newUuid(0);
  await connection.query(
    `insert into deposits (id, account, bank_reference, fingerprint, source, amount_minor, currency, value_date, received_at,
       status, allocated_minor, created_at, updated_at)
     values ($1::uuid, 'A', $1::uuid::text, '', 'operator', $2, $3, '2026-03-04', '2026-03-04', 'matched', $2, '2026-03-04', '2026-03-04')`,
    [deposit, minor, currency],
  );
  await connection.query(
    `insert into deposit_allocations (customer_id, deposit_id, allocated_minor, excess_minor, shortfall_minor, rule, matched_by, actor, evidence, at)
     values ($1, $2, $3, 0, 0, 'balance_top_up', 'auto', '', '{}', '2026-03-04')`,
    [customerId, deposit, minor],
  );
  return deposit;
}
