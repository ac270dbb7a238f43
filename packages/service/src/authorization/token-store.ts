import { hash } from 'node:crypto';
import type { JWK } from 'jose';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { uuidFloor } from '../platform/ids.ts';
import { scopesOfBuiltIn } from './roles.ts';
import type { ClientKind } from './scopes.ts';

/** SQL of the paths that every token takes: making one, and asking whether it still counts. */

/** A client as the token endpoint needs it. */
export interface AuthenticatingClient {
  readonly id: string;
  readonly customerId: string | undefined;
  readonly kind: ClientKind;
  /** False when the client or its customer is suspended, or the client revoked or expired. */
  readonly active: boolean;
  /** What it may do: its own scopes and those of its roles. */
  readonly scopes: readonly string[];
  readonly audiences: readonly string[];
  readonly ipAllowList: readonly string[];
  /** When it ends by itself. */
  readonly expiresAt: number | undefined;
  /** Its tokens are bound to a key. */
  readonly dpopBound: boolean;
  readonly secretHashes: readonly Buffer[];
  readonly keys: readonly JWK[];
}

/** Whether tokens of a client count, as read at one moment. */
export interface ClientState {
  readonly id: string;
  readonly kind: ClientKind;
  readonly customerId: string | undefined;
  readonly status: 'active' | 'suspended' | 'revoked';
  readonly ipAllowList: readonly string[];
  /** What the client may do now: its own scopes and those of its roles. */
  readonly scopes: readonly string[];
  /** UUID of the person who answers for the client and may act. */
  readonly personId: string | undefined;
  /** When the client ends by itself, with its tokens. */
  readonly expiresAt: number | undefined;
  /** Only tokens that are bound to a key count. */
  readonly dpopBound: boolean;
  /** Tokens made up to this instant do not count. */
  readonly revokedUpTo: number | undefined;
  readonly revokedTokens: ReadonlySet<string>;
}

const ROLE_SCOPES = 'array(select unnest(r.scopes) from roles r where r.name = any(c.roles)) as role_scopes';

interface Rights extends Pick<Row<'oauth_clients'>, 'scopes' | 'roles'> {
  readonly role_scopes: readonly string[];
}

function rightsOf({ scopes, roles, role_scopes: own }: Rights): readonly string[] {
  return roles.length === 0 ? scopes : [...new Set([...scopes, ...scopesOfBuiltIn(roles), ...own])];
}

// A client of a suspended customer still gets tokens: it may read, and what it may not is refused with each request
// (`http/access.ts`) and in each commit.
const CLIENT_SQL = `
  select c.id, c.kind, c.customer_id, c.scopes, c.roles, ${ROLE_SCOPES}, c.audiences, c.ip_allow_list,
    c.status = 'active' and coalesce(c.expires_at > $2, true) as active,
    c.expires_at, c.dpop_bound,
    array(
      select s.secret_hash from client_secrets s
      where s.client_id = c.id and s.revoked_at is null and (s.expires_at is null or s.expires_at > $2)
    ) as secret_hashes,
    coalesce((select jsonb_agg(k.public_jwk) from client_keys k where k.client_id = c.id), '[]') as keys
  from oauth_clients c where c.id = $1`;

export async function readAuthenticatingClient(
  db: Queryable,
  clientId: string,
  now: number,
): Promise<AuthenticatingClient | undefined> {
  const { rows } = await db.query<
    Pick<
      Row<'oauth_clients'>,
      'id' | 'kind' | 'customer_id' | 'audiences' | 'ip_allow_list' | 'expires_at' | 'dpop_bound'
    > &
      Rights & {
        active: boolean;
        secret_hashes: Buffer[];
        keys: JWK[];
      }
  >({ name: 'authorization-client', text: CLIENT_SQL, values: [clientId, isoInstant(now)] });
  const row = rows[0];
  return (
    row && {
      id: row.id,
      customerId: row.customer_id ?? undefined,
      kind: row.kind,
      active: row.active,
      scopes: rightsOf(row),
      audiences: row.audiences,
      ipAllowList: row.ip_allow_list,
      expiresAt: row.expires_at ?? undefined,
      dpopBound: row.dpop_bound,
      secretHashes: row.secret_hashes,
      keys: row.keys,
    }
  );
}

const STATES_SQL = `
  select c.id, c.kind, c.customer_id, c.status, c.ip_allow_list, c.expires_at, c.dpop_bound, c.scopes, c.roles, ${ROLE_SCOPES},
    (select p.id from persons p where p.id = c.responsible and p.status in ('invited', 'active')) as person_id,
    (select r.revoked_at from revoked_tokens r where r.client_id = c.id and r.jti is null) as revoked_up_to,
    array(select r.jti::text from revoked_tokens r where r.client_id = c.id and r.jti is not null and r.expires_at > $2)
      as revoked_tokens
  from oauth_clients c where c.id = any($1)`;

export async function readClientStates(
  db: Queryable,
  clientIds: readonly string[],
  now: number,
): Promise<ClientState[]> {
  const { rows } = await db.query<
    Pick<
      Row<'oauth_clients'>,
      'id' | 'kind' | 'customer_id' | 'status' | 'ip_allow_list' | 'expires_at' | 'dpop_bound'
    > &
      Rights & {
        person_id: string | null;
        revoked_up_to: number | null;
        revoked_tokens: string[];
      }
  >({ name: 'authorization-states', text: STATES_SQL, values: [clientIds, isoInstant(now)] });
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    customerId: row.customer_id ?? undefined,
    status: row.status,
    ipAllowList: row.ip_allow_list,
    scopes: rightsOf(row),
    personId: row.person_id ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    dpopBound: row.dpop_bound,
    revokedUpTo: row.revoked_up_to ?? undefined,
    revokedTokens: new Set(row.revoked_tokens),
  }));
}

/** Marks an assertion as used. @returns false when it was used before, on any instance */
export async function useAssertion(
  db: Queryable,
  clientId: string,
  jti: string,
  expiresAt: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into used_assertions (client_id, jti_hash, expires_at) values ($1, $2, $3) on conflict do nothing',
    [clientId, hash('sha256', jti, 'buffer'), isoInstant(expiresAt)],
  );
  return rowCount === 1;
}

/** As {@link useAssertion}, for proofs of possession, whose ids are of their own. */
export function useProof(
  db: Queryable,
  clientId: string,
  jti: string,
  usableUntil: number,
): Promise<boolean> {
  return useAssertion(db, clientId, `dpop ${jti}`, usableUntil);
}

/** Clocks of instances differ, by far less. */
export const CLOCK_MARGIN_MS = 60_000;

/** How many tokens of a client are withdrawn one by one and have not expired, besides the one that is named. */
export async function countRevokedTokens(
  db: Queryable,
  clientId: string,
  jti: string,
  now: number,
): Promise<number> {
  const { rows } = await db.query<{ others: number }>(
    `select count(*)::int as others from revoked_tokens
     where client_id = $1 and jti is not null and jti <> $2 and expires_at > $3`,
    [clientId, jti, isoInstant(now)],
  );
  return rows[0]?.others ?? 0;
}

interface Revocation {
  readonly clientId: string;
  readonly jti: string;
  readonly revokedAt: number;
  /** When the token expires, after which the row says nothing any more. */
  readonly expiresAt: number;
}

export async function revokeToken(
  db: Queryable,
  { clientId, jti, revokedAt, expiresAt }: Revocation,
): Promise<void> {
  await db.query(
    `insert into revoked_tokens (client_id, jti, revoked_at, expires_at) values ($1, $2, $3, $4)
     on conflict (client_id, jti) where jti is not null do nothing`,
    [clientId, jti, isoInstant(revokedAt), isoInstant(expiresAt)],
  );
}

/** Withdraws all tokens that the client was given up to an instant, those too that are withdrawn one by one. */
export async function revokeAllTokens(
  db: Queryable,
  clientId: string,
  revokedAt: number,
  expiresAt: number,
): Promise<void> {
  await db.query(
    `insert into revoked_tokens (client_id, revoked_at, expires_at) values ($1, $2, $3)
     on conflict (client_id) where jti is null do update
     set revoked_at = greatest(revoked_tokens.revoked_at, excluded.revoked_at),
         expires_at = greatest(revoked_tokens.expires_at, excluded.expires_at)`,
    [clientId, isoInstant(revokedAt), isoInstant(expiresAt)],
  );
  await db.query('delete from revoked_tokens where client_id = $1 and jti < $2', [
    clientId,
    uuidFloor(revokedAt + 1),
  ]);
}

/** Forgets what no longer matters. @returns the number of rows that went */
export async function deleteExpired(db: Queryable, before: number): Promise<number> {
  const cutoff = [isoInstant(before)];
  const assertions = await db.query('delete from used_assertions where expires_at < $1', cutoff);
  const revocations = await db.query('delete from revoked_tokens where expires_at < $1', cutoff);
  return (assertions.rowCount ?? 0) + (revocations.rowCount ?? 0);
}
