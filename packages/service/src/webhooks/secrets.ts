import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/** Secrets of endpoints, and signatures by Standard Webhooks (standardwebhooks.com). */

const SECRET_BYTES = 32;

/** What an endpoint's messages are signed with. As JSON it is encrypted and kept. */
export interface Secret {
  /** Base64. */
  readonly hmac: string;
  /** PKCS #8 in base64, of an endpoint that asked for Ed25519. */
  readonly ed25519: string | undefined;
}

export interface Secrets {
  readonly current: Secret;
  /** The one before, while its time runs. */
  readonly previous: Secret | undefined;
}

/** @returns the secret, and the public key of the signatures by Ed25519 where they are wanted */
export function newSecret(isAsymmetric: boolean): { secret: Secret; publicKey: string | undefined } {
  const hmac = randomBytes(SECRET_BYTES).toString('base64');
  if (!isAsymmetric) return { secret: { hmac, ed25519: undefined }, publicKey: undefined };
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'jwk' }).x ?? '';
  return {
    secret: { hmac, ed25519: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64') },
    publicKey: `whpk_${Buffer.from(raw, 'base64url').toString('base64')}`,
  };
}

/** As it is shown, once. */
export function shownSecret({ hmac }: Secret): string {
  return `whsec_${hmac}`;
}

/** Signs as long as its secrets are in force. */
export class Signer {
  readonly #keys: readonly { readonly hmac: Buffer; readonly ed25519: KeyObject | undefined }[];

  constructor({ current, previous }: Secrets) {
    this.#keys = [current, ...(previous === undefined ? [] : [previous])].map(({ hmac, ed25519 }) => ({
      hmac: Buffer.from(hmac, 'base64'),
      ed25519:
        ed25519 === undefined
          ? undefined
          : createPrivateKey({ key: Buffer.from(ed25519, 'base64'), format: 'der', type: 'pkcs8' }),
    }));
  }

  /** @param at of the attempt, epoch milliseconds, by the clock of receivers: real time */
  headers(id: string, at: number, body: string): Record<string, string> {
    const timestamp = `${Math.floor(at / 1_000)}`;
    const content = Buffer.from(`${id}.${timestamp}.${body}`);
    const symmetric = this.#keys.map(
      ({ hmac }) => `v1,${createHmac('sha256', hmac).update(content).digest('base64')}`,
    );
    const asymmetric = this.#keys.flatMap(({ ed25519 }) =>
      ed25519 === undefined ? [] : [`v1a,${sign(null, content, ed25519).toString('base64')}`],
    );
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': [...symmetric, ...asymmetric].join(' '),
    };
  }
}
