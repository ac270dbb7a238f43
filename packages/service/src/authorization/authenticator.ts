import type { Access } from '@firmquote/api/operation';
import type { CryptoKey } from 'jose';
import type { Authenticator, ProvenRequest } from '../http/access.ts';
import type { Caller } from '../http/context.ts';
import type { Clock } from '../platform/clock.ts';
import { uuidFloor } from '../platform/ids.ts';
import { RecentMap } from '../platform/recent-map.ts';
import { Problem } from '../problems/problem.ts';
import type { ClientStates, CurrentState } from './client-states.ts';
import { ProofRefusal, verifyProof } from './dpop.ts';
import { within } from './scopes.ts';
import {
  bearerToken,
  isDpop,
  proofInvalid,
  tokenExpired,
  tokenInvalid,
  type VerifiedToken,
  verifyToken,
} from './verify-token.ts';

const VERIFIED_TOKENS_MAX = 10_000; // limit: Verified tokens in memory

interface TokenAuthenticatorOptions {
  readonly realClock: Clock;
  readonly states: ClientStates;
  readonly verificationKey: (kid: string) => Promise<CryptoKey | undefined>;
  readonly issuer: () => string;
  readonly audienceOf: (kind: Access['audience']) => string;
  /** Addresses at which the service is reached: what proofs may be for. */
  readonly bases: () => readonly string[];
  /** @returns false for a proof that was used before, on any instance */
  readonly useProof: (clientId: string, jti: string, usableUntil: number) => Promise<boolean>;
  readonly max?: number;
}

/** Characters of base64url: 192 bits, far more than it takes to tell tokens apart. */
const KEY_LENGTH = 32;

interface KnownToken extends VerifiedToken {
  readonly authorization: string;
  /** Made with the first state that is read; the same object is handed out until who answers for the client changes, or its rights do. */
  caller: Caller | undefined;
  /** What the client could do when the caller was made. */
  granted: ReadonlySet<string> | undefined;
}

/**
 * Verified tokens are kept with the header that carried them, in memory only and bounded, so that the rule costs no
 * cryptography at all: hashing 700 characters on every call took a sixth of the time of an indicative price. They are found
 * by the end of the header, which is of the signature, and then all of it is compared: even the map's own hash of the whole
 * took four times as long. What can change while a token lives (client status, revocation, allow-list) is asked of
 * {@link ClientStates} on every call.
 */
export class TokenAuthenticator implements Authenticator {
  readonly #options: TokenAuthenticatorOptions;
  readonly #known: RecentMap<string, KnownToken>;
  /** How often everything was forgotten. */
  #forgotten = 0;

  constructor(options: TokenAuthenticatorOptions) {
    this.#options = options;
    this.#known = new RecentMap(options.max ?? VERIFIED_TOKENS_MAX);
  }

  authenticate(
    authorization: string | undefined,
    address: string,
    audience: Access['audience'],
    request: ProvenRequest | 'rechecked',
  ): Caller | Promise<Caller> {
    const known = authorization === undefined ? undefined : this.#known.get(authorization.slice(-KEY_LENGTH));
    if (known !== undefined && known.authorization === authorization) {
      return known.thumbprint === undefined
        ? this.#admit(known, address, audience)
        : this.#admitBound(known, address, audience, request);
    }
    const token = bearerToken(authorization);
    return this.#verify(token, authorization).then((verified) =>
      verified.thumbprint === undefined
        ? this.#admit(verified, address, audience)
        : this.#admitBound(verified, address, audience, request),
    );
  }

  /** Every token is verified anew: a key may be gone. */
  forget(): void {
    this.#forgotten += 1;
    this.#known.clear();
  }

  /** A token that counts only with a proof of its key. The proof is used up in the database: no instance takes it again. */
  async #admitBound(
    token: KnownToken,
    address: string,
    audience: Access['audience'],
    request: ProvenRequest | 'rechecked',
  ): Promise<Caller> {
    const caller = await this.#admit(token, address, audience);
    if (request === 'rechecked') return caller;
    const { realClock, bases, useProof } = this.#options;
    const shown = bearerToken(token.authorization);
    try {
      const proof = await verifyProof(request, { bases: bases(), now: realClock.now(), token: shown });
      if (proof.thumbprint !== token.thumbprint)
        throw new ProofRefusal('The DPoP proof is signed by another key.');
      if (!(await useProof(token.clientId, proof.jti, proof.usableUntil)))
        throw new ProofRefusal('The DPoP proof was used before.');
    } catch (error) {
      if (error instanceof ProofRefusal) throw proofInvalid(error.message, error.cause);
      throw error;
    }
    return caller;
  }

  /** A token of this service, whether or not it may still be used; undefined for anything else, and for one that has ended. */
  async verified(token: string): Promise<VerifiedToken | undefined> {
    try {
      return await this.#read(token);
    } catch (error) {
      if (error instanceof Problem && error.status === 401) return undefined;
      throw error;
    }
  }

  /** Whose a good token is and what it may do in this moment; undefined for one that is not good. */
  async inspect(
    token: string,
  ): Promise<Pick<VerifiedToken, 'clientId' | 'scopes' | 'thumbprint'> | undefined> {
    const verified = await this.verified(token);
    const state = verified && (await this.#options.states.get(verified.clientId));
    if (verified === undefined || state === undefined) return undefined;
    if (!isActive(state, this.#options.realClock.now()) || revoked(verified.jti, state)) return undefined;
    if (state.dpopBound && verified.thumbprint === undefined) return undefined;
    const { clientId, thumbprint } = verified;
    return { clientId, thumbprint, scopes: within(verified.scopes, state.granted) };
  }

  async #verify(token: string, authorization = ''): Promise<KnownToken> {
    const forgotten = this.#forgotten;
    const verified = await this.#read(token);
    if (forgotten !== this.#forgotten) return this.#verify(token, authorization);
    if (isDpop(authorization) !== (verified.thumbprint !== undefined)) {
      throw tokenInvalid('Send a key-bound token as DPoP, and any other as Bearer.');
    }
    const known: KnownToken = { ...verified, authorization, caller: undefined, granted: undefined };
    this.#known.set(authorization.slice(-KEY_LENGTH), known);
    return known;
  }

  #read(token: string): Promise<VerifiedToken> {
    const { verificationKey, issuer, realClock } = this.#options;
    return verifyToken(token, { verificationKey, issuer: issuer(), now: realClock.now() });
  }

  #admit(token: KnownToken, address: string, audience: Access['audience']): Caller | Promise<Caller> {
    const now = this.#options.realClock.now();
    if (now >= token.expiresAt) throw tokenExpired();
    if (!token.audiences.includes(this.#options.audienceOf(audience))) {
      throw tokenInvalid('The access token is meant for another audience.');
    }
    const state = this.#options.states.get(token.clientId);
    return state instanceof Promise
      ? state.then((found) => admitted(token, found, address, now))
      : admitted(token, state, address, now);
  }
}

function admitted(token: KnownToken, state: CurrentState | undefined, address: string, now: number): Caller {
  if (state === undefined || !isActive(state, now))
    throw tokenInvalid('The client of the access token is not active.');
  if (revoked(token.jti, state)) throw tokenInvalid('The access token was revoked.');
  if (state.dpopBound && token.thumbprint === undefined)
    throw tokenInvalid('The client may use only tokens that are bound to a key.');
  if (!state.addresses.allows(address)) {
    throw new Problem('ip_not_allowed', `The client may not be used from ${address}.`);
  }
  // Who answers for the client may change while the token lives, and what it may do.
  const { personId, granted } = state;
  if (token.caller === undefined || token.caller.personId !== personId || token.granted !== granted) {
    token.granted = granted;
    token.caller = {
      actor: { kind: 'client', id: token.clientId },
      personId,
      tokenId: token.jti,
      customerId: state.customerId,
      scopes: within(token.scopes, granted),
    };
  }
  return token.caller;
}

function isActive({ status, expiresAt }: CurrentState, now: number): boolean {
  return status === 'active' && (expiresAt === undefined || now < expiresAt);
}

/** Token ids are UUIDs of version 7 and so sort by the millisecond in which they were made. */
function revoked(jti: string, state: CurrentState): boolean {
  if (state.revokedUpTo !== undefined && jti < uuidFloor(state.revokedUpTo + 1)) return true;
  return state.revokedTokens.has(jti);
}
