import { operation } from '../operation.ts';
import { currency, listMatching, required, text } from '../parameters.ts';
import { STREAM } from '../problem-groups.ts';
import {
  Amount,
  BpsText,
  CalendarDate,
  CurrencyCode,
  Instant,
  literals,
  named,
  nullable,
  PairCode,
  ProblemSchema,
  RateText,
} from '../schema.ts';
import { type Static, type TSchema, Type } from '../typebox.ts';

/** Streams of live prices, and the messages in them. */

/** Why a price is not tradable. */
export const PRICE_REASONS = [
  'stale',
  'market_closed',
  'halt',
  'pair_not_enabled',
  'calendar_missing',
  'price_unavailable',
  'pricing_not_configured',
  'amount_below_minimum',
  'amount_above_maximum',
] as const;

const PAIRS_IN_MESSAGE_MAX = 40; // limit: Pairs in one message to a WebSocket

export const StreamedPrice = named(
  'StreamedPrice',
  Type.Object({
    pair: PairCode,
    bid: nullable(RateText),
    ask: nullable(RateText),
    mid: nullable(RateText),
    spreadBps: Type.Optional(BpsText),
    amount: Type.Optional(Amount),
    amountCurrency: Type.Optional(CurrencyCode),
    bidAmount: Type.Optional(nullable(Amount)),
    askAmount: Type.Optional(nullable(Amount)),
    asOf: nullable(Instant),
    spotDate: nullable(CalendarDate),
    tradable: Type.Boolean(),
    reason: Type.Optional(literals(PRICE_REASONS)),
  }),
);
const StreamedMarket = named(
  'StreamedMarket',
  Type.Object({
    pair: Type.String({ description: '`*`: all pairs.' }),
    state: literals(['open', 'closed']),
    reason: Type.Optional(literals(['weekend', 'holiday', 'halt'])),
    closesAt: Type.Optional(Instant),
    reopensAt: Type.Optional(Instant),
  }),
);
const Heartbeat = Type.Object({
  serverTime: Instant,
  lastId: nullable(Type.String({ description: 'Id of the last price sent.' })),
});
const Resync = Type.Object({ lastEventId: nullable(Type.String()) });
const Bye = Type.Object({
  reason: Type.String({
    description:
      'Why the stream ends: the code of a problem, `shutting_down`, `slow_reader` or `stalled_reader`.',
  }),
});
const Subscription = Type.Object({
  requestId: nullable(Type.String()),
  pairs: Type.Array(PairCode, { description: 'All pairs that the connection now reads.' }),
});

/** An event of a stream: its name and its data. */
function streamEvent<const Name extends string, Data extends TSchema>(event: Name, data: Data) {
  return Type.Object({ event: literals([event]), data });
}

/** Prices are numbered. */
export function priceEvent<Data extends TSchema>(data: Data) {
  return Type.Object({
    event: literals(['price']),
    id: Type.String({ examples: ['1a2b3c4d-000184467'] }),
    data,
  });
}

const PriceEvent = named('PriceEvent', priceEvent(StreamedPrice));
const MarketEvent = named('MarketEvent', streamEvent('market', StreamedMarket));
const HeartbeatEvent = named('HeartbeatEvent', streamEvent('heartbeat', Heartbeat));
const ByeEvent = named('ByeEvent', streamEvent('bye', Bye));

/** Of streams of every kind, beside their prices. */
export const COMMON_EVENTS = [
  MarketEvent,
  HeartbeatEvent,
  named('ResyncEvent', streamEvent('resync', Resync)),
  ByeEvent,
] as const;

/** What a server-sent event of the price stream is, with `data` as JSON. */
export const PriceStreamEvent = named('PriceStreamEvent', Type.Union([PriceEvent, ...COMMON_EVENTS]));

/** What the service sends over the WebSocket. */
export const PriceSocketEvent = named(
  'PriceSocketEvent',
  Type.Union([
    MarketEvent,
    PriceEvent,
    HeartbeatEvent,
    named('SubscribedEvent', streamEvent('subscribed', Subscription)),
    named('UnsubscribedEvent', streamEvent('unsubscribed', Subscription)),
    named('ErrorEvent', streamEvent('error', ProblemSchema)),
    ByeEvent,
  ]),
);

export const PriceSocketCommand = named(
  'PriceSocketCommand',
  Type.Object(
    {
      action: literals(['subscribe', 'unsubscribe']),
      pairs: Type.Array(PairCode, { minItems: 1, maxItems: PAIRS_IN_MESSAGE_MAX }),
      amount: Type.Optional(Amount),
      amountCurrency: Type.Optional(CurrencyCode),
      requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\x21-\\x7e]*$' })),
    },
    { additionalProperties: false },
  ),
);
export type PriceSocketCommand = Static<typeof PriceSocketCommand>;

const tag = 'Prices';
export const PRICES_PATH = '/v1/customer/prices';
const access = { audience: 'customer', scope: 'quotes:read' } as const;

export const streamPrices = operation({
  id: 'streamPrices',
  method: 'GET',
  path: `${PRICES_PATH}/stream`,
  tag,
  summary: 'Stream live prices',
  description: `Server-sent events, whose \`data\` is JSON; prices have an \`id\`.

- \`market\`: the state of the market, first and whenever it changes.
- \`price\`: each pair once, then when it changes, four times a second at most.
- \`heartbeat\`: every 5 s.
- \`resync\`: the first event after a reconnection with \`Last-Event-ID\`; prices in between are not repeated.
- \`bye\`: the last event; \`reason\` says why.`,
  access,
  rate: 'indicative',
  media: 'event-stream',
  query: {
    pairs: required(
      listMatching(
        /^[A-Z]{6}$/,
        'pairs such as EURUSD,USDJPY',
        'In market order. At most 40 over all streams of a customer.',
      ),
    ),
    amount: text(20, 'Amount to price, with `amountCurrency`.'),
    amountCurrency: currency(),
  },
  resumes: true,
  answers: {
    200: {
      description: 'The stream. The schema shows its events as objects.',
      content: { 'text/event-stream': PriceStreamEvent },
    },
  },
  problems: STREAM,
});

export const openPriceSocket = operation({
  id: 'openPriceSocket',
  method: 'GET',
  path: `${PRICES_PATH}/ws`,
  tag,
  summary: 'Stream live prices over a WebSocket',
  description:
    'Needs an upgrade (RFC 6455) with the `Authorization` header. Messages are JSON texts: send commands, get events.',
  access,
  rate: 'indicative',
  media: 'anything',
  answers: {
    101: {
      description: 'The connection is a WebSocket from here on. The schema shows the messages of both sides.',
      content: {
        'application/json': named(
          'PriceSocketMessages',
          Type.Object({ sent: PriceSocketCommand, received: PriceSocketEvent }),
        ),
      },
    },
  },
  problems: ['upgrade_required', 'too_many_streams'],
});
