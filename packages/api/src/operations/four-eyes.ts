import { COMMAND_KINDS, type CommandKind, FIXED_KINDS, NEEDS } from '../command-kinds.ts';
import { operation } from '../operation.ts';
import { REPLACE } from '../problem-groups.ts';
import {
  CLOSED,
  literals,
  named,
  nullable,
  pageOf,
  SET_VERSIONS,
  TEXT_PATTERN,
  Version,
  versionOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { ApprovalEffects } from './approvals.ts';

/** The policy of four eyes: one document, every version kept. */

const KINDS = Object.keys(COMMAND_KINDS) as CommandKind[];
const ALL_KINDS = [...KINDS, ...Object.keys(FIXED_KINDS)];

export const ROLLING_HOURS_MAX = 744; // limit: Hours over which amounts of four eyes are added up, at most
export const ACCOUNT_WAIT_HOURS_MAX = 744; // limit: Hours that a new account waits before it is paid, at most

const Rule = Type.Object(
  {
    kind: literals(KINDS),
    needs: literals(NEEDS, { description: 'When it needs two people; `amount`: for more than `fromUsd`.' }),
    fromUsd: nullable(
      Type.String({
        pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,2})?$',
        description: 'US dollars, with `amount`; null otherwise.',
      }),
    ),
  },
  CLOSED,
);

const hours = {
  rollingHours: Type.Integer({
    minimum: 0,
    maximum: ROLLING_HOURS_MAX,
    description:
      'Amounts that one person moves alone, or that move for one customer, add up over this many hours. 0: each amount by itself.',
  }),
  accountWaitHours: Type.Integer({
    minimum: 0,
    maximum: ACCOUNT_WAIT_HOURS_MAX,
    description: 'How long a new account waits before money goes there.',
  }),
};

const PolicyDocument = named(
  'FourEyesPolicyDocument',
  Type.Object(
    {
      rules: Type.Array(Rule, { maxItems: KINDS.length, description: 'Omitted kinds use the defaults.' }),
      ...hours,
    },
    CLOSED,
  ),
);
export type PolicyDocument = Static<typeof PolicyDocument>;

const Policy = named(
  'FourEyesPolicy',
  Type.Object({
    version: Version,
    rules: Type.Array(Rule, { description: 'All kinds.' }),
    ...hours,
    fixed: Type.Array(Type.String(), { description: 'Kinds that always need two people.' }),
  }),
);
export type Policy = Static<typeof Policy>;
const PolicyVersion = named(
  'FourEyesPolicyVersion',
  versionOf({ rules: Type.Array(Rule, { description: 'Omitted kinds used the defaults.' }), ...hours }),
);

const tag = 'Operator: approvals';

export const getFourEyesPolicy = operation({
  id: 'getFourEyesPolicy',
  method: 'GET',
  path: '/v1/operator/four-eyes',
  tag,
  summary: 'Read which commands need two people',
  description:
    'For each kind of command `never`, `always`, or more than an amount. Amounts that one person moved alone are added up over `rollingHours`.',
  access: { audience: 'operator', scope: 'operator:approvals' },
  versioned: true,
  answers: { 200: Policy },
});

export const setFourEyesPolicy = operation({
  id: 'setFourEyesPolicy',
  method: 'PUT',
  path: '/v1/operator/four-eyes',
  tag,
  summary: 'Set which commands need two people',
  description: 'Needs two people itself. Existing proposals stay as they are.',
  access: { audience: 'operator', scope: 'operator:roles' },
  body: PolicyDocument,
  conditional: 'required',
  answers: { 200: Policy },
  problems: REPLACE,
});

export const listFourEyesPolicyVersions = operation({
  id: 'listFourEyesPolicyVersions',
  method: 'GET',
  path: '/v1/operator/four-eyes/versions',
  summary: 'List the versions of the policy, newest first',
  description: SET_VERSIONS,
  tag,
  access: { audience: 'operator', scope: 'operator:approvals' },
  pages: true,
  answers: { 200: pageOf(PolicyVersion) },
});

const DryRunCommand = Type.Object(
  {
    operationId: Type.String({ maxLength: 80, examples: ['setCustomerLimits'] }),
    params: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string', maxLength: 200, pattern: TEXT_PATTERN },
        maxProperties: 8,
        description: 'Path parameters.',
      }),
    ),
    body: Type.Optional(Type.Unsafe<unknown>({ description: 'As the command takes it.' })),
    ifMatch: Type.Optional(Type.String({ maxLength: 80, description: 'As the command takes it.' })),
  },
  CLOSED,
);

const DryRun = named(
  'DryRun',
  Type.Object(
    {
      kind: literals(ALL_KINDS),
      needsTwo: Type.Boolean(),
      why: Type.Array(Type.String()),
      effects: ApprovalEffects,
      affected: Type.Array(Type.String()),
    },
    { description: 'What a command would do.' },
  ),
);
export type DryRun = Static<typeof DryRun>;

export const dryRunCommand = operation({
  id: 'dryRunCommand',
  audited: 'nothing',
  method: 'POST',
  path: '/v1/operator/four-eyes/dry-run',
  tag,
  summary: 'Preview what a command would do',
  description:
    'Shows what would change, and whether and why it needs two people. Needs only the scope of the command; what the command would refuse is refused.',
  access: { audience: 'operator', scope: 'operator:*', anyScope: true },
  body: DryRunCommand,
  answers: { 200: DryRun },
});
