import { PricingSchema, RateSchema } from '@firmquote/api/operations/quotes';
import { SpreadRuleInputs, SpreadRuleTerms } from '@firmquote/api/operations/spread-rules';
import { Amount, CalendarDate, CurrencyCode, Instant, literals, nullable, RateText } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

/** What a sample request costs by the rules in force and by a draft of them. */

export const PreviewRequest = Type.Object(
  {
    customerId: Type.Optional(Type.String({ examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a'] })),
    groupName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'A customer of this group without rules of its own. Not together with customerId.',
      }),
    ),
    sellCurrency: CurrencyCode,
    buyCurrency: CurrencyCode,
    fixedSide: Type.Optional(literals(['sell', 'buy'])),
    amount: Type.Optional(Amount),
    tenor: Type.Optional(literals(['today', 'tom', 'spot'])),
    valueDate: Type.Optional(CalendarDate),
    validitySeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
    rules: Type.Optional(SpreadRuleInputs),
  },
  {
    additionalProperties: false,
    description: 'Without `rules` the stored draft is previewed, if there is one. Nothing is kept.',
  },
);
export type PreviewRequest = Static<typeof PreviewRequest>;

const RuleName = {
  ruleId: nullable(Type.String()),
  version: nullable(Type.Integer()),
  place: nullable(Type.Integer({ description: 'Place in the draft, from 0; null for rules in force.' })),
};
const PreviewSide = Type.Object({
  outcome: Type.String({ description: '`priced`, or the code of the problem that a customer would get.' }),
  detail: nullable(Type.String()),
  sellAmount: nullable(Type.String()),
  buyAmount: nullable(Type.String()),
  rate: nullable(RateSchema),
  pricing: nullable(PricingSchema),
  rule: nullable(Type.Object({ ...RuleName, terms: SpreadRuleTerms })),
  others: Type.Array(Type.Object({ ...RuleName, lost: Type.String() }), {
    description:
      'Rules that could price such a request and did not, the strongest first, with the reason; 100 at most.',
  }),
  elsewhere: Type.Integer({ description: 'Rules for other customers, groups or pairs.' }),
});
export type PreviewSide = Static<typeof PreviewSide>;

export const Preview = Type.Object({
  customerId: nullable(Type.String()),
  groupName: nullable(Type.String()),
  tenor: Type.String(),
  valueDate: CalendarDate,
  validitySeconds: Type.Integer(),
  market: Type.Object({
    bid: RateText,
    ask: RateText,
    asOf: Instant,
    fresh: Type.Boolean(),
    source: Type.String(),
  }),
  live: PreviewSide,
  draft: nullable(PreviewSide),
});
export type Preview = Static<typeof Preview>;
