import type { FastifyInstance, FastifyRequest } from 'fastify';
import { customerNotFound } from '../customers/records.ts';
import { requireCustomer } from '../customers/room.ts';
import { operatorOf } from '../http/context.ts';
import { idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId } from '../platform/ids.ts';
import type { Static } from '../platform/typebox.ts';
import { validationProblem } from '../problems/problem.ts';
import { resumeClient, revokeClient, revokeTokens, setIpAllowList, suspendClient } from './client-access.ts';
import { type ClientContext, clientNotFound } from './client-context.ts';
import { setKeys } from './client-keys.ts';
import { addSecret, revokeSecret } from './client-secrets.ts';
import { type Credential, viewClient } from './client-view.ts';
import { createClient } from './create-client.ts';
import { CUSTOMERS, OPERATORS, type Owners } from './owners.ts';
import * as schema from './schema.ts';
import type { ClientKind } from './scopes.ts';
import { type ClientReference, readClients } from './store.ts';

export interface OperatorRoutesOptions extends ClientContext {
  readonly idempotency: IdempotencyStore;
  readonly audienceOf: (kind: ClientKind) => string;
  /** @throws Problem customer_not_found */
}

/** Answers that hold a secret are kept by nobody on the way. */
const NO_STORE = { 'Cache-Control': 'no-store' };

/** The parameters of all routes together: which of them there are is in the path. */
interface Params {
  readonly customerId?: string;
  readonly clientId: string;
  readonly secretId: string;
}

interface ClientRoute {
  Params: Params;
}

/** The OAuth clients of customers, and those of the operators themselves: the same routes at two places. */
export function registerOperatorRoutes(app: FastifyInstance, options: OperatorRoutesOptions): void {
  for (const owners of [CUSTOMERS, OPERATORS]) {
    registerClients(app, options, owners);
    registerSecrets(app, options, owners);
    registerRestrictions(app, options, owners);
  }
}

function described({ tag, noun, scope }: Owners, verb: string, summary: string, suffix = '') {
  return {
    config: { access: { audience: 'operator', scope }, rate: 'unlimited' } as const,
    schema: { tags: [tag], operationId: `${verb}${noun}${suffix}`, summary },
  };
}

function registerClients(app: FastifyInstance, options: OperatorRoutesOptions, owners: Owners): void {
  const { path, schemas, params, whose } = owners;
  const creating = described(owners, 'create', `Make an OAuth client of ${whose}`);
  app.post(
    path,
    {
      ...creating,
      schema: {
        ...creating.schema,
        params: params.list,
        body: schemas.newBody,
        response: { 201: schemas.newView },
      },
    },
    idempotent({ store: options.idempotency, storeBody: false }, async (request) => {
      const owner = ownerOf(owners, request.params as Params);
      const created = await createClient(by(request, options), {
        ...(request.body as Static<typeof schemas.newBody>),
        owner,
      });
      const credential = await readCredential(options, { customerId: owner.customerId, id: created.id });
      return {
        status: 201,
        headers: { ...NO_STORE, Location: `${request.url.split('?', 1)[0]}/${created.clientId}` },
        body: { ...credential, secretId: created.secretId, clientSecret: created.clientSecret },
      };
    }),
  );
  const listing = described(owners, 'list', `List the OAuth clients of ${whose}, without secrets`, 's');
  app.get<ClientRoute>(
    path,
    { ...listing, schema: { ...listing.schema, params: params.list, response: { 200: schemas.listView } } },
    async (request) => {
      const { customerId } = ownerOf(owners, request.params);
      if (customerId !== undefined) await requireCustomer(options.pool, customerId);
      const clients = await readClients(options.pool, { customerId }, options.realClock.now());
      return { [owners.member]: clients.map((client) => viewClient(client, options.audienceOf)) };
    },
  );
  const ending = described(owners, 'revoke', `End an OAuth client of ${whose} for good`);
  app.delete<ClientRoute>(
    `${path}/:clientId`,
    { ...ending, schema: { ...ending.schema, params: params.client, response: { 204: schema.Nothing } } },
    async (request, reply) => {
      await revokeClient(by(request, options), referenceOf(owners, request.params));
      return reply.code(204).send();
    },
  );
}

function registerSecrets(app: FastifyInstance, options: OperatorRoutesOptions, owners: Owners): void {
  const { path, params, schemas } = owners;
  const adding = described(
    owners,
    'add',
    'Add a second secret, to replace the first without an outage',
    'Secret',
  );
  app.post(
    `${path}/:clientId/secrets`,
    {
      ...adding,
      schema: {
        ...adding.schema,
        params: params.client,
        body: schema.NewSecretBody,
        response: { 201: schema.NewSecretView },
      },
    },
    idempotent({ store: options.idempotency, storeBody: false }, async (request) => {
      const body = request.body as Static<typeof schema.NewSecretBody> | undefined;
      const reference = referenceOf(owners, request.params as Params);
      const secret = await addSecret(by(request, options), reference, instantOf(body?.expiresAt));
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
  const revoking = described(owners, 'revoke', 'Revoke a secret', 'Secret');
  app.delete<ClientRoute>(
    `${path}/:clientId/secrets/:secretId`,
    {
      ...revoking,
      schema: { ...revoking.schema, params: params.secret, response: { 204: schema.Nothing } },
    },
    async (request, reply) => {
      const secretId = parseTypeId('key', request.params.secretId);
      if (secretId === undefined) throw clientNotFound();
      await revokeSecret(by(request, options), referenceOf(owners, request.params), secretId);
      return reply.code(204).send();
    },
  );
  const keys = described(owners, 'set', 'Set the public keys for private_key_jwt', 'Keys');
  app.put<ClientRoute & { Body: Static<typeof schema.KeysBody> }>(
    `${path}/:clientId/keys`,
    {
      ...keys,
      schema: {
        ...keys.schema,
        params: params.client,
        body: schema.KeysBody,
        response: { 200: schemas.view },
      },
    },
    (request) =>
      changed(request, options, owners, (context, reference) =>
        setKeys(context, reference, request.body.keys),
      ),
  );
}

function registerRestrictions(app: FastifyInstance, options: OperatorRoutesOptions, owners: Owners): void {
  const { path, params, schemas } = owners;
  const allowing = described(owners, 'set', 'Set the addresses that the client may come from', 'IpAllowList');
  app.put<ClientRoute & { Body: Static<typeof schema.IpAllowListBody> }>(
    `${path}/:clientId/ip-allow-list`,
    {
      ...allowing,
      schema: {
        ...allowing.schema,
        params: params.client,
        body: schema.IpAllowListBody,
        response: { 200: schemas.view },
      },
    },
    (request) =>
      changed(request, options, owners, (context, reference) =>
        setIpAllowList(context, reference, request.body.ipAllowList),
      ),
  );
  for (const [verb, summary, change] of [
    ['suspend', 'Suspend an OAuth client: its tokens stop at once', suspendClient],
    ['resume', 'Resume a suspended OAuth client', resumeClient],
  ] as const) {
    const restricting = described(owners, verb, summary);
    app.post<ClientRoute>(
      `${path}/:clientId/${verb}`,
      {
        ...restricting,
        schema: { ...restricting.schema, params: params.client, response: { 200: schemas.view } },
      },
      (request) => changed(request, options, owners, change),
    );
  }
  const withdrawing = described(
    owners,
    'revoke',
    'Withdraw the tokens given so far, or one of them',
    'Tokens',
  );
  app.post<ClientRoute & { Body: Static<typeof schema.RevokeTokensBody> }>(
    `${path}/:clientId/revoke-tokens`,
    {
      ...withdrawing,
      schema: {
        ...withdrawing.schema,
        params: params.client,
        body: schema.RevokeTokensBody,
        response: { 204: schema.Nothing },
      },
    },
    async (request, reply) => {
      await revokeTokens(by(request, options), referenceOf(owners, request.params), request.body?.jti);
      return reply.code(204).send();
    },
  );
}

/** Who orders a change may reach no further than its own rights. */
function by(request: FastifyRequest, { pool, realClock, onChange }: ClientContext): ClientContext {
  const actor = { clientId: operatorOf(request), scopes: request.caller?.scopes ?? new Set<string>() };
  return { pool, realClock, onChange, actor };
}

async function changed(
  request: FastifyRequest<ClientRoute>,
  options: OperatorRoutesOptions,
  owners: Owners,
  change: (context: ClientContext, reference: ClientReference) => Promise<void>,
): Promise<Credential> {
  const reference = referenceOf(owners, request.params);
  await change(by(request, options), reference);
  return readCredential(options, reference);
}

async function readCredential(
  options: OperatorRoutesOptions,
  reference: ClientReference,
): Promise<Credential> {
  const [client] = await readClients(options.pool, reference, options.realClock.now());
  if (client === undefined) throw clientNotFound();
  return viewClient(client, options.audienceOf);
}

function ownerOf(
  { kind }: Owners,
  params: Params,
):
  | { readonly kind: 'customer'; readonly customerId: string }
  | { readonly kind: 'operator'; readonly customerId: undefined } {
  if (kind === 'operator') return { kind, customerId: undefined };
  const customerId = parseTypeId('cus', params.customerId ?? '');
  if (customerId === undefined) throw customerNotFound();
  return { kind, customerId };
}

function referenceOf(owners: Owners, params: Params): ClientReference {
  const id = parseTypeId('cli', params.clientId);
  if (id === undefined) throw clientNotFound();
  return { id, customerId: ownerOf(owners, params).customerId };
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
