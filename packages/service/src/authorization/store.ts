import type { JWK } from 'jose';
import { holdCustomer } from '../customers/standing.ts';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { ClientKind } from './scopes.ts';

/** SQL of OAuth clients, their secrets and keys, and when they were used last. All instants are real time, epoch milliseconds. */

export interface ClientRecord {
  readonly id: string;
  readonly kind: ClientKind;
  readonly customerId: string | undefined;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Of operators' clients only: what they permit besides the scopes. */
  readonly roles: readonly string[];
  /** Empty: the audience that the service has for the kind. */
  readonly audiences: readonly string[];
  readonly ipAllowList: readonly string[];
  readonly status: 'active' | 'suspended' | 'revoked';
  /** While it is suspended: its customer cannot let it go on. */
  readonly suspendedByHouse: boolean;
  /** UUID of the person who answers for an operator's client. */
  readonly responsible: string | undefined;
  /** When it ends by itself. */
  readonly expiresAt: number | undefined;
  /** Its tokens count only with a proof of the key that they were made for. */
  readonly dpopBound: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface SecretRecord {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
}

interface KeyRecord {
  readonly kid: string;
  readonly jwk: JWK;
  readonly createdAt: number;
}

/** A client with what it authenticates with, without any secret. */
export interface ClientDetail extends ClientRecord {
  readonly lastUsedAt: number | undefined;
  /** Who answers for it; undefined where nobody does. */
  readonly answeredBy: { readonly id: string; readonly name: string; readonly email: string } | undefined;
  readonly secrets: readonly SecretRecord[];
  readonly keys: readonly KeyRecord[];
}

/** A client as its owner names it: an operator's client has no customer. */
export interface ClientReference {
  readonly id: string;
  readonly customerId: string | undefined;
}

type ClientRow = Row<'oauth_clients'>;

type NamedClient = Pick<ClientRow, 'id' | 'name'>;

const COLUMNS =
  'id, kind, customer_id, name, scopes, roles, audiences, ip_allow_list, status, responsible, expires_at, dpop_bound, created_at, updated_at, suspended_by_house';

function clientRecord(row: ClientRow): ClientRecord {
  return {
    id: row.id,
    kind: row.kind,
    customerId: row.customer_id ?? undefined,
    name: row.name,
    scopes: row.scopes,
    roles: row.roles,
    audiences: row.audiences,
    ipAllowList: row.ip_allow_list,
    status: row.status,
    suspendedByHouse: row.suspended_by_house,
    responsible: row.responsible ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    dpopBound: row.dpop_bound,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function insertClient(db: Queryable, client: ClientRecord): Promise<void> {
  await db.query(
    `insert into oauth_clients (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      client.id,
      client.kind,
      client.customerId ?? null,
      client.name,
      client.scopes,
      client.roles,
      client.audiences,
      client.ipAllowList,
      client.status,
      client.responsible ?? null,
      client.expiresAt === undefined ? null : isoInstant(client.expiresAt),
      client.dpopBound,
      isoInstant(client.createdAt),
      isoInstant(client.updatedAt),
      client.suspendedByHouse,
    ],
  );
}

/**
 * Locks the owner, so that its clients are counted and added one at a time.
 * @param customerId undefined for the operators
 * @returns false when there is no such customer
 */
export async function lockOwner(db: Queryable, customerId: string | undefined): Promise<boolean> {
  if (customerId === undefined) {
    await db.query("select pg_advisory_xact_lock(hashtext('operator_clients'))");
    return true;
  }
  return holdCustomer(db, customerId);
}

export async function countClients(db: Queryable, customerId: string | undefined): Promise<number> {
  const { rows } = await db.query<{ clients: number }>(
    `select count(*)::int as clients from oauth_clients
     where customer_id is not distinct from $1 and status <> 'revoked'`,
    [customerId ?? null],
  );
  return rows[0]?.clients ?? 0;
}

/** Locks the client for a change. Revoked clients and those of another owner are not found. */
export async function lockClient(
  db: Queryable,
  reference: ClientReference,
): Promise<ClientRecord | undefined> {
  const { rows } = await db.query<ClientRow>(
    `select ${COLUMNS} from oauth_clients
     where id = $1 and customer_id is not distinct from $2 and status <> 'revoked' for update`,
    [reference.id, reference.customerId ?? null],
  );
  return rows[0] && clientRecord(rows[0]);
}

export async function updateClient(db: Queryable, client: ClientRecord, now: number): Promise<void> {
  await db.query(
    `update oauth_clients set name = $2, scopes = $3, roles = $4, status = $5, ip_allow_list = $6, responsible = $7,
       expires_at = $8, dpop_bound = $9, updated_at = $10, suspended_by_house = $11
     where id = $1`,
    [
      client.id,
      client.name,
      client.scopes,
      client.roles,
      client.status,
      client.ipAllowList,
      client.responsible ?? null,
      client.expiresAt === undefined ? null : isoInstant(client.expiresAt),
      client.dpopBound,
      isoInstant(now),
      client.suspendedByHouse,
    ],
  );
}

interface ClientJoins {
  readonly person_name: string | null;
  readonly person_email: string | null;
  readonly last_used_at: number | null;
}

/** The customer's clients, or the one named, without the revoked ones, oldest first. */
export async function readClients(
  db: Queryable,
  owner: { readonly customerId: string | undefined; readonly id?: string },
  now: number,
): Promise<ClientDetail[]> {
  const { rows } = await db.query<ClientRow & ClientJoins>(
    `select c.*, p.name as person_name, p.email as person_email, u.last_used_at
     from oauth_clients c left join persons p on p.id = c.responsible
       left join client_uses u on u.client_id = c.id
     where c.customer_id is not distinct from $1 and ($2::uuid is null or c.id = $2) and c.status <> 'revoked'
     order by c.created_at, c.id`,
    [owner.customerId ?? null, owner.id ?? null],
  );
  const ids = rows.map((row) => row.id);
  const secrets = Map.groupBy(await readSecrets(db, ids, now), (secret) => secret.clientId);
  const keys = Map.groupBy(await readKeys(db, ids), (key) => key.clientId);
  return rows.map((row) => ({
    ...clientRecord(row),
    lastUsedAt: row.last_used_at ?? undefined,
    answeredBy:
      row.responsible === null
        ? undefined
        : { id: row.responsible, name: row.person_name ?? '', email: row.person_email ?? '' },
    secrets: secrets.get(row.id) ?? [],
    keys: keys.get(row.id) ?? [],
  }));
}

/** By their ids, whatever has become of them; in the order of the ids. */
export async function clientNames(db: Queryable, ids: readonly string[]): Promise<NamedClient[]> {
  const { rows } = await db.query<NamedClient>(
    'select id, name from oauth_clients where id = any ($1::uuid[]) order by id',
    [ids],
  );
  return rows;
}

/** Writes that clients were used at an instant, unless they were used later. */
export async function writeLastUses(db: Queryable, clientIds: readonly string[], now: number): Promise<void> {
  await db.query(
    `insert into client_uses (client_id, last_used_at) select id, $2 from unnest($1::uuid[]) as id order by id
     on conflict (client_id) do update
     set last_used_at = greatest(client_uses.last_used_at, excluded.last_used_at)`,
    [clientIds, isoInstant(now)],
  );
}

async function readSecrets(
  db: Queryable,
  clientIds: readonly string[],
  now: number,
): Promise<(SecretRecord & { clientId: string })[]> {
  const { rows } = await db.query<
    Pick<Row<'client_secrets'>, 'id' | 'client_id' | 'created_at' | 'expires_at'>
  >(
    `select id, client_id, created_at, expires_at from client_secrets
     where client_id = any($1) and revoked_at is null and (expires_at is null or expires_at > $2)
     order by created_at, id`,
    [clientIds, isoInstant(now)],
  );
  return rows.map((row) => ({
    id: row.id,
    clientId: row.client_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
  }));
}

async function readKeys(
  db: Queryable,
  clientIds: readonly string[],
): Promise<(KeyRecord & { clientId: string })[]> {
  const { rows } = await db.query<Row<'client_keys'> & { public_jwk: JWK }>(
    'select client_id, kid, public_jwk, created_at from client_keys where client_id = any($1) order by kid',
    [clientIds],
  );
  return rows.map((row) => ({
    clientId: row.client_id,
    kid: row.kid,
    jwk: row.public_jwk,
    createdAt: row.created_at,
  }));
}

/** Secrets that have run out give up the places that they hold until then. */
async function freePlaces(db: Queryable, clientId: string, now: number): Promise<void> {
  await db.query(
    'update client_secrets set revoked_at = expires_at where client_id = $1 and revoked_at is null and expires_at <= $2',
    [clientId, isoInstant(now)],
  );
}

/** Places that live secrets hold. */
export async function takenSecretPlaces(db: Queryable, clientId: string, now: number): Promise<number[]> {
  await freePlaces(db, clientId, now);
  const { rows } = await db.query<Pick<Row<'client_secrets'>, 'place'>>(
    'select place from client_secrets where client_id = $1 and revoked_at is null',
    [clientId],
  );
  return rows.map((row) => row.place);
}

export async function insertSecret(
  db: Queryable,
  secret: SecretRecord & { readonly clientId: string; readonly hash: Buffer; readonly place: number },
): Promise<void> {
  await db.query(
    `insert into client_secrets (id, client_id, secret_hash, place, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      secret.id,
      secret.clientId,
      secret.hash,
      secret.place,
      isoInstant(secret.createdAt),
      secret.expiresAt === undefined ? null : isoInstant(secret.expiresAt),
    ],
  );
}

/** Ends the live secrets of a client at an instant, those that do not end before. */
export async function endSecrets(db: Queryable, clientId: string, expiresAt: number): Promise<void> {
  await db.query(
    'update client_secrets set expires_at = least(expires_at, $2) where client_id = $1 and revoked_at is null',
    [clientId, isoInstant(expiresAt)],
  );
}

/** When a client ends by itself; undefined for one that does not, and for persons. */
export async function readEnd(db: Queryable, clientId: string): Promise<number | undefined> {
  const { rows } = await db.query<Pick<ClientRow, 'expires_at'>>(
    'select expires_at from oauth_clients where id = $1',
    [clientId],
  );
  return rows[0]?.expires_at ?? undefined;
}

/** Where the client may come from; empty: from anywhere. Of a person, too. */
export async function readAllowList(db: Queryable, clientId: string): Promise<readonly string[]> {
  const { rows } = await db.query<Pick<ClientRow, 'ip_allow_list'>>(
    'select ip_allow_list from oauth_clients where id = $1',
    [clientId],
  );
  return rows[0]?.ip_allow_list ?? [];
}

/** Whether the client has a live secret or a key: something to authenticate with. */
export async function canAuthenticate(db: Queryable, clientId: string, now: number): Promise<boolean> {
  const { rows } = await db.query<{ can: boolean }>(
    `select exists (select from client_keys where client_id = $1)
       or exists (
         select from client_secrets
         where client_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)
       ) as can`,
    [clientId, isoInstant(now)],
  );
  return rows[0]?.can === true;
}

/** Revokes one secret, or every one of the client, whose places are free then. @returns how many were live */
export async function revokeSecrets(
  db: Queryable,
  clientId: string,
  secretId: string | undefined,
  now: number,
): Promise<number> {
  await freePlaces(db, clientId, now);
  const { rowCount } = await db.query(
    `update client_secrets set revoked_at = $3
     where client_id = $1 and ($2::uuid is null or id = $2) and revoked_at is null`,
    [clientId, secretId ?? null, isoInstant(now)],
  );
  return rowCount ?? 0;
}

/** @returns whether they are others than before */
export async function replaceKeys(
  db: Queryable,
  clientId: string,
  keys: readonly { readonly kid: string; readonly jwk: JWK }[],
  now: number,
): Promise<boolean> {
  const kids = keys.map((key) => key.kid);
  const gone = await db.query('delete from client_keys where client_id = $1 and kid <> all($2)', [
    clientId,
    kids,
  ]);
  let changed = gone.rowCount ?? 0;
  for (const key of keys) {
    const { rowCount } = await db.query(
      `insert into client_keys (client_id, kid, public_jwk, created_at) values ($1, $2, $3, $4)
       on conflict (client_id, kid) do update set public_jwk = excluded.public_jwk
       where client_keys.public_jwk <> excluded.public_jwk`,
      [clientId, key.kid, JSON.stringify(key.jwk), isoInstant(now)],
    );
    changed += rowCount ?? 0;
  }
  return changed > 0;
}
