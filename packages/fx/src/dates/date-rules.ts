import { builtInCalendars } from './built-in.ts';
import type { CalendarSet } from './calendar.ts';
import { type CutOffs, seedCutOffs } from './cut-offs.ts';

/**
 * Calendars and cut-offs as they stand at one moment, for everything that works with dates. Immutable: a change makes
 * a new one, and results are remembered per calendar set, so that nothing computed from an old one is ever served.
 */
export interface DateRules {
  readonly calendars: CalendarSet;
  readonly cutOffs: CutOffs;
}

/** Where the rules in force are asked for. Whoever needs them takes `current` once for each piece of work. */
export interface DateRulesSource {
  readonly current: DateRules;
}

/** What is shipped: the built-in calendars and the cut-off seeds. */
export const BUILT_IN_DATE_RULES: DateRules = { calendars: builtInCalendars, cutOffs: seedCutOffs };
