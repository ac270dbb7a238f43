import type { PairSettings, SetPairSettingsBody } from '@firmquote/client/operator';
import type { ParsedAmount } from '../money/amount.ts';
import type { ChangeLine } from '../parts/change.tsx';
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

/** How a pair is treated, in rows, and what a change of it would be. */

const COMPOSITES = [
  ['best', 'The best bid and ask of all sources'],
  ['priority', 'The first fresh source'],
] as const;
const LOCKED = [
  ['accept', 'Accepted'],
  ['refuse', 'Refused'],
] as const;

const HOUR_MS = 3_600_000;
/** Beyond these a limit limits nothing, bps. */
const WIDTH_MAX = 5_000;
const REFERENCE_MAX = 9_000;
const SOURCES_MAX = 16;
const BPS_MAX = 9_999.99;
const OFF = 'not checked';

export interface PairChange extends SettingsChange<SetPairSettingsBody> {
  readonly rows: readonly SettingRow[];
}

export function changeOf(settings: PairSettings, edits: SettingEdits): PairChange {
  const rows = rowsOf(settings, edits);
  const { lines, wrong } = changeOfRows(rows);
  return { rows, lines, wrong, document: wrong.length > 0 ? undefined : documentOf(settings, rows) };
}

/** What differs between a version of the settings and the one before. */
export function linesOfVersion(former: PairSettings, settings: PairSettings): readonly ChangeLine[] {
  const quoting = ({ enabled }: PairSettings) => (enabled ? 'quoted' : 'suspended');
  const [before, after] = [quoting(former), quoting(settings)];
  const lines = linesBetween(rowsOf(former, {}), rowsOf(settings, {}));
  return before === after ? lines : [{ what: 'The pair is', before, after }, ...lines];
}

function rowsOf(settings: PairSettings, edits: SettingEdits): readonly SettingRow[] {
  return [...compositionOf(settings, edits), ...limitsOf(settings, edits), ...filtersOf(settings, edits)];
}

function compositionOf(of: PairSettings, edits: SettingEdits): readonly SettingRow[] {
  const ms = (key: string, name: string) => ({ key, name, unit: 'ms' });
  return [
    settingRow({ key: 'composite', name: 'Price from', options: COMPOSITES }, edits, of.composite),
    settingRow(
      { key: 'priority', name: 'Sources, first choice first', none: 'by name', isText: true },
      edits,
      of.priority.length === 0 ? null : of.priority.join(', '),
      readSources,
    ),
    wholeRow(ms('stalenessMs', 'Oldest price that makes a firm quote'), edits, of.stalenessMs, [
      100,
      HOUR_MS,
    ]),
    settingRow(
      { key: 'lockedPrices', name: 'Prices whose bid is the ask', options: LOCKED },
      edits,
      of.lockedPrices,
    ),
  ];
}

type Limit = keyof PairSettings['classLimits'];

/** What is believed at all. A limit that is not the pair's own has no value here: it is its class's. */
function limitsOf(of: PairSettings, edits: SettingEdits): readonly SettingRow[] {
  const limit = (key: Limit, name: string, most: number) => {
    const ofClass = of.classLimits[key];
    const before = of.ownLimits.includes(key) ? of[key] : null;
    const row = bpsRow({ key, name, none: `${ofClass} bps, as its class` }, edits, before, most);
    // The service takes what is as it was for no change.
    return before === null && row.after === ofClass ? { ...row, after: null } : row;
  };
  return [
    limit('maxWidthBps', 'Widest price, bid to ask', WIDTH_MAX),
    limit('bandBps', 'Band around the last good price, and that of a minute ago', WIDTH_MAX),
    limit('referenceBps', 'Band around the reference rate', REFERENCE_MAX),
  ];
}

/** What is held back, set aside or halted. */
function filtersOf(of: PairSettings, edits: SettingEdits): readonly SettingRow[] {
  const ms = (key: string, name: string) => ({ key, name, unit: 'ms' });
  return [
    bpsRow(
      { key: 'outlierBps', name: 'A price further from the last is held back', none: OFF },
      edits,
      of.outlierBps,
      BPS_MAX,
    ),
    wholeRow(
      { key: 'jumpTicks', name: 'Prices that agree until such a move is believed' },
      edits,
      of.jumpTicks,
      [2, 100],
    ),
    wholeRow(ms('jumpMs', 'Or two that agree, so far apart'), edits, of.jumpMs, [100, 60_000]),
    wholeRow(
      { ...ms('frozenMs', 'A source that repeats one price for longer is frozen'), none: OFF },
      edits,
      of.frozenMs,
      [1_000, HOUR_MS],
    ),
    bpsRow(
      { key: 'deviationBps', name: 'Sources further apart halt the pair', none: OFF },
      edits,
      of.deviationBps,
      BPS_MAX,
    ),
    wholeRow(
      ms('agreementMs', 'Time for which they must agree before it goes on'),
      edits,
      of.agreementMs,
      [100, 600_000],
    ),
  ];
}

function sourcesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function readSources(text: string): ParsedAmount {
  const names = sourcesIn(text);
  if (new Set(names).size !== names.length) return { ok: false, why: 'A source is named twice.' };
  if (names.length > SOURCES_MAX) return { ok: false, why: `Name at most ${SOURCES_MAX} sources.` };
  return { ok: true, amount: names.join(', ') };
}

/** All that a pair is set to, as it came. */
export function unchanged(settings: PairSettings): SetPairSettingsBody {
  return documentOf(settings, rowsOf(settings, {}));
}

function documentOf(settings: PairSettings, rows: readonly SettingRow[]): SetPairSettingsBody {
  const text = (key: string) => textIn(rows, key) ?? null;
  const whole = (key: 'stalenessMs' | 'jumpTicks' | 'jumpMs' | 'agreementMs') =>
    wholeIn(rows, key) ?? settings[key];
  const limit = (key: Limit) => {
    const bps = text(key);
    return bps === null ? {} : { [key]: bps };
  };
  return {
    enabled: settings.enabled,
    stalenessMs: whole('stalenessMs'),
    composite: (text('composite') ?? settings.composite) as SetPairSettingsBody['composite'],
    priority: sourcesIn(text('priority') ?? ''),
    lockedPrices: (text('lockedPrices') ?? settings.lockedPrices) as SetPairSettingsBody['lockedPrices'],
    outlierBps: text('outlierBps'),
    jumpTicks: whole('jumpTicks'),
    jumpMs: whole('jumpMs'),
    frozenMs: wholeIn(rows, 'frozenMs'),
    deviationBps: text('deviationBps'),
    agreementMs: whole('agreementMs'),
    ...limit('maxWidthBps'),
    ...limit('bandBps'),
    ...limit('referenceBps'),
  };
}
