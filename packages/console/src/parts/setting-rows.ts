import { enteredAmount, formatAmount, type ParsedAmount, parseLimit } from '../money/amount.ts';
import type { ChangeLine } from './change.tsx';

/** A document of settings as rows, one value in each, and what edits of them come to. */

export interface Setting {
  readonly key: string;
  readonly name: string;
  readonly unit?: string;
  /** What is said where it has no value; where this is left out, it must have one. */
  readonly none?: string;
  /** A name or a list of them, and no figure. */
  readonly isText?: true;
  /** What there is to choose from, where nothing is written. */
  readonly options?: readonly (readonly [value: string, text: string])[];
}

export interface SettingRow extends Setting {
  readonly before: string | null;
  /** As it stands in the field from the beginning. */
  readonly entered: string;
  /** Undefined: what was written is not understood. */
  readonly after: string | null | undefined;
  readonly wrong: string | undefined;
}

/** By row, what was written; what is left out is as it was. */
export type SettingEdits = Readonly<Record<string, string>>;

type Reader = (text: string) => ParsedAmount;

const asWritten: Reader = (text) => ({ ok: true, amount: text });

/** @param before goes back as it came where nobody has touched it */
export function settingRow(
  setting: Setting,
  edits: SettingEdits,
  before: string | null,
  read: Reader = asWritten,
  entered = before ?? '',
): SettingRow {
  const text = edits[setting.key]?.trim();
  const row = { ...setting, before, entered };
  if (text === undefined) return { ...row, after: before, wrong: undefined };
  if (text === '' && setting.none !== undefined) return { ...row, after: null, wrong: undefined };
  const said = read(text);
  return said.ok
    ? { ...row, after: said.amount, wrong: undefined }
    : { ...row, after: undefined, wrong: said.why };
}

/** An amount in US dollars. */
export function usdRow(setting: Setting, edits: SettingEdits, before: string | null): SettingRow {
  const read: Reader = (text) => parseLimit(text, 2);
  return settingRow(
    { ...setting, unit: 'USD' },
    edits,
    before,
    read,
    before === null ? '' : enteredAmount(before, 2),
  );
}

export function wholeRow(
  setting: Setting,
  edits: SettingEdits,
  before: number | null,
  [least, most]: readonly [least: number, most: number],
): SettingRow {
  const read: Reader = (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
      ? { ok: true, amount: String(Number(text)) }
      : { ok: false, why: `Enter ${least} to ${most}.` };
  return settingRow(setting, edits, before === null ? null : String(before), read);
}

/** What a row would be; undefined where it is not understood. */
export function textIn(rows: readonly SettingRow[], key: string): string | null | undefined {
  return rows.find((row) => row.key === key)?.after;
}

/** The same of one that is a whole number. */
export function wholeIn(rows: readonly SettingRow[], key: string): number | null {
  const value = textIn(rows, key);
  return value == null ? null : Number(value);
}

/** Basis points, with both of their decimals. @param most above which they mean nothing */
export function bpsRow(
  setting: Setting,
  edits: SettingEdits,
  before: string | null,
  most?: number,
): SettingRow {
  const read: Reader = (text) => {
    const [, whole = '', fraction = ''] = /^(\d{1,4})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
    if (whole === '') return { ok: false, why: 'Enter basis points, such as 12 or 7.50.' };
    if (most !== undefined && (Number(text) === 0 || Number(text) > most))
      return { ok: false, why: `Enter more than 0, and at most ${most}.` };
    return { ok: true, amount: `${Number(whole)}.${fraction.padEnd(2, '0')}` };
  };
  return settingRow({ ...setting, unit: 'bps' }, edits, before, read);
}

/** A value of a row in words. */
export function said({ options, unit = '', none = '–' }: Setting, value: string | null): string {
  if (value === null) return none;
  if (options !== undefined) return options.find(([code]) => code === value)?.[1] ?? value;
  return `${unit === 'USD' ? formatAmount(value) : value} ${unit}`.trim();
}

/** What differs, and what is not understood. */
export function changeOfRows(rows: readonly SettingRow[]): {
  readonly lines: readonly ChangeLine[];
  readonly wrong: readonly string[];
} {
  return {
    lines: rows.flatMap((row) =>
      row.after === undefined || row.after === row.before
        ? []
        : [{ what: row.name, before: said(row, row.before), after: said(row, row.after) }],
    ),
    wrong: rows.flatMap((row) => (row.wrong === undefined ? [] : [`${row.name}: ${row.wrong}`])),
  };
}

/** What differs between a document as it was and as it is, by the rows of both. */
export function linesBetween(
  former: readonly SettingRow[],
  rows: readonly SettingRow[],
): readonly ChangeLine[] {
  return rows.flatMap((row) => {
    const was = former.find(({ key }) => key === row.key);
    if (was === undefined || was.before === row.before) return [];
    return [{ what: row.name, before: said(was, was.before), after: said(row, row.before) }];
  });
}
