import { operation } from '../operation.ts';
import { instant, integer, required } from '../parameters.ts';
import { TERMS } from '../problem-groups.ts';
import {
  Amount,
  BpsText,
  CalendarDate,
  CLOSED,
  CurrencyCode,
  CustomerId,
  described,
  GivenCustomerId,
  GroupName,
  Instant,
  literals,
  NoBody,
  named,
  nullable,
  PairCode,
  pageOf,
  RateText,
  Version,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { PricingSchema, RateSchema } from './quotes.ts';

/** Spread rules: what customers pay above the market. */

/** The whole set is held in memory by every instance. */
export const SPREAD_RULES_MAX = 10_000; // limit: Spread rules

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
      description: 'Only for validities of at most this many seconds; null is any.',
    }),
  ),
  minSpreadBps: nullable(described(BpsText, 'Minimum of the whole spread, premiums included.')),
  maxSpreadBps: nullable(described(BpsText, 'Maximum of the whole spread, premiums included.')),
  validFrom: nullable(described(Instant, 'Inclusive.')),
  validTo: nullable(described(Instant, 'Exclusive.')),
};
const AmountFrom = described(
  Amount,
  'Only for fixed amounts worth this many US dollars or more; "0.00" is any.',
);
const RuleId = Type.String({ maxLength: 64, examples: ['spr_01jngx7z5d2m8r4v6t9k3b1c0a'] });

const SpreadRuleInput = named(
  'SpreadRuleInput',
  Type.Object(
    {
      ruleId: Type.Optional(nullable(described(RuleId, 'Absent for a new rule.'))),
      customerId: Type.Optional(nullable(GivenCustomerId)),
      groupName: Type.Optional(rule.groupName),
      pair: Type.Optional(rule.pair),
      tenor: Type.Optional(rule.tenor),
      validityUpToSeconds: Type.Optional(rule.validityUpToSeconds),
      amountFrom: Type.Optional(nullable(AmountFrom)),
      spreadBps: BpsText,
      minSpreadBps: Type.Optional(rule.minSpreadBps),
      maxSpreadBps: Type.Optional(rule.maxSpreadBps),
      validFrom: Type.Optional(rule.validFrom),
      validTo: Type.Optional(rule.validTo),
    },
    CLOSED,
  ),
);
/** A rule as the operator writes it. Ids are TypeIDs, instants RFC 3339, null and absent mean the same: any. */
export type SpreadRuleInput = Static<typeof SpreadRuleInput>;
export const SpreadRuleInputs = Type.Array(SpreadRuleInput, { maxItems: SPREAD_RULES_MAX });

const SetSpreadRules = Type.Object(
  { rules: SpreadRuleInputs },
  {
    ...CLOSED,
    description: 'The whole set. Rules without `ruleId` are new; rules left out are removed.',
  },
);

const terms = { ...rule, amountFrom: AmountFrom, spreadBps: BpsText };
export const SpreadRuleTerms = named('SpreadRuleTerms', Type.Object(terms));
export type SpreadRuleTerms = Static<typeof SpreadRuleTerms>;

const SpreadRule = named(
  'SpreadRule',
  Type.Object({ ruleId: RuleId, version: Version, ...terms, createdAt: Instant }),
);
export const SpreadRules = named(
  'SpreadRules',
  Type.Object({ version: Version, rules: Type.Array(SpreadRule) }),
);
export type SpreadRules = Static<typeof SpreadRules>;

export const SpreadRuleDraft = named(
  'SpreadRuleDraft',
  Type.Object({
    version: Version,
    basedOn: nullable(
      Type.Integer({
        description: 'Version of the rules in force that the draft replaces; null without a draft.',
      }),
    ),
    rules: nullable(Type.Array(SpreadRuleInput)),
    restores: nullable(Type.Integer({ description: 'The earlier version that it restores.' })),
    changedAt: nullable(Instant),
  }),
);
export type SpreadRuleDraft = Static<typeof SpreadRuleDraft>;

const spreadVersion = {
  version: Version,
  inForceFrom: Instant,
  inForceUntil: nullable(described(Instant, 'Null for the version in force.')),
  ruleCount: Type.Integer(),
  added: Type.Integer({ description: 'Rules added by this version.' }),
  changed: Type.Integer({ description: 'Rules changed by this version.' }),
  removed: Type.Integer({ description: 'Rules removed by this version.' }),
  changedBy: nullable(
    Type.String({ description: 'Who changed them, or proposed it; null for the service.' }),
  ),
  reason: nullable(Type.String()),
  approvalId: nullable(Type.String({ description: 'If it took two persons.' })),
  approvedBy: nullable(Type.String()),
  restores: nullable(Type.Integer({ description: 'The earlier version that it restored.' })),
};
const SpreadRuleVersion = named('SpreadRuleVersion', Type.Object(spreadVersion));
export type SpreadRuleVersion = Static<typeof SpreadRuleVersion>;

const SpreadRuleVersionDetail = named(
  'SpreadRuleVersionDetail',
  Type.Object({
    ...spreadVersion,
    rules: Type.Array(SpreadRule),
    against: nullable(Type.Integer({ description: 'The version compared with; null if none.' })),
    differences: Type.Array(
      Type.Object({
        before: nullable(SpreadRuleTerms),
        after: nullable(SpreadRuleTerms),
      }),
      {
        description:
          'What differs, by target and conditions: an unchanged rule under another id is no difference.',
      },
    ),
  }),
);
export type SpreadRuleVersionDetail = Static<typeof SpreadRuleVersionDetail>;

/** Why a rule is not the one that prices a request. */
const LOSSES = [
  'not_for_this_customer',
  'not_for_this_group',
  'not_for_this_pair',
  'not_yet_valid',
  'no_longer_valid',
  'other_tenor',
  'validity_longer_than_tier',
  'amount_below_tier',
  'less_specific_target',
  'less_specific_tenor',
  'wider_validity_tier',
  'lower_amount_tier',
  'earlier_valid_from',
  'lower_id',
] as const;

const PreviewSpreads = Type.Object(
  {
    customerId: Type.Optional(GivenCustomerId),
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
    ...CLOSED,
    description: 'Without `rules` the stored draft is previewed, if there is one. Nothing is kept.',
  },
);
export type PreviewRequest = Static<typeof PreviewSpreads>;

const ruleName = {
  ruleId: nullable(Type.String()),
  version: nullable(Type.Integer()),
  place: nullable(Type.Integer({ description: 'Place in the draft, from 0; null for rules in force.' })),
};
const PreviewSide = named(
  'SpreadPreviewSide',
  Type.Object({
    outcome: Type.String({ description: '`priced`, or the code of the problem that a customer would get.' }),
    detail: nullable(Type.String()),
    sellAmount: nullable(Type.String()),
    buyAmount: nullable(Type.String()),
    rate: nullable(RateSchema),
    pricing: nullable(PricingSchema),
    rule: nullable(Type.Object({ ...ruleName, terms: SpreadRuleTerms })),
    others: Type.Array(Type.Object({ ...ruleName, lost: literals(LOSSES) }), {
      description:
        'Rules that could price the request but did not, strongest first, with the reason; 100 at most.',
    }),
    elsewhere: Type.Integer({ description: 'Rules for other customers, groups or pairs.' }),
  }),
);
export type PreviewSide = Static<typeof PreviewSide>;
const Preview = named(
  'SpreadPreview',
  Type.Object({
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
  }),
);
export type Preview = Static<typeof Preview>;

const tag = 'Operator: spreads';
const access = { audience: 'operator', scope: 'operator:spreads' } as const;
const PATH = '/v1/operator/spread-rules';

export const getSpreadRules = operation({
  id: 'getSpreadRules',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'Read the spread rules in force',
  description: 'With the version of the set.',
  access,
  revalidates: true,
  answers: { 200: SpreadRules },
});

export const setSpreadRules = operation({
  id: 'setSpreadRules',
  method: 'PUT',
  path: PATH,
  tag,
  summary: 'Replace the spread rules',
  description: 'Former versions of a rule are kept, because quotes refer to them.',
  access,
  body: SetSpreadRules,
  conditional: 'required',
  answers: { 200: SpreadRules },
});

export const getSpreadRuleDraft = operation({
  id: 'getSpreadRuleDraft',
  method: 'GET',
  path: `${PATH}/draft`,
  tag,
  summary: 'Read the draft of the next spread rules',
  description:
    'If other rules than those of `basedOn` are in force by now, store the draft again before you activate it.',
  access,
  revalidates: true,
  answers: { 200: SpreadRuleDraft },
});

export const setSpreadRuleDraft = operation({
  id: 'setSpreadRuleDraft',
  method: 'PUT',
  path: `${PATH}/draft`,
  tag,
  summary: 'Save a draft of the next spread rules',
  description: 'Checked like rules that take effect, but prices nothing.',
  access,
  body: SetSpreadRules,
  conditional: 'required',
  answers: { 200: SpreadRuleDraft },
});

export const discardSpreadRuleDraft = operation({
  id: 'discardSpreadRuleDraft',
  method: 'DELETE',
  path: `${PATH}/draft`,
  tag,
  summary: 'Discard the draft of the spread rules',
  description: 'The rules in force stay as they are. Without a draft, nothing changes.',
  access,
  conditional: 'required',
  answers: { 200: SpreadRuleDraft },
});

export const activateSpreadRuleDraft = operation({
  id: 'activateSpreadRuleDraft',
  method: 'POST',
  path: `${PATH}/draft/activate`,
  tag,
  summary: 'Activate the draft of the spread rules',
  description:
    'Takes effect in one commit. A repetition with the same `If-Match` is refused: the draft has a new version by then.',
  access,
  body: NoBody,
  optionalBody: true,
  conditional: 'required',
  answers: { 200: SpreadRules },
  problems: ['invalid_state_transition'],
});

export const previewSpreadRules = operation({
  id: 'previewSpreadRules',
  audited: 'nothing',
  method: 'POST',
  path: `${PATH}/preview`,
  tag,
  summary: 'Price a sample request by the rules in force and by a draft',
  description:
    'Side by side, with the rule that decides each and why the others do not. Nothing is kept or reserved.',
  access,
  body: PreviewSpreads,
  answers: { 200: Preview },
  problems: [...TERMS, 'customer_not_found'],
});

export const listSpreadRuleVersions = operation({
  id: 'listSpreadRuleVersions',
  method: 'GET',
  path: `${PATH}/versions`,
  tag,
  summary: 'List the versions of the spread rules, newest first',
  description: 'What was in force when, and who changed and approved it.',
  access,
  query: { at: instant('Only the version that was in force then.') },
  pages: true,
  answers: { 200: pageOf(SpreadRuleVersion) },
});

const ofVersion = { version: required(integer(1, 2_147_483_647, 'Of the set of rules.')) };

export const getSpreadRuleVersion = operation({
  id: 'getSpreadRuleVersion',
  method: 'GET',
  path: `${PATH}/versions/{version}`,
  tag,
  summary: 'Read a version of the spread rules, and how it differs from another one',
  description:
    'Rules are compared by what they are for: a rule that was removed and added again unchanged is no difference.',
  access,
  params: ofVersion,
  query: {
    against: integer(1, 2_147_483_647, 'The version to compare it with. Default: the previous one.'),
  },
  answers: { 200: SpreadRuleVersionDetail },
  problems: ['spread_version_not_found'],
});

export const restoreSpreadRules = operation({
  id: 'restoreSpreadRules',
  method: 'POST',
  path: `${PATH}/versions/{version}/restore`,
  tag,
  summary: 'Copy an earlier version of the rules into the draft',
  description:
    'Activate the draft to put them in force: a new version, with the same approval as any change. `If-Match` is the `ETag` of the draft.',
  access,
  params: ofVersion,
  body: NoBody,
  optionalBody: true,
  conditional: 'required',
  answers: { 200: SpreadRuleDraft },
  problems: ['spread_version_not_found'],
});
