import { COMMAND_KINDS, type CommandKind, FIXED_KINDS, NEVER, type Rule } from '@firmquote/api/command-kinds';
import type { Policy, PolicyDocument } from '@firmquote/api/operations/four-eyes';
import { parseAmount, US_DOLLAR } from '@firmquote/fx';
import type { Mode } from '../config.ts';
import { modeOf } from '../database/mode.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import {
  type DocumentKind,
  type DocumentPlace,
  listVersions,
  newestDocument,
  replaceDocument,
  type Versioned,
} from '../settings/documents.ts';

/** When a kind of command takes two persons, ready to be applied. */
export type ReadRule =
  | { readonly needs: 'never' | 'always' }
  | { readonly needs: 'amount'; readonly fromUsdMinor: bigint };

/** The policy of four eyes as it is applied. */
export interface FourEyes {
  readonly rules: ReadonlyMap<CommandKind, ReadRule>;
  /** Kinds that people have set; the others are as in a new installation. */
  readonly set: ReadonlySet<CommandKind>;
  /** Amounts of so long count together; 0: each by itself. */
  readonly rollingMs: number;
  /** So long a new account waits before it is paid. */
  readonly accountWaitMs: number;
}

const HOUR_MS = 3_600_000;

const INITIAL: Readonly<Record<Mode, PolicyDocument>> = {
  production: { rules: [], rollingHours: 24, accountWaitHours: 24 },
  // Tutorials are followed by one person, within minutes.
  sandbox: { rules: [], rollingHours: 0, accountWaitHours: 0 },
};

const KINDS = Object.keys(COMMAND_KINDS) as CommandKind[];

function initialRule(kind: CommandKind, mode: Mode): Rule {
  const { production, sandbox = NEVER } = COMMAND_KINDS[kind] as { production: Rule; sandbox?: Rule };
  return mode === 'sandbox' ? sandbox : production;
}

/** Rules of all kinds: those that are set, and what a new installation has for the others. */
function allRules(document: PolicyDocument, mode: Mode): Policy['rules'] {
  const set = new Map(document.rules.map((rule) => [rule.kind, rule]));
  return KINDS.map((kind) => set.get(kind) ?? { kind, ...initialRule(kind, mode) });
}

/** @throws Problem validation_failed */
function readPolicy(document: PolicyDocument, mode: Mode): FourEyes {
  const errors = document.rules.flatMap((rule, at) => ruleErrors(document, rule, at));
  if (errors.length > 0) throw validationProblem(errors);
  return {
    rules: new Map(allRules(document, mode).map((rule) => [rule.kind, readRule(rule)])),
    set: new Set(document.rules.map(({ kind }) => kind)),
    rollingMs: document.rollingHours * HOUR_MS,
    accountWaitMs: document.accountWaitHours * HOUR_MS,
  };
}

type DocumentRule = PolicyDocument['rules'][number];

function ruleErrors({ rules }: PolicyDocument, rule: DocumentRule, at: number): FieldError[] {
  const pointer = (member: string) => `/rules/${at}/${member}`;
  const errors: FieldError[] = [];
  if (rules.findIndex(({ kind }) => kind === rule.kind) !== at) {
    errors.push({ pointer: pointer('kind'), code: 'repeated', detail: 'is listed twice' });
  }
  if (rule.needs === 'amount' && !('counts' in COMMAND_KINDS[rule.kind])) {
    const detail = 'must be never or always: commands of this kind move no amount';
    errors.push({ pointer: pointer('needs'), code: 'not_permitted', detail });
  }
  if ((rule.needs === 'amount') !== (rule.fromUsd !== null)) {
    const code = rule.needs === 'amount' ? 'required' : 'not_permitted';
    errors.push({
      pointer: pointer('fromUsd'),
      code,
      detail: 'is required with needs: amount, and not allowed otherwise',
    });
  }
  return errors;
}

function readRule({ needs, fromUsd }: Rule): ReadRule {
  if (needs !== 'amount') return { needs };
  const parsed = parseAmount(fromUsd ?? '', US_DOLLAR);
  if (!parsed.ok) throw new RangeError(`${fromUsd} is not an amount of US dollars`);
  return { needs, fromUsdMinor: parsed.minor };
}

const PLACE: DocumentPlace = {
  name: 'four_eyes_policy',
  table: 'four_eyes_policies',
  changedAt: 'changed_at',
  shared: false,
};

function policyOf(mode: Mode): DocumentKind<PolicyDocument, FourEyes> {
  return {
    ...PLACE,
    initial: INITIAL[mode],
    read: (document) => readPolicy(document, mode),
  };
}

/** Read where it is applied, in the transaction of the command: what somebody is about to change is not in force yet. */
export async function policyInForce(connection: Queryable): Promise<FourEyes> {
  const kind = policyOf(await modeOf(connection));
  const newest = await newestDocument(connection, kind);
  return kind.read(newest, newest.version);
}

/** As the API shows it. */
export async function showPolicy(connection: Queryable): Promise<Policy> {
  const mode = await modeOf(connection);
  return policyView(await newestDocument(connection, policyOf(mode)), mode);
}

/** {@link listVersions} */
export function policyVersions(connection: Queryable, before: bigint | undefined, rowsMax: number) {
  return listVersions(connection, PLACE, before, rowsMax);
}

/** @throws Problem version_mismatch, validation_failed */
export async function setPolicy(
  connection: Connection,
  document: PolicyDocument,
  replacement: Parameters<typeof replaceDocument>[3],
): Promise<Policy> {
  const mode = await modeOf(connection);
  return policyView(await replaceDocument(connection, policyOf(mode), document, replacement), mode);
}

function policyView(document: Versioned<PolicyDocument>, mode: Mode): Policy {
  const { version, rollingHours, accountWaitHours } = document;
  const fixed = Object.keys(FIXED_KINDS);
  return { version, rules: allRules(document, mode), rollingHours, accountWaitHours, fixed };
}
