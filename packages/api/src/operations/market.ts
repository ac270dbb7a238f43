import { operation } from '../operation.ts';
import { choice, text } from '../parameters.ts';
import {
  BpsText,
  CLOSED,
  described,
  Instant,
  LINE_PATTERN,
  literals,
  named,
  nullable,
  PairCode,
  pageOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { RejectedTicks, RejectReasonName } from './price-refusals.ts';

/** What operators tell the market: halts, how pairs are treated, sources, prices that they accept. */

export const HALT_SCOPES = ['all', 'pair', 'customer'] as const;
/** How the prices of several sources become one. */
export const COMPOSITES = ['best', 'priority'] as const;

const Reason = Type.String({ minLength: 1, maxLength: 200, pattern: LINE_PATTERN });
const SourceName = Type.String({ minLength: 1, maxLength: 64, pattern: LINE_PATTERN });
const CustomerId = Type.String({ maxLength: 64, description: 'Begins with cus_.' });
const ActorId = Type.String({ description: 'Person or OAuth client.' });
const HaltedQuotes = ['withdraw', 'keep'] as const;

const HaltMarket = Type.Object(
  {
    scope: literals(HALT_SCOPES, {
      description: 'With `pair`, name the pair; with `customer`, the customer.',
    }),
    pair: Type.Optional(PairCode),
    customerId: Type.Optional(CustomerId),
    openQuotes: Type.Optional(
      literals(HaltedQuotes, {
        default: 'withdraw',
        description: 'Whether open quotes are withdrawn, or stay valid until they expire.',
      }),
    ),
    reason: Reason,
  },
  CLOSED,
);

const ResumeMarket = Type.Object(
  {
    scope: literals(HALT_SCOPES),
    pair: Type.Optional(PairCode),
    customerId: Type.Optional(CustomerId),
    reason: Type.Optional(Reason),
  },
  CLOSED,
);

const Halt = named(
  'Halt',
  Type.Object({
    haltId: Type.String(),
    scope: literals(HALT_SCOPES),
    pair: nullable(PairCode),
    customerId: nullable(CustomerId),
    reason: Type.String(),
    openQuotes: literals(HaltedQuotes),
    haltedAt: Instant,
    haltedBy: ActorId,
    resumedAt: nullable(Instant),
    resumedBy: nullable(ActorId),
    resumeReason: nullable(Type.String()),
  }),
);
export type Halt = Static<typeof Halt>;

const AutomaticHalt = named(
  'AutomaticHalt',
  Type.Object(
    {
      pair: PairCode,
      reason: literals(['sources_disagree']),
      since: Instant,
      sources: Type.Array(Type.String(), {
        description: 'The one with the lowest price, then the one with the highest.',
      }),
    },
    { description: 'On this instance, until the sources agree again.' },
  ),
);
export type AutomaticHalt = Static<typeof AutomaticHalt>;

const Bps = nullable(described(BpsText, 'Basis points of the mid price.'));
const Limit = (maximum: string) =>
  Type.String({
    pattern: '^\\d{1,4}(\\.\\d{1,2})?$',
    description: `Basis points of the mid price, more than 0, at most ${maximum}. Default: by the pair's class.`,
  });
const WidthLimit = named('PriceWidthLimit', Limit('5000.00'));
const millis = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });

const pairSettings = {
  enabled: Type.Boolean({ description: 'False: not quoted (403 `pair_not_enabled`).' }),
  stalenessMs: millis(100, 3_600_000),
  composite: literals(COMPOSITES),
  priority: Type.Array(SourceName, { maxItems: 16, description: 'Sources, first choice first.' }),
  lockedPrices: literals(['accept', 'refuse'], { description: 'Whether a bid may equal the ask.' }),
  outlierBps: Bps,
  jumpTicks: Type.Integer({ minimum: 2, maximum: 100 }),
  jumpMs: millis(100, 60_000),
  frozenMs: nullable(millis(1_000, 3_600_000)),
  deviationBps: Bps,
  agreementMs: millis(100, 600_000),
};
const priceLimits = {
  maxWidthBps: WidthLimit,
  bandBps: WidthLimit,
  referenceBps: Limit('9000.00'),
};
const LIMIT_NAMES = ['maxWidthBps', 'bandBps', 'referenceBps'] as const;
const SetPair = Type.Object(
  { ...pairSettings, ...Type.Partial(Type.Object(priceLimits)).properties },
  CLOSED,
);
const PairSettings = named(
  'PairSettings',
  Type.Object({
    pair: PairCode,
    version: Type.Integer({ description: '1 until somebody sets it.' }),
    ...pairSettings,
    ...priceLimits,
    ownLimits: Type.Array(literals(LIMIT_NAMES), {
      description: 'The limits that were set for this pair. The others follow its class.',
    }),
    classLimits: Type.Object(priceLimits),
    changedAt: nullable(Instant),
    changedBy: nullable(ActorId),
  }),
);
export type PairSettings = Static<typeof PairSettings>;

const AcceptPrice = Type.Object(
  {
    price: Type.String({
      pattern: '^\\d{1,12}(\\.\\d{1,10})?$',
      description: 'The correct mid price.',
      examples: ['1.08491'],
    }),
    reason: Reason,
  },
  CLOSED,
);
const AcceptedPrice = named(
  'AcceptedPrice',
  Type.Object({
    pair: PairCode,
    number: Type.Integer({ description: 'Counted for each pair.' }),
    price: Type.String(),
    previousPrice: nullable(Type.String({ description: 'The last good mid before it.' })),
    reason: Type.String(),
    acceptedAt: Instant,
    acceptedBy: ActorId,
  }),
);

export const MarketState = named(
  'MarketState',
  Type.Object({
    state: literals(['open', 'closed']),
    reason: Type.Optional(Type.String()),
    closesAt: Type.Optional(Instant),
    reopensAt: Type.Optional(Instant),
  }),
);

const PriceSourceHealth = named(
  'PriceSourceHealth',
  Type.Object({
    source: Type.String(),
    enabled: Type.Boolean(),
    reason: nullable(Type.String()),
    changedAt: nullable(Instant),
    changedBy: nullable(ActorId),
    state: Type.String({ description: 'Of the connection in this process; `absent`: there is none.' }),
    ticks: Type.Integer(),
    lastTickAt: nullable(Instant),
    ageMs: nullable(Type.Integer()),
    skippedLines: Type.Optional(Type.Integer({ description: 'Lines or messages that could not be read.' })),
    lastSkipReason: Type.Optional(Type.String()),
    error: Type.Optional(
      Type.String({ description: 'The last fault; it stays after the source has recovered.' }),
    ),
    errorAt: Type.Optional(Instant),
    connectedSince: Type.Optional(Instant),
    reconnects: Type.Optional(Type.Integer()),
    lastHeartbeatAt: Type.Optional(Instant),
    nextAttemptAt: Type.Optional(Instant),
    untradable: Type.Optional(
      Type.Integer({ description: 'Prices that the vendor marked as not tradable.' }),
    ),
    lastDelayMs: Type.Optional(Type.Integer({ description: "From the vendor's timestamp to arrival." })),
    referenceDate: Type.Optional(Type.String({ format: 'date' })),
    refused: Type.Optional(
      Type.Unsafe<Record<string, number>>({
        type: 'object',
        additionalProperties: { type: 'integer' },
        description: 'What the FIX gateway refused, by reason.',
      }),
    ),
    conflated: Type.Optional(Type.Integer()),
    nextSent: Type.Optional(Type.Integer({ description: 'MsgSeqNum of the next FIX message to the venue.' })),
    nextReceived: Type.Optional(Type.Integer()),
    sequenceReset: nullable(
      Type.Object(
        {
          nextSent: Type.Integer(),
          nextReceived: Type.Integer(),
          reason: Type.String(),
          resetAt: Instant,
          resetBy: ActorId,
        },
        { description: 'When an operator last set the sequence numbers of this FIX session.' },
      ),
    ),
    accepted: Type.Integer(),
    locked: Type.Integer(),
    rejected: RejectedTicks,
    withdrawn: Type.Integer({ description: 'Prices that it withdrew, or lost with its connection.' }),
    lastAcceptedAt: nullable(Instant),
    lastRejected: nullable(
      Type.Object({
        pair: Type.String(),
        bid: Type.String(),
        ask: Type.String(),
        asOf: nullable(Instant),
        reason: RejectReasonName,
      }),
    ),
  }),
);
const MarketHealth = named(
  'MarketHealth',
  Type.Object({
    market: MarketState,
    sources: Type.Array(PriceSourceHealth),
    pairs: Type.Object({
      total: Type.Integer(),
      fresh: Type.Integer(),
      stale: Type.Integer(),
      missing: Type.Integer({ description: 'Without a price: for example, none is trusted.' }),
      halted: Type.Integer(),
    }),
    ticks: Type.Object({ accepted: Type.Integer(), rejected: RejectedTicks }),
    at: Instant,
  }),
);
const SwitchSource = Type.Object({ reason: Reason }, CLOSED);
const MsgSeqNum = Type.Integer({ minimum: 1, maximum: 999_999_999, default: 1 });
const ResetSequence = Type.Object(
  { reason: Reason, nextSent: Type.Optional(MsgSeqNum), nextReceived: Type.Optional(MsgSeqNum) },
  CLOSED,
);

const tag = 'Operator: market';
const access = { audience: 'operator', scope: 'operator:market' } as const;
const MARKET = '/v1/operator/market';
const PAIR = '/v1/operator/pairs/{pair}';
const ofPair = { pair: text(200, 'Six letters in market order.') };
const ofSource = { source: text(200) };

export const haltMarket = operation({
  id: 'haltMarket',
  method: 'POST',
  path: `${MARKET}/halt`,
  tag,
  summary: 'Halt trading: everything, one pair or one customer',
  description:
    'Firm quotes are refused with 409 `market_closed` and the reason `halt`; indicative prices are not tradable. Affected open quotes are withdrawn or, with `openQuotes` `keep`, stay valid until they expire. Takes effect on this instance at once, on others within a second. Repeating it withdraws open quotes again.',
  access,
  body: HaltMarket,
  key: 'kept',
  answers: {
    200: Type.Object({
      ...Halt.properties,
      withdrawnQuotes: Type.Integer({
        description: 'Open quotes that this call withdrew; other instances withdraw some too.',
      }),
    }),
  },
  problems: ['pair_not_supported', 'customer_not_found'],
});

export const resumeMarket = operation({
  id: 'resumeMarket',
  method: 'POST',
  path: `${MARKET}/resume`,
  tag,
  summary: 'Lift a halt',
  description:
    'Other halts that affect the same pair or customer stay in force. Withdrawn quotes stay withdrawn.',
  access: { ...access, fresh: true },
  body: ResumeMarket,
  key: 'kept',
  answers: { 200: Halt },
  problems: ['customer_not_found', 'invalid_state_transition'],
});

export const listHalts = operation({
  id: 'listHalts',
  method: 'GET',
  path: `${MARKET}/halts`,
  tag,
  summary: 'List halts, newest first',
  description: 'Shows who ordered and lifted each, and the automatic halts of this instance.',
  access,
  query: { status: choice(['active', 'resumed'], 'Default: both.') },
  pages: true,
  answers: {
    200: Type.Object(
      { ...pageOf(Halt).properties, automatic: Type.Array(AutomaticHalt) },
      { description: 'A page.' },
    ),
  },
});

export const listPairSettings = operation({
  id: 'listPairSettings',
  method: 'GET',
  path: '/v1/operator/pairs',
  tag,
  summary: 'List the settings of pairs',
  description: 'Lists pairs that have sources or settings of their own.',
  access,
  answers: { 200: Type.Object({ items: Type.Array(PairSettings) }) },
});

export const getPairSettings = operation({
  id: 'getPairSettings',
  method: 'GET',
  path: PAIR,
  tag,
  summary: 'Read the settings of a pair',
  description: 'The defaults, where nothing was set.',
  access,
  params: ofPair,
  revalidates: true,
  answers: { 200: PairSettings },
  problems: ['pair_not_supported'],
});

export const setPairSettings = operation({
  id: 'setPairSettings',
  method: 'PUT',
  path: PAIR,
  tag,
  summary: 'Change the settings of a pair',
  description:
    "Age limit, composite, filters, and whether it is enabled. Every instance follows within a second. A disabled pair is not quoted; its open quotes stay valid, unlike under a halt. A limit that is left out is that of the pair's class; one that is sent as it is shown stays whose it is.",
  access,
  params: ofPair,
  body: SetPair,
  conditional: 'required',
  answers: { 200: PairSettings },
  problems: ['pair_not_supported'],
});

export const listPairSettingsVersions = operation({
  id: 'listPairSettingsVersions',
  method: 'GET',
  path: `${PAIR}/versions`,
  tag,
  summary: 'List the versions of the settings of a pair, newest first',
  description:
    "Shows who set each, and when. Empty if nobody has. Limits that are not the pair's own are those of its class today.",
  access,
  params: ofPair,
  pages: true,
  answers: { 200: pageOf(PairSettings) },
  problems: ['pair_not_supported'],
});

export const acceptPrice = operation({
  id: 'acceptPrice',
  method: 'POST',
  path: `${PAIR}/accepted-prices`,
  tag,
  summary: 'Accept a price that moved too far to be trusted automatically',
  description:
    'Sets the correct price: from now on only prices within its band are trusted. It replaces the reference rate until rates of a later day arrive. Sources that were set aside and agree with it are used again. Every instance follows within a second.',
  access,
  params: ofPair,
  body: AcceptPrice,
  key: 'kept',
  unlocated: true,
  answers: { 201: AcceptedPrice },
  problems: ['pair_not_supported'],
});

export const listAcceptedPrices = operation({
  id: 'listAcceptedPrices',
  method: 'GET',
  path: `${PAIR}/accepted-prices`,
  tag,
  summary: 'List the accepted prices of a pair, newest first',
  description: 'Shows who accepted each, and why.',
  access,
  params: ofPair,
  pages: true,
  answers: { 200: pageOf(AcceptedPrice) },
  problems: ['pair_not_supported'],
});

export const getMarketHealth = operation({
  id: 'getMarketHealth',
  method: 'GET',
  path: `${MARKET}/health`,
  tag,
  summary: 'Read the health of market data in this instance',
  description: 'Shows sources, their ticks by outcome, and how many of the listed pairs have a price.',
  access,
  answers: { 200: MarketHealth },
});

export const resetSourceSequence = operation({
  id: 'resetSourceSequence',
  method: 'POST',
  path: `${MARKET}/sources/{source}/reset-sequence`,
  tag,
  summary: 'Set the sequence numbers of a FIX session and log on with them',
  description:
    'For when the two sides disagree; agree on the numbers with the venue first. The session logs out first, so its prices end. Affects only the process that answers. The health of the source shows the last reset as `sequenceReset`.',
  access,
  params: ofSource,
  body: ResetSequence,
  key: 'kept',
  unlocated: true,
  answers: { 202: PriceSourceHealth },
  problems: ['price_source_not_found'],
});

const switching = { tag, access, params: ofSource, body: SwitchSource, key: 'kept' } as const;

export const disableSource = operation({
  ...switching,
  id: 'disableSource',
  method: 'POST',
  path: `${MARKET}/sources/{source}/disable`,
  summary: 'Switch off a price source',
  description: 'Its prices are no longer used.',
  answers: { 200: PriceSourceHealth },
  problems: ['price_source_not_found'],
});

export const enableSource = operation({
  ...switching,
  id: 'enableSource',
  method: 'POST',
  access: { ...access, fresh: true },
  path: `${MARKET}/sources/{source}/enable`,
  summary: 'Switch a price source back on',
  description:
    'Its prices are used again on every instance within a second. If it is on already, nothing changes.',
  answers: { 200: PriceSourceHealth },
  problems: ['price_source_not_found'],
});
