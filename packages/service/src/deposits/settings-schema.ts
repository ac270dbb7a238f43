import { Instant, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { DEPOSIT_STATUSES } from './record.ts';

const USD_PATTERN = '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,2})?$';
const UsdAmount = Type.String({
  pattern: USD_PATTERN,
  description: 'US dollars.',
  examples: ['30.00'],
});

/** Rules that can be set to suggest only; an exact reference always matches. */
export const SUGGESTIBLE_RULES = [
  'references_split',
  'reference_short_tolerated',
  'reference_partial',
  'reference_excess',
  'virtual_account_exact',
  'virtual_account_group',
  'balance_top_up',
  'virtual_account_top_up',
] as const;

const rules = {
  toleranceUsd: UsdAmount,
  toleranceBps: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description:
      'A payment that is short by no more than this and by no more than `toleranceUsd` is complete; the rest is a charge of the house.',
  }),
  suggestOnly: Type.Array(literals(SUGGESTIBLE_RULES), {
    maxItems: SUGGESTIBLE_RULES.length,
    uniqueItems: true,
    description: 'Rules that do not match by themselves.',
  }),
  groupSizeMax: Type.Integer({
    minimum: 1,
    maximum: 5,
    description: 'How many trades one deposit on a virtual account may pay; 1: only one.',
  }),
  fourEyesFromUsd: nullable(
    Type.String({
      pattern: USD_PATTERN,
      description: 'Manual work on more than this takes two persons. Null: never.',
    }),
  ),
};

export const MatchingRulesDocument = Type.Object(rules, { additionalProperties: false });
export type MatchingRulesDocument = Static<typeof MatchingRulesDocument>;

export const MatchingRulesAnswer = Type.Object({ version: Type.Integer({ minimum: 1 }), ...rules });

export const PREVIEW_DEPOSITS_MAX = 200; // limit: Deposits in a preview of rules
export const PreviewRules = Type.Object(
  {
    rules: MatchingRulesDocument,
    deposits: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PREVIEW_DEPOSITS_MAX,
        description: 'How many of the newest deposits to run the rules against. Default 50.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type PreviewRules = Static<typeof PreviewRules>;

const Outcome = Type.Object({
  outcome: literals(['matched', 'exception']),
  exception: nullable(Type.Object({ type: Type.String(), reason: Type.String() })),
  allocations: Type.Array(
    Type.Object({
      transactionId: nullable(Type.String({ description: 'Null: into the balance.' })),
      matchRule: Type.String(),
      allocatedAmount: Type.String(),
      excessAmount: Type.String(),
      shortfallAmount: Type.String(),
    }),
  ),
});
export const PreviewAnswer = Type.Object({
  rulesVersion: Type.Integer({ description: 'The rules in force that the draft is compared with.' }),
  depositsTried: Type.Integer(),
  unchanged: Type.Integer(),
  changes: Type.Array(
    Type.Object({
      depositId: Type.String(),
      status: literals(DEPOSIT_STATUSES),
      amount: Type.String(),
      currency: Type.String(),
      receivedAt: Instant,
      inForce: Outcome,
      draft: Outcome,
    }),
  ),
});
export type PreviewAnswer = Static<typeof PreviewAnswer>;
