import {
  Amount,
  BpsText,
  CalendarDate,
  CurrencyCode,
  Instant,
  literals,
  nullable,
  PairCode,
  RateText,
} from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

/** Why a price is not tradable. */
const PRICE_REASONS = [
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

/** Documents the query; {@link readPriceQuery} checks it. */
export const PriceStreamQuery = Type.Object({
  pairs: Type.String({
    description:
      'Comma separated or repeated, in market order. All streams of a customer together read 40 at most.',
    examples: ['EURUSD,USDJPY'],
  }),
  amount: Type.Optional(Amount),
  amountCurrency: Type.Optional(CurrencyCode),
});

export const PriceStreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'Id of the last price that was seen. The stream then begins with `resync`.' }),
  ),
});

const PriceData = Type.Object({
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
});
const HeartbeatData = Type.Object({ serverTime: Instant, lastId: nullable(Type.String()) });
const MarketData = Type.Object({
  pair: Type.String({ description: '`*`: all pairs.' }),
  state: literals(['open', 'closed']),
  reason: Type.Optional(literals(['weekend', 'holiday', 'halt'])),
  closesAt: Type.Optional(Instant),
  reopensAt: Type.Optional(Instant),
});
const ResyncData = Type.Object({ lastEventId: nullable(Type.String()) });
const ByeData = Type.Object({ reason: Type.String() });

const EVENT_TEXT = `Server-sent events. Each has \`event\` and JSON in \`data\`; prices have an \`id\`.

- \`market\`: the state of the market, first and whenever it changes.
- \`price\`: each pair once, then when it changes, four times a second at most.
- \`heartbeat\`: every 5 s.
- \`resync\`: the first event after a reconnection with \`Last-Event-ID\`; prices in between are not repeated.
- \`bye\`: the last event; \`reason\` says why.`;

function eventStream(schema: object, description: string): unknown {
  return { description, content: { 'text/event-stream': { schema } } };
}

/** Of the stream, for the OpenAPI document. Events are written by the streams room, not by the serialiser. */
export const PriceStreamAnswer = eventStream(
  Type.Object({
    market: MarketData,
    price: PriceData,
    heartbeat: HeartbeatData,
    resync: ResyncData,
    bye: ByeData,
  }),
  `${EVENT_TEXT}\n\nThe schema has the data of each event under its name.`,
);

export const ClientMessage = Type.Object(
  {
    action: literals(['subscribe', 'unsubscribe']),
    pairs: Type.Array(PairCode, { minItems: 1, maxItems: PAIRS_IN_MESSAGE_MAX }),
    amount: Type.Optional(Amount),
    amountCurrency: Type.Optional(CurrencyCode),
    requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\x21-\\x7e]*$' })),
  },
  { additionalProperties: false },
);
export type ClientMessage = Static<typeof ClientMessage>;
