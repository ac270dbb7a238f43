import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { integer } from '@firmquote/api/parameters';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { IdempotencyStore } from '../http/idempotency-store.ts';
import { CursorCodec } from '../http/paging.ts';
import { type Quota, type Quotas, RateLimiter } from '../http/rate-limits.ts';
import { serveRaw } from '../http/serve.ts';
import { createServer, type ServerOptions } from '../http/server.ts';
import { createKeys, type Keys } from '../keys/room.ts';
import { isoInstant, VirtualClock } from '../platform/clock.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { type Authorization, type AuthorizationOptions, createAuthorization } from './room.ts';

/** A server with this room only, on a free port, for the tests of the room. */
export interface TestServer {
  readonly url: string;
  readonly app: FastifyInstance;
  readonly authorization: Authorization;
  readonly keys: Keys;
  readonly realClock: VirtualClock;
  readonly pool: Pool;
}

const MANY = { perMinute: 1_000_000 };
const QUOTAS: Quotas = {
  indicative: MANY,
  quotes: MANY,
  execute: MANY,
  reads: MANY,
  revalidation: MANY,
  all: MANY,
};

export async function startServer(
  pool: Pool,
  options: Partial<AuthorizationOptions> & {
    readonly trustProxy?: readonly string[];
    readonly perAddress?: Quota;
  } = {},
): Promise<TestServer> {
  const { trustProxy = [], perAddress = MANY, ...given } = options;
  const realClock = new VirtualClock();
  let url = '';
  const { logger = pino({ level: 'silent' }) } = given;
  const keys = createKeys({
    pool,
    realClock: given.realClock ?? realClock,
    logger,
    encryption: {},
    rotationDays: { tokens: 90, evidence: 365 },
  });
  const authorization = createAuthorization({
    keys,
    pool,
    realClock,
    logger,
    issuer: () => url,
    audience: () => url,
    operatorAudience: () => `${url}/operator`,
    tokenRate: { perClient: MANY, perAddress: MANY, failuresPerAddress: MANY },
    ...given,
  });
  const baseUrl = () => url;
  const app = serverOf(authorization, { pool, realClock, logger, trustProxy, perAddress, baseUrl });
  authorization.routes(app);
  probeRoutes(app);
  await keys.start();
  await app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  after(() => app.close());
  return { url, app, authorization, keys, realClock, pool };
}

interface Surroundings extends Pick<ServerOptions, 'logger' | 'trustProxy' | 'perAddress' | 'baseUrl'> {
  readonly pool: Pool;
  readonly realClock: VirtualClock;
}

function serverOf(
  { authenticator }: Authorization,
  { pool, realClock, ...given }: Surroundings,
): FastifyInstance {
  const app = createServer({
    authenticator,
    customers: { access: () => ({ status: 'active', quotas: QUOTAS }) },
    limiter: new RateLimiter(),
    clock: realClock,
    accessLog: 'off',
    ...given,
  });
  app.decorate('kit', {
    idempotency: new IdempotencyStore(pool),
    cursors: new CursorCodec(Buffer.alloc(32)),
    recordAct: async () => undefined,
  });
  return app;
}

/** One route for customers and one for operators, which answer who has called. */
function probeRoutes(app: FastifyInstance): void {
  const who = (access: { audience: 'customer' | 'operator'; scope: string }, path: string) =>
    serveRaw(app, { ...PROBE, access, path }, (request) => ({
      clientId: request.caller?.actor.id,
      customerId: request.caller?.customerId ?? null,
      scopes: [...(request.caller?.scopes ?? [])],
    }));
  who({ audience: 'customer', scope: 'quotes:read' }, '/v1/customer/probe');
  who({ audience: 'operator', scope: 'operator:spreads' }, '/v1/operator/probe');
}

const PROBE = {
  id: 'probe',
  method: 'GET',
  tag: 'Operations',
  summary: 'Ask who calls',
  query: { limit: integer(1, 100) },
  answers: {},
} as const;

export async function startWithDatabase(
  options: Parameters<typeof startServer>[1] = {},
): Promise<TestServer> {
  const { pool } = await createTestDatabase();
  return startServer(pool, options);
}

/** @returns the customer's UUID and TypeID */
export async function insertCustomer(pool: Pool): Promise<{ id: string; customerId: string }> {
  const now = Date.now();
  const id = newUuid(now);
  await pool.query('insert into customers (id, name, created_at, updated_at) values ($1, $2, $3, $3)', [
    id,
    'Example Ltd',
    isoInstant(now),
  ]);
  return { id, customerId: typeId('cus', id) };
}

export async function customerClient(server: TestServer, extra: { ipAllowList?: readonly string[] } = {}) {
  const customer = await insertCustomer(server.pool);
  const client = await server.authorization.clients.create({
    owner: { kind: 'customer', customerId: customer.id },
    name: 'trading system',
    ...extra,
  });
  return { ...client, customer, reference: { id: client.id, customerId: customer.id } };
}

export function operatorClient(server: TestServer, scopes?: readonly string[]) {
  return server.authorization.clients.create({ owner: { kind: 'operator' }, name: 'desk', scopes });
}

export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

async function answer(response: Response): Promise<OAuthAnswer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

/** An error in the form of RFC 6749 §5.2, and nothing else. */
export function assertRefused(answer: OAuthAnswer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.body.error], [status, error], JSON.stringify(answer.body));
  assert.equal(typeof answer.body.error_description, 'string');
  assert.deepEqual(Object.keys(answer.body), ['error', 'error_description']);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

export async function postJson(
  server: TestServer,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  endpoint = 'token',
): Promise<OAuthAnswer> {
  return answer(
    await fetch(`${server.url}/oauth/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
}

export async function postForm(
  server: TestServer,
  body: string | Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
  endpoint = 'token',
): Promise<OAuthAnswer> {
  return answer(
    await fetch(`${server.url}/oauth/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
    }),
  );
}

export function jsonRequest(
  server: TestServer,
  client: { clientId: string; clientSecret: string },
  extra: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    audience: server.url,
    grant_type: 'client_credentials',
    ...extra,
  };
}

export async function tokenFor(
  server: TestServer,
  client: { clientId: string; clientSecret: string },
  extra: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { status, body } = await postJson(server, jsonRequest(server, client, extra));
  if (status !== 200) throw new Error(`No token: ${JSON.stringify(body)}`);
  return String(body.access_token);
}

export function operatorToken(server: TestServer, client: { clientId: string; clientSecret: string }) {
  return tokenFor(server, client, { audience: `${server.url}/operator` });
}

export async function call(
  server: TestServer,
  path: string,
  token: string | undefined,
  init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<OAuthAnswer> {
  const headers: Record<string, string> = { ...init.headers };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (init.body !== undefined) headers['content-type'] = 'application/json';
  return answer(
    await fetch(`${server.url}${path}`, {
      method: init.method ?? 'GET',
      headers,
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    }),
  );
}

export const probe = (server: TestServer, token?: string, headers: Record<string, string> = {}) =>
  call(server, '/v1/customer/probe', token, { headers });
