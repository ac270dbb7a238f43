import type { ExposureLimits, SetExposureLimitsBody } from '@firmquote/client/operator';
import { decimalsOf, type ParsedAmount, parseLimit } from '../money/amount.ts';
import type { ChangeLine } from '../parts/change.tsx';
import type { SettingsChange } from '../parts/send-change.tsx';
import {
  lineOf,
  linesBetween,
  type ReadLimit,
  readEdited,
  type VersionAmount,
  wrongOf,
} from './limit-edits.ts';

/** The limits of the house's exposure in rows: all currencies together, each unlisted one, and those with a limit or a hedge of their own. */

export type Limits = Omit<ExposureLimits, 'version'>;

/** What was written in a row; what is left out is as it was. */
export interface ExposureEdit {
  readonly limit?: string;
  readonly hedge?: string;
}
/** By row. A currency without a row gets one. */
export type ExposureEdits = Readonly<Record<string, ExposureEdit>>;

export interface ExposureRow {
  readonly key: string;
  readonly name: string;
  /** Undefined: the row is of no single currency, and has no hedge. */
  readonly currency: string | undefined;
  readonly limit: string | null;
  readonly hedge: string | null;
  /** What they would be. */
  readonly newLimit: ReadLimit;
  readonly newHedge: ReadLimit;
}

const COMMON: readonly (readonly [key: 'total' | 'perCurrency', name: string])[] = [
  ['total', 'All currencies together'],
  ['perCurrency', 'Each currency that is not listed'],
];

function rowsOf(limits: Limits, edits: ExposureEdits): readonly ExposureRow[] {
  const own = new Map(limits.currencies.map(({ currency, limit }) => [currency, limit]));
  const hedges = new Map(limits.hedges.map(({ currency, amount }) => [currency, amount]));
  const added = Object.keys(edits).filter((key) => COMMON.every(([common]) => common !== key));
  const codes = new Set([...own.keys(), ...hedges.keys(), ...added]);
  const row = (key: string, name: string, currency: string | undefined, limit: string | null) => {
    const hedge = hedges.get(key) ?? null;
    const newLimit = readEdited(edits[key]?.limit, limit);
    return {
      key,
      name,
      currency,
      limit,
      hedge,
      newLimit,
      newHedge: readHedge(edits[key]?.hedge, hedge, key),
    };
  };
  return [
    ...COMMON.map(([key, name]) => row(key, name, undefined, limits[key])),
    ...[...codes].map((code) => row(code, code, code, own.get(code) ?? null)),
  ];
}

export interface ExposureChange extends SettingsChange<SetExposureLimitsBody> {
  readonly warnings: readonly string[];
  readonly rows: readonly ExposureRow[];
}

export function changeOf(limits: Limits, edits: ExposureEdits): ExposureChange {
  const rows = rowsOf(limits, edits);
  const wrong = rows.flatMap(({ name, newLimit, newHedge }) => [
    ...wrongOf(limitName(name), newLimit),
    ...wrongOf(hedgeName(name), newHedge),
  ]);
  return {
    rows,
    lines: rows.flatMap(({ name, currency, limit, hedge, newLimit, newHedge }) => [
      ...lineOf(limitName(name), limit, newLimit),
      ...lineOf(hedgeName(name), hedge, newHedge, currency, 'nothing'),
    ]),
    wrong,
    warnings: rows.flatMap(warningOf),
    document: wrong.length > 0 ? undefined : documentOf(rows),
  };
}

/** What differs between a version of the limits and the one before. */
export function linesOfVersion(former: Limits, limits: Limits): readonly ChangeLine[] {
  return linesBetween(amountsOf(former), amountsOf(limits));
}

function amountsOf(limits: Limits): readonly VersionAmount[] {
  return rowsOf(limits, {}).flatMap(({ name, currency, limit, hedge }) => [
    { what: limitName(name), amount: limit },
    ...(currency === undefined
      ? []
      : [{ what: hedgeName(name), amount: hedge, unit: currency, none: 'nothing' }]),
  ]);
}

function warningOf({ name, currency, limit, newLimit }: ExposureRow): readonly string[] {
  if (!newLimit.ok || newLimit.amount === limit) return [];
  if (newLimit.amount === null) return currency === undefined ? [`${name}: no limit at all.`] : [];
  return isNothing(newLimit.amount) ? [`${name}: 0 permits no trade that adds to the position.`] : [];
}

function documentOf(rows: readonly ExposureRow[]): SetExposureLimitsBody {
  const amount = (read: ReadLimit | undefined) => (read?.ok === true ? read.amount : null);
  const common = (wanted: string) => amount(rows.find(({ key }) => key === wanted)?.newLimit);
  return {
    total: common('total'),
    perCurrency: common('perCurrency'),
    currencies: rows.flatMap(({ currency, newLimit }) => {
      const limit = amount(newLimit);
      return currency === undefined || limit === null ? [] : [{ currency, limit }];
    }),
    hedges: rows.flatMap(({ currency, newHedge }) => {
      const hedge = amount(newHedge);
      return currency === undefined || hedge === null ? [] : [{ currency, amount: hedge }];
    }),
  };
}

const limitName = (name: string) => `${name}, largest position`;
const hedgeName = (name: string) => `${name}, hedged elsewhere`;

const isNothing = (amount: string) => /^[0.]+$/.test(amount);

/** What the house is short has a minus; it may be pasted as it is shown. */
function readHedge(text: string | undefined, inForce: string | null, currency: string): ReadLimit {
  return readEdited(text, inForce, (given): ParsedAmount => {
    const isShort = /^\s*[-−]/.test(given);
    const parsed = parseLimit(given.replace(/^\s*[-−+]/, ''), decimalsOf(currency));
    return parsed.ok && isShort && !isNothing(parsed.amount)
      ? { ok: true, amount: `-${parsed.amount}` }
      : parsed;
  });
}
