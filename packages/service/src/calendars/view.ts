import type * as api from '@firmquote/api/operations/calendars';
import { builtInDefinitions, cutOffInstant, isInWorkingWeek, tradeDateAt } from '@firmquote/fx';
import { approvalView } from '../approvals/view.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { ProposedImport } from './import-calendars.ts';
import { calendarRange } from './range.ts';
import type { CalendarsRoom } from './room.ts';
import type { TurnedDay } from './set-calendar-year.ts';
import type { CutOffInForce } from './set-cut-off.ts';
import type { CalendarYearVersion, Change, CutOffVersion } from './store.ts';
import { BUILT_IN_VERSION } from './store.ts';

/** What is built in of a currency's year, what the operator says of it, and what comes of both. */
export function calendarYearView(
  room: CalendarsRoom,
  currency: string,
  year: number,
  change: CalendarYearVersion | undefined,
): api.CalendarYear {
  const dates = room.dates.current;
  const builtIn = builtInDefinitions.find((definition) => definition.currency === currency);
  const range = calendarRange(dates, currency, tradeDateAt(room.clock.now()));
  const isComplete = change?.complete ?? false;
  const days = new Map<string, api.CalendarDay>();
  for (const [date, name] of isComplete ? [] : (builtIn?.holidays ?? [])) {
    if (!date.startsWith(`${year}-`)) continue;
    const isEstimated = builtIn?.estimatedFrom !== undefined && date >= builtIn.estimatedFrom;
    days.set(date, {
      date,
      state: 'closed',
      name,
      origin: 'built_in',
      estimated: isEstimated,
      inWorkingWeek: isInWorkingWeek(currency, date),
    });
  }
  for (const { date, state, reason } of change?.days ?? []) {
    days.set(date, {
      date,
      state,
      name: reason,
      origin: 'operator',
      estimated: false,
      inWorkingWeek: isInWorkingWeek(currency, date),
    });
  }
  return {
    currency,
    year,
    version: change?.version ?? BUILT_IN_VERSION,
    known: range !== null && range.from <= `${year}-01-01` && range.to >= `${year}-12-31`,
    range: range && rangeView(range),
    complete: isComplete,
    days: [...days.values()].sort((a, b) => (a.date < b.date ? -1 : 1)),
    changes: [...(change?.days ?? [])],
    lastChange: change === undefined ? null : changeView(change),
  };
}

export function rangeView(range: NonNullable<ReturnType<typeof calendarRange>>): api.CalendarRange {
  const { currency: _, ...rest } = range;
  return rest;
}

export function turnedView(turned: readonly TurnedDay[]): api.TurnedDay[] {
  return turned.map(({ date, state, openTransactions }) => ({
    date,
    state,
    openTransactions: Number.parseInt(String(openTransactions), 10),
  }));
}

export function calendarYearVersionView(version: CalendarYearVersion): api.CalendarYearVersion {
  const { approvedBy, importId } = version;
  return {
    ...changeView(version),
    approvedBy: approvedBy === null ? null : actorId(approvedBy),
    importId: importId === null ? null : typeId('cim', importId),
    complete: version.complete,
    changes: [...version.days],
  };
}

export function cutOffView(room: CalendarsRoom, { currency, time, zone, change }: CutOffInForce): api.CutOff {
  const today = tradeDateAt(room.clock.now());
  return {
    currency,
    time,
    zone,
    origin: change === undefined ? 'built_in' : 'operator',
    source: change?.source ?? null,
    version: change?.version ?? BUILT_IN_VERSION,
    cutOffAt: isoInstant(cutOffInstant(currency, today, { sameDay: () => ({ time, zone }) })),
    lastChange: change === undefined ? null : changeView(change),
  };
}

export function cutOffVersionView(version: CutOffVersion): api.CutOffVersion {
  const { time, zone, source } = version;
  return { ...changeView(version), time, zone, source };
}

function changeView({ version, reason, changedBy, changedAt }: Change): api.Change {
  return { version, reason, changedBy: actorId(changedBy), changedAt: isoInstant(changedAt) };
}

export function importView({ made, approval }: ProposedImport): api.CalendarImport {
  const { fromYear, toYear, lines, leftOut, calendars } = made.proposal;
  return {
    importId: typeId('cim', made.id),
    source: made.source,
    fileSha256: made.fileSha256,
    fromYear,
    toYear,
    lines,
    leftOut,
    calendars: calendars.map(({ years, added, removed, renamed, ...calendar }) => ({
      ...calendar,
      years: years.map(({ days: _, ...rest }) => rest),
      added: [...added],
      removed: [...removed],
      renamed: [...renamed],
    })),
    approval: approvalView(approval),
    appliedAt:
      approval.status === 'approved' && approval.decidedAt !== null ? isoInstant(approval.decidedAt) : null,
  };
}
