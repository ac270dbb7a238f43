import { Instant, nullable, PairCode } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { ClientId, Reason } from './schema.ts';

export const AcceptPrice = Type.Object(
  {
    price: Type.String({
      pattern: '^\\d{1,12}(\\.\\d{1,10})?$',
      description: 'The mid price that is right.',
      examples: ['1.08491'],
    }),
    reason: Reason,
  },
  { additionalProperties: false },
);
export type AcceptPrice = Static<typeof AcceptPrice>;
export const AcceptedPriceAnswer = Type.Object({
  pair: PairCode,
  number: Type.Integer({ description: 'Counted for each pair.' }),
  price: Type.String(),
  previousPrice: nullable(Type.String({ description: 'The last good mid until then.' })),
  reason: Type.String(),
  acceptedAt: Instant,
  acceptedBy: ClientId,
});
export const AcceptedPricesQuery = Type.Object({
  limit: Type.Optional(Type.String({ description: '1 to 200, default 50.' })),
  cursor: Type.Optional(Type.String()),
});
export const AcceptedPriceList = Type.Object({
  items: Type.Array(AcceptedPriceAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});
