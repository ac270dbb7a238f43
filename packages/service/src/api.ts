import { BlockList, isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Addresses } from './addresses.ts';
import { policyRoutes } from './approvals/policy-routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { auditHooks } from './audit/hooks.ts';
import { auditRoutes } from './audit/routes.ts';
import { balanceRoutes } from './balances/routes.ts';
import { bankRoutes } from './bank-statements/bank-routes.ts';
import { statementRoutes } from './bank-statements/routes.ts';
import type { Core } from './composition.ts';
import type { Config } from './config.ts';
import { customerRoutes } from './customers/routes.ts';
import { recordAct } from './database/acting.ts';
import { ownDepositRoutes } from './deposits/own-deposits.ts';
import { depositRoutes } from './deposits/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { workRoutes } from './exceptions/routes.ts';
import { Admission } from './http/admission.ts';
import { CONNECTIONS_PER_ADDRESS_MAX, NEW_CONNECTIONS_PER_SECOND_MAX } from './http/connections.ts';
import { serveConsole } from './http/console.ts';
import { listTurns } from './http/list-turns.ts';
import { documentApi } from './http/openapi.ts';
import { problemRoutes } from './http/problem-routes.ts';
import { DEFAULT_PER_ADDRESS, RateLimiter } from './http/rate-limits.ts';
import { createServer } from './http/server.ts';
import { shareTakes } from './http/shared-takes.ts';
import { keyRoutes } from './keys/routes.ts';
import { ledgerRoutes } from './ledger/routes.ts';
import { priceRoutes } from './market/price-routes.ts';
import { marketRoutes } from './market/routes.ts';
import { operationsRoutes } from './operations/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import type { Logger } from './platform/logger.ts';
import { pricingRoutes } from './pricing/routes.ts';
import { explainRoutes } from './quotes/explain-routes.ts';
import { quoteListRoute } from './quotes/list-quotes.ts';
import { operatorQuoteRoutes } from './quotes/operator-routes.ts';
import { previewRoutes } from './quotes/preview-routes.ts';
import { quoteRoutes } from './quotes/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import { othersFollow } from './settings/others-follow.ts';
import { createStreams, WEBSOCKET_PATHS } from './streams/room.ts';
import { transactionExplainRoute } from './transactions/explain-route.ts';
import { dealerRoute, transactionRoutes } from './transactions/routes.ts';

/** The HTTP side: every room's routes on one server. */
export async function composeServer(
  core: Core,
  config: Config,
  logger: Logger,
  addresses: Addresses,
  more: (routes: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const { pool, customers, authorization, idempotency, cursors } = core;
  const app = bareServer(core, config, logger, addresses);
  app.decorate('kit', {
    idempotency,
    cursors,
    lists: listTurns(config.databaseConnections),
    desk: core.desk,
    recordAct: (act) => recordAct(pool, act, {}),
  });
  auditHooks(app, core.audit.notes);
  if (core.neighbours !== undefined) othersFollow(app, core.neighbours);
  serveConsole(app);
  const isDocumented = config.docs === 'on';
  const called = () => [addresses.base(), addresses.auth()];
  const audiences = () => ({ customer: addresses.audience(), operator: addresses.operatorAudience() });
  app.decorate('prepareDocumentation', isDocumented ? documentApi(app, called, audiences) : undefined);
  const { authenticator } = authorization;
  const { sessions } = core.people;
  const streamsRoom = { ...core.quotesRoom, customers, authenticator, sessions, hub: core.streams };
  const streams = createStreams(streamsRoom, core.quotesRoom, addresses.base);
  await app.register(async (routes) => {
    authorization.routes(routes);
    core.people.routes(routes);
    keyRoutes(routes, core.keys);
    await dealingRoutes(routes, core, streams, config);
    eventRoutes(routes, { pool, polls: core.polls });
    core.webhooks.routes(routes);
    customerRoutes(routes, core.customersRoom);
    marketRoutes(routes, core.marketControl);
    priceRoutes(routes, { control: core.marketControl, sources: core.pushSources });
    moneyRoutes(routes, core);
    informationRoutes(routes, core);
    problemRoutes(routes, addresses.base, isDocumented);
    operationsRoutes(routes, {
      ...core.health,
      market: core.market,
      metrics: core.metrics,
      calendars: core.calendars.check,
      neighbours: core.neighbours,
    });
    more(routes);
  });
  return app;
}

/** Who may connect and call, and how much is taken on; without a route. */
function bareServer(core: Core, config: Config, logger: Logger, addresses: Addresses): FastifyInstance {
  const { metrics } = core;
  const processes = core.neighbours?.count ?? 1;
  const admission = new Admission();
  metrics.watchAdmission(admission);
  return createServer({
    clock: core.clock,
    logger,
    accessLog: config.accessLog,
    trustProxy: config.trustProxy,
    baseUrl: addresses.base,
    authenticator: core.authorization.authenticator,
    sessions: core.people.sessions,
    customers: core.customers,
    limiter: shareTakes(
      new RateLimiter(undefined, () => core.instances.services),
      'requests',
      core.neighbours,
    ),
    admission,
    perAddress: config.mode === 'sandbox' ? SANDBOX_PER_ADDRESS : DEFAULT_PER_ADDRESS,
    webSocketPaths: WEBSOCKET_PATHS,
    apart: config.operatorListen !== undefined,
    connections: {
      // They are dealt out in turn.
      perAddress: Math.ceil(CONNECTIONS_PER_ADDRESS_MAX / processes),
      newPerSecond: Math.ceil(NEW_CONNECTIONS_PER_SECOND_MAX / processes),
      isShared: sharedAddresses(config.trustProxy),
      onRefused: (reason) => metrics.connectionRefused(reason),
    },
    stalls: { onClosed: () => metrics.readerStalled() },
    onResponse: (...answer) => metrics.answered(...answer),
  });
}

/** Prices, quotes and transactions, and what operators set about them. */
async function dealingRoutes(
  routes: FastifyInstance,
  core: Core,
  streams: ReturnType<typeof createStreams>,
  config: Config,
): Promise<void> {
  const { pool, clock, quotesRoom, executionRoom, polls, termsSigner } = core;
  quoteRoutes(routes, quotesRoom, streams.indicative, termsSigner);
  await streams.routes(routes);
  quoteListRoute(routes, { pool, clock });
  operatorQuoteRoutes(routes, { ...quotesRoom, pool });
  explainRoutes(routes, { ...quotesRoom, pool });
  previewRoutes(routes, { ...quotesRoom, pool });
  pricingRoutes(routes, core.pricing);
  core.swapPoints.routes(routes);
  core.exposure.routes(routes);
  transactionRoutes(routes, {
    ...executionRoom,
    pool,
    polls,
    signer: termsSigner,
    pollAtMostSeconds: config.mode === 'sandbox' ? SANDBOX_POLL_SECONDS : undefined,
  });
  dealerRoute(routes, executionRoom);
}

/** Money that comes, waits and goes, and the decisions that people take about it. */
function moneyRoutes(routes: FastifyInstance, core: Core): void {
  depositRoutes(routes, core.deposits);
  ownDepositRoutes(routes, core.deposits);
  statementRoutes(routes, core.deposits);
  bankRoutes(routes, core.deposits);
  workRoutes(routes, core.deposits);
  auditRoutes(routes, core.audit);
  approvalRoutes(routes, core.approvals);
  policyRoutes(routes, core.approvals, core.desk);
  balanceRoutes(routes, core.balances);
  paymentRoutes(routes, core.payments);
}

/** What people look up: explanations, reports, books, reference data and calendars. */
function informationRoutes(routes: FastifyInstance, core: Core): void {
  const { pool, clock, market, dates, customers, quotesRoom } = core;
  transactionExplainRoute(routes, { pool, clock, store: quotesRoom.store });
  core.reports.routes(routes);
  ledgerRoutes(routes, { pool, clock, book: market.book });
  const { pricing, swapPoints } = quotesRoom;
  referenceRoutes(routes, { clock, market, customers, dates, pricing, swapPoints });
  core.calendars.routes(routes);
}

/** Behind a proxy are many callers, and on this machine are its own tools. */
export function sharedAddresses(proxies: readonly string[]): (address: string) => boolean {
  const shared = new BlockList();
  for (const range of ['127.0.0.0/8', '::1/128', ...proxies]) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    shared.addSubnet(
      address,
      bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number.parseInt(bits, 10),
      family,
    );
  }
  return (address) => isIP(address) !== 0 && shared.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The simulated bank settles within seconds. */
const SANDBOX_POLL_SECONDS = 5;

/** Tests of integrators come from one machine, and ask as fast as they can. */
const SANDBOX_PER_ADDRESS = { perMinute: 60_000 };
