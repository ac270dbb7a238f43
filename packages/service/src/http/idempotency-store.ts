import type { Pool, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { type Clock, isoInstant, systemClock } from '../platform/clock.ts';

/** How long an answer is kept, in real time (docs/interface.md#idempotency). */
const KEY_RETENTION_MS = 24 * 3_600_000; // limit: How long the key of any other request is kept
/** A reservation this old belongs to a process that died: no statement runs longer than 30 s. */
export const TAKE_OVER_AFTER_MS = 60_000; // limit: Age at which the reservation of a key may be taken over

/** A key held by this request. */
export interface Reservation {
  /** UUID of the customer, or of the operator's client. */
  readonly owner: string;
  /** `http:POST <route> <ids>`. */
  readonly operation: string;
  readonly key: string;
  readonly fingerprint: string;
  /** When it was taken, epoch milliseconds: tells it from one that took it over, which is a minute younger. */
  readonly token: number;
}

/** Without `body`, the answer held a secret that was not kept. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type KeyState =
  | { readonly outcome: 'reserved'; readonly token: number }
  | { readonly outcome: 'in_progress'; readonly fingerprint: string }
  | { readonly outcome: 'completed'; readonly fingerprint: string; readonly answer: StoredAnswer };

type KnownRow = Pick<
  Row<'idempotency_keys'>,
  'fingerprint' | 'outcome' | 'response_status' | 'response_body'
>;

// A key that ran out or whose holder died is taken as if it were new; a dead reservation only by the same request,
// because what the first one did is unknown.
const IS_FREE =
  "(k.expires_at <= $5 or (k.outcome = 'in_progress' and k.created_at <= $7 and k.fingerprint = $4))";

// A key that is known is only read: to write it would wait for the work that commits with it. Without a row, somebody took
// the key between the look and the insert.
const RESERVE = `
  with known as (
    select fingerprint, outcome, response_status, response_body, ${IS_FREE} as is_free
      from idempotency_keys k where customer_id = $1 and operation = $2 and key = $3),
  taken as (
    insert into idempotency_keys as k
      (customer_id, operation, key, fingerprint, outcome, received_at, created_at, expires_at)
    select $1, $2, $3, $4, 'in_progress', $5, $5, $6 where not exists (select from known where not is_free)
    on conflict (customer_id, operation, key) do update set
      fingerprint = excluded.fingerprint, outcome = excluded.outcome, received_at = excluded.received_at,
      created_at = excluded.created_at, expires_at = excluded.expires_at, response_status = null, response_body = null
    where ${IS_FREE}
    returning true as is_taken)
  select is_taken, null::text as fingerprint, null::text as outcome, null::int as response_status, null::text as response_body
    from taken
  union all
  select false, fingerprint, outcome, response_status, response_body from known where not is_free`;

/** Rows of `idempotency_keys` for requests off the hot path. Runs on real time, which a sandbox clock never moves. */
export class IdempotencyStore {
  readonly #pool: Pool;
  readonly #clock: Clock;

  constructor(pool: Pool, clock: Clock = systemClock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /** Takes the key, or tells what is known of it. */
  async reserve(wanted: Omit<Reservation, 'token'>): Promise<KeyState> {
    const { owner, operation, key, fingerprint } = wanted;
    for (let attempt = 0; attempt < 10; attempt++) {
      const now = this.#clock.now();
      const { rows } = await this.#pool.query<KnownRow & { is_taken: boolean }>(RESERVE, [
        owner,
        operation,
        key,
        fingerprint,
        isoInstant(now),
        isoInstant(now + KEY_RETENTION_MS),
        isoInstant(now - TAKE_OVER_AFTER_MS),
      ]);
      if (rows[0]) return rows[0].is_taken ? { outcome: 'reserved', token: now } : stateOf(rows[0]);
    }
    throw new Error('an idempotency key could neither be taken nor read');
  }

  /**
   * Keeps the answer.
   * @param connection of the transaction that does the work, so that both commit together
   * @returns false when the reservation was taken over meanwhile
   */
  async complete(
    reservation: Reservation,
    answer: StoredAnswer,
    connection: Queryable = this.#pool,
  ): Promise<boolean> {
    const { status, ...rest } = answer;
    const result = await connection.query(
      `update idempotency_keys set outcome = 'completed', response_status = $5, response_body = $6
       where customer_id = $1 and operation = $2 and key = $3 and outcome = 'in_progress' and created_at = $4`,
      [...identity(reservation), status, JSON.stringify(rest)],
    );
    return result.rowCount === 1;
  }

  /** Forgets the key: nothing happened, so the request may be sent again as if for the first time. */
  async release(reservation: Reservation): Promise<void> {
    await this.#pool.query(
      `delete from idempotency_keys
       where customer_id = $1 and operation = $2 and key = $3 and outcome = 'in_progress' and created_at = $4`,
      identity(reservation),
    );
  }
}

function identity(reservation: Reservation): unknown[] {
  return [reservation.owner, reservation.operation, reservation.key, isoInstant(reservation.token)];
}

function stateOf(row: KnownRow): KeyState {
  const { fingerprint } = row;
  if (row.outcome !== 'completed' || row.response_status === null || row.response_body === null) {
    return { outcome: 'in_progress', fingerprint };
  }
  const kept: Omit<StoredAnswer, 'status'> = JSON.parse(row.response_body);
  return { outcome: 'completed', fingerprint, answer: { ...kept, status: row.response_status } };
}

/** Deletes answered keys past their retention, a bounded number at a time. Answers how many went. */
export async function forgetOldKeys(pool: Pool, now: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from idempotency_keys where (customer_id, operation, key) in
       (select customer_id, operation, key from idempotency_keys where expires_at < $1 limit 5000)`,
    [isoInstant(now)],
  );
  return rowCount ?? 0;
}
