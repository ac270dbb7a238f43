export { builtInCalendars, builtInDefinitions } from './built-in.ts';
export {
  type CalendarDefinition,
  CalendarMissingError,
  type CalendarOverride,
  type CalendarSet,
  calendarSetOf,
  withOverrides,
} from './calendar.ts';
export { type CutOff, type CutOffs, cutOffInstant, seedCutOffs } from './cut-offs.ts';
export { type MarketHours, marketHoursAt } from './market-hours.ts';
export { ruleMadeCalendars } from './rules/index.ts';
export {
  type CurrencyPair,
  DEFAULT_SPOT_RULES,
  decidingCurrencies,
  isGoodValueDate,
  type SpotRules,
  spotDate,
  tomDate,
} from './spot.ts';
export {
  addDays,
  type IsoDate,
  instantOf,
  isIsoDate,
  isZone,
  localDateAt,
  localTimeAt,
  type TimeOfDay,
} from './time.ts';
export {
  AUCKLAND_ROLL,
  NEW_YORK_ROLL,
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
