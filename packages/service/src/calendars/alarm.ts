import { addDays, type DateRulesSource, tradeDateAt } from '@firmquote/fx';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { calendarsRunningShort, daysLeft } from './range.ts';

const LOOK_EVERY_MS = 60_000;
/** Spot is never further away, whatever holidays lie between. */
const SPOT_DAYS_MAX = 14;

interface CalendarAlarmOptions {
  readonly dates: DateRulesSource;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Warns in the log, at the start and once on each trade date, of calendars that end less than 13 months from now. */
export function calendarAlarmSweep({ dates, clock, logger }: CalendarAlarmOptions): Sweep {
  let reportedOn: string | undefined;
  return {
    name: 'warn_of_short_calendars',
    does: 'Logs a warning, once per trade date, about calendars that end soon.',
    everyMs: LOOK_EVERY_MS,
    isHousekeeping: true,
    run: async () => {
      const now = clock.now();
      const today = tradeDateAt(now);
      if (today === reportedOn) return 0;
      reportedOn = today;
      const short = calendarsRunningShort(dates.current, now);
      if (short.length > 0) {
        const calendars = Object.fromEntries(short.map(({ currency, to }) => [currency, to]));
        logger.warn(
          { calendars },
          'calendars end within 13 months: nothing is quoted past their end; set the next year with PUT /v1/operator/calendars/{currency}/{year}',
        );
      }
      return 0;
    },
  };
}

/** Whether anything can be quoted as far as calendars go: USD decides for every pair. Detail names what runs short. */
export function checkCalendars(dates: DateRulesSource, now: number): { ok: boolean; detail: string } {
  const end = dates.current.calendars.range('USD');
  const today = tradeDateAt(now);
  const ok = end !== undefined && today >= end.from && addDays(today, SPOT_DAYS_MAX) <= end.to;
  const short = calendarsRunningShort(dates.current, now).map(({ currency }) => currency);
  const usd = end === undefined ? 'USD has none' : `USD is known from ${end.from} to ${end.to}`;
  return { ok, detail: short.length === 0 ? usd : `${usd}; within 13 months end: ${short.join(', ')}` };
}

/** Days that each calendar still covers, by currency, for metrics. */
export function calendarDaysLeft(dates: DateRulesSource, clock: Clock): () => ReadonlyMap<string, number> {
  return () => daysLeft(dates.current, clock.now());
}
