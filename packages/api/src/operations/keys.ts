import { operation } from '../operation.ts';
import { form, required } from '../parameters.ts';
import { CLOSED, Instant, line, literals, named, nullable } from '../schema.ts';
import { Type } from '../typebox.ts';

/** Keys that the service signs with, and how they are replaced. */

export const KEY_PURPOSES = ['tokens', 'evidence'] as const;
const Purpose = literals(KEY_PURPOSES);
/** Of a JWK thumbprint (RFC 7638) with SHA-256. */
const KID = /^[\w-]{43}$/;

const ServiceKey = named(
  'ServiceKey',
  Type.Object(
    {
      kid: Type.String(),
      purpose: Purpose,
      algorithm: literals(['ES256', 'EdDSA']),
      state: literals(['next', 'active', 'retired', 'revoked'], {
        description:
          '`next` is published and will sign, `active` signs, `retired` only verifies what it signed, `revoked` verifies nothing.',
      }),
      publishedAt: Instant,
      activatedAt: nullable(Instant),
      rotatesAt: nullable(Instant),
      retiredAt: nullable(Instant),
      revokedAt: nullable(Instant),
      revocationReason: nullable(Type.String()),
      rotationReason: nullable(Type.String({ description: 'Why it was activated early.' })),
      encryptedUnder: nullable(
        Type.String({
          description: 'Fingerprint of the key-encryption key; null once the private key is gone.',
        }),
      ),
    },
    CLOSED,
  ),
);

const access = { audience: 'operator', scope: 'operator:keys' } as const;
const base = { tag: 'Operator: keys', rate: 'unlimited' } as const;
const path = '/v1/operator/keys';
const reason = line(200);

export const listKeys = operation({
  ...base,
  access,
  id: 'listKeys',
  method: 'GET',
  path,
  summary: 'List the keys that the service signs with',
  description: 'Includes retired and revoked ones. Private keys are never shown.',
  answers: { 200: Type.Object({ keys: Type.Array(ServiceKey) }, CLOSED) },
});

export const rotateKey = operation({
  ...base,
  access,
  id: 'rotateKey',
  method: 'POST',
  path: `${path}/rotate`,
  summary: 'Rotate to the next key now',
  description: 'The previous key still verifies what it signed. Returns the key that signs from now on.',
  body: Type.Object({ purpose: Purpose, reason }, CLOSED),
  answers: { 200: ServiceKey },
  problems: ['invalid_state_transition'],
});

export const revokeKey = operation({
  ...base,
  access,
  id: 'revokeKey',
  method: 'POST',
  path: `${path}/{kid}/revoke`,
  params: { kid: required(form(KID, 'the `kid` of a key', undefined, 43)) },
  summary: 'Revoke a compromised key',
  description:
    'It no longer verifies anything: tokens signed with it are refused, and the public keys list it as revoked. The next key signs at once.',
  body: Type.Object({ reason }, CLOSED),
  answers: { 200: ServiceKey },
  problems: ['key_not_found', 'invalid_state_transition'],
});
