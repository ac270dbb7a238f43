import type { Queryable } from '../database/pool.ts';
import { type EntryFilter, entriesById, PREVIOUS } from './listing-store.ts';
import type { EntryRow, StatementRow } from './record.ts';

/** An account as statements call it, and the first and last of some days. */
export interface AccountDays {
  readonly account: string;
  readonly from: string;
  readonly to: string;
}

/** The place that a page begins after. */
interface Place {
  readonly day: string;
  readonly id: string;
}

/** Statements of an account by their last day, oldest first. */
export async function statementsOfAccount(
  connection: Queryable,
  { account, from, to }: AccountDays,
  after: Place | undefined,
  rowsMax: number,
): Promise<StatementRow[]> {
  const { rows } = await connection.query<StatementRow>(
    `${PREVIOUS}
     where s.account = $1 and s.period_to >= $2::date and s.period_to <= $3::date
       and ($4::date is null or (s.period_to, s.id) > ($4::date, $5::uuid))
     order by s.period_to, s.id limit $6`,
    [account, from, to, after?.day ?? null, after?.id ?? null, rowsMax],
  );
  return rows;
}

/** Entries of an account by the day on which the bank booked them, oldest first; those that are the same as another are left out. */
export async function entriesOfAccount(
  connection: Queryable,
  { account, from, to, direction, depositState, paymentState }: AccountDays & Omit<EntryFilter, 'isNew'>,
  after: Place | undefined,
  rowsMax: number,
): Promise<EntryRow[]> {
  const { rows } = await connection.query<{ id: string }>(
    `select e.id from statement_bookings b join statement_entries e on e.booking_id = b.id
     where b.account = $1 and b.booking_date >= greatest($2::date, $4::date) and b.booking_date <= $3::date
       and ($4::date is null or (b.booking_date, e.id) > ($4::date, $5::uuid)) and e.same_as is null
       and ($6::text[] is null or b.direction = any ($6)) and ($7::text[] is null or e.deposit_state = any ($7))
       and ($8::text[] is null or e.payment_state = any ($8))
     order by b.booking_date, e.id limit $9`,
    [
      account,
      from,
      to,
      after?.day ?? null,
      after?.id ?? null,
      direction,
      depositState,
      paymentState,
      rowsMax,
    ],
  );
  return entriesById(
    connection,
    rows.map(({ id }) => id),
  );
}
