import { hash } from 'node:crypto';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of sign-ins that are under way. All instants are real time, epoch milliseconds. */

/** What the two sides hold meanwhile; only hashes are kept. */
interface AttemptKeys {
  /** Goes to the provider and comes back. */
  readonly state: string;
  /** Stays in the browser, in a cookie. */
  readonly browser: string;
}

const hashed = (text: string) => hash('sha256', text, 'buffer');

export async function insertAttempt(
  db: Queryable,
  { state, browser }: AttemptKeys,
  expected: unknown,
  expiresAt: number,
): Promise<void> {
  await db.query(
    'insert into sign_in_attempts (state_hash, browser_hash, expected, expires_at) values ($1, $2, $3, $4)',
    [hashed(state), hashed(browser), JSON.stringify(expected), isoInstant(expiresAt)],
  );
}

/** Takes an attempt out, so that it is good for one answer. @returns what was expected, as JSON text */
export async function takeAttempt(
  db: Queryable,
  { state, browser }: AttemptKeys,
  now: number,
): Promise<string | undefined> {
  const { rows } = await db.query<{ expected: string }>(
    `delete from sign_in_attempts where state_hash = $1 and browser_hash = $2 and expires_at > $3
     returning expected::text as expected`,
    [hashed(state), hashed(browser), isoInstant(now)],
  );
  return rows[0]?.expected;
}

/** Forgets what nobody has gone on with. */
export async function deleteAttempts(db: Queryable, before: number): Promise<number> {
  const { rowCount } = await db.query('delete from sign_in_attempts where expires_at < $1', [
    isoInstant(before),
  ]);
  return rowCount ?? 0;
}
