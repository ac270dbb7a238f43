import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const SECRET_BYTES = 32;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits to the base 62 of 256 bits and of 32. */
const RANDOM_DIGITS = 43;
const CHECK_DIGITS = 6;
const SECRET = new RegExp(
  `^(fq[si]_(?:live|test)_[0-9A-Za-z]{${RANDOM_DIGITS}})([0-9A-Za-z]{${CHECK_DIGITS}})$`,
);
/** `s` is the secret of a client, `i` an invitation. */
type SecretKind = 's' | 'i';

/**
 * 256 random bits, shown to the caller once and never stored. By the prefix and the checksum (CRC-32 of what stands before it)
 * scanners find secrets in code and logs, and nothing else (docs/operations/production.md#programs).
 */
export function generateSecret(isSandbox = false, kind: SecretKind = 's'): string {
  const random = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`);
  const named = `fq${kind}_${isSandbox ? 'test' : 'live'}_${base62(random, RANDOM_DIGITS)}`;
  return named + checksumOf(named);
}

/** Whether a text is a secret as they are made now. Those of earlier versions have no prefix, and stay valid. */
export function isSecretForm(text: string): boolean {
  const [, named = '', checksum] = SECRET.exec(text) ?? [];
  return checksum === checksumOf(named);
}

function checksumOf(named: string): string {
  return base62(BigInt(crc32(named)), CHECK_DIGITS);
}

function base62(value: bigint, digits: number): string {
  let text = '';
  let rest = value;
  for (let at = 0; at < digits; at++) {
    text = DIGITS.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
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
 * wherever the difference lies, so that time shows neither which clients exist nor how close a guess was.
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
