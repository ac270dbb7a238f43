import { Amount, CurrencyCode, Instant, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

/** Limits of the house's own exposure, and what it is. */

const request = { additionalProperties: false } as const;
const Usd = (description: string) => Type.String({ ...Amount, description });
const Signed = Type.String({
  pattern: '^-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$',
  description: 'Positive: the house is long.',
  examples: ['-250000.00'],
});

const limits = {
  total: nullable(
    Usd('Largest net open position in US dollars: the greater of all long and all short positions.'),
  ),
  perCurrency: nullable(
    Usd('Largest position in US dollars of each currency but the dollar that is not listed.'),
  ),
  currencies: Type.Array(
    Type.Object({ currency: CurrencyCode, limit: Usd('Largest position in US dollars.') }, request),
    { maxItems: 200 },
  ),
  hedges: Type.Array(Type.Object({ currency: CurrencyCode, amount: Signed }, request), {
    maxItems: 200,
    description: 'What the house has dealt elsewhere, by currency; added to the position.',
  }),
};
export const SetExposureLimits = Type.Object(limits, request);
export type SetExposureLimits = Static<typeof SetExposureLimits>;
export const ExposureLimitsView = Type.Object({ version: Type.Integer({ minimum: 1 }), ...limits });
export type ExposureLimitsView = Static<typeof ExposureLimitsView>;

const Position = Type.Object({
  currency: CurrencyCode,
  position: Type.String({ description: 'Booked, hedges left out. Positive: the house is long.' }),
  hedged: Type.String(),
  net: Type.String({ description: '`position` and `hedged` together.' }),
  openLong: Type.String({ description: 'Added to the position if every open quote that adds is executed.' }),
  openShort: Type.String({ description: 'Taken off it if every open quote that takes off is executed.' }),
  netUsd: nullable(Type.String({ description: '`net` in US dollars at the mid; null without a price.' })),
  worstUsd: nullable(
    Type.String({ description: 'The larger side with the open quotes, in US dollars, without sign.' }),
  ),
  limitUsd: nullable(Type.String()),
});
export const Exposure = Type.Object({
  asOf: Instant,
  openQuotes: Type.Integer(),
  positions: Type.Array(Position),
  total: Type.Object({
    longUsd: Type.String(),
    shortUsd: Type.String(),
    netOpenUsd: Type.String({ description: 'The greater of the two; the dollar itself does not count.' }),
    limitUsd: nullable(Type.String()),
  }),
});
export type Exposure = Static<typeof Exposure>;
