import { addDays, instantOf, localDateAt, weekdayOf } from '@firmquote/fx';
import { type SessionSchedule, WEEKDAYS } from '../../service/src/market/fix/protocol.ts';

/** Where an instant lies. Instants are epoch milliseconds of real time. */
export type ScheduleSpan =
  | { readonly isOpen: true; readonly startedAt: number; readonly endsAt: number }
  | { readonly isOpen: false; readonly opensAt: number };

/** A session of a week that began eight days ago may still run where clocks were set back. */
const DAYS_BACK = 8;

/** The session of the schedule that runs at an instant, or when the next one begins. Ends are not part of it. */
export function spanAt(schedule: SessionSchedule, now: number): ScheduleSpan {
  const today = localDateAt(now, schedule.zone);
  let opensAt = Number.POSITIVE_INFINITY;
  let running: { startedAt: number; endsAt: number } | undefined;
  for (let days = -DAYS_BACK; days <= DAYS_BACK; days++) {
    const date = addDays(today, days);
    if (!schedule.days.some((day) => weekdayNumber(day) === weekdayOf(date))) continue;
    const startedAt = instantOf(date, schedule.start, schedule.zone);
    const endsAt = instantOf(lastDate(schedule, date), schedule.end, schedule.zone);
    if (startedAt > now) opensAt = Math.min(opensAt, startedAt);
    else if (now < endsAt) running = { startedAt, endsAt };
  }
  return running === undefined ? { isOpen: false, opensAt } : { isOpen: true, ...running };
}

/** On which day a session ends that begins on this one. */
function lastDate({ start, end, endDay }: SessionSchedule, date: string): string {
  const isNextDay = end <= start;
  if (endDay === undefined) return addDays(date, isNextDay ? 1 : 0);
  const days = (weekdayNumber(endDay) - weekdayOf(date) + 7) % 7;
  return addDays(date, days === 0 && isNextDay ? 7 : days);
}

/** 1 is Monday, as in ISO 8601. */
function weekdayNumber(day: (typeof WEEKDAYS)[number]): number {
  return WEEKDAYS.indexOf(day) + 1;
}
