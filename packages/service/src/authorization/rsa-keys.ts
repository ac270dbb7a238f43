import type { CryptoKey } from 'jose';

/** Whose RSA keys are taken, registered ones and those of proofs: neither weak nor made to load the service. */

const RSA_BITS_MIN = 2048;
/** A signature check with a key of this size takes a few tenths of a millisecond; larger ones would be a way to load the service. */
const RSA_BITS_MAX = 8192; // limit: Bits of an RSA key
/**
 * With 1, anybody can sign; smaller ones than 65537 are open to old attacks, and NIST SP 800-56B (6.2.1) wants no other.
 * One as long as the modulus makes a check twenty times as slow.
 */
const RSA_EXPONENT_MIN = 65_537n;
const RSA_EXPONENT_MAX = 0xffff_ffffn;

interface RsaAlgorithm {
  readonly modulusLength?: number;
  /** Big-endian. */
  readonly publicExponent?: Uint8Array;
}

interface RsaFault {
  readonly part: 'modulus' | 'exponent';
  /** What holds of the part. */
  readonly detail: string;
}

/** What is wrong with an imported RSA key; nothing is with keys of other kinds. */
export function rsaFault({ algorithm }: CryptoKey): RsaFault | undefined {
  if (!algorithm.name.startsWith('RSA')) return undefined;
  const { modulusLength = 0, publicExponent = new Uint8Array() } = algorithm as RsaAlgorithm;
  if (modulusLength < RSA_BITS_MIN || modulusLength > RSA_BITS_MAX)
    return { part: 'modulus', detail: `must have ${RSA_BITS_MIN} to ${RSA_BITS_MAX} bits` };
  const exponent = BigInt(`0x0${Buffer.from(publicExponent).toString('hex')}`);
  if (exponent < RSA_EXPONENT_MIN || exponent > RSA_EXPONENT_MAX || exponent % 2n === 0n)
    return { part: 'exponent', detail: `must be odd, from ${RSA_EXPONENT_MIN} to 2^32 - 1` };
  return undefined;
}
