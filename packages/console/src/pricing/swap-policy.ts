import type { SetSwapPointPolicyBody, SwapPointPolicy } from '@firmquote/client/operator';
import { readCurrency } from '../money/codes.ts';
import type { ChangeLine } from '../parts/change.tsx';
import { CURRENCY_ASKED, text } from '../parts/page-command.ts';
import {
  type EditedRow,
  editedRows,
  linesOfRows,
  type RowEdits,
  rowsAfter,
  rowsBetween,
} from '../parts/row-edits.ts';
import type { RowsForm } from '../parts/rows-table.tsx';
import type { SettingsChange } from '../parts/send-change.tsx';
import {
  bpsRow,
  changeOfRows,
  linesBetween,
  type SettingEdits,
  type SettingRow,
  settingRow,
  textIn,
  wholeIn,
  wholeRow,
} from '../parts/setting-rows.ts';
import { check, DAY } from '../parts/written-forms.ts';

/** How dates before spot are priced where nobody gives points, in rows. */

export type Policy = Omit<SwapPointPolicy, 'version' | 'builtInRates'>;
export type Rate = Policy['interestRates'][number];

export interface SwapEdits {
  readonly settings: SettingEdits;
  readonly rates: RowEdits<Rate>;
}
export const NO_EDITS: SwapEdits = { settings: {}, rates: {} };

export interface SwapChange extends SettingsChange<SetSwapPointPolicyBody> {
  readonly rows: readonly SettingRow[];
  readonly rates: readonly EditedRow<Rate>[];
}

const WITHOUT_POINTS = [
  ['refuse', 'Refused'],
  ['worse_side', 'Priced on the worse side'],
] as const;
const BPS_MAX = 9_999.99;
const DAY_SECONDS = 86_400;

export function changeOf(policy: Policy, edits: SwapEdits): SwapChange {
  const rows = rowsOf(policy, edits.settings);
  const rates = editedRows(policy.interestRates, edits.rates, RATES.keyOf);
  const { lines, wrong: notRead } = changeOfRows(rows);
  const value = (key: string) => textIn(rows, key);
  const isOpen = value('withoutPoints') === 'worse_side' && value('worseSideBpsPerDay') === null;
  const wrong = isOpen ? [...notRead, 'The worse side: say how many basis points a day.'] : notRead;
  // Without one the service has its own.
  const maxBpsPerDay = value('maxBpsPerDay');
  const document: SetSwapPointPolicyBody = {
    withoutPoints: (value('withoutPoints') ??
      policy.withoutPoints) as SetSwapPointPolicyBody['withoutPoints'],
    worseSideBpsPerDay: value('worseSideBpsPerDay') ?? null,
    pointsMaxAgeSeconds: wholeIn(rows, 'pointsMaxAgeSeconds') ?? policy.pointsMaxAgeSeconds,
    ...(maxBpsPerDay === null ? {} : { maxBpsPerDay }),
    ratesMaxAgeDays: wholeIn(rows, 'ratesMaxAgeDays') ?? policy.ratesMaxAgeDays,
    interestRates: rowsAfter(rates) as SetSwapPointPolicyBody['interestRates'],
  };
  return {
    rows,
    rates,
    lines: [...lines, ...linesOfRows(rates, RATES.nameOf, RATES.said)],
    wrong,
    document: wrong.length > 0 ? undefined : document,
  };
}

/** What differs between a version of the policy and the one before. */
export function linesOfVersion(former: Policy, policy: Policy): readonly ChangeLine[] {
  const rates = rowsBetween(former.interestRates, policy.interestRates, RATES.keyOf);
  return [
    ...linesBetween(rowsOf(former, {}), rowsOf(policy, {})),
    ...linesOfRows(rates, RATES.nameOf, RATES.said),
  ];
}

function rowsOf(policy: Policy, edits: SettingEdits): readonly SettingRow[] {
  return [
    settingRow(
      { key: 'withoutPoints', name: 'A date before spot without points is', options: WITHOUT_POINTS },
      edits,
      policy.withoutPoints,
    ),
    bpsRow(
      { key: 'worseSideBpsPerDay', name: 'The worse side, for each day', none: 'not set' },
      edits,
      policy.worseSideBpsPerDay,
      BPS_MAX,
    ),
    wholeRow(
      { key: 'pointsMaxAgeSeconds', name: 'Oldest points that are used', unit: 's' },
      edits,
      policy.pointsMaxAgeSeconds,
      [1, DAY_SECONDS],
    ),
    bpsRow(
      {
        key: 'maxBpsPerDay',
        name: 'The most that points may move a price, for each day',
        none: '25.00 bps',
      },
      edits,
      policy.maxBpsPerDay ?? null,
      BPS_MAX,
    ),
    wholeRow(
      { key: 'ratesMaxAgeDays', name: 'Oldest interest rate that is used', unit: 'days' },
      edits,
      policy.ratesMaxAgeDays,
      [0, 366],
    ),
  ];
}

const percent = check(/^-?\d{1,3}(\.\d{1,4})?$/, 'Enter percent a year, such as 3.60.');
const signed = (given: string) => given.trim().replace('−', '-');

export const RATES: RowsForm<Rate> = {
  name: 'rate',
  label: 'Interest rates',
  empty: 'No interest rates are set',
  add: 'Add a rate',
  scope: 'operator:spreads',
  columns: [
    { name: 'Currency', cell: ({ currency }) => currency },
    { name: 'Bid, %', isNumber: true, cell: ({ bid }) => bid },
    { name: 'Ask, %', isNumber: true, cell: ({ ask }) => ask },
    { name: 'Days', cell: ({ dayCount }) => dayCount },
    { name: 'As of', cell: ({ asOf }) => asOf },
    { name: 'Source', isText: true, cell: ({ source }) => source },
  ],
  keyOf: ({ currency }) => currency,
  nameOf: ({ currency }) => `Interest rate of ${currency}`,
  said: ({ bid, ask, dayCount, asOf, source }) => `${bid} / ${ask} %, ${dayCount}, ${asOf}, ${source}`,
  asks: (row) => [
    ...(row === undefined ? [CURRENCY_ASKED] : []),
    {
      name: 'bid',
      label: 'Bid, percent a year',
      hint: 'For deposits.',
      initial: row?.bid ?? '',
      read: signed,
      check: percent,
    },
    {
      name: 'ask',
      label: 'Ask, percent a year',
      hint: 'For loans.',
      initial: row?.ask ?? '',
      read: signed,
      check: percent,
    },
    {
      name: 'dayCount',
      label: 'Days are counted',
      initial: row?.dayCount ?? 'ACT/360',
      options: [
        ['ACT/360', 'ACT/360'],
        ['ACT/365', 'ACT/365'],
      ],
    },
    {
      name: 'asOf',
      label: 'As of, such as 2026-03-02',
      initial: row?.asOf ?? '',
      check: check(DAY.pattern, DAY.wants),
    },
    { name: 'source', label: 'Source', initial: row?.source ?? '' },
  ],
  read: ({ currency, bid, ask, dayCount, asOf, source }, row) => ({
    currency: row?.currency ?? readCurrency(text(currency)),
    bid: text(bid),
    ask: text(ask),
    dayCount: text(dayCount) as Rate['dayCount'],
    asOf: text(asOf),
    source: text(source),
  }),
};
