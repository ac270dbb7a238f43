import { Instant, literals, nullable, PairCode } from '../http/schema.ts';
import { Type } from '../platform/typebox.ts';

const BarPrice = Type.String({ examples: ['1.084910'] });
export const BarsQuery = Type.Object({
  pair: Type.Optional(Type.String({ description: 'Required.', examples: ['EURUSD'] })),
  interval: Type.Optional(literals(['1s', '1m'], { default: '1m' })),
  from: Type.Optional(Type.String({ description: 'RFC 3339, inclusive.' })),
  to: Type.Optional(Type.String({ description: 'RFC 3339, exclusive.' })),
  limit: Type.Optional(Type.String({ description: '1 to 1,000, default 500.' })),
  cursor: Type.Optional(Type.String()),
});
export const BarList = Type.Object({
  pair: PairCode,
  interval: literals(['1s', '1m']),
  items: Type.Array(
    Type.Object({
      at: Instant,
      open: BarPrice,
      high: BarPrice,
      low: BarPrice,
      close: BarPrice,
      bid: BarPrice,
      ask: BarPrice,
      ticks: Type.Integer({ description: 'Prices that there were in it.' }),
    }),
    { description: 'Open, high, low and close are of the mid; bid and ask are the last ones.' },
  ),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});
