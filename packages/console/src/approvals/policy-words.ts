import type { FourEyesPolicy, FourEyesPolicyDocument } from '@firmquote/client/operator';
import { formatAmount, parseLimit } from '../money/amount.ts';
import type { ChangeLine } from '../parts/change.tsx';
import { words } from '../parts/words.ts';

export type PolicyRule = FourEyesPolicy['rules'][number];
export type Kind = FourEyesPolicyDocument['rules'][number]['kind'];

/** What people say of each kind of command that the rules speak of. */
export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  settlement_instruction: "Add a customer's payout account",
  account_released: 'Release a new account before its wait ends',
  house_account: 'Set an account that customers pay into',
  customer_client: "Create or change a customer's credential",
  operator_client: 'Create or change an operator program',
  person: 'Invite or resume a person, or change their roles',
  role: 'Create or change a role',
  service_key: 'Replace or revoke a service key',
  customer_terms: 'Change how a customer trades and pays',
  halt_lifted: 'Lift a halt, or resume a customer or a source',
  hold_released: 'Release a hold on a payout',
  limits: 'Set customer and house limits',
  thresholds: 'Set which deposits match automatically',
  pricing: 'Change spreads and prices',
  calendar: 'Change holidays and cut-offs',
  balance_top_up: 'Top up a balance by hand',
  recorded_deposit: 'Record a deposit by hand',
  deposit_work: 'Match, return or book a deposit',
  withdrawal: "Withdraw a customer's balance",
  customer_debt: "End a customer's debt",
  payment_confirmed: 'Confirm a payment by hand',
  payment_failed: 'Report a payment as failed by hand',
  payment_retried: 'Pay again, or to another account',
  payment_released: 'Pay before the value date, or refund an excess',
  payment_file: 'Make a settlement run',
  payment_file_out: 'Download the file of a settlement run, or mark it as sent',
  statement_import: 'Import a bank statement by hand',
  unwinding: 'Unwind a trade',
};

/** The same of kinds that always take two. */
export const FIXED_WORDS: Readonly<Record<string, string>> = {
  four_eyes_policy: 'Change these rules',
  calendar_import: "Import a vendor's holidays",
  settlement_run_cancel: 'Cancel a settlement run whose file was downloaded',
  statement_file: 'Accept a statement that does not add up, or withdraw one',
};

const ALL_WORDS: Readonly<Record<string, string>> = { ...KIND_WORDS, ...FIXED_WORDS };

/** What commands of a kind do; of a later service's kind, its name. */
export function kindInWords(kind: string): string {
  return ALL_WORDS[kind] ?? words(kind);
}

/** Kinds that move an amount, which can decide. */
export const KINDS_WITH_AMOUNT: ReadonlySet<string> = new Set<Kind>([
  'balance_top_up',
  'recorded_deposit',
  'deposit_work',
  'withdrawal',
  'customer_debt',
  'payment_confirmed',
  'payment_failed',
  'payment_retried',
  'payment_released',
  'payment_file',
  'statement_import',
]);

/** "Above 100,000.00 USD". */
export function needsInWords({ needs, fromUsd }: Pick<PolicyRule, 'needs' | 'fromUsd'>): string {
  if (needs !== 'amount') return needs === 'always' ? 'Always' : 'Never';
  return `Above ${formatAmount(fromUsd ?? '0')} USD`;
}

/** What was chosen for a kind, as it stands in the form. */
export interface RuleEdit {
  readonly needs: string;
  readonly fromUsd: string;
}
export type RuleEdits = Readonly<Record<string, RuleEdit>>;

const USD_DECIMALS = 2;

/** @returns undefined where the amount is not understood */
export function editedRule(rule: PolicyRule, edit: RuleEdit | undefined): PolicyRule | undefined {
  if (edit === undefined) return rule;
  const { kind } = rule;
  if (edit.needs !== 'amount') return { kind, needs: edit.needs, fromUsd: null };
  const parsed = parseLimit(edit.fromUsd, USD_DECIMALS);
  return parsed.ok ? { kind, needs: 'amount', fromUsd: parsed.amount } : undefined;
}

/** A version of the policy; kinds that it leaves out went by their default. */
interface PolicyVersion {
  readonly rules: readonly PolicyRule[];
  readonly rollingHours: number;
  readonly accountWaitHours: number;
}

/** What differs between a version of the policy and the one before. */
export function linesOfVersion(former: PolicyVersion, policy: PolicyVersion): readonly ChangeLine[] {
  const [was, is] = [wordsOf(former), wordsOf(policy)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((what) => {
    const [before = 'As the service has it', after = 'As the service has it'] = [was.get(what), is.get(what)];
    return before === after ? [] : [{ what, before, after }];
  });
}

function wordsOf({ rules, rollingHours, accountWaitHours }: PolicyVersion): ReadonlyMap<string, string> {
  return new Map([
    ...rules.map((rule): [string, string] => [kindInWords(rule.kind), needsInWords(rule)]),
    ['Amounts of one person, or for one customer, add up', rollingInWords(rollingHours)],
    ['A new account waits before it can be used', waitInWords(accountWaitHours)],
  ]);
}

export function rollingInWords(count: number): string {
  return count === 0 ? 'Never: each counts on its own' : `Over ${hours(count)}`;
}

export function waitInWords(count: number): string {
  return count === 0 ? 'Not at all' : hours(count);
}

function hours(count: number): string {
  return count === 1 ? 'one hour' : `${count} hours`;
}

/** What differs, in words; `after` is undefined where it is not understood. */
export function policyChanges(
  rules: readonly PolicyRule[],
  edits: RuleEdits,
): readonly { readonly kind: string; readonly before: string; readonly after: string | undefined }[] {
  return rules.flatMap((rule) => {
    const edited = editedRule(rule, edits[rule.kind]);
    const [before, after] = [needsInWords(rule), edited && needsInWords(edited)];
    return before === after ? [] : [{ kind: rule.kind, before, after }];
  });
}
