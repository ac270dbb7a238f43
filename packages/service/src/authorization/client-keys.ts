import { KEYS_MAX } from '@firmquote/api/operations/clients';
import { type CryptoKey, calculateJwkThumbprint, importJWK, type JWK } from 'jose';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import { changeClient } from './client-context.ts';
import { requireHold, requireWayIn } from './rights.ts';
import type { AuthorizationRoom } from './room.ts';
import { rsaFault } from './rsa-keys.ts';
import { type ClientReference, replaceKeys, updateClient } from './store.ts';

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** What is kept of a key: kind of key → algorithm and the members that make it up (RFC 7518 §6, RFC 8037). */
const KINDS: Readonly<Record<string, { readonly alg: string; readonly members: readonly (keyof JWK)[] }>> = {
  'EC P-256': { alg: 'ES256', members: ['crv', 'x', 'y'] },
  'OKP Ed25519': { alg: 'EdDSA', members: ['crv', 'x'] },
  RSA: { alg: 'RS256', members: ['n', 'e'] },
};

/**
 * Replaces the keys that the client may sign assertions with (private_key_jwt). An empty set ends that.
 * @throws Problem validation_failed with every fault of every key, client_not_found
 */
export async function setKeys(
  context: AuthorizationRoom,
  reference: ClientReference,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const errors: FieldError[] = [];
  const accepted: { kid: string; jwk: JWK }[] = [];
  if (keys.length > KEYS_MAX) {
    errors.push({ pointer: '/keys', code: 'max_items', detail: `must have at most ${KEYS_MAX} keys` });
  }
  for (const [at, key] of keys.slice(0, KEYS_MAX).entries()) {
    const result = await readPublicKey(key);
    if ('code' in result) {
      errors.push({ pointer: `/keys/${at}${result.member}`, code: result.code, detail: result.detail });
    } else if (accepted.some((other) => other.kid === result.kid)) {
      errors.push({
        pointer: `/keys/${at}/kid`,
        code: 'not_unique',
        detail: 'is also the kid of another key',
      });
    } else accepted.push(result);
  }
  if (errors.length > 0) throw validationProblem(errors);
  await changeClient(context, reference, async (db, client, now) => {
    if (accepted.length > 0) await requireHold(context.actor, db, client);
    if (await replaceKeys(db, client.id, accepted, now)) await updateClient(db, client, now);
    await requireWayIn(context.actor, db, client.id, now);
  });
}

interface Fault {
  readonly member: string;
  readonly code: string;
  readonly detail: string;
}

async function readPublicKey(
  key: Readonly<Record<string, unknown>>,
): Promise<{ kid: string; jwk: JWK } | Fault> {
  const secret = PRIVATE_MEMBERS.find((member) => member in key);
  if (secret !== undefined) {
    return {
      member: `/${secret}`,
      code: 'private_key',
      detail: 'belongs to a private key; send the public one',
    };
  }
  const kind = KINDS[key.kty === 'RSA' ? 'RSA' : `${String(key.kty)} ${String(key.crv)}`];
  if (kind === undefined) {
    return { member: '/kty', code: 'not_permitted', detail: 'must be EC P-256, OKP Ed25519 or RSA' };
  }
  const alg = key.alg === 'Ed25519' ? 'EdDSA' : key.alg;
  if (alg !== undefined && alg !== kind.alg) {
    return { member: '/alg', code: 'not_permitted', detail: `must be ${kind.alg} for this kind of key` };
  }
  if (key.use !== undefined && key.use !== 'sig') {
    return { member: '/use', code: 'not_permitted', detail: 'must be sig' };
  }
  const jwk: JWK = { kty: String(key.kty) };
  for (const member of kind.members) {
    const value = key[member];
    if (typeof value !== 'string' || !/^[A-Za-z0-9_-]{1,2048}$/.test(value)) {
      return { member: `/${member}`, code: 'wrong_format', detail: 'must be base64url' };
    }
    Object.assign(jwk, { [member]: value });
  }
  const fault = await importFault(jwk, kind.alg);
  if (fault) return fault;
  const kid = key.kid ?? (await calculateJwkThumbprint(jwk));
  if (typeof kid !== 'string' || kid.length < 1 || kid.length > 128) {
    return { member: '/kid', code: 'wrong_format', detail: 'must be a string of 1 to 128 characters' };
  }
  return { kid, jwk: { ...jwk, kid, alg: kind.alg, use: 'sig' } };
}

async function importFault(jwk: JWK, alg: string): Promise<Fault | undefined> {
  try {
    const fault = rsaFault((await importJWK(jwk, alg)) as CryptoKey);
    if (fault === undefined) return undefined;
    return { member: fault.part === 'modulus' ? '/n' : '/e', code: 'not_permitted', detail: fault.detail };
  } catch {
    return { member: '', code: 'wrong_format', detail: 'is not a usable key' };
  }
}
