export { builtInCalendars, builtInDefinitions } from './built-in.ts';
export {
  type CalendarDefinition,
  CalendarMissingError,
  type CalendarOverride,
  type CalendarSet,
  type CalendarYear,
  calendarSetOf,
  withCalendarYears,
} from './calendar.ts';
export { type CutOff, type CutOffs, cutOffInstant, earlierCutOff, seedCutOffs } from './cut-offs.ts';
export {
  BUILT_IN_DATE_RULES,
  type DateRules,
  type DateRulesSource,
  tradeDateEndOf,
  tradeDateOf,
} from './date-rules.ts';
export type { ConsideredDay, SpotDerivation, SpotLeg } from './derivation.ts';
export {
  type ExplainedCutOff,
  type ExplainedDate,
  explainValueDates,
  type ValueDateExplanation,
} from './explain.ts';
export { type MarketHours, marketHoursAt } from './market-hours.ts';
export { type DateReason, reasonInWords } from './reasons.ts';
export { ruleMadeCalendars } from './rules/index.ts';
export { estimatedCurrencies, isGoodValueDate, spotDate, tomDate } from './spot.ts';
export {
  type CurrencyPair,
  DEFAULT_SPOT_RULES,
  decidingCurrencies,
  type SpotRules,
  spotLagDays,
} from './spot-rules.ts';
export {
  addDays,
  addMonths,
  daysBetween,
  type IsoDate,
  instantOf,
  isIsoDate,
  isTimeZone,
  localDateAt,
  localTimeAt,
  type TimeOfDay,
  weekdayOf,
} from './time.ts';
export {
  AUCKLAND_ROLL,
  marketRollOf,
  NEW_YORK_ROLL,
  type RollOf,
  rollingInAuckland,
  type TradeDateRoll,
  tradeDateAt,
  tradeDateEnd,
} from './trade-date.ts';
export {
  resolveTenor,
  resolveValueDate,
  type Tenor,
  type ValueDateOptions,
  type ValueDateResult,
} from './value-date.ts';
export { isInWorkingWeek } from './weeks.ts';
