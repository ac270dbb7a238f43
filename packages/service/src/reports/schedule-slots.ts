import { addDays, addMonths, instantOf, localDateAt, weekdayOf } from '@firmquote/fx';

/** When a schedule runs, and what time each run reports. Decided here without I/O. */
export interface Timing {
  readonly every: 'day' | 'week' | 'month';
  /** ISO weekday or day of the month. */
  readonly on: number | undefined;
  /** `HH:MM` in the zone. */
  readonly at: string;
  readonly zone: string;
  readonly holidays: 'run' | 'following' | 'skip';
  readonly isOpen: (date: string) => boolean;
  /** So long after the midnight that its period ends with a run is due at the earliest. */
  readonly settlesMs: number;
}

/** A day of the schedule, and when its run is due. */
export interface Slot {
  readonly date: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** No calendar is closed for so long. */
const CLOSED_DAYS_MAX = 40;

/** The first slot that is due after the instant. */
export function nextSlot(timing: Timing, after: number): Slot {
  const today = localDateAt(after, timing.zone);
  return waitingSlot(timing, today, after) ?? firstSlot(timing, today, after);
}

/** The first slot of a day before this one whose run waits for an open day. */
function waitingSlot(timing: Timing, today: string, after: number): Slot | undefined {
  if (timing.holidays !== 'following') return undefined;
  let first: Slot | undefined;
  for (let days = 1; days <= CLOSED_DAYS_MAX; days++) {
    const date = addDays(today, -days);
    // Days in a row are closed: before one that is open, nothing waits.
    if (stateOf(timing, date) !== 'closed') break;
    if (!isOfSchedule(timing, date)) continue;
    const slot = slotFrom(timing, date);
    if (slot.dueAt > after) first = slot;
  }
  return first;
}

/** What lies before a calendar has no runs that wait. */
function stateOf({ isOpen }: Timing, date: string): 'open' | 'closed' | 'unknown' {
  try {
    return isOpen(date) ? 'open' : 'closed';
  } catch {
    return 'unknown';
  }
}

/** The slot that comes from a day on. */
export function slotFrom(timing: Timing, from: string): Slot {
  return firstSlot(timing, from, undefined);
}

/** The slots from a day on that are due by now, in their order, and the day to go on from after them. */
export function dueSlots(timing: Timing, from: string, now: number): { due: readonly Slot[]; next: string } {
  const due: Slot[] = [];
  let next = from;
  for (;;) {
    const slot = slotAfter(timing, next, due);
    if (slot === undefined || slot.dueAt > now) return { due, next: slot?.date ?? next };
    due.push(slot);
    next = addDays(slot.date, 1);
  }
}

/** Undefined where nobody knows what comes after slots that are due, as behind the end of a calendar: they are due nevertheless. */
function slotAfter(timing: Timing, from: string, due: readonly Slot[]): Slot | undefined {
  try {
    return slotFrom(timing, from);
  } catch (error) {
    if (due.length === 0) throw error;
    return undefined;
  }
}

/** What a slot reports: from the day of the slot before, inclusive, to its own, exclusive. No day is left out, none comes twice. */
export function periodOf(timing: Timing, { date }: Slot): { readonly from: number; readonly to: number } {
  let before = addDays(date, -1);
  for (let days = 0; !isOfSchedule(timing, before) || isSkipped(timing, before); days++) {
    if (days > 2 * 366) throw new Error(`there is no slot before ${date}`);
    before = addDays(before, -1);
  }
  return { from: midnight(timing, before), to: midnight(timing, date) };
}

/** Until when a slot reports. */
export function endOf(timing: Timing, { date }: Slot): number {
  return midnight(timing, date);
}

function midnight({ zone }: Timing, date: string): number {
  return instantOf(date, '00:00', zone);
}

function firstSlot(timing: Timing, from: string, after: number | undefined): Slot {
  let date = from;
  for (let days = 0; days <= 2 * 366; days++) {
    if (isOfSchedule(timing, date) && !isSkipped(timing, date)) {
      const settled = midnight(timing, date) + timing.settlesMs;
      const dueAt = Math.max(instantOf(runDay(timing, date), timing.at, timing.zone), settled);
      if (after === undefined || dueAt > after) return { date, dueAt };
    }
    date = addDays(date, 1);
  }
  throw new Error(`there is no slot in the two years from ${from}`);
}

function isOfSchedule({ every, on = 1 }: Timing, date: string): boolean {
  if (every === 'day') return true;
  if (every === 'week') return weekdayOf(date) === on;
  const first = `${date.slice(0, 8)}01`;
  const last = addDays(addMonths(first, 1), -1);
  const wanted = addDays(first, on - 1);
  return date === (wanted < last ? wanted : last);
}

function isSkipped({ holidays, isOpen }: Timing, date: string): boolean {
  return holidays === 'skip' && !isOpen(date);
}

function runDay({ holidays, isOpen }: Timing, date: string): string {
  let day = date;
  for (let days = 0; holidays === 'following' && !isOpen(day); days++) {
    if (days > CLOSED_DAYS_MAX) throw new Error(`no day is open after ${date}`);
    day = addDays(day, 1);
  }
  return day;
}
