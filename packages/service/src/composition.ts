import { PROPOSAL_KINDS, type ProposalKind } from '@firmquote/api/command-kinds';
import { knownCurrency, tradeDateAt } from '@firmquote/fx';
import type { Addresses } from './addresses.ts';
import type { ApprovalKind } from './approvals/approvals.ts';
import { PolicyDesk } from './approvals/command-desk.ts';
import { policyInForce } from './approvals/policy.ts';
import { createAudit } from './audit/room.ts';
import { createAuthorization } from './authorization/room.ts';
import { debtApproval } from './balances/debts.ts';
import type { BalancesRoom } from './balances/room.ts';
import { withdrawalApproval } from './balances/withdraw.ts';
import { statementApprovals } from './bank-statements/approval-kinds.ts';
import { calendarsRunningShort } from './calendars/range.ts';
import { createCalendars } from './calendars/room.ts';
import type { Config } from './config.ts';
import { databaseSource } from './customers/database-source.ts';
import { CachedCustomerDirectory } from './customers/directory.ts';
import type { CustomersRoom } from './customers/room.ts';
import { countActiveCustomers } from './customers/store.ts';
import { ClockWatch } from './database/clock-watch.ts';
import { readSchema } from './database/migrate.ts';
import type { Pool, Queryable } from './database/pool.ts';
import { serviceSecret } from './database/service-secret.ts';
import { depositApprovals } from './deposits/approval-kinds.ts';
import { rulesInForce } from './deposits/matching-settings.ts';
import type { DepositsRoom } from './deposits/room.ts';
import { TermsSigner } from './evidence/sign-terms.ts';
import { waitingNow } from './exceptions/work-counts.ts';
import { createExposure } from './exposure/room.ts';
import { HeldPolls } from './http/held-polls.ts';
import { IdempotencyStore } from './http/idempotency-store.ts';
import { KeyGate } from './http/key-gate.ts';
import { CursorCodec } from './http/paging.ts';
import { RateLimiter } from './http/rate-limits.ts';
import { shareTakes } from './http/shared-takes.ts';
import { createKeys, type Keys } from './keys/room.ts';
import { closingSweep } from './ledger/closing.ts';
import type { WithdrawHalted } from './market/control.ts';
import type { PriceChannel } from './market/price-channel.ts';
import { createMarket } from './market/room.ts';
import { createSources } from './market/sources/from-config.ts';
import { usdValueAt } from './market/usd-value.ts';
import { LiveInstances } from './operations/live-instances.ts';
import { Metrics } from './operations/metrics.ts';
import { createHealth } from './operations/room.ts';
import { cancelRunApproval } from './payments/end-run.ts';
import { unwindApproval } from './payments/end-transaction.ts';
import { paidByCustomer } from './payments/run-payment-store.ts';
import { createPeople } from './people/room.ts';
import { type Clock, systemClock, VirtualClock } from './platform/clock.ts';
import { uuidOf } from './platform/ids.ts';
import type { Logger } from './platform/logger.ts';
import { HeldElsewhere, type Neighbours } from './platform/neighbours.ts';
import { createPricing } from './pricing/room.ts';
import { FIRST } from './processes/messages.ts';
import { endQuotesOf } from './quotes/end-quotes.ts';
import { forgetQuotesSweep } from './quotes/forget-quotes.ts';
import type { QuotesRoom } from './quotes/room.ts';
import { QuoteStore } from './quotes/store.ts';
import { withdrawHalted } from './quotes/withdraw-halted.ts';
import { createReports } from './reports/room.ts';
import { createSandbox, type Sandbox } from './sandbox/room.ts';
import { sandboxScenarios } from './sandbox/scenarios.ts';
import { SEALED_PLACES } from './sealed-places.ts';
import { StreamHub } from './streams/hub.ts';
import { Slots } from './streams/slots.ts';
import { createSwapPoints } from './swap-points/room.ts';
import type { PricedTransaction } from './transactions/record.ts';
import { TransactionStore } from './transactions/store.ts';
import { AddressGuard } from './webhooks/address-guard.ts';
import { createWebhooks } from './webhooks/room.ts';

export type Core = Awaited<ReturnType<typeof composeCore>>;

/** Everything that does not know of HTTP: the rooms, in the order in which they need each other. */
export async function composeCore(
  pool: Pool,
  config: Config,
  logger: Logger,
  addresses: Addresses,
  /** Where a service has several processes, the others. */
  neighbours?: Neighbours & PriceChannel,
) {
  const foundation = composeFoundation(pool, config, logger, neighbours);
  const { clock, clockWatch, metrics, instances } = foundation;
  const markets = await composeMarket(foundation, config, (isCurrent) =>
    withdrawHalted(quotesRoom, isCurrent),
  );
  const customers = composeCustomers(foundation);
  const access = composeAccess(foundation, config, addresses);
  const { keys, authorization } = access;
  watchDatabase(foundation, config);
  const dealing = await composeDealing(foundation, markets, customers);
  const quotesRoom: QuotesRoom = dealing.quotesRoom;
  const money = composeMoney(foundation, markets, config);
  const serving = createHealth({ pool, config, clockWatch, schema: await readSchema() });
  const approval = composeApprovals(foundation, money, markets, config);
  const signer = () => keys.evidence.signer();
  const { auditRetentionDays: keptDays } = config;
  const audit = createAudit({ pool, clock, realClock: systemClock, logger, signer, keptDays });
  metrics.desk.watchLogs(audit.faults);
  const reports = composeReports(foundation, markets, customers, dealing, serving.isNotStopping);
  const webhooks = composeWebhooks(foundation, markets, { keys, audit }, config);
  return {
    ...foundation,
    ...markets,
    ...customers,
    ...access,
    ...dealing,
    ...money,
    ...approval,
    audit,
    reports,
    webhooks,
    topics: [
      instances,
      ...keys.topics,
      markets.marketControl.topic(),
      ...markets.calendars.topics,
      ...dealing.swapPoints.topics,
      ...dealing.pricing.topics,
      ...dealing.exposure.topics,
    ],
    closing: closingSweep(pool, clock, logger, metrics.desk.watchBooks()),
    forgetting: forgetQuotesSweep({ pool, clock, keptDays: config.quoteRetentionDays }),
    polls: new HeldPolls(authorization.authenticator, neighbours && new HeldElsewhere(neighbours, 'polls')),
    termsSigner: new TermsSigner({ signer, realClock: systemClock, issuer: addresses.auth }),
    cursors: new CursorCodec(await serviceSecret(pool, 'cursors')),
    idempotency: new IdempotencyStore(pool),
    overdueGraceMs: config.overdueGraceHours === undefined ? undefined : config.overdueGraceHours * 3_600_000,
    health: serving.health,
    startAccepting: serving.start,
    stopAccepting: serving.stop,
  };
}

type Foundation = ReturnType<typeof composeFoundation>;

/** What every room stands on: the database, time, the log, figures, and the other processes. */
function composeFoundation(
  pool: Pool,
  config: Config,
  logger: Logger,
  neighbours: (Neighbours & PriceChannel) | undefined,
) {
  const isSandbox = config.mode === 'sandbox';
  const clock: Clock = isSandbox ? new VirtualClock() : systemClock;
  return {
    pool,
    logger,
    neighbours,
    hasSources: neighbours === undefined || neighbours.own === FIRST,
    isSandbox,
    clock,
    clockWatch: new ClockWatch({ pool, logger }),
    metrics: new Metrics(neighbours?.own),
    instances: new LiveInstances(pool, neighbours?.count),
  };
}

type Markets = Awaited<ReturnType<typeof composeMarket>>;

/** When and at which prices the market trades: calendars, price sources, the rate book, and streams of its prices. */
async function composeMarket(
  { pool, clock, clockWatch, logger, metrics, instances, neighbours, hasSources }: Foundation,
  config: Config,
  withdrawQuotes: WithdrawHalted,
) {
  const calendars = await createCalendars({ pool, clock, logger, rollOf: config.rollOf });
  const { dates } = calendars;
  metrics.watchCalendars(calendars.daysLeft);
  const sources = createSources(config.sources, {
    clock,
    seed: config.simulatorSeed,
    logger,
    feeds: config.feeds,
    fix: { file: config.fixSessions, dataDir: config.dataDir, secret: config.secret },
  });
  const {
    market,
    control: marketControl,
    sweeps: marketSweeps,
    heardWhole,
  } = createMarket({
    pool,
    clock,
    logger,
    config,
    sources: sources.all,
    pushed: sources.pushed,
    isClockRight: () => clockWatch.isRight(),
    instances: () => instances.count,
    neighbours,
    hasSources,
    reference: sources.reference,
    withdrawHalted: withdrawQuotes,
  });
  metrics.watchMarket(market);
  metrics.watchPricing({ market, calendars: calendars.check });
  metrics.watchSources(() => market.ownSourceHealth());
  const slots = new Slots(neighbours && new HeldElsewhere(neighbours, 'streams'));
  const streams = new StreamHub({ clock, market, dates, logger, slots });
  metrics.watchStreams(streams.counts);
  return {
    calendars,
    dates,
    pushSources: sources.pushed,
    market,
    marketControl,
    marketSweeps,
    heardWhole,
    streams,
  };
}

type Customers = ReturnType<typeof composeCustomers>;

/** Customers as requests find them, and as operators change them. */
function composeCustomers({ pool, clock, metrics: { desk: figures } }: Foundation) {
  const customers = new CachedCustomerDirectory(databaseSource(pool));
  const customersRoom: CustomersRoom = {
    accountWaitMs,
    pool,
    clock,
    directory: customers,
    endQuotes: async (connection, id, at) => {
      const ended = await endQuotesOf(connection, id, 'customer_suspended', at);
      figures.quotesEnded('withdrawn', ended.withdrawn);
      figures.quotesEnded('expired', ended.expired);
    },
  };
  return { customers, customersRoom };
}

async function accountWaitMs(connection: Queryable): Promise<number> {
  return (await policyInForce(connection)).accountWaitMs;
}

/** Who may call, and what signs and seals: keys, OAuth clients, persons. */
function composeAccess(
  { pool, clock, logger, metrics, isSandbox, neighbours }: Foundation,
  config: Config,
  addresses: Addresses,
) {
  const keys = createKeys({
    pool,
    realClock: systemClock,
    logger,
    encryption: config.keyEncryption,
    rotationDays: config.rotationDays,
    places: SEALED_PLACES,
  });
  metrics.desk.watchKeys(keys);
  const authorization = createAuthorization({
    pool,
    realClock: systemClock,
    logger,
    isSandbox,
    issuer: addresses.auth,
    bases: () => [addresses.base(), addresses.operators()],
    audience: addresses.audience,
    operatorAudience: addresses.operatorAudience,
    keys,
    ...(isSandbox ? { tokenRate: SANDBOX_TOKEN_RATE } : {}),
    limiter: shareTakes(new RateLimiter(), 'tokens', neighbours),
    onTokenAnswer: (outcome) => metrics.tokenAnswered(outcome),
  });
  const people = createPeople({
    pool,
    realClock: systemClock,
    limiter: shareTakes(new RateLimiter(), 'sign-in', neighbours),
    rules: config.sessions,
    invitationMs: config.sessions.invitationMs,
    ...(config.passkeys && { passkeys: addresses.passkeys }),
    origins: addresses.browserOrigins,
    address: addresses.operators,
    provider: config.provider,
    isSandbox,
    clockOffsetMs: () => (clock instanceof VirtualClock ? clock.offsetMs : 0),
    ...(isSandbox && { attempts: { perMinute: 6_000 } }),
  });
  authorization.whenRolesChange(people.rolesChanged);
  return { keys, authorization, people };
}

function watchDatabase({ pool, logger, metrics: { desk: figures } }: Foundation, config: Config): void {
  figures.watchPool(pool);
  const takesUnsafe = config.mode === 'production' && config.unsafeDatabase === 'warn';
  figures.watchSafety(takesUnsafe);
  if (takesUnsafe)
    logger.warn('FIRMQUOTE_UNSAFE_DATABASE is warn: acknowledged trades and append-only rows may be unsafe');
  figures.watchWork(() => waitingNow(pool));
}

type Dealing = Awaited<ReturnType<typeof composeDealing>>;

/** What quotes are priced, kept and executed with. */
async function composeDealing(
  { pool, clock, clockWatch, metrics, isSandbox }: Foundation,
  { market, dates }: Markets,
  { customers }: Customers,
) {
  const { desk: figures } = metrics;
  const { book } = market;
  const now = () => clock.now();
  const limitDay = (at: number) => tradeDateAt(at);
  const onBatch = (name: string, size: number, seconds: number) => metrics.batch(name, size, seconds);
  const quotes = new QuoteStore({ pool, now, onBatch, figures });
  const onExecuted = (outcome: string, trade?: PricedTransaction) =>
    figures.executed(outcome, trade && { pair: trade.pair, usdMinor: BigInt(trade.usd_minor) });
  const transactions = new TransactionStore({ pool, now, limitDay, onBatch, onExecuted });
  const pricing = createPricing({ pool, clock, book, customers });
  const swapPoints = await createSwapPoints({ pool, clock, dates, book, isSandbox });
  const exposure = createExposure({ pool, clock, book });
  const quotesRoom: QuotesRoom = {
    clock,
    timekeeper: clockWatch,
    market,
    customers,
    dates,
    pricing: pricing.desk,
    swapPoints: swapPoints.desk,
    exposure: exposure.guard,
    store: quotes,
    gate: new KeyGate(),
    scenarios: isSandbox ? sandboxScenarios : undefined,
  };
  return {
    pricing,
    swapPoints,
    exposure,
    quotesRoom,
    executionRoom: { ...quotesRoom, quotes, transactions, limitDay },
  };
}

type Money = ReturnType<typeof composeMoney>;

/** What money that comes, waits and goes is handled with. */
function composeMoney({ pool, clock }: Foundation, { market, dates }: Markets, config: Config) {
  const usdValueOf = (code: string, minor: bigint) => usdValueAt(market.book, knownCurrency(code), minor);
  const deposits: DepositsRoom = { pool, clock, dates, usdValueOf, accountWaitMs };
  const payments = { pool, clock, dates, market, closeOutCharge: config.closeOutCharge };
  const balances: BalancesRoom = {
    pool,
    clock,
    usdValueOf,
    // One limit for all work by hand.
    fourEyesFromUsdMinor: async (connection) => (await rulesInForce(connection)).fourEyesFromUsdMinor,
  };
  return { deposits, payments, balances };
}

/** What a second person can approve; each room brings its own kinds. */
function composeApprovals(
  { pool, clock }: Foundation,
  { deposits, payments }: Money,
  { calendars }: Markets,
  config: Config,
) {
  const desk = new PolicyDesk({
    pool,
    clock,
    usdValueOf: deposits.usdValueOf,
    partsOf: {
      createSettlementRun: (connection, { runId }) =>
        paidByCustomer(connection, uuidOf('run', String(runId))),
    },
    affectedBy: async (connection, kind) =>
      OF_THE_HOUSE.has(kind) ? [`${await countActiveCustomers(connection)} active customers`] : [],
  });
  const kinds = new Map<ProposalKind, ApprovalKind>([
    ...desk.kinds(),
    ...desk.watched([
      ...depositApprovals(deposits),
      ...statementApprovals(deposits),
      unwindApproval(payments),
      cancelRunApproval(payments),
      withdrawalApproval(),
      debtApproval(),
      calendars.importApproval,
    ]),
  ]);
  const forgotten = PROPOSAL_KINDS.filter((kind) => !kinds.has(kind));
  if (forgotten.length > 0) throw new Error(`nobody carries out proposals of ${forgotten.join(', ')}`);
  const ttlMs = config.approvalHours * 3_600_000;
  return { desk, approvals: { pool, clock, kinds, inTurn: desk.inTurn, ttlMs } };
}

function composeReports(
  { pool, clock, logger }: Foundation,
  { market, dates }: Markets,
  { customers }: Customers,
  { executionRoom: { transactions } }: Dealing,
  accepting: () => boolean,
) {
  const { book } = market;
  return createReports({ pool, clock, book, logger, accepting, calendars: dates, customers, transactions });
}

function composeWebhooks(
  { pool, clock, logger, metrics: { desk: figures }, isSandbox }: Foundation,
  { market, dates }: Markets,
  { keys, audit }: { readonly keys: Keys; readonly audit: ReturnType<typeof createAudit> },
  config: Config,
) {
  const webhooks = createWebhooks(
    {
      ...{ pool, clock, realClock: systemClock, logger, vault: keys.vault },
      guard: new AddressGuard({
        allowsHttp: isSandbox,
        allowsLoopback: isSandbox,
        ports: config.webhookPorts,
        networks: config.webhookNetworks,
      }),
      onAttempt: (outcome) => figures.webhookAttempted(outcome),
      chance: Math.random,
    },
    {
      priceSources: () => market.sourceHealth(),
      endingCalendars: () => calendarsRunningShort(dates.current, clock.now()),
      logFaults: audit.found,
    },
  );
  figures.watchWebhooks(webhooks);
  return webhooks;
}

export function composeSandbox(core: Core, clock: VirtualClock, config: Config, logger: Logger): Sandbox {
  const { pool, market, customersRoom, pricing, quotesRoom, authorization } = core;
  return createSandbox({
    pool,
    clock,
    logger,
    market,
    customers: customersRoom,
    pricing,
    quotes: quotesRoom,
    clients: authorization.clients,
    neighbours: core.neighbours,
    dataDir: config.dataDir,
  });
}

/** Kinds of commands that touch every customer. */
const OF_THE_HOUSE: ReadonlySet<string> = new Set([
  'house_account',
  'pricing',
  'calendar',
  'thresholds',
  'limits',
]);

/** A newcomer's scripts ask for a token on every run. */
const SANDBOX_TOKEN_RATE = {
  perClient: { perMinute: 6_000 },
  perAddress: { perMinute: 12_000 },
  failuresPerAddress: { perMinute: 6_000 },
};
