import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** As people copy from paper: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 120 bits. */
const RANDOM_CHARACTERS = 24;
const CHECK_CHARACTERS = 6;
const GROUP = 5;
const RECOVERY_CODES = 10; // limit: Recovery codes of a person

/**
 * What lets a person in again that has lost its passkeys: a prefix and a checksum, as secrets of clients have, around 120 random
 * bits. So many cannot be guessed from a hash, which is why a fast one is enough, and why it needs no key whose loss or rotation would
 * make the codes worthless.
 */
function newRecoveryCode(isSandbox: boolean): string {
  const random = [...randomBytes(RANDOM_CHARACTERS)].map((byte) => ALPHABET.charAt(byte % 32)).join('');
  const all = random + checksumOf(random);
  const groups = all.match(new RegExp(`.{${GROUP}}`, 'g')) ?? [];
  return `fqr_${isSandbox ? 'test' : 'live'}_${groups.join('-')}`;
}

export function newRecoveryCodes(isSandbox: boolean): {
  readonly codes: string[];
  readonly hashes: Buffer[];
} {
  const codes = Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode(isSandbox));
  return { codes, hashes: codes.map((code) => hashOfRecoveryCode(code) ?? Buffer.alloc(0)) };
}

const FORM = new RegExp(`^[${ALPHABET}]{${RANDOM_CHARACTERS + CHECK_CHARACTERS}}$`);

/**
 * Of a code as a person types it: with or without prefix, hyphens and capitals.
 * @returns undefined for what is none, such as one with a typing error
 */
export function hashOfRecoveryCode(typed: string): Buffer | undefined {
  const code = typed
    .trim()
    .replace(/^fqr_(?:live|test)_/i, '')
    .replaceAll(/[\s-]/g, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  if (!FORM.test(code)) return undefined;
  const random = code.slice(0, RANDOM_CHARACTERS);
  if (checksumOf(random) !== code.slice(RANDOM_CHARACTERS)) return undefined;
  return hash('sha256', `recovery:${random}`, 'buffer');
}

/** 30 bits of CRC-32: what is mistyped is kept apart from what is unknown, without asking the database. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let check = '';
  for (let at = 0; at < CHECK_CHARACTERS; at++) {
    check += ALPHABET.charAt(rest % 32);
    rest = Math.floor(rest / 32);
  }
  return check;
}
