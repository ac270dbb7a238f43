import type { Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of sessions. All instants are real time, epoch milliseconds. */

export type SignInMethod = Row<'sessions'>['method'];

export type SessionRecord = Omit<CamelRow<'sessions'>, 'secretHash'>;

/** A session with the person, as each request needs it. */
export interface LiveSession extends SessionRecord {
  readonly personStatus: Row<'persons'>['status'];
  readonly roles: readonly string[];
  /** What the roles permit. */
  readonly scopes: ReadonlySet<string>;
}

const COLUMNS = `s.id, s.person_id as "personId", s.method, s.started_at as "startedAt", s.last_used_at as "lastUsedAt",
  s.authenticated_at as "authenticatedAt", s.ends_at as "endsAt", s.ended_at as "endedAt", s.address,
  s.user_agent as "userAgent"`;

export async function insertSession(
  db: Queryable,
  session: SessionRecord & { readonly secretHash: Buffer },
): Promise<void> {
  await db.query(
    `insert into sessions (id, person_id, secret_hash, method, started_at, last_used_at, authenticated_at, ends_at, address, user_agent)
     values ($1, $2, $3, $4, $5, $5, $9, $6, $7, $8)`,
    [
      session.id,
      session.personId,
      session.secretHash,
      session.method,
      isoInstant(session.startedAt),
      isoInstant(session.endsAt),
      session.address,
      session.userAgent,
      isoInstant(session.authenticatedAt),
    ],
  );
}

export async function readSession(
  db: Queryable,
  secretHash: Buffer,
): Promise<Omit<LiveSession, 'scopes'> | undefined> {
  const { rows } = await db.query<Omit<LiveSession, 'scopes'>>({
    name: 'people-session',
    text: `select ${COLUMNS}, p.status as "personStatus", p.roles
           from sessions s join persons p on p.id = s.person_id where s.secret_hash = $1`,
    values: [secretHash],
  });
  return rows[0];
}

/** Notes that a session is in use. One that another instance has noted later keeps that. */
export async function noteUse(db: Queryable, id: string, at: number): Promise<void> {
  await db.query(
    'update sessions set last_used_at = greatest(last_used_at, $2) where id = $1 and ended_at is null',
    [id, isoInstant(at)],
  );
}

/** The person has shown again who it is: from now on the session has another secret. @returns false when it has ended */
export async function renewSession(
  db: Queryable,
  session: {
    readonly id: string;
    readonly personId: string;
    readonly oldHash: Buffer;
    readonly newHash: Buffer;
    readonly authenticatedAt: number;
    readonly now: number;
  },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update sessions set secret_hash = $4, authenticated_at = least(greatest(authenticated_at, $6), $5), last_used_at = $5
     where id = $1 and person_id = $2 and secret_hash = $3 and ended_at is null and ends_at > $5`,
    [
      session.id,
      session.personId,
      session.oldHash,
      session.newHash,
      isoInstant(session.now),
      isoInstant(session.authenticatedAt),
    ],
  );
  return rowCount === 1;
}

interface Which {
  readonly id?: string;
  readonly personId?: string;
  readonly secretHash?: Buffer;
}

/** Ends the sessions that are meant by all that is given. @returns the hashes of what their browsers hold */
export async function endSessions(
  db: Queryable,
  { id, personId, secretHash }: Which,
  now: number,
): Promise<Buffer[]> {
  const { rows } = await db.query<{ hash: Buffer }>(
    `update sessions set ended_at = $4
     where ended_at is null and ($1::uuid is null or id = $1) and ($2::uuid is null or person_id = $2)
       and ($3::bytea is null or secret_hash = $3)
     returning secret_hash as hash`,
    [id ?? null, personId ?? null, secretHash ?? null, isoInstant(now)],
  );
  return rows.map((row) => row.hash);
}

/** Ends the sessions of a person but one. @returns the hashes of what their browsers hold */
export async function endOtherSessions(
  db: Queryable,
  { id, personId }: { readonly id: string; readonly personId: string },
  now: number,
): Promise<Buffer[]> {
  const { rows } = await db.query<{ hash: Buffer }>(
    `update sessions set ended_at = $3 where ended_at is null and person_id = $1 and id <> $2
     returning secret_hash as hash`,
    [personId, id, isoInstant(now)],
  );
  return rows.map((row) => row.hash);
}

/** Sessions that are alive, newest first. @param idleSince those that were not used after this instant are not */
export async function listSessions(
  db: Queryable,
  filter: { readonly personId: string | undefined; readonly now: number; readonly idleSince: number },
  before: string | undefined,
  rowsMax: number,
): Promise<SessionRecord[]> {
  const { rows } = await db.query<SessionRecord>(
    `select ${COLUMNS} from sessions s
     where s.ended_at is null and s.ends_at > $2 and s.last_used_at > $3 and ($1::uuid is null or s.person_id = $1)
       and ($4::uuid is null or s.id < $4)
     order by s.id desc limit $5`,
    [filter.personId ?? null, isoInstant(filter.now), isoInstant(filter.idleSince), before ?? null, rowsMax],
  );
  return rows;
}

/** Forgets sessions that have been over for long. */
export async function deleteSessions(db: Queryable, endedBefore: number): Promise<number> {
  const { rowCount } = await db.query('delete from sessions where ends_at < $1', [isoInstant(endedBefore)]);
  return rowCount ?? 0;
}
