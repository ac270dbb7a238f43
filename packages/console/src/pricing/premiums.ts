import type { PricingPolicy, SetPricingPolicyBody } from '@firmquote/client/operator';
import { readCurrency, readPair } from '../money/codes.ts';
import type { Asked } from '../parts/action.tsx';
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
import { check, PAIR } from '../parts/written-forms.ts';
import { wrongBps } from '../spreads/rules.ts';

/** By what prices are widened beyond the spread rules, in rows: for the length of a promise, and in thin hours. */

export type Policy = Omit<PricingPolicy, 'version'>;
export type Step = Policy['validityPremium']['table'][number];
export type Window = Policy['marketHours'][number];
export type Increment = NonNullable<Policy['settlementIncrements']>[number];

export interface PremiumEdits {
  readonly settings: SettingEdits;
  readonly steps: RowEdits<Step>;
  readonly windows: RowEdits<Window>;
  readonly increments: RowEdits<Increment>;
}
export const NO_EDITS: PremiumEdits = { settings: {}, steps: {}, windows: {}, increments: {} };

export interface PremiumChange extends SettingsChange<SetPricingPolicyBody> {
  readonly rows: readonly SettingRow[];
  readonly steps: readonly EditedRow<Step>[];
  readonly windows: readonly EditedRow<Window>[];
  readonly increments: readonly EditedRow<Increment>[];
}

const METHODS = [
  ['none', 'Nothing'],
  ['table', 'The table'],
  ['volatility', 'Volatility'],
] as const;
const MEASURES = ['multiplier', 'windowSeconds', 'minimumReturns', 'floorBps', 'capBps'] as const;

export function changeOf(policy: Policy, edits: PremiumEdits): PremiumChange {
  const rows = rowsOf(policy, edits.settings);
  const steps = editedRows(policy.validityPremium.table, edits.steps, STEPS.keyOf);
  const windows = editedRows(policy.marketHours, edits.windows, WINDOWS.keyOf);
  const increments = editedRows(policy.settlementIncrements ?? [], edits.increments, INCREMENTS.keyOf);
  const { lines, wrong: notRead } = changeOfRows(rows);
  const wrong = notRead.length > 0 ? notRead : incomplete(rows);
  return {
    rows,
    steps,
    windows,
    increments,
    lines: [
      ...lines,
      ...linesOfRows(steps, STEPS.nameOf, STEPS.said),
      ...linesOfRows(windows, WINDOWS.nameOf, WINDOWS.said),
      ...linesOfRows(increments, INCREMENTS.nameOf, INCREMENTS.said),
    ],
    wrong,
    document: wrong.length > 0 ? undefined : documentOf(rows, steps, windows, rowsAfter(increments)),
  };
}

/** What differs between a version of the policy and the one before. */
export function linesOfVersion(former: Policy, policy: Policy): readonly ChangeLine[] {
  const [was, is] = [former.validityPremium.table, policy.validityPremium.table];
  return [
    ...linesBetween(rowsOf(former, {}), rowsOf(policy, {})),
    ...linesOfRows(rowsBetween(was, is, STEPS.keyOf), STEPS.nameOf, STEPS.said),
    ...linesOfRows(
      rowsBetween(former.marketHours, policy.marketHours, WINDOWS.keyOf),
      WINDOWS.nameOf,
      WINDOWS.said,
    ),
    ...linesOfRows(
      rowsBetween(former.settlementIncrements ?? [], policy.settlementIncrements ?? [], INCREMENTS.keyOf),
      INCREMENTS.nameOf,
      INCREMENTS.said,
    ),
  ];
}

function rowsOf({ validityPremium }: Policy, edits: SettingEdits): readonly SettingRow[] {
  const { method, volatility } = validityPremium;
  const none = 'not set';
  return [
    settingRow({ key: 'method', name: 'A longer promise costs', options: METHODS }, edits, method),
    settingRow(
      { key: 'multiplier', name: 'Volatility: multiplier', none },
      edits,
      volatility?.multiplier ?? null,
      readMultiplier,
    ),
    wholeRow(
      { key: 'windowSeconds', name: 'Volatility: how far back', unit: 's', none },
      edits,
      volatility?.windowSeconds ?? null,
      [300, 14_400],
    ),
    wholeRow(
      { key: 'minimumReturns', name: 'Volatility: with fewer returns the table counts', none },
      edits,
      volatility?.minimumReturns ?? null,
      [2, 2_000],
    ),
    bpsRow(
      { key: 'floorBps', name: 'Volatility: smallest premium', none },
      edits,
      volatility?.floorBps ?? null,
    ),
    bpsRow({ key: 'capBps', name: 'Volatility: largest premium', none }, edits, volatility?.capBps ?? null),
  ];
}

function readMultiplier(given: string) {
  return /^\d{1,2}(\.\d{1,4})?$/.test(given) && Number(given) > 0
    ? ({ ok: true, amount: given } as const)
    : ({ ok: false, why: 'Enter a number above 0, such as 0.4.' } as const);
}

/** What volatility takes is there as a whole, or not at all. */
function incomplete(rows: readonly SettingRow[]): readonly string[] {
  const missing = MEASURES.filter((key) => textIn(rows, key) === null);
  if (missing.length === 0) return [];
  const isWanted = textIn(rows, 'method') === 'volatility' || missing.length < MEASURES.length;
  return isWanted ? ['Volatility: all five figures are needed, or none.'] : [];
}

function documentOf(
  rows: readonly SettingRow[],
  steps: readonly EditedRow<Step>[],
  windows: readonly EditedRow<Window>[],
  increments: readonly Increment[],
): SetPricingPolicyBody {
  const value = (key: string) => textIn(rows, key) ?? '';
  const whole = (key: string) => wholeIn(rows, key) ?? 0;
  return {
    validityPremium: {
      method: value('method') as SetPricingPolicyBody['validityPremium']['method'],
      table: rowsAfter(steps).toSorted((a, b) => a.upToSeconds - b.upToSeconds),
      volatility:
        value('multiplier') === ''
          ? null
          : {
              multiplier: value('multiplier'),
              windowSeconds: whole('windowSeconds'),
              minimumReturns: whole('minimumReturns'),
              floorBps: value('floorBps'),
              capBps: value('capBps'),
            },
    },
    marketHours: rowsAfter(windows) as SetPricingPolicyBody['marketHours'],
    ...(increments.length === 0 ? {} : { settlementIncrements: increments }),
  };
}

const BPS_ASKED: Asked = { name: 'bps', label: 'Added, bps', check: wrongBps };

export const STEPS: RowsForm<Step> = {
  name: 'step',
  label: 'Premiums by length',
  empty: 'The table is empty',
  add: 'Add a length',
  scope: 'operator:spreads',
  columns: [
    { name: 'Firm for up to', isNumber: true, cell: ({ upToSeconds }) => `${upToSeconds} s` },
    { name: 'Added, bps', isNumber: true, cell: ({ bps }) => bps },
  ],
  keyOf: ({ upToSeconds }) => String(upToSeconds),
  nameOf: ({ upToSeconds }) => `Firm for up to ${upToSeconds} s`,
  said: ({ bps }) => `${bps} bps`,
  asks: (row) => [
    ...(row === undefined
      ? [
          {
            name: 'upToSeconds',
            label: 'Firm for up to, seconds',
            check: check(/^([1-9]\d{0,3}|[1-7]\d{4}|8[0-5]\d{3}|86[0-3]\d\d|86400)$/, 'Enter 1 to 86400.'),
          },
        ]
      : []),
    { ...BPS_ASKED, initial: row?.bps ?? '' },
  ],
  read: ({ upToSeconds, bps }, row) => ({
    upToSeconds: row?.upToSeconds ?? Number(text(upToSeconds)),
    bps: text(bps),
  }),
};

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const daysIn = (given: string) =>
  given
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((day) => day !== '');

function wrongDays(given: string): string | undefined {
  const days = daysIn(given);
  const isWell = days.every((day) => DAYS.includes(day)) && new Set(days).size === days.length;
  return isWell ? undefined : 'Enter days such as mon, tue, wed.';
}

const WHEN: readonly Asked[] = [
  {
    name: 'pair',
    label: 'Pair',
    hint: 'Empty: every pair.',
    isOptional: true,
    read: readPair,
    check: check(PAIR.pattern, PAIR.wants),
  },
  { name: 'zone', label: 'Time zone', initial: 'America/New_York' },
  {
    name: 'days',
    label: 'Begins on',
    hint: 'In that zone.',
    initial: 'mon, tue, wed, thu, fri',
    check: wrongDays,
  },
  {
    name: 'from',
    label: 'From, such as 16:55',
    check: check(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter hours and minutes, such as 16:55.'),
  },
  {
    name: 'to',
    label: 'To, such as 17:10',
    hint: 'On the next day, if it is not after the beginning.',
    check: check(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'Enter hours and minutes, such as 17:10.'),
  },
];

export const WINDOWS: RowsForm<Window> = {
  name: 'window',
  label: 'Wider hours',
  empty: 'No wider hours',
  add: 'Add hours',
  scope: 'operator:spreads',
  columns: [
    { name: 'Pair', cell: ({ pair }) => pair ?? 'Any' },
    { name: 'Days', isText: true, cell: ({ days }) => days.join(', ') },
    { name: 'Hours', cell: ({ from, to }) => `${from} to ${to}` },
    { name: 'Time zone', isText: true, cell: ({ zone }) => zone },
    { name: 'Added, bps', isNumber: true, cell: ({ bps }) => bps },
  ],
  keyOf: ({ pair, zone, days, from, to }) => [pair ?? 'any', zone, days.join('-'), from, to].join(' '),
  nameOf: ({ pair, zone, days, from, to }) =>
    `${pair ?? 'any pair'}, ${days.join(', ')} ${from} to ${to} ${zone}`,
  said: ({ bps }) => `${bps} bps`,
  asks: (row) => [...(row === undefined ? WHEN : []), { ...BPS_ASKED, initial: row?.bps ?? '' }],
  read: (given, row) => ({
    pair: row === undefined ? text(given.pair) || null : row.pair,
    zone: row?.zone ?? text(given.zone),
    days: row?.days ?? (daysIn(text(given.days)) as readonly Window['days'][number][]),
    from: row?.from ?? text(given.from),
    to: row?.to ?? text(given.to),
    bps: text(given.bps),
  }),
};

export const INCREMENTS: RowsForm<Increment> = {
  name: 'increment',
  label: 'Amounts in multiples',
  empty: 'Amounts have all decimals of their currency',
  add: 'Add a currency',
  scope: 'operator:spreads',
  columns: [
    { name: 'Currency', cell: ({ currency }) => currency },
    { name: 'Multiples of', isNumber: true, cell: ({ increment }) => increment },
  ],
  keyOf: ({ currency }) => currency,
  nameOf: ({ currency }) => `Amounts of ${currency}`,
  said: ({ increment }) => `multiples of ${increment}`,
  asks: (row) => [
    ...(row === undefined ? [CURRENCY_ASKED] : []),
    {
      name: 'increment',
      label: 'Multiples of',
      hint: 'Such as 1.00, for whole forints.',
      initial: row?.increment ?? '',
      check: check(/^\d{1,7}(\.\d{1,4})?$/, 'Enter an amount, such as 1.00.'),
    },
  ],
  read: ({ currency, increment }, row) => ({
    currency: row?.currency ?? readCurrency(text(currency)),
    increment: text(increment),
  }),
};
