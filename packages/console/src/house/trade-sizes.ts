import type { AmountLimit, SetAmountLimitsBody } from '@firmquote/client/operator';
import type { ChangeLine } from '../parts/change.tsx';
import type { SettingsChange } from '../parts/send-change.tsx';
import { reachText, type Target } from '../spreads/rules.ts';
import {
  lineOf,
  linesBetween,
  type ReadLimit,
  readEdited,
  type VersionAmount,
  wrongOf,
} from './limit-edits.ts';

/** The smallest and largest amounts of trades: a row for each customer, group and pair that has limits of its own. */

export type Side = 'minimum' | 'maximum';
/** What was written in a row; what is left out is as it was. Without either amount there is no limit. */
export interface SizeEdit extends Target, Partial<Readonly<Record<Side, string>>> {}
/** By row. A target without a row gets one. */
export type SizeEdits = Readonly<Record<string, SizeEdit>>;

export function keyOf({ customerId, groupName, pair }: Target): string {
  return JSON.stringify([customerId, groupName, pair]);
}

/** A row, and what its amounts would be. */
export interface SizeRow extends AmountLimit {
  readonly newMinimum: ReadLimit;
  readonly newMaximum: ReadLimit;
}

function rowsOf(limits: readonly AmountLimit[], edits: SizeEdits): readonly SizeRow[] {
  const known = new Set(limits.map(keyOf));
  const added = Object.entries(edits).flatMap(([key, { customerId, groupName, pair }]) =>
    known.has(key) ? [] : [{ customerId, groupName, pair, minimum: null, maximum: null }],
  );
  return [...limits, ...added].map((limit) => ({
    ...limit,
    newMinimum: readEdited(edits[keyOf(limit)]?.minimum, limit.minimum),
    newMaximum: readEdited(edits[keyOf(limit)]?.maximum, limit.maximum),
  }));
}

export interface SizeChange extends SettingsChange<SetAmountLimitsBody> {
  readonly rows: readonly SizeRow[];
}

const named = (row: AmountLimit, side: string) => `${reachText(row)}, ${side}`;

/** What differs between a version of the limits and the one before. */
export function linesOfVersion(
  former: { readonly limits: readonly AmountLimit[] },
  { limits }: { readonly limits: readonly AmountLimit[] },
): readonly ChangeLine[] {
  return linesBetween(amountsOf(former.limits), amountsOf(limits));
}

function amountsOf(limits: readonly AmountLimit[]): readonly VersionAmount[] {
  return limits.flatMap((row) => [
    { what: named(row, 'smallest'), amount: row.minimum },
    { what: named(row, 'largest'), amount: row.maximum },
  ]);
}

export function changeOf(limits: readonly AmountLimit[], edits: SizeEdits): SizeChange {
  const rows = rowsOf(limits, edits);
  const wrong = rows.flatMap((row) => [
    ...wrongOf(named(row, 'smallest'), row.newMinimum),
    ...wrongOf(named(row, 'largest'), row.newMaximum),
  ]);
  return {
    rows,
    lines: rows.flatMap((row) => [
      ...lineOf(named(row, 'smallest'), row.minimum, row.newMinimum),
      ...lineOf(named(row, 'largest'), row.maximum, row.newMaximum),
    ]),
    wrong,
    document: wrong.length > 0 ? undefined : { limits: rows.flatMap(limitOf) },
  };
}

/** Without either amount it is gone. */
function limitOf({ customerId, groupName, pair, newMinimum, newMaximum }: SizeRow): readonly AmountLimit[] {
  const minimum = newMinimum.ok ? newMinimum.amount : null;
  const maximum = newMaximum.ok ? newMaximum.amount : null;
  return minimum === null && maximum === null ? [] : [{ customerId, groupName, pair, minimum, maximum }];
}
