import { operation } from '../operation.ts';
import { listMatching } from '../parameters.ts';
import { CLOSED, Instant, literals, named, nullable, PairCode } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { COMPOSITES, HALT_SCOPES, MarketState } from './market.ts';
import { BAND_REFUSALS } from './price-refusals.ts';

/** Prices as the book has them, and those that operators push and take back. */

export const PRICES_MAX = 500; // limit: Prices pushed in one request

const Origin = Type.Object({ source: Type.String(), asOf: Instant });
const PriceOfSource = named(
  'PriceOfSource',
  Type.Object({
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
        { description: 'Its current price, which is not accepted.' },
      ),
    ),
    setAside: nullable(Type.Object({ since: Instant }, { description: 'Most other sources disagree.' })),
  }),
);
const PriceOfPair = named(
  'PriceOfPair',
  Type.Object({
    pair: PairCode,
    class: literals(['major', 'minor', 'exotic'], {
      description: 'Its limits apply where none are set.',
    }),
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
        { description: 'For a cross.' },
      ),
    ),
    enabled: Type.Boolean(),
    market: MarketState,
    halts: Type.Array(
      Type.Object({ haltId: Type.String(), scope: literals(HALT_SCOPES), reason: Type.String() }),
    ),
    disagreement: Type.Optional(Type.Object({ since: Instant, sources: Type.Array(Type.String()) })),
    awaitingAcceptance: Type.Boolean({
      description: 'There is no price until an operator accepts one.',
    }),
    lastGood: nullable(
      Type.Object({ price: Type.String(), asOf: Instant }, { description: 'The last mid used for dealing.' }),
    ),
    reference: nullable(Type.String({ description: 'The reference rate that prices are checked against.' })),
    heldBySandbox: Type.Boolean(),
    crossings: Type.Integer({ description: 'Times that the prices of two sources crossed.' }),
    composite: nullable(literals(COMPOSITES)),
    sources: Type.Array(PriceOfSource),
  }),
);

/** Judged price by price, so the schema bounds the texts and no more. */
const RateText = named(
  'PriceText',
  Type.String({
    maxLength: 40,
    description: 'Units of the quote currency for one of the base currency, a decimal string.',
    examples: ['1.08488'],
  }),
);
const TimeText = Type.String({
  maxLength: 40,
  description: 'When the price was made, RFC 3339. Default: now.',
  examples: ['2026-03-04T14:30:00.112Z'],
});
const Pair = Type.String({
  maxLength: 20,
  description: 'Six letters in market order.',
  examples: ['EURUSD'],
});
const priceFields = { pair: Pair, bid: RateText, ask: RateText };
const Source = Type.Optional(
  Type.String({
    maxLength: 50,
    description: 'Which of the configured push sources they come from. Default: `push`.',
    examples: ['push'],
  }),
);

const PushPrices = Type.Object(
  {
    source: Source,
    ...Type.Partial(Type.Object(priceFields)).properties,
    at: Type.Optional(TimeText),
    prices: Type.Optional(
      Type.Array(Type.Object({ ...priceFields, at: Type.Optional(TimeText) }, CLOSED), {
        minItems: 1,
        maxItems: PRICES_MAX,
        description: 'A batch, instead of the fields of a single price.',
      }),
    ),
  },
  CLOSED,
);
export type PushPrices = Static<typeof PushPrices>;

const WithdrawPrices = Type.Object(
  {
    source: Source,
    pairs: Type.Optional(
      Type.Array(Pair, {
        minItems: 1,
        maxItems: PRICES_MAX,
        uniqueItems: true,
        description: 'Default: every pair of the source.',
        examples: [['EURUSD']],
      }),
    ),
  },
  CLOSED,
);

const WithdrawnPrices = Type.Object({
  source: Type.String(),
  receivedAt: Instant,
  withdrawn: Type.Array(Type.String({ examples: ['EURUSD'] }), {
    description: 'The pairs that had a price of this source.',
  }),
});

const PushedPrices = Type.Object({
  source: Type.String(),
  receivedAt: Instant,
  accepted: Type.Integer(),
  refused: Type.Integer(),
  results: Type.Array(
    Type.Object({
      pair: Type.String({ examples: ['EURUSD'] }),
      outcome: literals(['accepted', 'refused']),
      reason: Type.Optional(
        Type.String({ description: 'Why it was refused.', examples: ['crossed', 'future', 'not_a_number'] }),
      ),
    }),
    { description: 'One for each price, in the order of the request.' },
  ),
});

const tag = 'Operator: market';
const access = { audience: 'operator', scope: 'operator:prices' } as const;
const PATH = '/v1/operator/prices';

export const listPrices = operation({
  id: 'listPrices',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List the price of each pair in this instance',
  description: 'With the price of each source, and any halts.',
  access,
  query: {
    pair: listMatching(
      /^[A-Z]{6}$/,
      'pairs in market order such as EURUSD',
      'Default: every pair that has sources.',
    ),
  },
  answers: { 200: Type.Object({ items: Type.Array(PriceOfPair) }) },
  problems: ['pair_not_supported'],
});

export const pushPrices = operation({
  id: 'pushPrices',
  audited: 'own',
  method: 'POST',
  path: PATH,
  tag,
  summary: 'Push prices',
  description: `A single price, or up to ${PRICES_MAX} in \`prices\`. Each is checked like one from a feed and has its own outcome. With an \`Idempotency-Key\`, repeating the request gets the first response and does not make an old price look new.`,
  access,
  body: PushPrices,
  key: 'kept',
  answers: { 200: PushedPrices },
});

export const withdrawPrices = operation({
  id: 'withdrawPrices',
  audited: 'own',
  method: 'POST',
  path: `${PATH}/withdraw`,
  tag,
  summary: 'Withdraw pushed prices',
  description:
    'They are no longer used for quotes, whatever their age; existing firm quotes stay valid. A price made before the withdrawal is refused if it arrives later.',
  access,
  body: WithdrawPrices,
  key: 'kept',
  answers: { 200: WithdrawnPrices },
});
