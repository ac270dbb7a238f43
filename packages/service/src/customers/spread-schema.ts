import { Amount, BpsText, Instant, literals, nullable, PairCode } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { CustomerId, GroupName, request, Version } from './schema.ts';
import { MAX_SPREAD_RULES } from './spread-input.ts';

/** Spread rules (docs/interface.md#spreads). */

const SpreadBps = Type.String({ ...BpsText, description: 'Basis points, up to two decimals.' });
const rule = {
  customerId: nullable(CustomerId),
  groupName: nullable(GroupName),
  pair: nullable(PairCode),
  tenor: nullable(
    literals(['today', 'tom', 'spot'], { description: 'Only for requests of this tenor; null is any.' }),
  ),
  validityUpToSeconds: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Only for promises of at most so many seconds; null is any.',
    }),
  ),
  minSpreadBps: nullable(
    Type.String({ ...BpsText, description: 'The whole spread, premiums included, is not less.' }),
  ),
  maxSpreadBps: nullable(
    Type.String({ ...BpsText, description: 'The whole spread, premiums included, is not more.' }),
  ),
  validFrom: nullable(Type.String({ ...Instant, description: 'Inclusive.' })),
  validTo: nullable(Type.String({ ...Instant, description: 'Exclusive.' })),
};
const amountFrom = {
  ...Amount,
  description: 'Only for fixed amounts worth so many US dollars or more; "0.00" is any.',
};
const RuleId = Type.String({ examples: ['spr_01jngx7z5d2m8r4v6t9k3b1c0a'] });

export const RuleInput = Type.Object(
  {
    ruleId: Type.Optional(nullable(RuleId)),
    customerId: Type.Optional(rule.customerId),
    groupName: Type.Optional(rule.groupName),
    pair: Type.Optional(rule.pair),
    tenor: Type.Optional(rule.tenor),
    validityUpToSeconds: Type.Optional(rule.validityUpToSeconds),
    amountFrom: Type.Optional(nullable(Type.String(amountFrom))),
    spreadBps: SpreadBps,
    minSpreadBps: Type.Optional(rule.minSpreadBps),
    maxSpreadBps: Type.Optional(rule.maxSpreadBps),
    validFrom: Type.Optional(rule.validFrom),
    validTo: Type.Optional(rule.validTo),
  },
  request,
);
export type RuleInput = Static<typeof RuleInput>;
export const RuleInputs = Type.Array(RuleInput, { maxItems: MAX_SPREAD_RULES });

export const SetSpreadRules = Type.Object(
  { rules: RuleInputs },
  {
    ...request,
    description: 'The whole set. Rules without `ruleId` are new, rules that are left out go out of force.',
  },
);
export type SetSpreadRules = Static<typeof SetSpreadRules>;

const terms = { ...rule, amountFrom: Type.String(amountFrom), spreadBps: SpreadBps };
export const RuleTerms = Type.Object(terms);
export type RuleTerms = Static<typeof RuleTerms>;

export const SpreadRules = Type.Object({
  version: Version,
  rules: Type.Array(Type.Object({ ruleId: RuleId, version: Version, ...terms, createdAt: Instant })),
});
export type SpreadRules = Static<typeof SpreadRules>;

export const SpreadRuleDraft = Type.Object({
  version: Type.Integer({ minimum: 1, description: 'The number in the `ETag`.' }),
  basedOn: nullable(
    Type.Integer({
      description: 'Version of the rules in force that the draft replaces; null without a draft.',
    }),
  ),
  rules: nullable(Type.Array(RuleInput)),
  changedAt: nullable(Instant),
});
export type SpreadRuleDraft = Static<typeof SpreadRuleDraft>;
