import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits in base64url, 43 characters. Shown to the caller once and never stored. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** A client has at most this many live secrets, so that one can be replaced without an outage. */
export const LIVE_SECRETS_MAX = 2; // limit: Live secrets of a client

/** Compared with in place of a secret that does not exist. Nothing hashes to it that anyone could know. */
const DUMMY = randomBytes(32);

/**
 * True when the secret is one of those with the given hashes. Takes the same time for none, one or two hashes, and
 * wherever the difference lies, so that time tells neither which clients exist nor how close a guess was.
 */
export function secretMatches(secret: string, hashes: readonly Buffer[]): boolean {
  const given = hashSecret(secret);
  let matches = 0;
  for (let i = 0; i < LIVE_SECRETS_MAX; i++) {
    const stored = hashes[i];
    const equal = timingSafeEqual(given, stored ?? DUMMY) ? 1 : 0;
    matches |= equal & (stored === undefined ? 0 : 1);
  }
  return matches === 1;
}
