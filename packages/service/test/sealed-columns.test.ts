import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import type { Pool } from '../src/database/pool.ts';
import { createKeys } from '../src/keys/room.ts';
import { VirtualClock } from '../src/platform/clock.ts';
import { SEALED_PLACES } from '../src/sealed-places.ts';
import { createTestDatabase } from './support/database.ts';
import { silentLogger } from './support/sandbox.ts';

/** What is sealed under the key-encryption key is what re-wrapping walks, and bytes that are not sealed are no secrets. */

const HASH = 'a hash: nothing can be opened with it';
const PUBLIC = 'public';
const CONTENT = 'what a bank sent or gets; the database keeps it as it is';

/** Columns that hold bytes and are not sealed, and why. */
const NOT_SEALED: Readonly<Record<string, string>> = {
  'client_secrets.secret_hash': HASH,
  'person_invitations.secret_hash': HASH,
  'recovery_codes.code_hash': HASH,
  'sessions.secret_hash': HASH,
  'sign_in_attempts.browser_hash': HASH,
  'sign_in_attempts.state_hash': HASH,
  'used_assertions.jti_hash': HASH,
  'log_exports.root': HASH,
  'log_exports.sha256': HASH,
  'log_heads.peaks': HASH,
  'log_heads.root': HASH,
  'log_nodes.hash': HASH,
  'log_nodes.leaves': HASH,
  'log_seals.fingerprints': HASH,
  'log_seals.root': HASH,
  'log_tips.peaks': HASH,
  // The authenticator keeps what signs.
  'passkeys.credential_id': PUBLIC,
  'passkeys.public_key': PUBLIC,
  'settlement_run_files.content': CONTENT,
  'statement_file_parts.bytes': CONTENT,
  'sandbox_bank_files.content': CONTENT,
  'sandbox_key_encryption_key.key': 'the key itself, of a sandbox that was given none',
  'service_secrets.value': 'authenticates cursors, which give access to nothing',
};

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

async function columns(which: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and a.attnum > 0 and not a.attisdropped and ${which} order by 1`,
  );
  return rows.map(({ name }) => name);
}

function walked() {
  const { sealing } = createKeys({
    ...{ pool, realClock: new VirtualClock(), logger: silentLogger },
    encryption: { current: randomBytes(32) },
    rotationDays: { tokens: 90, evidence: 365 },
    places: SEALED_PLACES,
  });
  return sealing.places;
}

test('re-wrapping walks every column that is sealed', async () => {
  // What is sealed says beside it under which key; of the whole database one row says so.
  const said = await columns("a.attname ~ '_under$' and c.relname <> 'key_encryption'");
  assert.ok(said.length > 0);
  assert.deepEqual(
    walked()
      .map(({ table, columns: { under } }) => `${table}.${under}`)
      .sort(),
    said,
  );
});

test('bytes are sealed, or it is known why not', async () => {
  const sealed = walked().map(({ table, columns: { sealed } }) => `${table}.${sealed}`);
  const known = [...sealed, ...Object.keys(NOT_SEALED)].sort();
  assert.deepEqual(await columns("a.atttypid = 'bytea'::regtype"), known);
});

test('no column holds a secret as text', async () => {
  const named =
    "a.attname ~ '(secret|private|password|verifier|recovery)' and a.atttypid <> 'bytea'::regtype";
  assert.deepEqual(await columns(named), []);
});
