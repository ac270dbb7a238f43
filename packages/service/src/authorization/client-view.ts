import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { ClientKind } from './scopes.ts';
import type { ClientDetail } from './store.ts';

export type Credential = ReturnType<typeof viewClient>;

/** An OAuth client as operators see it, without any secret. */
export function viewClient(client: ClientDetail, audienceOf: (kind: ClientKind) => string) {
  return {
    clientId: typeId('cli', client.id),
    name: client.name,
    status: client.status,
    scopes: [...client.scopes],
    ...(client.kind === 'operator' && { roles: [...client.roles] }),
    audiences: client.audiences.length > 0 ? [...client.audiences] : [audienceOf(client.kind)],
    ipAllowList: [...client.ipAllowList],
    ...(client.kind === 'operator' && {
      responsible:
        client.answeredBy === undefined
          ? null
          : {
              personId: actorId(client.answeredBy.id),
              name: client.answeredBy.name,
              email: client.answeredBy.email,
            },
    }),
    secrets: client.secrets.map((secret) => ({
      secretId: typeId('key', secret.id),
      createdAt: isoInstant(secret.createdAt),
      expiresAt: secret.expiresAt === undefined ? null : isoInstant(secret.expiresAt),
    })),
    keys: client.keys.map((key) => ({
      kid: key.kid,
      alg: key.jwk.alg ?? '',
      createdAt: isoInstant(key.createdAt),
    })),
    expiresAt: client.expiresAt === undefined ? null : isoInstant(client.expiresAt),
    dpopBoundTokens: client.dpopBound,
    lastUsedAt: client.lastUsedAt === undefined ? null : isoInstant(client.lastUsedAt),
    createdAt: isoInstant(client.createdAt),
    updatedAt: isoInstant(client.updatedAt),
  };
}
