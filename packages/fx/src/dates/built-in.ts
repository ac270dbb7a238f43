import { type CalendarDefinition, type CalendarSet, calendarSetOf } from './calendar.ts';
import { calendarsFromFiles } from './calendars/index.ts';
import { ruleMadeCalendars } from './rules/index.ts';

const KNOWN_FROM = '2024-01-01'; // limit: First day of the built-in calendars
const KNOWN_TO = '2030-12-31'; // limit: Last day of the built-in calendars

/** Every built-in calendar with its source and, where days are calculated, from when on; sorted by currency. */
export const builtInDefinitions: readonly CalendarDefinition[] = [
  ...ruleMadeCalendars(KNOWN_FROM, KNOWN_TO),
  ...calendarsFromFiles,
].sort((a, b) => (a.currency < b.currency ? -1 : 1));

/** Settlement calendars 2024-01-01 to 2030-12-31. Past that range nothing is priced: CalendarMissingError. */
export const builtInCalendars: CalendarSet = calendarSetOf(builtInDefinitions);
