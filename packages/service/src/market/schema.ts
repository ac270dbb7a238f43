import { type Static, Type } from 'typebox';
import { Instant, LINE_PATTERN, literals, nullable, PairCode } from '../http/schema.ts';
import { HALT_SCOPES } from './halts.ts';

const request = { additionalProperties: false } as const;

export const Reason = Type.String({ minLength: 1, maxLength: 200, pattern: LINE_PATTERN });
export const SourceName = Type.String({ minLength: 1, maxLength: 64, pattern: LINE_PATTERN });
const CustomerId = Type.String({ description: 'Begins with cus_.' });
const ClientId = Type.String({ description: 'OAuth client of the operator.' });

export const HaltMarket = Type.Object(
  {
    scope: literals(HALT_SCOPES, {
      description: 'With `pair` the pair is named, with `customer` the customer.',
    }),
    pair: Type.Optional(PairCode),
    customerId: Type.Optional(CustomerId),
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
  haltedAt: Instant,
  haltedBy: ClientId,
  resumedAt: nullable(Instant),
  resumedBy: nullable(ClientId),
  resumeReason: nullable(Type.String()),
};
export const Halt = Type.Object(haltMembers);
export const HaltedMarket = Type.Object({
  ...haltMembers,
  withdrawnQuotes: Type.Integer({ description: 'Open quotes that this call took back.' }),
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
