import type { FastifyInstance } from 'fastify';
import { idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import type { Static } from '../platform/typebox.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { resumeClient, revokeClient, revokeTokens, setIpAllowList, suspendClient } from './client-access.ts';
import { type ClientContext, clientNotFound } from './client-context.ts';
import { setKeys } from './client-keys.ts';
import { addSecret, revokeSecret } from './client-secrets.ts';
import { createClient } from './create-client.ts';
import type { Credential } from './schema.ts';
import * as schema from './schema.ts';
import type { ClientKind } from './scopes.ts';
import { type ClientDetail, type ClientReference, readClients } from './store.ts';

export interface OperatorRoutesOptions extends ClientContext {
  readonly idempotency: IdempotencyStore;
  readonly audienceOf: (kind: ClientKind) => string;
  /** @throws Problem customer_not_found */
  readonly requireCustomer: (customerId: string) => Promise<void>;
}

/** Answers that hold a secret are kept by nobody on the way. */
const NO_STORE = { 'Cache-Control': 'no-store' };
const CREDENTIALS = '/v1/operator/customers/:customerId/credentials';
const CREDENTIAL = `${CREDENTIALS}/:clientId`;

interface ClientRoute {
  Params: Static<typeof schema.ClientParams>;
}

/** Contract §14: the OAuth clients of a customer. */
export function registerOperatorRoutes(app: FastifyInstance, options: OperatorRoutesOptions): void {
  registerCredentials(app, options);
  registerSecrets(app, options);
  registerRestrictions(app, options);
}

function described(operationId: string, summary: string) {
  return { tags: ['Operator: credentials'], operationId, summary };
}

const config = {
  access: { audience: 'operator', scope: 'operator:customers' },
  rate: 'unlimited',
} as const;

function registerCredentials(app: FastifyInstance, options: OperatorRoutesOptions): void {
  app.post(
    CREDENTIALS,
    {
      config,
      schema: {
        ...described('createCredential', 'Give a customer an OAuth client'),
        params: schema.CustomerParams,
        body: schema.NewCredentialBody,
        response: { 201: schema.NewCredentialView },
      },
    },
    idempotent({ store: options.idempotency, storeBody: false }, async (request) => {
      const params = request.params as Static<typeof schema.CustomerParams>;
      const customerId = customerIdOf(params.customerId);
      const created = await createClient(options, {
        ...(request.body as Static<typeof schema.NewCredentialBody>),
        owner: { kind: 'customer', customerId },
      });
      const credential = await readCredential(options, { customerId, id: created.id });
      return {
        status: 201,
        headers: { ...NO_STORE, Location: `${request.url.split('?', 1)[0]}/${created.clientId}` },
        body: { ...credential, secretId: created.secretId, clientSecret: created.clientSecret },
      };
    }),
  );
  app.get<{ Params: Static<typeof schema.CustomerParams> }>(
    CREDENTIALS,
    {
      config,
      schema: {
        ...described('listCredentials', "List a customer's OAuth clients, without secrets"),
        params: schema.CustomerParams,
        response: { 200: schema.CredentialListView },
      },
    },
    async (request) => {
      const customerId = customerIdOf(request.params.customerId);
      await options.requireCustomer(customerId);
      const clients = await readClients(options.pool, { customerId }, options.realClock.now());
      return { credentials: clients.map((client) => view(client, options)) };
    },
  );
  app.delete<ClientRoute>(
    CREDENTIAL,
    {
      config,
      schema: {
        ...described('revokeCredential', 'End an OAuth client for good'),
        params: schema.ClientParams,
        response: { 204: schema.Nothing },
      },
    },
    async (request, reply) => {
      await revokeClient(options, referenceOf(request.params));
      return reply.code(204).send();
    },
  );
}

function registerSecrets(app: FastifyInstance, options: OperatorRoutesOptions): void {
  app.post(
    `${CREDENTIAL}/secrets`,
    {
      config,
      schema: {
        ...described('addSecret', 'Add a second secret, to replace the first without an outage'),
        params: schema.ClientParams,
        body: schema.NewSecretBody,
        response: { 201: schema.NewSecretView },
      },
    },
    idempotent({ store: options.idempotency, storeBody: false }, async (request) => {
      const body = request.body as Static<typeof schema.NewSecretBody> | undefined;
      const reference = referenceOf(request.params as ClientRoute['Params']);
      const secret = await addSecret(options, reference, instantOf(body?.expiresAt));
      return {
        status: 201,
        headers: NO_STORE,
        body: {
          secretId: secret.secretId,
          clientSecret: secret.clientSecret,
          createdAt: isoInstant(secret.createdAt),
          expiresAt: secret.expiresAt === undefined ? null : isoInstant(secret.expiresAt),
        },
      };
    }),
  );
  app.delete<{ Params: Static<typeof schema.SecretParams> }>(
    `${CREDENTIAL}/secrets/:secretId`,
    {
      config,
      schema: {
        ...described('revokeSecret', 'Revoke a secret'),
        params: schema.SecretParams,
        response: { 204: schema.Nothing },
      },
    },
    async (request, reply) => {
      const secretId = parseTypeId('key', request.params.secretId);
      if (secretId === undefined) throw clientNotFound();
      await revokeSecret(options, referenceOf(request.params), secretId);
      return reply.code(204).send();
    },
  );
  app.put<ClientRoute & { Body: Static<typeof schema.KeysBody> }>(
    `${CREDENTIAL}/keys`,
    {
      config,
      schema: {
        ...described('setKeys', 'Set the public keys for private_key_jwt'),
        params: schema.ClientParams,
        body: schema.KeysBody,
        response: { 200: schema.CredentialView },
      },
    },
    (request) =>
      changed(options, request.params, (reference) => setKeys(options, reference, request.body.keys)),
  );
}

function registerRestrictions(app: FastifyInstance, options: OperatorRoutesOptions): void {
  app.put<ClientRoute & { Body: Static<typeof schema.IpAllowListBody> }>(
    `${CREDENTIAL}/ip-allow-list`,
    {
      config,
      schema: {
        ...described('setIpAllowList', 'Set the addresses that the client may come from'),
        params: schema.ClientParams,
        body: schema.IpAllowListBody,
        response: { 200: schema.CredentialView },
      },
    },
    (request) =>
      changed(options, request.params, (reference) =>
        setIpAllowList(options, reference, request.body.ipAllowList),
      ),
  );
  const restriction = (operationId: string, summary: string) => ({
    config,
    schema: {
      ...described(operationId, summary),
      params: schema.ClientParams,
      response: { 200: schema.CredentialView },
    },
  });
  app.post<ClientRoute>(
    `${CREDENTIAL}/suspend`,
    restriction('suspendCredential', 'Suspend an OAuth client: its tokens stop at once'),
    (request) => changed(options, request.params, (reference) => suspendClient(options, reference)),
  );
  app.post<ClientRoute>(
    `${CREDENTIAL}/resume`,
    restriction('resumeCredential', 'Resume a suspended OAuth client'),
    (request) => changed(options, request.params, (reference) => resumeClient(options, reference)),
  );
  app.post<ClientRoute & { Body: Static<typeof schema.RevokeTokensBody> }>(
    `${CREDENTIAL}/revoke-tokens`,
    {
      config,
      schema: {
        ...described('revokeTokens', 'Withdraw the tokens given so far, or one of them'),
        params: schema.ClientParams,
        body: schema.RevokeTokensBody,
        response: { 204: schema.Nothing },
      },
    },
    async (request, reply) => {
      await revokeTokens(options, referenceOf(request.params), request.body?.jti);
      return reply.code(204).send();
    },
  );
}

async function changed(
  options: OperatorRoutesOptions,
  params: ClientRoute['Params'],
  change: (reference: ClientReference) => Promise<void>,
): Promise<Credential> {
  const reference = referenceOf(params);
  await change(reference);
  return readCredential(options, reference);
}

async function readCredential(
  options: OperatorRoutesOptions,
  reference: ClientReference,
): Promise<Credential> {
  const [client] = await readClients(options.pool, reference, options.realClock.now());
  if (client === undefined) throw clientNotFound();
  return view(client, options);
}

function view(client: ClientDetail, { audienceOf }: OperatorRoutesOptions): Credential {
  return {
    clientId: typeId('cli', client.id),
    name: client.name,
    status: client.status === 'suspended' ? 'suspended' : 'active',
    scopes: [...client.scopes] as Credential['scopes'],
    audiences: client.audiences.length > 0 ? [...client.audiences] : [audienceOf(client.kind)],
    ipAllowList: [...client.ipAllowList],
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
    createdAt: isoInstant(client.createdAt),
    updatedAt: isoInstant(client.updatedAt),
  };
}

function customerIdOf(text: string): string {
  const id = parseTypeId('cus', text);
  if (id === undefined) throw new Problem('customer_not_found', 'There is no such customer.');
  return id;
}

function referenceOf(params: ClientRoute['Params']): ClientReference {
  const id = parseTypeId('cli', params.clientId);
  if (id === undefined) throw clientNotFound();
  return { id, customerId: customerIdOf(params.customerId) };
}

function instantOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) {
    throw validationProblem([{ pointer: '/expiresAt', code: 'wrong_format', detail: 'is not a time' }]);
  }
  return instant;
}

/** The answer holds a secret. */
