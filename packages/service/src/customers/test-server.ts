import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import type { Authenticator } from '../http/access.ts';
import { IdempotencyStore } from '../http/idempotency-store.ts';
import { CursorCodec } from '../http/paging.ts';
import { RateLimiter } from '../http/rate-limits.ts';
import { createServer } from '../http/server.ts';
import { VirtualClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import { pricingRoutes } from '../pricing/routes.ts';
import { LivePricingSettings } from '../pricing/settings.ts';
import { type LiveSpreadRules, liveSpreadRules } from '../pricing/spread-rules.ts';
import { Problem } from '../problems/problem.ts';
import { databaseSource } from './database-source.ts';
import { CachedCustomerDirectory } from './directory.ts';
import type { CustomersRoom } from './room.ts';
import { customerRoutes } from './routes.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `operator <client uuid> <scopes…>` or `customer <customer uuid> <scopes…>`. */
  readonly token?: string;
}

export interface TestServer {
  readonly database: TestDatabase;
  readonly room: CustomersRoom;
  readonly directory: CachedCustomerDirectory;
  readonly spreads: LiveSpreadRules;
  readonly clock: VirtualClock;
  /** Whose quotes were ended, each time. */
  readonly suspended: string[];
  /** Everything that was logged so far. */
  readonly log: () => string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
}

export const OPERATOR = 'operator 0195f000-0000-7000-8000-00000000000a operator:*';

/** Believes whatever the token says of itself. */
const authenticator: Authenticator = {
  authenticate(authorization, _address, audience) {
    const [kind, id = '', ...scopes] = (authorization ?? '').replace(/^Bearer /, '').split(' ');
    if (kind !== audience) throw new Problem('token_invalid', 'The token is meant for another audience.');
    return {
      actor: { kind: 'client', id: kind === 'operator' ? id : '0195f000-0000-7000-8000-00000000000b' },
      personId: undefined,
      tokenId: id,
      customerId: kind === 'customer' ? id : undefined,
      scopes: new Set(scopes),
    };
  },
};

/** The customers' routes on a socket of their own, with a database of their own, until the tests of the file end. */
export async function startTestServer(): Promise<TestServer> {
  const database = await createTestDatabase({ connections: 12 });
  const clock = new VirtualClock();
  const directory = new CachedCustomerDirectory(databaseSource(database.pool));
  const suspended: TestServer['suspended'] = [];
  const room: CustomersRoom = {
    pool: database.pool,
    clock,
    directory,
    endQuotes: async (_connection, customerId) => {
      suspended.push(customerId);
    },
  };
  const { pool } = database;
  const spreads = liveSpreadRules(pool);
  const pricing = { pool, clock, settings: new LivePricingSettings(pool), spreads, customers: directory };
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => lines.push(line) });
  const app = createServer({
    authenticator,
    customers: directory,
    limiter: new RateLimiter(),
    perAddress: { perMinute: 1_000_000 },
    clock,
    logger,
    accessLog: 'all',
    trustProxy: [],
    baseUrl: () => 'http://localhost',
  });
  app.decorate('kit', {
    idempotency: new IdempotencyStore(database.pool),
    cursors: new CursorCodec(randomBytes(32)),
    recordAct: async () => undefined,
  });
  customerRoutes(app, room);
  pricingRoutes(app, pricing);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => app.close());
  return {
    database,
    room,
    directory,
    spreads,
    clock,
    suspended,
    log: () => lines.join(''),
    call: (method, path, options = {}) => call(address + path, method, options),
  };
}

async function call(url: string, method: string, options: CallOptions): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${options.token ?? OPERATOR}`,
      ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
