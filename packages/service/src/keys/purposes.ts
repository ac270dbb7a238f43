import type { SigningKeyTable } from './signing-key-store.ts';
import type { SealedPlace } from './vault-store.ts';

const HOUR_MS = 3_600_000;
/** A token lives 24 h; another instance may sign with the old key for a minute more. */
const PUBLISHED_AFTER_USE_MS = 25 * HOUR_MS; // limit: How long a signing key of tokens is public after its use

export type KeyPurpose = 'tokens' | 'evidence';

/** What differs between the keys of tokens and those of signed terms. */
export interface KeyKind {
  readonly purpose: KeyPurpose;
  readonly table: SigningKeyTable;
  readonly alg: 'ES256' | 'EdDSA';
  /** For people. */
  readonly name: string;
  /**
   * How long a retired key stays in the JWKS; undefined: for good, and those that were revoked are listed. Records of trades must be kept
   * for 5 years, and for 7 where asked, by MiFID II (article 16(7) of 2014/65/EU), for 5 by 17 CFR 1.31, up to 10 by commercial and tax law;
   * at one key a year nothing is won by forgetting any.
   */
  readonly publishedAfterUseMs: number | undefined;
  /** What a private half is sealed as. */
  readonly labelOf: (kid: string) => string;
}

/** Of access tokens (RFC 9068). */
export const TOKEN_KEYS: KeyKind = {
  purpose: 'tokens',
  table: 'signing_keys',
  alg: 'ES256',
  name: 'signing key',
  publishedAfterUseMs: PUBLISHED_AFTER_USE_MS,
  labelOf: (kid) => `token key ${kid}`,
};
/** Of the signed terms of quotes and transactions, and of the heads of sealed logs: Ed25519 (RFC 8037). */
export const EVIDENCE_KEYS: KeyKind = {
  purpose: 'evidence',
  table: 'evidence_keys',
  alg: 'EdDSA',
  name: 'evidence key',
  publishedAfterUseMs: undefined,
  labelOf: (kid) => `evidence key ${kid}`,
};
export const KEY_KINDS: Readonly<Record<KeyPurpose, KeyKind>> = {
  tokens: TOKEN_KEYS,
  evidence: EVIDENCE_KEYS,
};

/** Earlier versions have sealed keys as their `kid` alone, which is made of the public half. */
export function formerLabelOf(kid: string): string {
  return kid;
}

export function placeOf({ table, name, labelOf }: KeyKind): SealedPlace {
  return {
    name: `${name}s`,
    table,
    columns: { key: 'kid', sealed: 'encrypted_private_key', under: 'encrypted_under' },
    ...{ labelOf, formerLabelOf },
  };
}
