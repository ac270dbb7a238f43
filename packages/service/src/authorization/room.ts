import type { FastifyInstance } from 'fastify';
import { logFailure } from '../database/log-failure.ts';
import type { Pool } from '../database/pool.ts';
import { RateLimiter } from '../http/rate-limits.ts';
import type { Keys } from '../keys/room.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { TokenAuthenticator } from './authenticator.ts';
import {
  answerForClient,
  resumeClient,
  revokeClient,
  revokeTokens,
  setIpAllowList,
  suspendClient,
} from './client-access.ts';
import { setKeys } from './client-keys.ts';
import { addSecret, revokeSecret } from './client-secrets.ts';
import { ClientStates } from './client-states.ts';
import { createClient } from './create-client.ts';
import type { TokenInspector } from './inspect-token.ts';
import type { TokenIssuer } from './issue-token.ts';
import { LastUse } from './last-use.ts';
import { registerMetadataRoutes } from './metadata-routes.ts';
import { registerOperatorRoutes } from './operator-routes.ts';
import type { Actor } from './rights.ts';
import { roleRoutes } from './role-routes.ts';
import { deleteRole, scopesOfRoles, setRole } from './roles.ts';
import type { ClientKind } from './scopes.ts';
import { readClients } from './store.ts';
import { registerTokenRoutes, TOKEN_PATH, type TokenRates } from './token-routes.ts';
import { CLOCK_MARGIN_MS, deleteExpired, readClientStates, useProof } from './token-store.ts';
import { updateClient } from './update-client.ts';

export type { CreatedSecret } from './client-secrets.ts';
export type { CreatedClient, NewClient } from './create-client.ts';
export { CUSTOMER_SCOPES, OPERATOR_SCOPES } from './scopes.ts';
export type { ClientDetail, ClientReference } from './store.ts';

/** What other rooms ask of this one besides its use cases. */
export { clientNames } from './store.ts';

/** What the use cases around OAuth clients work with. */
export interface AuthorizationRoom {
  readonly pool: Pool;
  readonly realClock: Clock;
  /** Secrets say that they are of a sandbox. */
  readonly isSandbox?: boolean | undefined;
  /** Notified after every committed change, so that this process acts on it at once. */
  readonly onChange: (clientId: string) => void;
  /** Notified after a role has changed: whoever has it may do other things now. */
  readonly onRolesChange: () => void;
  /** Who orders a change over HTTP; the command and the first start act for the house itself. */
  readonly actor?: Actor | undefined;
  /** Of the secret that was shown when a second person was asked for it: that one is kept, and not another one. */
  readonly shownSecretHash?: Buffer;
}

export interface AuthorizationOptions {
  readonly pool: Pool;
  /** Tokens live on real time, also when the sandbox clock is moved. */
  readonly realClock: Clock;
  readonly logger: Logger;
  readonly isSandbox?: boolean | undefined;
  /** Public address of the token endpoint, without a slash at the end. Functions, because a free port is known late. */
  readonly issuer: () => string;
  /** Other addresses at which the service is reached. */
  readonly bases?: (() => readonly string[]) | undefined;
  readonly audience: () => string;
  readonly operatorAudience: () => string;
  readonly keys: Pick<Keys, 'tokens' | 'evidence'>;
  readonly tokenRate?: TokenRates | undefined;
  /** Notified of each answer of the token endpoint: `issued`, or the code of the error. */
  readonly onTokenAnswer?: ((outcome: string) => void) | undefined;
  readonly limiter?: RateLimiter | undefined;
}

/** For each client; an address may be a proxy with several clients behind it. */
const DEFAULT_TOKEN_RATE: TokenRates = {
  perClient: { perMinute: 20 }, // limit: {a minute} Tokens of a client
  perAddress: { perMinute: 1_200 }, // limit: {a minute} Token requests of an address
  failuresPerAddress: { perMinute: 60 }, // limit: {a minute} Failed token requests of an address
};

export type Authorization = ReturnType<typeof createAuthorization>;

/** The room as the composition root sees it. */
export function createAuthorization(options: AuthorizationOptions) {
  const { pool, realClock, logger, issuer } = options;
  const audienceOf = (kind: ClientKind) =>
    kind === 'customer' ? options.audience() : options.operatorAudience();
  const lastUse = new LastUse({
    pool,
    onFailure: (error) => logFailure(logger, error, {}, 'could not save when clients were last used'),
  });
  const states = clientStatesOf(pool, realClock, lastUse);
  const signingKeys = options.keys.tokens;
  const listeners: (() => void)[] = [() => states.forgetAll()];
  const context: AuthorizationRoom = {
    pool,
    realClock,
    isSandbox: options.isSandbox,
    onChange: (id) => states.forget(id),
    onRolesChange: () => {
      for (const listener of listeners) listener();
    },
  };
  const bases = () => [issuer(), ...(options.bases?.() ?? [])];
  const authenticator = new TokenAuthenticator({
    realClock,
    states,
    issuer,
    audienceOf,
    verificationKey: (kid) => signingKeys.verificationKey(kid),
    bases,
    useProof: (clientId, jti, usableUntil) => useProof(pool, clientId, jti, usableUntil),
  });
  signingKeys.whenGone(() => authenticator.forget());
  const sweep: Sweep = {
    name: 'forget_tokens',
    does: 'Deletes revocations of tokens, and assertions and proofs that were used, once they have expired.',
    everyMs: 600_000,
    isHousekeeping: true,
    run: () => deleteExpired(pool, realClock.now() - CLOCK_MARGIN_MS),
  };

  return {
    authenticator,
    clients: clientUseCases(context),
    sweep,
    roles: roleUseCases(context),
    /** For whoever holds scopes of roles in memory. */
    whenRolesChange: (listener: () => void) => void listeners.push(listener),
    routes: (app: FastifyInstance) =>
      authorizationRoutes(app, options, context, { authenticator, lastUse, bases, issuer, audienceOf }),
  };
}

/** Who is looked up and may act is using its tokens. */
function clientStatesOf(pool: Pool, realClock: Clock, lastUse: LastUse): ClientStates {
  return new ClientStates({
    realClock,
    read: async (ids, now) => {
      const found = await readClientStates(pool, ids, now);
      const used = found.filter(({ status }) => status === 'active').map(({ id }) => id);
      lastUse.note(used, now);
      return found;
    },
  });
}

function authorizationRoutes(
  app: FastifyInstance,
  options: AuthorizationOptions,
  context: AuthorizationRoom,
  tokens: Pick<TokenIssuer & TokenInspector, 'authenticator' | 'lastUse' | 'bases' | 'issuer' | 'audienceOf'>,
): void {
  const { limiter = new RateLimiter(), tokenRate: rates = DEFAULT_TOKEN_RATE } = options;
  const { pool, realClock } = context;
  const { issuer, audienceOf } = tokens;
  const { tokens: signingKeys, evidence } = options.keys;
  registerTokenRoutes(
    app,
    {
      ...tokens,
      ...{ pool, realClock, signingKeys, limiter, context },
      assertionAudiences: () => [issuer(), `${issuer()}${TOKEN_PATH}`],
      perClient: rates.perClient,
      onAnswer: options.onTokenAnswer,
    },
    rates,
  );
  registerMetadataRoutes(app, { keys: [signingKeys, evidence], issuer });
  registerOperatorRoutes(app, { ...context, audienceOf });
  roleRoutes(app, context);
}

function roleUseCases(context: AuthorizationRoom) {
  return {
    set: setRole.bind(undefined, context),
    delete: deleteRole.bind(undefined, context),
    scopesOf: (names: readonly string[]) => scopesOfRoles(context.pool, names),
  };
}

/** The use cases around OAuth clients, for the operator API and for the first start. */
function clientUseCases(context: AuthorizationRoom) {
  return {
    create: createClient.bind(undefined, context),
    addSecret: addSecret.bind(undefined, context),
    revokeSecret: revokeSecret.bind(undefined, context),
    setKeys: setKeys.bind(undefined, context),
    setIpAllowList: setIpAllowList.bind(undefined, context),
    answerFor: answerForClient.bind(undefined, context),
    suspend: suspendClient.bind(undefined, context),
    resume: resumeClient.bind(undefined, context),
    revoke: revokeClient.bind(undefined, context),
    revokeTokens: revokeTokens.bind(undefined, context),
    update: updateClient.bind(undefined, context),
    list: (customerId: string | undefined) =>
      readClients(context.pool, { customerId }, context.realClock.now()),
  };
}
