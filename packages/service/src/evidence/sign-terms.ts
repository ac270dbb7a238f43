import type { FastifyReply } from 'fastify';
import { CompactSign, type CryptoKey } from 'jose';
import { logFailure } from '../database/log-failure.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { applyPreference, SIGNATURE_PREFERENCE } from '../http/preferences.ts';
import type { Clock } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { TERMS, type TermsKind, termsText } from './signed-fields.ts';

/** Brings what {@link SIGNATURE_PREFERENCE} asks for. */
const SIGNATURE_HEADER = 'JWS-Signature';

export interface TermsSignerOptions {
  /** The Ed25519 key in use, which is held in memory. */
  readonly signer: () => Promise<{ readonly kid: string; readonly privateKey: CryptoKey }>;
  /** Signatures carry real time, also when the sandbox clock is moved. */
  readonly realClock: Clock;
  /** Whose keys verify: the issuer of the token endpoint's metadata, which names the JWKS. */
  readonly issuer: () => string;
}

/** Signs the terms of quotes and transactions. */
export class TermsSigner {
  readonly #options: TermsSignerOptions;

  constructor(options: TermsSignerOptions) {
    this.#options = options;
  }

  /**
   * A detached JWS (RFC 7515 appendix F) over the terms in an answer's body: `<protected>..<signature>`. The protected
   * header says who signed (`iss`, `kid`), for which customer (`sub`) and when (`iat`, seconds).
   */
  async sign(kind: TermsKind, customerId: string, body: string): Promise<string> {
    const { signer, realClock, issuer } = this.#options;
    const { kid, privateKey } = await signer();
    const terms = new TextEncoder().encode(termsText(kind, JSON.parse(body)));
    const compact = await new CompactSign(terms)
      .setProtectedHeader({
        alg: 'EdDSA',
        kid,
        typ: TERMS[kind].typ,
        iss: issuer(),
        sub: typeId('cus', customerId),
        iat: Math.floor(realClock.now() / 1_000),
      })
      .sign(privateKey);
    const [head = '', , signature = ''] = compact.split('.');
    return `${head}..${signature}`;
  }

  /**
   * Puts the signature of the body beside it. What is answered has been done already, so a failure is the operator's to
   * hear of and leaves the answer without a signature, which a preference permits (RFC 7240 §2).
   */
  async attach(reply: FastifyReply, kind: TermsKind, customerId: string, body: string): Promise<void> {
    try {
      reply.header(SIGNATURE_HEADER, await this.sign(kind, customerId, body));
      applyPreference(reply, SIGNATURE_PREFERENCE);
    } catch (error) {
      logFailure(reply.server.logger, error, loggedRequest(reply.request), 'signing terms failed');
    }
  }
}
