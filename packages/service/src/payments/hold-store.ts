import type { HoldKind } from '@firmquote/api/operations/transactions';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** A row of `transaction_holds` as the driver gives it. */
export type HoldRow = Omit<Row<'transaction_holds'>, 'customer_id' | 'transaction_id'>;

interface HoldKey {
  readonly customerId: string;
  readonly transactionId: string;
  readonly id: string;
}

export async function insertHold(
  connection: Queryable,
  hold: HoldKey & {
    readonly kind: HoldKind;
    readonly reason: string;
    readonly by: string;
    readonly at: number;
  },
): Promise<void> {
  await connection.query(
    `insert into transaction_holds (customer_id, transaction_id, id, kind, reason, placed_by, placed_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [hold.customerId, hold.transactionId, hold.id, hold.kind, hold.reason, hold.by, isoInstant(hold.at)],
  );
}

export async function releaseHoldRow(
  connection: Queryable,
  hold: HoldKey & { readonly by: string; readonly at: number; readonly reason: string | undefined },
): Promise<void> {
  await connection.query(
    `update transaction_holds set released_by = $4, released_at = $5, release_reason = $6
     where customer_id = $1 and transaction_id = $2 and id = $3 and released_at is null`,
    [hold.customerId, hold.transactionId, hold.id, hold.by, isoInstant(hold.at), hold.reason ?? null],
  );
}

const COLUMNS = 'id, kind, reason, placed_by, placed_at, released_by, released_at, release_reason';

export async function listHolds(
  connection: Queryable,
  customerId: string,
  transactionId: string,
): Promise<HoldRow[]> {
  const { rows } = await connection.query<HoldRow>(
    `select ${COLUMNS} from transaction_holds where customer_id = $1 and transaction_id = $2 order by id limit 500`,
    [customerId, transactionId],
  );
  return rows;
}
