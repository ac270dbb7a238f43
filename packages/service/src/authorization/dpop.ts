import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import type { ProvenRequest } from '../http/access.ts';
import { rsaFault } from './rsa-keys.ts';

/** Proofs of possession (RFC 9449): whoever shows a token signs each request with a key that the token names. */

export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256'] as const;

/** A proof is made for one request and sent at once; clocks of clients run a little fast or slow. */
const PROOF_AGE_MAX_SECONDS = 60; // limit: Age of a DPoP proof, and how far it may be ahead
const JTI_MAX_LENGTH = 256;
const PROOF_MAX_LENGTH = 4096; // limit: Characters of a DPoP proof

interface Proof {
  /** Of the key that has signed (RFC 7638). */
  readonly thumbprint: string;
  readonly jti: string;
  /** Epoch milliseconds until which the proof could be used again. */
  readonly usableUntil: number;
}

/** Why a proof is none, for whoever has sent it. */
export class ProofRefusal extends Error {
  override readonly name = 'ProofRefusal';
}

interface Expected {
  /** Addresses at which the service is reached, without a slash at the end. */
  readonly bases: readonly string[];
  /** Real time, epoch milliseconds. */
  readonly now: number;
  /** The token that the request shows; none where it asks for one. */
  readonly token?: string | undefined;
}

/**
 * Verifies the proof of a request (RFC 9449 §4.3). That its `jti` is new is for the caller to establish.
 * @throws ProofRefusal
 */
export async function verifyProof(request: ProvenRequest, expected: Expected): Promise<Proof> {
  const text = request.headers.dpop;
  if (typeof text !== 'string' || text === '') throw new ProofRefusal('Send one DPoP proof.');
  // Node joins headers that are given twice with a comma, which no proof contains.
  if (text.length > PROOF_MAX_LENGTH || text.includes(',')) throw new ProofRefusal('Send one DPoP proof.');
  const { payload, jwk } = await verifySignature(text, expected.now);
  const { jti, iat, htm, htu, ath } = payload;
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_MAX_LENGTH)
    throw new ProofRefusal('The jti of the DPoP proof must be a string of 1 to 256 characters.');
  if (typeof iat !== 'number' || Math.abs(expected.now / 1000 - iat) > PROOF_AGE_MAX_SECONDS)
    throw new ProofRefusal(`The iat of the DPoP proof must be within ${PROOF_AGE_MAX_SECONDS} seconds.`);
  if (htm !== request.method) throw new ProofRefusal('The DPoP proof is for another method.');
  if (typeof htu !== 'string' || !isForRequest(htu, request.url, expected.bases))
    throw new ProofRefusal(`The DPoP proof is for another address${rightOrigin(htu, expected.bases)}.`);
  if (expected.token !== undefined && ath !== hash('sha256', expected.token, 'base64url'))
    throw new ProofRefusal('The DPoP proof is for another token.');
  const thumbprint = await calculateJwkThumbprint(jwk);
  return { thumbprint, jti, usableUntil: (iat + PROOF_AGE_MAX_SECONDS) * 1000 };
}

async function verifySignature(text: string, now: number): Promise<{ payload: JWTPayload; jwk: JWK }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(text, acceptableKey, {
      algorithms: [...PROOF_ALGORITHMS],
      typ: 'dpop+jwt',
      currentDate: new Date(now),
      clockTolerance: PROOF_AGE_MAX_SECONDS,
    });
    // `EmbeddedJWK` refuses a header without a key, and private ones.
    return { payload, jwk: protectedHeader.jwk as JWK };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
      throw new ProofRefusal('The DPoP proof is not valid.', { cause: error });
    throw error;
  }
}

/** The key that the proof has with it, before anything is computed with it. */
const acceptableKey: typeof EmbeddedJWK = async (header, token) => {
  const key = await EmbeddedJWK(header, token);
  const fault = rsaFault(key);
  if (fault === undefined) return key;
  throw new ProofRefusal(`The ${fault.part} of the key of the DPoP proof ${fault.detail}.`);
};

/** Compared without query and fragment, and after both are written in the same way (RFC 9449 §4.3). */
function isForRequest(htu: string, url: string, bases: readonly string[]): boolean {
  const given = withoutQuery(htu);
  return given !== undefined && bases.some((base) => withoutQuery(new URL(base).origin + url) === given);
}

/** One machine has many names, and a proof counts at the service's own. */
function rightOrigin(htu: unknown, bases: readonly string[]): string {
  const [own] = bases;
  const origins = bases.map((base) => new URL(base).origin);
  const isNamed = typeof htu === 'string' && URL.canParse(htu) && origins.includes(new URL(htu).origin);
  return own === undefined || isNamed ? '' : `: its htu must begin with ${new URL(own).origin}`;
}

function withoutQuery(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}
