import type { Operation } from '@firmquote/api/operation';
import {
  type ClientOperations,
  CREDENTIALS,
  OPERATOR_CLIENTS,
  OWN_CREDENTIALS,
} from '@firmquote/api/operations/clients';
import type { FastifyInstance } from 'fastify';
import { requireCustomer } from '../customers/room.ts';
import { current } from '../database/enclosure.ts';
import type { Queryable } from '../database/pool.ts';
import type { Caller } from '../http/context.ts';
import { INSTANT } from '../http/sentences.ts';
import { type Call, type Result, serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { validationProblem } from '../problems/problem.ts';
import { resumeClient, revokeClient, revokeTokens, setIpAllowList, suspendClient } from './client-access.ts';
import { clientNotFound } from './client-context.ts';
import { setKeys } from './client-keys.ts';
import { addSecret, type CreatedSecret, revokeSecret } from './client-secrets.ts';
import { type Credential, viewClient } from './client-view.ts';
import { type CreatedClient, createClient, type NewClient } from './create-client.ts';
import { by } from './rights.ts';
import type { AuthorizationRoom } from './room.ts';
import type { ClientKind } from './scopes.ts';
import { type ClientReference, readClients } from './store.ts';
import { updateClient } from './update-client.ts';

interface OperatorRoutesOptions extends AuthorizationRoom {
  readonly audienceOf: (kind: ClientKind) => string;
}

/** Answers that hold a secret are kept by nobody on the way. */
const NO_STORE = { 'Cache-Control': 'no-store' };

/** The OAuth clients of customers, for operators and for themselves, and those of the operators: the same routes at three places. */
export function registerOperatorRoutes(app: FastifyInstance, options: OperatorRoutesOptions): void {
  clientRoutes(app, options, CREDENTIALS, 'credentials');
  clientRoutes(app, options, OWN_CREDENTIALS, 'credentials');
  clientRoutes(app, options, OPERATOR_CLIENTS, 'clients');
  for (const operations of [CREDENTIALS, OWN_CREDENTIALS, OPERATOR_CLIENTS]) {
    secretRoutes(app, options, operations);
    accessRoutes(app, options, operations);
  }
}

function clientRoutes(
  app: FastifyInstance,
  options: OperatorRoutesOptions,
  operations: ClientOperations,
  member: 'credentials' | 'clients',
): void {
  serve(app, operations.create, async ({ params, body, caller, request, carried, inCommit }) => {
    const customerId = ownerOf(params, caller);
    const owner: NewClient['owner'] =
      customerId === undefined ? { kind: 'operator' } : { kind: 'customer', customerId };
    const shown = inCommit(async ({ id, clientId, secretId, clientSecret }: CreatedClient, connection) => ({
      headers: { ...NO_STORE, Location: `${request.url.split('?', 1)[0]}/${clientId}` },
      body: { ...(await readCredential(options, { customerId, id }, connection)), secretId, clientSecret },
    }));
    const input = { ...body, expiresAt: instantOf(body.expiresAt), owner };
    await createClient(withShownSecret(by(caller, options), carried), input, shown);
    return undefined;
  });
  serve(app, operations.list, async ({ params, caller }) => {
    const customerId = ownerOf(params, caller);
    if (customerId !== undefined) await requireCustomer(options.pool, customerId);
    const clients = await readClients(options.pool, { customerId }, options.realClock.now());
    return { body: { [member]: clients.map((client) => viewClient(client, options.audienceOf)) } };
  });
  serve(app, operations.revoke, async ({ params, caller }) => {
    await revokeClient(by(caller, options), referenceOf(params, caller));
    return {};
  });
}

function secretRoutes(
  app: FastifyInstance,
  options: OperatorRoutesOptions,
  operations: ClientOperations,
): void {
  serve(app, operations.addSecret, async ({ params, body, caller, carried, inCommit }) => {
    await addSecret(
      withShownSecret(by(caller, options), carried),
      referenceOf(params, caller),
      instantOf(body.expiresAt),
      instantOf(body.othersExpireAt, '/othersExpireAt'),
      inCommit(({ secretId, clientSecret, createdAt, expiresAt }: CreatedSecret) => ({
        headers: NO_STORE,
        body: {
          secretId,
          clientSecret,
          createdAt: isoInstant(createdAt),
          expiresAt: expiresAt === undefined ? null : isoInstant(expiresAt),
        },
      })),
    );
    return undefined;
  });
  serve(app, operations.revokeSecret, async ({ params, caller }) => {
    await revokeSecret(by(caller, options), referenceOf(params, caller), params.secretId);
    return {};
  });
}

function accessRoutes(
  app: FastifyInstance,
  options: OperatorRoutesOptions,
  operations: ClientOperations,
): void {
  const changed = async (
    { params, caller }: { readonly params: ClientParams; readonly caller: Caller },
    change: (context: AuthorizationRoom, reference: ClientReference) => Promise<void>,
  ): Promise<Result> => {
    const reference = referenceOf(params, caller);
    await change(by(caller, options), reference);
    return { body: await readCredential(options, reference) };
  };
  serve(app, operations.setKeys, async (call) =>
    changed(call, (context, reference) => setKeys(context, reference, call.body.keys)),
  );
  serve(app, operations.setIpAllowList, async (call) =>
    changed(call, (context, reference) =>
      setIpAllowList(context, reference, call.body.ipAllowList, call.request.ip),
    ),
  );
  serve(app, operations.update, async (call) => {
    const { expiresAt, ...change } = call.body;
    const end = expiresAt === null ? null : instantOf(expiresAt);
    return changed(call, (context, reference) =>
      updateClient(context, reference, { ...change, expiresAt: end }),
    );
  });
  serve(app, operations.suspend, async (call) => changed(call, suspendClient));
  serve(app, operations.resume, async (call) => changed(call, resumeClient));
  serve(app, operations.revokeTokens, async ({ params, body, caller }) => {
    await revokeTokens(by(caller, options), referenceOf(params, caller), body.jti);
    return {};
  });
}

interface OwnerParams {
  /** None for the operators' own clients. */
  readonly customerId?: string;
}

interface ClientParams extends OwnerParams {
  readonly clientId: string;
}

function referenceOf(params: ClientParams, caller: Caller): ClientReference {
  return { id: params.clientId, customerId: ownerOf(params, caller) };
}

/** A customer's token names the customer; an operator names it in the address. */
function ownerOf({ customerId }: OwnerParams, caller: Caller): string | undefined {
  return caller.customerId ?? customerId;
}

/** A second person may have approved the secret that somebody was shown: that one is kept. */
function withShownSecret(room: AuthorizationRoom, carried: Call<Operation>['carried']): AuthorizationRoom {
  const shown = carried?.secretHash;
  return shown === undefined ? room : { ...room, shownSecretHash: Buffer.from(shown, 'hex') };
}

async function readCredential(
  options: OperatorRoutesOptions,
  reference: ClientReference,
  database: Queryable = current(options.pool),
): Promise<Credential> {
  const [client] = await readClients(database, reference, options.realClock.now());
  if (client === undefined) throw clientNotFound();
  return viewClient(client, options.audienceOf);
}

function instantOf(text: string | undefined, pointer = '/expiresAt'): number | undefined {
  if (text === undefined) return undefined;
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) {
    throw validationProblem([{ pointer, code: 'wrong_format', detail: INSTANT }]);
  }
  return instant;
}
