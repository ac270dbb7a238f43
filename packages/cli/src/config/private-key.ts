import { createPrivateKey } from 'node:crypto';
import { resolve } from 'node:path';
import type { PrivateJwk } from '@firmquote/client';
import { usage } from '../errors.ts';
import type { Io } from '../io.ts';
import { readPrivate } from './private-files.ts';

/** Keys that clients sign their requests for tokens with, instead of a secret: `private_key_jwt`. */

const NEXT = 'Use a private key for Ed25519, P-256 or RSA, as JWK or as PEM without a passphrase.';

/** From a file that nobody else may read. */
export async function keyFromFile(io: Io, path: string, id: string | undefined): Promise<PrivateJwk> {
  const text = await readPrivate(resolve(io.cwd, path), io.platform);
  if (text === undefined) throw usage(`${path} does not exist.`, NEXT);
  return keyOf(text, path, id);
}

/** @param where it came from; the text itself is not repeated */
export function keyOf(text: string, where: string, id: string | undefined): PrivateJwk {
  const key = text.trimStart().startsWith('{') ? fromJson(text) : fromPem(text);
  if (key === undefined || !canSign(key)) throw usage(`${where} holds no key to sign with.`, NEXT);
  return id === undefined ? key : { ...key, kid: id };
}

function canSign({ kty, crv, d }: PrivateJwk): boolean {
  if (typeof d !== 'string') return false;
  return (kty === 'OKP' && crv === 'Ed25519') || (kty === 'EC' && crv === 'P-256') || kty === 'RSA';
}

function fromJson(text: string): PrivateJwk | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fromPem(text: string): PrivateJwk | undefined {
  try {
    return createPrivateKey(text).export({ format: 'jwk' }) as PrivateJwk;
  } catch {
    return undefined;
  }
}
