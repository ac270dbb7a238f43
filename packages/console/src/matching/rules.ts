import type { MatchingRules, MatchingRulesDocument } from '@firmquote/client/operator';
import type { ChangeLine } from '../parts/change.tsx';
import type { SettingsChange } from '../parts/send-change.tsx';
import {
  changeOfRows,
  linesBetween,
  type SettingEdits,
  type SettingRow,
  settingRow,
  textIn,
  usdRow,
  wholeIn,
  wholeRow,
} from '../parts/setting-rows.ts';

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

const DECISIONS = [
  ['matches', 'Matched automatically'],
  ['suggests', 'Suggested only'],
] as const;

interface RuleChange extends SettingsChange<MatchingRulesDocument> {
  readonly rows: readonly SettingRow[];
}

const TOLERANCE_BPS_MAX = 1_000;
const GROUP_MAX = 5;

type Rules = Omit<MatchingRules, 'version'>;

export function changeOf(rules: Rules, edits: SettingEdits): RuleChange {
  const rows = rowsOf(rules, edits);
  const { lines, wrong } = changeOfRows(rows);
  return { rows, lines, wrong, document: wrong.length > 0 ? undefined : documentOf(rules, rows) };
}

/** What differs between a version of the rules and the one before. */
export function linesOfVersion(former: Rules, rules: Rules): readonly ChangeLine[] {
  return linesBetween(rowsOf(former, {}), rowsOf(rules, {}));
}

function rowsOf(rules: Rules, edits: SettingEdits): readonly SettingRow[] {
  const decided = Object.entries(RULE_WORDS).map(([key, name]) => {
    const now = rules.suggestOnly.some((each) => each === key) ? 'suggests' : 'matches';
    return settingRow({ key, name, options: DECISIONS }, edits, now);
  });
  return [
    ...decided,
    usdRow(
      { key: 'toleranceUsd', name: 'Largest shortfall that the house bears' },
      edits,
      rules.toleranceUsd,
    ),
    wholeRow(
      { key: 'toleranceBps', name: 'Largest share of a trade that the house bears', unit: 'bps' },
      edits,
      rules.toleranceBps,
      [0, TOLERANCE_BPS_MAX],
    ),
    wholeRow(
      { key: 'groupSizeMax', name: 'Trades that one payment to a virtual account may pay' },
      edits,
      rules.groupSizeMax,
      [1, GROUP_MAX],
    ),
    usdRow(
      { key: 'fourEyesFromUsd', name: 'Work by hand takes two persons above', none: 'no amount' },
      edits,
      rules.fourEyesFromUsd,
    ),
  ];
}

function documentOf(
  rules: Omit<MatchingRules, 'version'>,
  rows: readonly SettingRow[],
): MatchingRulesDocument {
  const suggests = rows.filter(({ after }) => after === 'suggests').map(({ key }) => key);
  // In the order in which they came, with those that only a later service knows: what nobody has touched is no change.
  const kept = rules.suggestOnly.filter((each) => !(each in RULE_WORDS) || suggests.includes(each));
  const added = suggests.filter((each) => !rules.suggestOnly.some((other) => other === each));
  return {
    toleranceUsd: textIn(rows, 'toleranceUsd') ?? rules.toleranceUsd,
    toleranceBps: wholeIn(rows, 'toleranceBps') ?? rules.toleranceBps,
    suggestOnly: [...kept, ...added] as readonly Suggestible[],
    groupSizeMax: wholeIn(rows, 'groupSizeMax') ?? rules.groupSizeMax,
    fourEyesFromUsd: textIn(rows, 'fourEyesFromUsd') ?? null,
  };
}
