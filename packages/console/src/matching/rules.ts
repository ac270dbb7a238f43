import type { MatchingRules, MatchingRulesDocument } from '@firmquote/client/operator';
import { enteredAmount, formatAmount, parseLimit } from '../money/amount.ts';
import type { SettingsChange } from '../parts/send-change.tsx';

/** The rules by which deposits are matched, in rows, and what a change of them would be. */

type Suggestible = MatchingRulesDocument['suggestOnly'][number];

/** What a payment is like that each rule matches. */
const RULE_WORDS: Readonly<Record<Suggestible, string>> = {
  references_split: 'Names several trades of a customer, and pays them exactly',
  reference_short_tolerated: 'Names a trade, and is short within the tolerance',
  reference_partial: 'Names a trade, and pays a part of it',
  reference_excess: 'Names a trade, and pays more than it needs',
  virtual_account_exact: 'Arrives on a virtual account, and pays one trade exactly',
  virtual_account_group: 'Arrives on a virtual account, and pays several trades exactly',
  balance_top_up: 'Names the balance of a customer',
  virtual_account_top_up: 'Arrives on a virtual account of a pre-funded customer without open trades',
};

export const DECISIONS = [
  ['matches', 'Matched automatically'],
  ['suggests', 'Suggested only'],
] as const;

export interface RuleRow {
  readonly key: string;
  readonly name: string;
  readonly unit: string;
  /** What is chosen of `DECISIONS`, or written. */
  readonly isChoice: boolean;
  /** As it stands in the field. */
  readonly now: string;
  /** What would be sent for it; undefined: what was written is not understood. */
  readonly after: string | null | undefined;
  readonly wrong: string | undefined;
}

/** By row, what was written. */
export type RuleEdits = Readonly<Record<string, string>>;

interface RuleChange extends SettingsChange<MatchingRulesDocument> {
  readonly rows: readonly RuleRow[];
}

const TOLERANCE_BPS_MAX = 1_000;
const GROUP_MAX = 5;

export function changeOf(rules: Omit<MatchingRules, 'version'>, edits: RuleEdits): RuleChange {
  const rows = rowsOf(rules, edits);
  const wrong = rows.flatMap((row) => (row.wrong === undefined ? [] : [`${row.name}: ${row.wrong}`]));
  const lines = rows.flatMap((row) => {
    const [before, after] = [said(row, row.now), said(row, edits[row.key] ?? row.now)];
    return row.wrong !== undefined || before === after ? [] : [{ what: row.name, before, after }];
  });
  return { rows, lines, wrong, document: wrong.length > 0 ? undefined : documentOf(rules, rows) };
}

function rowsOf(rules: Omit<MatchingRules, 'version'>, edits: RuleEdits): readonly RuleRow[] {
  const usd = (key: string, name: string, amount: string | null, isOptional = false): RuleRow => {
    const text = edits[key];
    const row = {
      key,
      name,
      unit: 'USD',
      isChoice: false,
      now: amount === null ? '' : enteredAmount(amount, 2),
    };
    if (text === undefined) return { ...row, after: amount, wrong: undefined };
    if (isOptional && text.trim() === '') return { ...row, after: null, wrong: undefined };
    const parsed = parseLimit(text, 2);
    return parsed.ok
      ? { ...row, after: parsed.amount, wrong: undefined }
      : { ...row, after: undefined, wrong: parsed.why };
  };
  const whole = (
    key: string,
    name: string,
    unit: string,
    value: number,
    least: number,
    most: number,
  ): RuleRow => {
    const text = (edits[key] ?? String(value)).trim();
    const isWell = /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most;
    return {
      ...{ key, name, unit, isChoice: false, now: String(value) },
      ...{ after: isWell ? text : undefined, wrong: isWell ? undefined : `Enter ${least} to ${most}.` },
    };
  };
  const decided = Object.entries(RULE_WORDS).map(([key, name]): RuleRow => {
    const now = rules.suggestOnly.some((each) => each === key) ? 'suggests' : 'matches';
    return { key, name, unit: '', isChoice: true, now, after: edits[key] ?? now, wrong: undefined };
  });
  return [
    ...decided,
    usd('toleranceUsd', 'Largest shortfall that the house bears', rules.toleranceUsd),
    whole(
      'toleranceBps',
      'Largest share of a trade that the house bears',
      'bps',
      rules.toleranceBps,
      0,
      TOLERANCE_BPS_MAX,
    ),
    whole(
      'groupSizeMax',
      'Trades that one payment to a virtual account may pay',
      '',
      rules.groupSizeMax,
      1,
      GROUP_MAX,
    ),
    usd('fourEyesFromUsd', 'Work by hand takes two persons above', rules.fourEyesFromUsd, true),
  ];
}

/** A value of a row in words. */
export function said({ isChoice, unit }: Pick<RuleRow, 'isChoice' | 'unit'>, text: string): string {
  if (isChoice) return DECISIONS.find(([code]) => code === text)?.[1] ?? text;
  if (text.trim() === '') return 'no amount';
  const parsed = parseLimit(text, 2);
  return `${unit === 'USD' && parsed.ok ? formatAmount(parsed.amount) : text.trim()} ${unit}`.trim();
}

function documentOf(rules: Omit<MatchingRules, 'version'>, rows: readonly RuleRow[]): MatchingRulesDocument {
  const after = (key: string) => rows.find((row) => row.key === key)?.after ?? null;
  const suggests = rows.filter((row) => row.isChoice && row.after === 'suggests').map(({ key }) => key);
  // In the order in which they came, with those that only a later service knows: what nobody has touched is no change.
  const kept = rules.suggestOnly.filter((each) => !(each in RULE_WORDS) || suggests.includes(each));
  const added = suggests.filter((each) => !rules.suggestOnly.some((other) => other === each));
  return {
    toleranceUsd: after('toleranceUsd') ?? rules.toleranceUsd,
    toleranceBps: Number(after('toleranceBps')),
    suggestOnly: [...kept, ...added] as readonly Suggestible[],
    groupSizeMax: Number(after('groupSizeMax')),
    fourEyesFromUsd: after('fourEyesFromUsd'),
  };
}
