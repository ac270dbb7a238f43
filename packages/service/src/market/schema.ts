import { Instant, LINE_PATTERN, literals, nullable, PairCode } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { HALT_SCOPES } from './halts.ts';
import { BAND_REFUSALS } from './tick.ts';

const request = { additionalProperties: false } as const;

export const Reason = Type.String({ minLength: 1, maxLength: 200, pattern: LINE_PATTERN });
export const SourceName = Type.String({ minLength: 1, maxLength: 64, pattern: LINE_PATTERN });
const CustomerId = Type.String({ description: 'Begins with cus_.' });
export const ClientId = Type.String({ description: 'OAuth client of the operator.' });

export const HaltMarket = Type.Object(
  {
    scope: literals(HALT_SCOPES, {
      description: 'With `pair` the pair is named, with `customer` the customer.',
    }),
    pair: Type.Optional(PairCode),
    customerId: Type.Optional(CustomerId),
    openQuotes: Type.Optional(
      literals(['withdraw', 'keep'], {
        default: 'withdraw',
        description: 'What becomes of the quotes that customers hold: taken back, or good until they expire.',
      }),
    ),
    reason: Reason,
  },
  request,
);
export type HaltMarket = Static<typeof HaltMarket>;

export const ResumeMarket = Type.Object(
  {
    scope: literals(HALT_SCOPES),
    pair: Type.Optional(PairCode),
    customerId: Type.Optional(CustomerId),
    reason: Type.Optional(Reason),
  },
  request,
);
export type ResumeMarket = Static<typeof ResumeMarket>;

const haltMembers = {
  haltId: Type.String(),
  scope: literals(HALT_SCOPES),
  pair: nullable(PairCode),
  customerId: nullable(CustomerId),
  reason: Type.String(),
  openQuotes: literals(['withdraw', 'keep']),
  haltedAt: Instant,
  haltedBy: ClientId,
  resumedAt: nullable(Instant),
  resumedBy: nullable(ClientId),
  resumeReason: nullable(Type.String()),
};
export const Halt = Type.Object(haltMembers);
export const HaltedMarket = Type.Object({
  ...haltMembers,
  withdrawnQuotes: Type.Integer({
    description: 'Open quotes that this call took back; other instances take some back too.',
  }),
});

/** A halt of the book's own: in this process, until the sources agree again. */
export const AutomaticHalt = Type.Object({
  pair: PairCode,
  reason: literals(['sources_disagree']),
  since: Instant,
  sources: Type.Array(Type.String(), {
    description: 'The one with the lowest price, the one with the highest.',
  }),
});

export const HaltsQuery = Type.Object({
  status: Type.Optional(literals(['active', 'resumed'], { description: 'Without it, both.' })),
  limit: Type.Optional(Type.String({ description: '1 to 200, default 50.' })),
  cursor: Type.Optional(Type.String()),
});
export const HaltList = Type.Object({
  items: Type.Array(Halt),
  automatic: Type.Array(AutomaticHalt),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

const Bps = nullable(
  Type.String({ pattern: '^\\d{1,4}(\\.\\d{1,2})?$', description: 'Basis points of the mid price.' }),
);
const Limit = (maximum: string) =>
  Type.String({
    pattern: '^\\d{1,4}(\\.\\d{1,2})?$',
    description: `Basis points of the mid price, more than 0, at most ${maximum}. Default: what the pair's class says.`,
  });
const millis = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });

const pairSettings = {
  enabled: Type.Boolean({ description: 'False: not quoted (403 `pair_not_enabled`).' }),
  stalenessMs: millis(100, 3_600_000),
  composite: literals(['best', 'priority']),
  priority: Type.Array(SourceName, { maxItems: 16, description: 'Sources, first choice first.' }),
  lockedPrices: literals(['accept', 'refuse'], { description: 'A bid that equals the ask.' }),
  outlierBps: Bps,
  jumpTicks: Type.Integer({ minimum: 2, maximum: 100 }),
  jumpMs: millis(100, 60_000),
  frozenMs: nullable(millis(1_000, 3_600_000)),
  deviationBps: Bps,
  agreementMs: millis(100, 600_000),
};
const priceLimits = {
  maxWidthBps: Limit('5000.00'),
  bandBps: Limit('5000.00'),
  referenceBps: Limit('9000.00'),
};
export const SetPair = Type.Object(
  { ...pairSettings, ...Type.Partial(Type.Object(priceLimits)).properties },
  request,
);
export const PairSettingsAnswer = Type.Object({
  pair: PairCode,
  version: Type.Integer({ description: '1 while nobody has set it.' }),
  ...pairSettings,
  ...priceLimits,
  changedAt: nullable(Instant),
  changedBy: nullable(ClientId),
});
export const PairList = Type.Object({ items: Type.Array(PairSettingsAnswer) });
export const PairParams = Type.Object({ pair: Type.String({ description: 'Six letters in market order.' }) });

const Origin = Type.Object({ source: Type.String(), asOf: Instant });
const MarketStateAnswer = Type.Object({
  state: literals(['open', 'closed']),
  reason: Type.Optional(Type.String()),
  closesAt: Type.Optional(Instant),
  reopensAt: Type.Optional(Instant),
});
const PriceSourceAnswer = Type.Object({
  source: Type.String(),
  state: literals([
    ...(['fresh', 'stale', 'withdrawn', 'held_back', 'refused', 'set_aside'] as const),
    ...(['frozen', 'disabled', 'missing'] as const),
  ]),
  bid: Type.Optional(Type.String()),
  ask: Type.Optional(Type.String()),
  asOf: Type.Optional(Instant),
  ageMs: Type.Optional(Type.Integer()),
  heldBack: nullable(Type.Object({ ticks: Type.Integer(), since: Instant })),
  refused: nullable(
    Type.Object(
      {
        reason: literals(BAND_REFUSALS),
        bid: Type.String(),
        ask: Type.String(),
        asOf: Instant,
        since: Instant,
        ticks: Type.Integer(),
      },
      { description: 'What it says now, which is not believed.' },
    ),
  ),
  setAside: nullable(
    Type.Object({ since: Instant }, { description: 'Most other sources say something else.' }),
  ),
});
export const BookAnswer = Type.Object({
  items: Type.Array(
    Type.Object({
      pair: PairCode,
      class: literals(['major', 'minor', 'exotic'], { description: 'Whose limits hold where none are set.' }),
      status: literals(['fresh', 'stale', 'missing']),
      bid: Type.Optional(Type.String()),
      ask: Type.Optional(Type.String()),
      mid: Type.Optional(Type.String()),
      source: Type.Optional(Type.String()),
      asOf: Type.Optional(Instant),
      ageMs: Type.Optional(Type.Integer()),
      bidFrom: Type.Optional(Origin),
      askFrom: Type.Optional(Origin),
      legs: Type.Optional(
        Type.Array(
          Type.Object({
            pair: PairCode,
            bid: Type.String(),
            ask: Type.String(),
            source: Type.String(),
            asOf: Instant,
          }),
          { description: 'Of a cross.' },
        ),
      ),
      enabled: Type.Boolean(),
      market: MarketStateAnswer,
      halts: Type.Array(
        Type.Object({ haltId: Type.String(), scope: literals(HALT_SCOPES), reason: Type.String() }),
      ),
      disagreement: Type.Optional(Type.Object({ since: Instant, sources: Type.Array(Type.String()) })),
      awaitingAcceptance: Type.Boolean({
        description: 'There is no price because an operator must say which one is right.',
      }),
      lastGood: nullable(
        Type.Object(
          { price: Type.String(), asOf: Instant },
          { description: 'The last mid that was dealt at.' },
        ),
      ),
      reference: nullable(Type.String({ description: 'What prices are held against besides.' })),
      heldBySandbox: Type.Boolean(),
      crossings: Type.Integer({ description: 'Times that the prices of two sources crossed.' }),
      composite: nullable(literals(['best', 'priority'])),
      sources: Type.Array(PriceSourceAnswer),
    }),
  ),
});
export const BookQuery = Type.Object({
  pair: Type.Optional(Type.String({ description: 'Comma list; without it, every pair that has sources.' })),
});

const Counts = Type.Record(Type.String(), Type.Integer());
export const SourceHealthAnswer = Type.Object({
  source: Type.String(),
  enabled: Type.Boolean(),
  reason: nullable(Type.String()),
  changedAt: nullable(Instant),
  changedBy: nullable(ClientId),
  state: Type.String({ description: 'Of the connection in this process; `absent` when there is none.' }),
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
    Type.Integer({ description: 'Prices that the vendor marked as not to be dealt on.' }),
  ),
  lastDelayMs: Type.Optional(Type.Integer({ description: "From the vendor's stamp to the arrival." })),
  referenceDate: Type.Optional(Type.String({ format: 'date' })),
  refused: Type.Optional(Counts),
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
        resetBy: ClientId,
      },
      { description: 'The last time that an operator set the sequence numbers of this FIX session.' },
    ),
  ),
  accepted: Type.Integer(),
  locked: Type.Integer(),
  rejected: Counts,
  withdrawn: Type.Integer({ description: 'Prices that it took back, or lost with its connection.' }),
  lastAcceptedAt: nullable(Instant),
  lastRejected: nullable(
    Type.Object({
      pair: Type.String(),
      bid: Type.String(),
      ask: Type.String(),
      asOf: nullable(Instant),
      reason: Type.String(),
    }),
  ),
});
export const MarketHealth = Type.Object({
  market: MarketStateAnswer,
  sources: Type.Array(SourceHealthAnswer),
  pairs: Type.Object({
    total: Type.Integer(),
    fresh: Type.Integer(),
    stale: Type.Integer(),
    halted: Type.Integer(),
  }),
  ticks: Type.Object({ accepted: Type.Integer(), rejected: Counts }),
  at: Instant,
});
export const SwitchSource = Type.Object({ reason: Reason }, request);
export type SwitchSource = Static<typeof SwitchSource>;
const MsgSeqNum = Type.Integer({ minimum: 1, maximum: 999_999_999, default: 1 });
export const ResetSequence = Type.Object(
  {
    reason: Reason,
    nextSent: Type.Optional(MsgSeqNum),
    nextReceived: Type.Optional(MsgSeqNum),
  },
  request,
);
export type ResetSequence = Static<typeof ResetSequence>;
export const SourceParams = Type.Object({ source: Type.String() });
