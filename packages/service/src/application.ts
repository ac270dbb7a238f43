import type { AddressInfo } from 'node:net';
import { tradeDateAt } from '@firmquote/fx';
import { createAuthorization } from './authorization/index.ts';
import type { Config } from './config.ts';
import { databaseSource } from './customers/database-source.ts';
import { CachedCustomerDirectory } from './customers/directory.ts';
import { registerCustomerRoutes } from './customers/routes.ts';
import { migrate } from './database/migrate.ts';
import { type Database, openDatabase } from './database/open.ts';
import { serviceSecret } from './database/service-secret.ts';
import { forgetOldEvents } from './events/list-events.ts';
import { eventRoutes } from './events/routes.ts';
import { IdempotencyStore } from './http/idempotency-store.ts';
import { KeyGate } from './http/key-gate.ts';
import { documentApi } from './http/openapi.ts';
import { CursorCodec } from './http/paging.ts';
import { RateLimiter } from './http/rate-limits.ts';
import { createServer } from './http/server.ts';
import { Market } from './market/market.ts';
import { RateBook } from './market/rate-book.ts';
import { createSources } from './market/sources/from-config.ts';
import { Metrics } from './operations/metrics.ts';
import { operationsRoutes } from './operations/routes.ts';
import { systemClock, VirtualClock } from './platform/clock.ts';
import type { Logger } from './platform/logger.ts';
import { type Sweep, SweepRunner } from './platform/sweeps.ts';
import { problemRoutes } from './problems/routes.ts';
import { expireQuotes, withdrawQuotesOf } from './quotes/close-quotes.ts';
import { quoteRoutes } from './quotes/routes.ts';
import { QuoteStore } from './quotes/store.ts';
import { transactionRoutes } from './transactions/routes.ts';
import { TransactionStore } from './transactions/store.ts';
import { TransactionWatch } from './transactions/watch-transaction.ts';

export interface Application {
  /** Where it listens, without a slash at the end. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
  /** Rejects if the embedded database ends by itself. */
  readonly lost: Promise<never>;
  /** Stops taking requests, lets those under way finish, and closes everything. */
  stop(): Promise<void>;
}

/** Addresses that are known for sure only once the server listens (port 0 takes any free one). */
class Addresses {
  readonly #config: Config;
  #listening: string | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  listening(port: number): void {
    const { host } = this.#config;
    const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
    this.#listening = `http://${name}:${port}`;
  }

  readonly base = (): string =>
    this.#config.baseUrl ?? this.#listening ?? `http://${this.#config.host}:${this.#config.port}`;
  readonly auth = (): string => this.#config.authUrl ?? this.base();
  readonly audience = (): string => this.#config.audience ?? this.base();
  readonly operatorAudience = (): string =>
    this.#config.operatorAudience ??
    (this.#config.mode === 'sandbox' ? this.audience() : `${this.audience()}/operator`);
}

/** Starts the whole service on the given settings. The order here is the order in which things need each other. */
export async function startApplication(config: Config, logger: Logger): Promise<Application> {
  const database = await openDatabase(config, logger);
  try {
    const applied = await migrate(database.pool);
    if (applied.length > 0) logger.info({ migrations: applied }, 'database migrated');
    return await startOn(database, config, logger);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function startOn(database: Database, config: Config, logger: Logger): Promise<Application> {
  const { pool } = database;
  const addresses = new Addresses(config);
  const metrics = new Metrics();
  const onBatch = (name: string, size: number, seconds: number) => metrics.batch(name, size, seconds);
  const sandbox = config.mode === 'sandbox';
  const clock = sandbox ? new VirtualClock() : systemClock;
  let accepting = true;

  const book = new RateBook({ clock });
  const sources = createSources(config.sources, { clock, seed: config.simulatorSeed, logger });
  const market = new Market({ clock, book, hours: config.marketHours, sources });
  metrics.watchBook(book);

  const customers = new CachedCustomerDirectory(databaseSource(pool));
  const authorization = createAuthorization({
    pool,
    realClock: systemClock,
    logger,
    issuer: addresses.auth,
    audience: addresses.audience,
    operatorAudience: addresses.operatorAudience,
    keyEncryptionKey: config.keyEncryptionKey,
    ...(sandbox ? { tokenRate: SANDBOX_TOKEN_RATE } : {}),
  });

  const quotes = new QuoteStore(pool, onBatch);
  const limitDay = (now: number) => tradeDateAt(now);
  const transactions = new TransactionStore({ pool, now: () => clock.now(), limitDay, onBatch });
  const watch = new TransactionWatch(transactions);
  const cursors = new CursorCodec(await serviceSecret(pool, 'cursors'));
  const idempotency = new IdempotencyStore(pool);
  const gate = new KeyGate();
  const quoteServices = { clock, market, customers, store: quotes, gate, scenarios: undefined };
  const executionServices = { clock, market, customers, quotes, transactions, limitDay, gate };

  const app = createServer({
    clock,
    logger,
    accessLog: config.accessLog,
    trustProxy: config.trustProxy,
    baseUrl: addresses.base,
    authenticator: authorization.authenticator,
    customers,
    limiter: new RateLimiter(),
    onResponse: (method, route, status, seconds) => metrics.answered(method, route, status, seconds),
  });
  await documentApi(app, addresses.base);
  await app.register(async (routes) => {
    authorization.routes(routes);
    authorization.operatorRoutes(routes);
    quoteRoutes(routes, quoteServices);
    transactionRoutes(routes, {
      ...executionServices,
      pool,
      cursors,
      watch,
      pollAtMostSeconds: sandbox ? 5 : undefined,
    });
    eventRoutes(routes, { pool });
    registerCustomerRoutes(routes, {
      room: {
        pool,
        clock,
        directory: customers,
        onSuspended: async (id, reason) => {
          await withdrawQuotesOf(quoteServices, id, reason ?? 'customer_suspended');
        },
      },
      idempotency,
      cursors,
    });
    problemRoutes(routes, addresses.base);
    operationsRoutes(routes, { pool, market, metrics, accepting: () => accepting });
  });

  const sweeps = new SweepRunner(
    [
      { name: 'expire_quotes', everyMs: 1_000, run: () => expireQuotes(quoteServices) },
      { name: 'forget_events', everyMs: 60_000, run: () => forgetOldEvents(pool, clock.now()) },
    ] satisfies Sweep[],
    logger,
  );
  await authorization.start();
  await market.start();
  await app.listen({ host: config.host, port: config.port });
  addresses.listening((app.server.address() as AddressInfo).port);
  sweeps.start();
  return {
    baseUrl: addresses.base(),
    authUrl: addresses.auth(),
    audience: addresses.audience(),
    lost: database.lost,
    async stop() {
      accepting = false;
      watch.close();
      await app.close();
      await sweeps.stop();
      await market.stop();
      authorization.stop();
      await database.close();
    },
  };
}

/** A newcomer's scripts ask for a token on every run. */
const SANDBOX_TOKEN_RATE = { perClient: { perMinute: 6_000 }, perAddress: { perMinute: 12_000 } };
