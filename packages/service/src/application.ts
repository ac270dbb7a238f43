import type { AddressInfo } from 'node:net';
import { tradeDateAt } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { Addresses } from './addresses.ts';
import { createAuthorization } from './authorization/index.ts';
import { createCalendars } from './calendars/module.ts';
import { type Config, ConfigError } from './config.ts';
import { databaseSource } from './customers/database-source.ts';
import { CachedCustomerDirectory } from './customers/directory.ts';
import type { CustomersRoom } from './customers/room.ts';
import { registerCustomerRoutes } from './customers/routes.ts';
import { requireDataFolder } from './data-folder.ts';
import { migrate } from './database/migrate.ts';
import { type Database, openDatabase } from './database/open.ts';
import type { Pool } from './database/pool.ts';
import { serviceSecret } from './database/service-secret.ts';
import { forgetOldEvents } from './events/list-events.ts';
import { eventRoutes } from './events/routes.ts';
import { forgetOldKeys, IdempotencyStore } from './http/idempotency-store.ts';
import { KeyGate } from './http/key-gate.ts';
import { documentApi } from './http/openapi.ts';
import { CursorCodec } from './http/paging.ts';
import { RateLimiter } from './http/rate-limits.ts';
import { createServer } from './http/server.ts';
import { priceRoutes } from './market/price-routes.ts';
import { createMarketRoom } from './market/room.ts';
import { marketRoutes } from './market/routes.ts';
import { createSources } from './market/sources/from-config.ts';
import { Metrics } from './operations/metrics.ts';
import { operationsRoutes } from './operations/routes.ts';
import { type Clock, systemClock, VirtualClock } from './platform/clock.ts';
import type { Logger } from './platform/logger.ts';
import { type Sweep, SweepRunner } from './platform/sweeps.ts';
import { PricingDesk } from './pricing/desk.ts';
import { pricingRoutes } from './pricing/routes.ts';
import { CachedPricingSettings } from './pricing/settings.ts';
import { VolatilityRecorder } from './pricing/volatility.ts';
import { problemRoutes } from './problems/routes.ts';
import { expireQuotes, withdrawQuotesOf } from './quotes/close-quotes.ts';
import { quoteListRoute } from './quotes/list-quotes.ts';
import { previewRoutes } from './quotes/preview-routes.ts';
import { quoteRoutes } from './quotes/routes.ts';
import type { QuoteServices } from './quotes/service.ts';
import { QuoteStore } from './quotes/store.ts';
import { withdrawHalted } from './quotes/withdraw-halted.ts';
import { reconciliationRoutes } from './reconciliation/routes.ts';
import { creditSweep } from './reconciliation/statements/book-credits.ts';
import { folderSweeps } from './reconciliation/statements/folder.ts';
import { statementRoutes } from './reconciliation/statements/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import type { SandboxFile } from './sandbox/credentials-file.ts';
import { createSandbox, type SandboxModule } from './sandbox/module.ts';
import { sandboxScenarios } from './sandbox/scenarios.ts';
import { disableSandboxBank } from './sandbox/store.ts';
import { settlementRoutes } from './settlement/routes.ts';
import { fundingCutoffSweep, settlementSweep } from './settlement/sweeps.ts';
import { transactionRoutes } from './transactions/routes.ts';
import { TransactionStore } from './transactions/store.ts';
import { TransactionWatch } from './transactions/watch-transaction.ts';

export interface Application {
  /** Where it listens on this machine, without a slash at the end. */
  readonly localUrl: string;
  /** Public address of the API, without a slash at the end. */
  readonly baseUrl: string;
  /** What a newcomer needs to trade; undefined in production. */
  readonly sandbox: { readonly file: string; readonly content: SandboxFile } | undefined;
  /** Business time less real time; other than 0 only after the sandbox's clock was moved. */
  readonly clockOffsetMs: number;
  /** Rejects if the embedded database ends by itself. */
  readonly lost: Promise<never>;
  /** Stops taking requests, lets those under way finish, and closes everything. */
  stop(): Promise<void>;
}

/** Starts the whole service on the given settings. */
export async function startApplication(config: Config, logger: Logger): Promise<Application> {
  requireDataFolder(config);
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

/** The order here is the order in which things need each other. */
async function startOn(database: Database, config: Config, logger: Logger): Promise<Application> {
  const addresses = new Addresses(config);
  const core = await composeCore(database.pool, config, logger, addresses);
  const sandbox =
    core.clock instanceof VirtualClock ? composeSandbox(core, core.clock, config, logger) : undefined;
  if (sandbox === undefined) await disableSandboxBank(core.pool);
  else await sandbox.controls.load();
  const sweeps = new SweepRunner(
    [
      ...coreSweeps(core, sandbox, logger),
      ...(await folderSweeps(core, config.statementFolder, logger)),
      ...(sandbox?.sweeps ?? []),
    ],
    logger,
  );
  const app = await composeServer(core, config, logger, addresses, (routes) => {
    sandbox?.routes(routes, sweeps);
  });

  await core.authorization.start();
  await core.marketControl.load();
  await core.market.start();
  const port = await listen(app, config);
  addresses.listening(port);
  const file = await sandbox?.ensure(addresses);
  sweeps.start();
  return {
    localUrl: addresses.local(),
    baseUrl: addresses.base(),
    sandbox: sandbox && file && { file: sandbox.file, content: file },
    clockOffsetMs: core.clock instanceof VirtualClock ? core.clock.offsetMs : 0,
    lost: database.lost,
    async stop() {
      core.stopAccepting();
      core.watch.close();
      await app.close();
      await sweeps.stop();
      await core.market.stop();
      core.authorization.stop();
      await database.close();
    },
  };
}

export type Core = Awaited<ReturnType<typeof composeCore>>;

/** Everything that does not know of HTTP. */
async function composeCore(pool: Pool, config: Config, logger: Logger, addresses: Addresses) {
  const isSandbox = config.mode === 'sandbox';
  const clock: Clock = isSandbox ? new VirtualClock() : systemClock;
  const metrics = new Metrics();
  const onBatch = (name: string, size: number, seconds: number) => metrics.batch(name, size, seconds);
  const sources = createSources(config.sources, {
    clock,
    seed: config.simulatorSeed,
    logger,
    feeds: config.feeds,
  });
  const {
    market,
    control: marketControl,
    sweeps: marketSweeps,
  } = createMarketRoom({
    pool,
    clock,
    logger,
    config,
    sources: sources.all,
    reference: sources.reference,
    withdrawHalted: () => withdrawHalted(quoteServices),
  });
  metrics.watchMarket(market);
  metrics.watchSources(() => market.sourceHealth());
  const customers = new CachedCustomerDirectory(databaseSource(pool));
  const authorization = createAuthorization({
    pool,
    realClock: systemClock,
    logger,
    issuer: addresses.auth,
    audience: addresses.audience,
    operatorAudience: addresses.operatorAudience,
    keyEncryptionKey: config.keyEncryptionKey,
    ...(isSandbox ? { tokenRate: SANDBOX_TOKEN_RATE } : {}),
  });
  const limitDay = (now: number) => tradeDateAt(now);
  const gate = new KeyGate();
  const quotes = new QuoteStore(pool, onBatch);
  const transactions = new TransactionStore({ pool, now: () => clock.now(), limitDay, onBatch });
  const scenarios = isSandbox ? sandboxScenarios : undefined;
  const calendars = await createCalendars({ pool, clock, logger });
  const { dates } = calendars;
  metrics.watchCalendars(calendars.daysLeft);
  const pricingSettings = new CachedPricingSettings(pool);
  const pricing = new PricingDesk(pricingSettings, new VolatilityRecorder({ book: market.book, clock }));
  const quoteServices: QuoteServices = {
    clock,
    market,
    customers,
    dates,
    pricing,
    store: quotes,
    gate,
    scenarios,
  };
  const customersRoom: CustomersRoom = {
    pool,
    clock,
    directory: customers,
    onSuspended: async (id, reason) => {
      await withdrawQuotesOf(quoteServices, id, reason ?? 'customer_suspended');
    },
  };
  let accepting = true;
  return {
    pool,
    clock,
    metrics,
    market,
    dates,
    calendars,
    marketControl,
    marketSweeps,
    pushSources: sources.pushed,
    customers,
    customersRoom,
    authorization,
    pricingRoom: { pool, clock, settings: pricingSettings, customers },
    quoteServices,
    executionServices: { clock, market, customers, quotes, transactions, limitDay, gate },
    watch: new TransactionWatch(transactions),
    cursors: new CursorCodec(await serviceSecret(pool, 'cursors')),
    idempotency: new IdempotencyStore(pool),
    accepting: () => accepting,
    stopAccepting: () => {
      accepting = false;
    },
  };
}

function composeSandbox(core: Core, clock: VirtualClock, config: Config, logger: Logger): SandboxModule {
  const { pool, market, idempotency, customersRoom, quoteServices, authorization } = core;
  return createSandbox({
    pool,
    clock,
    logger,
    market,
    idempotency,
    customers: customersRoom,
    quotes: quoteServices,
    clients: authorization.clients,
    dataDir: config.dataDir,
  });
}

/** The work that time brings, whoever runs it. */
function coreSweeps(
  { pool, clock, dates, calendars, quoteServices, marketSweeps }: Core,
  sandbox: SandboxModule | undefined,
  logger: Logger,
): Sweep[] {
  const room = { pool, clock, dates };
  return [
    {
      name: 'expire quotes',
      everyMs: 1_000,
      run: () => expireQuotes(quoteServices),
      nextDueAt: () => quoteServices.store.nextExpiry(),
    },
    ...calendars.sweeps,
    ...marketSweeps,
    creditSweep(room, logger),
    fundingCutoffSweep(room),
    // While the simulated bank settles fast, it releases payouts itself.
    settlementSweep(room, { isActive: () => sandbox?.controls.bank.settlement !== 'fast' }),
    { name: 'forget events', everyMs: 60_000, run: () => forgetOldEvents(pool, clock.now()) },
    {
      name: 'forget keys',
      everyMs: 60_000,
      run: () => forgetOldKeys(pool, Math.min(clock.now(), systemClock.now())),
    },
  ];
}

/** The HTTP side: every room's routes on one server. */
async function composeServer(
  core: Core,
  config: Config,
  logger: Logger,
  addresses: Addresses,
  more: (routes: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const { pool, clock, market, dates, calendars, metrics, customers, authorization, idempotency, cursors } =
    core;
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
    quoteRoutes(routes, core.quoteServices);
    quoteListRoute(routes, { pool, clock, cursors });
    previewRoutes(routes, { ...core.quoteServices, pool });
    pricingRoutes(routes, core.pricingRoom);
    transactionRoutes(routes, {
      ...core.executionServices,
      pool,
      cursors,
      watch: core.watch,
      pollAtMostSeconds: config.mode === 'sandbox' ? SANDBOX_POLL_SECONDS : undefined,
    });
    eventRoutes(routes, { pool });
    registerCustomerRoutes(routes, { room: core.customersRoom, idempotency, cursors });
    authorization.operatorRoutes(routes, idempotency);
    marketRoutes(routes, { control: core.marketControl, idempotency, cursors });
    priceRoutes(routes, { clock, sources: core.pushSources, idempotency });
    reconciliationRoutes(routes, { room: { pool, clock, dates }, idempotency, cursors });
    statementRoutes(routes, { room: { pool, clock, dates }, cursors });
    settlementRoutes(routes, { room: { pool, clock, dates }, idempotency, cursors });
    referenceRoutes(routes, {
      clock,
      market,
      customers,
      dates,
      pricing: core.quoteServices.pricing,
      cursors,
    });
    calendars.routes(routes, cursors);
    problemRoutes(routes, addresses.base);
    operationsRoutes(routes, {
      pool,
      market,
      metrics,
      calendars: calendars.check,
      accepting: core.accepting,
    });
    more(routes);
  });
  return app;
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new Error(`FIRMQUOTE_PORT: ${port} on ${host} is in use.`, { cause: error });
    if (code === 'EACCES')
      throw new ConfigError(`FIRMQUOTE_PORT: ${port} needs more rights than this user has.`, {
        cause: error,
      });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new ConfigError(`FIRMQUOTE_HOST: ${host} is no address of this machine.`, { cause: error });
    throw error;
  }
  return (app.server.address() as AddressInfo).port;
}

/** A newcomer's scripts ask for a token on every run. */
const SANDBOX_TOKEN_RATE = { perClient: { perMinute: 6_000 }, perAddress: { perMinute: 12_000 } };
/** The simulated bank settles within seconds. */
const SANDBOX_POLL_SECONDS = 5;
