import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import type { Sealed } from './vault.ts';

/** SQL of what is kept sealed: under which key encryption key, and by whom it can be opened. */

/** An instance that has not said for this long which keys it has does not run. */
const HOLDER_LIVES_SECONDS = 60; // limit: {s} Time after its last word for which an instance counts as running, for re-wrapping

/** Where a room keeps something sealed. Names are those of its own table. */
export interface SealedPlace {
  /** For people, in the plural. */
  readonly name: string;
  readonly table: 'signing_keys' | 'evidence_keys' | 'webhook_endpoints';
  readonly columns: { readonly key: string; readonly sealed: string; readonly under: string };
  /** What it was sealed as. */
  readonly labelOf: (key: string) => string;
  /** What earlier versions have sealed it as. */
  readonly formerLabelOf?: (key: string) => string;
}

/** The sandbox's own key encryption key, made from `candidate` when there is none yet. */
export async function sandboxKeyEncryptionKey(db: Queryable, candidate: Buffer): Promise<Buffer> {
  await db.query('insert into sandbox_key_encryption_key (key) values ($1) on conflict do nothing', [
    candidate,
  ]);
  const { rows } = await db.query<Pick<Row<'sandbox_key_encryption_key'>, 'key'>>(
    'select key from sandbox_key_encryption_key',
  );
  const key = rows[0]?.key;
  if (key === undefined) throw new Error('The key encryption key of the sandbox is missing.');
  return key;
}

/** Where nothing was ever sealed, the key of whoever seals first is in force. */
export async function firstInForce(db: Queryable, fingerprint: string, now: string): Promise<void> {
  await db.query(
    'insert into key_encryption (sealed_under, since) select $1, $2 where not exists (select 1 from key_encryption) on conflict do nothing',
    [fingerprint, now],
  );
}

/** What everything is sealed under, held until the transaction ends: it does not change meanwhile. */
export async function keyInForce(db: Queryable, lock: 'share' | 'update' = 'share'): Promise<string> {
  const { rows } = await db.query<Pick<Row<'key_encryption'>, 'sealed_under'>>(
    `select sealed_under from key_encryption for ${lock}`,
  );
  if (rows[0] === undefined) throw new Error('key_encryption has no row');
  return rows[0].sealed_under;
}

export async function putInForce(db: Queryable, fingerprint: string, now: string): Promise<void> {
  await db.query('update key_encryption set sealed_under = $1, since = $2', [fingerprint, now]);
}

/** Says that an instance runs, and what it can open. */
export async function noteHolder(
  db: Queryable,
  instance: string,
  fingerprints: readonly string[],
): Promise<void> {
  await db.query(
    `with gone as (delete from key_holders where seen_at < clock_timestamp() - interval '1 day' and instance <> $1)
     insert into key_holders (instance, opens, seen_at) values ($1, $2, clock_timestamp())
     on conflict (instance) do update set opens = excluded.opens, seen_at = excluded.seen_at`,
    [instance, fingerprints],
  );
}

export async function forgetHolder(db: Queryable, instance: string): Promise<void> {
  await db.query('delete from key_holders where instance = $1', [instance]);
}

/** How many running instances cannot open what is sealed under a key. */
export async function countWithout(db: Queryable, fingerprint: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from key_holders
     where seen_at > clock_timestamp() - make_interval(secs => $2) and not opens @> array[$1]`,
    [fingerprint, HOLDER_LIVES_SECONDS],
  );
  return rows[0]?.count ?? 0;
}

/** How much of a place is sealed under keys other than these, by key. */
export async function countSealed(
  db: Queryable,
  { table, columns: { sealed, under } }: SealedPlace,
  except: readonly string[],
): Promise<{ sealedUnder: string; count: number }[]> {
  const { rows } = await db.query<{ sealed_under: string; count: number }>(
    `select ${under} as sealed_under, count(*)::int as count from ${table}
     where ${sealed} is not null and not ${under} = any ($1) group by 1 order by 1`,
    [except],
  );
  return rows.map(({ sealed_under: sealedUnder, count }) => ({ sealedUnder, count }));
}

/** Some of what is sealed under another key, locked. */
export async function lockSealed(
  db: Queryable,
  { table, columns: { key, sealed, under } }: SealedPlace,
  fingerprint: string,
  max: number,
): Promise<(Sealed & { readonly key: string })[]> {
  const { rows } = await db.query<{ key: string; sealed: Buffer; sealed_under: string }>(
    `select ${key}::text as key, ${sealed} as sealed, ${under} as sealed_under from ${table}
     where ${sealed} is not null and ${under} <> $1 order by ${key} limit $2 for update`,
    [fingerprint, max],
  );
  return rows.map(({ sealed_under: sealedUnder, ...row }) => ({ ...row, sealedUnder }));
}

export async function writeSealed(
  db: Queryable,
  { table, columns: { key, sealed, under } }: SealedPlace,
  entries: readonly (Sealed & { readonly key: string })[],
): Promise<void> {
  await db.query(
    `update ${table} t set ${sealed} = n.sealed, ${under} = n.under
     from unnest($1::text[], $2::bytea[], $3::text[]) as n (key, sealed, under) where t.${key}::text = n.key`,
    [
      entries.map((each) => each.key),
      entries.map((each) => each.sealed),
      entries.map((each) => each.sealedUnder),
    ],
  );
}
