import { operation } from '../operation.ts';
import { REPLACE } from '../problem-groups.ts';
import { Instant, literals, named, nullable, pageOf, SET_VERSIONS, Version, versionOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { DEPOSIT_STATUSES, DepositException } from './deposits.ts';

/** The rules of matching: one document, every version kept. */

const USD_PATTERN = '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,2})?$';

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
  toleranceUsd: Type.String({ pattern: USD_PATTERN, description: 'US dollars.', examples: ['30.00'] }),
  toleranceBps: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description:
      'A payment short by at most this and at most `toleranceUsd` counts as complete; the house bears the rest.',
  }),
  suggestOnly: Type.Array(literals(SUGGESTIBLE_RULES), {
    maxItems: SUGGESTIBLE_RULES.length,
    uniqueItems: true,
    description: 'Rules that only suggest a match.',
  }),
  groupSizeMax: Type.Integer({
    minimum: 1,
    maximum: 5,
    description: 'How many trades one deposit on a virtual account may pay.',
  }),
  fourEyesFromUsd: nullable(
    Type.String({
      pattern: USD_PATTERN,
      description: 'Manual work on more than this needs two operators. Null: never.',
    }),
  ),
};

const MatchingRulesDocument = named(
  'MatchingRulesDocument',
  Type.Object(rules, { additionalProperties: false }),
);
export type MatchingRulesDocument = Static<typeof MatchingRulesDocument>;
const MatchingRules = named('MatchingRules', Type.Object({ version: Version, ...rules }));
const MatchingRulesVersion = named('MatchingRulesVersion', versionOf(rules));

export const PREVIEW_DEPOSITS_MAX = 200; // limit: Deposits in a preview of rules
const PreviewRules = Type.Object(
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

const Outcome = named(
  'MatchingOutcome',
  Type.Object({
    outcome: literals(['matched', 'exception']),
    exception: nullable(DepositException),
    allocations: Type.Array(
      Type.Object({
        transactionId: nullable(Type.String({ description: 'Null: into the balance.' })),
        matchRule: Type.String(),
        allocatedAmount: Type.String(),
        excessAmount: Type.String(),
        shortfallAmount: Type.String(),
      }),
    ),
  }),
);
const RulesPreview = named(
  'MatchingRulesPreview',
  Type.Object({
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
  }),
);
export type RulesPreview = Static<typeof RulesPreview>;

const tag = 'Operator: deposits';
const access = { audience: 'operator', scope: 'operator:deposits' } as const;
const PATH = '/v1/operator/matching-rules';

export const getMatchingRules = operation({
  id: 'getMatchingRules',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'Read the matching rules',
  description: 'Each match names the version that it was made with.',
  access,
  revalidates: true,
  answers: { 200: MatchingRules },
});

export const replaceMatchingRules = operation({
  id: 'replaceMatchingRules',
  method: 'PUT',
  path: PATH,
  tag,
  summary: 'Replace the matching rules',
  description:
    'They apply from now on and undo no match. Every version is kept; the same rules again keep the version.',
  access,
  body: MatchingRulesDocument,
  conditional: 'required',
  answers: { 200: MatchingRules },
  problems: REPLACE,
});

export const listMatchingRuleVersions = operation({
  id: 'listMatchingRuleVersions',
  method: 'GET',
  path: `${PATH}/versions`,
  summary: 'List the versions of the matching rules, newest first',
  description: SET_VERSIONS,
  tag,
  access,
  pages: true,
  answers: { 200: pageOf(MatchingRulesVersion) },
});

export const previewMatchingRules = operation({
  id: 'previewMatchingRules',
  audited: 'nothing',
  method: 'POST',
  path: `${PATH}/preview`,
  tag,
  summary: 'Preview a draft of the matching rules',
  description: 'Runs it against the newest deposits and shows what would change. Nothing is saved.',
  access,
  body: PreviewRules,
  answers: { 200: RulesPreview },
});
