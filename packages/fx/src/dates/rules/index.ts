import type { CalendarDefinition } from '../calendar.ts';
import { addDays, type IsoDate, isoDate, yearOf } from '../time.ts';
import { brl, mxn } from './americas.ts';
import { czk, huf, pln, ron } from './central-europe.ts';
import { aud, cad, gbp, nzd, usd, zar } from './english-speaking.ts';
import { chf, dkk, eur, isk, nok, sek } from './euro-area-and-nordics.ts';
import type { RuleMadeCalendar } from './holiday-rules.ts';
import { jpy } from './japan.ts';

const CALENDARS: readonly RuleMadeCalendar[] = [
  ...[aud, brl, cad, chf, czk, dkk, eur, gbp, huf, isk],
  ...[jpy, mxn, nok, nzd, pln, ron, sek, usd, zar],
];

/**
 * The rule-made calendars over a range of dates. A currency whose rules begin later starts there, and one
 * whose rules begin after the range is left out.
 */
export function ruleMadeCalendars(from: IsoDate, to: IsoDate): CalendarDefinition[] {
  return CALENDARS.flatMap((calendar) => {
    const firstDay = isoDate(calendar.firstYear, 1, 1);
    return firstDay > to ? [] : [definitionOf(calendar, from > firstDay ? from : firstDay, to)];
  });
}

function definitionOf(calendar: RuleMadeCalendar, from: IsoDate, to: IsoDate): CalendarDefinition {
  const holidays = new Map<IsoDate, string>();
  // A year's rules never reach past its own end except by a day in lieu, so one year more is looked at.
  for (let year = yearOf(addDays(from, -7)); year <= yearOf(to); year += 1) {
    for (const { date, name } of calendar.holidaysOf(year)) {
      if (date >= from && date <= to && !holidays.has(date)) holidays.set(date, name);
    }
  }
  const { currency, source, estimatedFromYear: year } = calendar;
  const estimated = year === undefined ? {} : { estimatedFrom: isoDate(year, 1, 1) };
  return { currency, source, from, to, ...estimated, holidays };
}
