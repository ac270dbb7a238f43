import { knownCurrency, tradeDateAt } from '@firmquote/fx';
import type { Addresses } from './addresses.ts';
import { forgetActedSweep } from './approvals/acted-amounts.ts';
import { type ApprovalKind, approvalExpirySweep } from './approvals/approvals.ts';
import { PolicyDesk } from './approvals/command-desk.ts';
import { policyInForce } from './approvals/policy.ts';
import { createAudit } from './audit/room.ts';
import { createAuthorization } from './authorization/room.ts';
import type { BalancesRoom } from './balances/room.ts';
import { withdrawalApproval } from './balances/withdraw.ts';
import { statementApprovals } from './bank-statements/approval-kinds.ts';
import { entrySweep } from './bank-statements/book-entries.ts';
import { calendarsRunningShort } from './calendars/range.ts';
import { createCalendars } from './calendars/room.ts';
import type { Config } from './config.ts';
import { countActiveCustomers } from './customers/count-customers.ts';
import { databaseSource } from './customers/database-source.ts';
import { CachedCustomerDirectory } from './customers/directory.ts';
import type { CustomersRoom } from './customers/room.ts';
import { accountWaitSweep } from './customers/settlement-instructions.ts';
import { ClockWatch } from './database/clock-watch.ts';
import { readSchema } from './database/migrate.ts';
import type { Pool, Queryable } from './database/pool.ts';
import { serviceSecret } from './database/service-secret.ts';
import { depositApprovals } from './deposits/approval-kinds.ts';
import { rulesInForce } from './deposits/matching-settings.ts';
import { failedReturnsSweep } from './deposits/operate-return.ts';
import { rematchSweep, rematchUntouchedSweep } from './deposits/rematch-deposits.ts';
import type { DepositsRoom } from './deposits/room.ts';
import { keepEventDays } from './events/list-events.ts';
import { TermsSigner } from './evidence/sign-terms.ts';
import { blockedPaymentSweep } from './exceptions/blocked-payments.ts';
import { logFaultSweep } from './exceptions/log-faults.ts';
import { shortPaymentSweep } from './exceptions/short-payments.ts';
import { waitingNow } from './exceptions/work-counts.ts';
import { createExposure } from './exposure/room.ts';
import { HeldPolls } from './http/held-polls.ts';
import { forgetOldKeys, IdempotencyStore } from './http/idempotency-store.ts';
import { KeyGate } from './http/key-gate.ts';
import { CursorCodec } from './http/paging.ts';
import { RateLimiter } from './http/rate-limits.ts';
import { shareTakes } from './http/shared-takes.ts';
import { createKeys } from './keys/room.ts';
import { closingSweep } from './ledger/closing.ts';
import { foldSweep } from './ledger/kept-rows.ts';
import type { PriceChannel } from './market/price-channel.ts';
import { createMarket } from './market/room.ts';
import { createSources } from './market/sources/from-config.ts';
import { usdValueAt } from './market/usd-value.ts';
import { createHealth } from './operations/create-health.ts';
import { LiveInstances } from './operations/live-instances.ts';
import { Metrics } from './operations/metrics.ts';
import { cancelRunApproval } from './payments/end-run.ts';
import { closeOutSweep, unwindApproval } from './payments/end-trade.ts';
import { paidByCustomer } from './payments/run-payment-store.ts';
import { fundingCutoffSweep, missedValueDateSweep, settlementSweep } from './payments/sweeps.ts';
import { createPeople } from './people/room.ts';
import { type Clock, systemClock, VirtualClock } from './platform/clock.ts';
import { uuidOf } from './platform/ids.ts';
import type { Logger } from './platform/logger.ts';
import { HeldElsewhere, type Neighbours } from './platform/neighbours.ts';
import type { Sweep } from './platform/sweeps.ts';
import { createPricing } from './pricing/room.ts';
import { FIRST } from './processes/messages.ts';
import { expireQuotes } from './quotes/close-quotes.ts';
import { endQuotesOf } from './quotes/end-quotes.ts';
import { EXPIRY_GRACE_MS } from './quotes/expiry-grace.ts';
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
import { createWebhooks } from './webhooks/create-webhooks.ts';

export type Core = Awaited<ReturnType<typeof composeCore>>;

/** Everything that does not know of HTTP. */
export async function composeCore(
  pool: Pool,
  config: Config,
  logger: Logger,
  addresses: Addresses,
  /** Where a service has several processes, the others. */
  neighbours?: Neighbours & PriceChannel,
) {
  const hasSources = neighbours === undefined || neighbours.own === FIRST;
  const isSandbox = config.mode === 'sandbox';
  const clock: Clock = isSandbox ? new VirtualClock() : systemClock;
  const clockWatch = new ClockWatch({ pool, logger });
  const metrics = new Metrics(neighbours?.own);
  const instances = new LiveInstances(pool, neighbours?.count);
  const onBatch = (name: string, size: number, seconds: number) => metrics.batch(name, size, seconds);
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
    instances: () => instances.count,
    neighbours,
    hasSources,
    reference: sources.reference,
    withdrawHalted: () => withdrawHalted(quoteServices),
  });
  metrics.watchMarket(market);
  metrics.watchPricing({ market, calendars: calendars.check });
  metrics.watchSources(() => market.ownSourceHealth());
  const slots = new Slots(neighbours && new HeldElsewhere(neighbours, 'streams'));
  const streams = new StreamHub({ clock, market, dates, logger, slots });
  metrics.watchStreams(streams.counts);
  const customers = new CachedCustomerDirectory(databaseSource(pool));
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
  const limitDay = (now: number) => tradeDateAt(now);
  const gate = new KeyGate();
  const { desk: figures } = metrics;
  figures.watchPool(pool);
  const takesUnsafe = config.mode === 'production' && config.unsafeDatabase === 'warn';
  figures.watchSafety(takesUnsafe);
  if (takesUnsafe)
    logger.warn('FIRMQUOTE_UNSAFE_DATABASE is warn: acknowledged trades and append-only rows may be unsafe');
  figures.watchWork(() => waitingNow(pool));
  const now = () => clock.now();
  const quotes = new QuoteStore({ pool, now, onBatch, figures });
  const onExecuted = (outcome: string, trade?: PricedTransaction) =>
    figures.executed(outcome, trade && { pair: trade.pair, usdMinor: BigInt(trade.usd_minor) });
  const transactions = new TransactionStore({ pool, now, limitDay, onBatch, onExecuted });
  const scenarios = isSandbox ? sandboxScenarios : undefined;
  const { book } = market;
  const pricing = createPricing({ pool, clock, book, customers });
  const swapPoints = await createSwapPoints({ pool, clock, dates, book, isSandbox });
  const exposure = createExposure({ pool, clock, book });
  const quoteServices: QuotesRoom = {
    clock,
    timekeeper: clockWatch,
    market,
    customers,
    dates,
    pricing: pricing.desk,
    swapPoints: swapPoints.desk,
    exposure: exposure.guard,
    store: quotes,
    gate,
    scenarios,
  };
  const accountWaitMs = async (connection: Queryable) => (await policyInForce(connection)).accountWaitMs;
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
  // What a second person can approve; each room brings its own kinds.
  const deposits: DepositsRoom = {
    pool,
    clock,
    dates,
    usdValueOf: (code, minor) => usdValueAt(book, knownCurrency(code), minor),
    accountWaitMs,
  };
  const payments = { pool, clock, dates, market, closeOutCharge: config.closeOutCharge };
  const { usdValueOf } = deposits;
  const balances: BalancesRoom = {
    pool,
    clock,
    ...(usdValueOf === undefined ? {} : { usdValueOf }),
    // One limit for all work by hand.
    fourEyesFromUsdMinor: async (connection) => (await rulesInForce(connection)).fourEyesFromUsdMinor,
  };
  const serving = createHealth({ pool, config, clockWatch, schema: await readSchema() });
  const desk = new PolicyDesk({
    pool,
    clock,
    usdValueOf,
    partsOf: {
      createSettlementRun: (connection, { runId }) =>
        paidByCustomer(connection, uuidOf('run', String(runId))),
    },
    affectedBy: async (connection, kind) =>
      OF_THE_HOUSE.has(kind) ? [`${await countActiveCustomers(connection)} active customers`] : [],
  });
  const approvalKinds = new Map<string, ApprovalKind>([
    ...desk.kinds(),
    ...desk.watched([
      ...depositApprovals(deposits),
      ...statementApprovals(deposits),
      unwindApproval(payments),
      cancelRunApproval(),
      withdrawalApproval(),
      calendars.importApproval,
    ]),
  ]);
  const audit = createAudit({
    ...{ pool, clock, realClock: systemClock, logger },
    signer: () => keys.evidence.signer(),
    keptDays: config.auditRetentionDays,
  });
  figures.watchLogs(audit.faults);
  const reports = createReports({
    pool,
    clock,
    book: market.book,
    logger,
    accepting: serving.isNotStopping,
    calendars: dates,
    customers,
    transactions,
  });
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
  return {
    pool,
    clock,
    clockWatch,
    webhooks,
    health: serving.health,
    logger,
    metrics,
    market,
    dates,
    calendars,
    reports,
    closing: closingSweep(pool, clock, logger),
    forgetting: forgetQuotesSweep({ pool, clock, keptDays: config.quoteRetentionDays }),
    keys,
    instances,
    neighbours,
    hasSources,
    heardWhole,
    topics: [
      instances,
      ...keys.topics,
      marketControl.topic(),
      ...calendars.topics,
      ...swapPoints.topics,
      ...pricing.topics,
      ...exposure.topics,
    ],
    marketControl,
    marketSweeps,
    pushSources: sources.pushed,
    customers,
    customersRoom,
    authorization,
    people,
    pricing,
    swapPoints,
    exposure,
    quoteServices,
    executionServices: { ...quoteServices, quotes, transactions, limitDay },
    polls: new HeldPolls(neighbours && new HeldElsewhere(neighbours, 'polls')),
    termsSigner: new TermsSigner({
      signer: () => keys.evidence.signer(),
      realClock: systemClock,
      issuer: addresses.auth,
    }),
    streams,
    cursors: new CursorCodec(await serviceSecret(pool, 'cursors')),
    idempotency: new IdempotencyStore(pool),
    deposits,
    desk,
    approvals: {
      pool,
      clock,
      kinds: approvalKinds,
      inTurn: desk.inTurn,
      ttlMs: config.approvalHours * 3_600_000,
    },
    payments,
    balances,
    audit,
    overdueGraceMs: config.overdueGraceHours === undefined ? undefined : config.overdueGraceHours * 3_600_000,
    startAccepting: serving.start,
    stopAccepting: serving.stop,
  };
}

export function composeSandbox(core: Core, clock: VirtualClock, config: Config, logger: Logger): Sandbox {
  const { pool, market, customersRoom, pricing, quoteServices, authorization } = core;
  return createSandbox({
    pool,
    clock,
    logger,
    market,
    customers: customersRoom,
    pricing,
    quotes: quoteServices,
    clients: authorization.clients,
    neighbours: core.neighbours,
    dataDir: config.dataDir,
  });
}

/** The work that time brings, whoever runs it. */
export function coreSweeps(core: Core, sandbox: Sandbox | undefined): Sweep[] {
  const { pool, clock, calendars, quoteServices, marketSweeps, exposure, reports, closing } = core;
  const { deposits, payments, overdueGraceMs } = core;
  return [
    {
      name: 'expire_quotes',
      does: 'Records expired quotes, with their events, once no request that arrived in time can still be under way.',
      everyMs: 1_000,
      run: () => expireQuotes(quoteServices),
      nextDueAt: async () => {
        const expiry = await quoteServices.store.nextExpiry();
        return expiry === undefined ? undefined : expiry + EXPIRY_GRACE_MS;
      },
    },
    core.keys.sweep,
    ...calendars.sweeps,
    ...marketSweeps,
    foldSweep(pool),
    exposure.sweep,
    entrySweep(deposits, core.logger),
    rematchSweep(deposits, core.logger),
    failedReturnsSweep(deposits, core.logger),
    rematchUntouchedSweep(deposits, core.logger),
    shortPaymentSweep(deposits),
    blockedPaymentSweep(deposits),
    logFaultSweep(deposits, core.audit.found),
    approvalExpirySweep(core.approvals),
    forgetActedSweep(core.approvals),
    accountWaitSweep(core.customersRoom),
    fundingCutoffSweep(payments),
    closeOutSweep(payments, overdueGraceMs),
    missedValueDateSweep(payments),
    // While the simulated bank settles fast, it releases payouts itself.
    settlementSweep(payments, { isActive: () => sandbox?.controls.bank.settlement !== 'fast' }),
    closing,
    ...core.people.sweeps,
    ...core.audit.sweeps,
    ...reports.sweeps,
    ...core.webhooks.sweeps,
    {
      name: 'forget_events',
      does: 'Creates tables for the events of coming days, and drops those past their retention.',
      everyMs: 60_000,
      isHousekeeping: true,
      run: () => keepEventDays(pool, clock.now()),
    },
    {
      name: 'forget_keys',
      does: 'Deletes idempotency keys past their retention.',
      everyMs: 60_000,
      isHousekeeping: true,
      run: () => forgetOldKeys(pool, Math.min(clock.now(), systemClock.now())),
    },
    core.forgetting,
  ];
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
