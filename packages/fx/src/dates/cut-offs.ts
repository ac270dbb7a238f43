import { type IsoDate, instantOf, type TimeOfDay } from './time.ts';

/** Immutable: a changed cut-off is a new object. */
export interface CutOff {
  readonly time: TimeOfDay;
  readonly zone: string;
}

/** Latest time of day at which a currency can still be settled for the same day. Operators set their own. */
export interface CutOffs {
  sameDay(currency: string): CutOff;
}

const LONDON = 'Europe/London';

const seed = (time: TimeOfDay, zone: string): CutOff => ({ time, zone });

/**
 * Seeds for an operator to replace: banks differ by hours for the same currency. The eight London times are a
 * British clearing bank's same-day times. All others are this project's cautious guess, a time of the morning
 * on the currency's own clock that leaves its settlement system some hours; no bank has published them.
 */
const SEEDS: ReadonlyMap<string, CutOff> = new Map([
  ['CAD', seed('13:00', LONDON)],
  ['CHF', seed('09:30', LONDON)],
  ['DKK', seed('09:00', LONDON)],
  ['EUR', seed('13:30', LONDON)],
  ['GBP', seed('15:00', LONDON)],
  ['NOK', seed('09:00', LONDON)],
  ['SEK', seed('09:30', LONDON)],
  ['USD', seed('15:00', LONDON)],
  ['AED', seed('10:00', 'Asia/Dubai')],
  ['AUD', seed('10:00', 'Australia/Sydney')],
  ['BHD', seed('10:00', 'Asia/Bahrain')],
  ['BRL', seed('10:00', 'America/Sao_Paulo')],
  ['CLP', seed('10:00', 'America/Santiago')],
  ['CNH', seed('11:00', 'Asia/Hong_Kong')],
  ['CZK', seed('10:00', 'Europe/Prague')],
  ['HKD', seed('11:00', 'Asia/Hong_Kong')],
  ['HUF', seed('10:00', 'Europe/Budapest')],
  ['IDR', seed('10:00', 'Asia/Jakarta')],
  ['ILS', seed('10:00', 'Asia/Jerusalem')],
  ['INR', seed('10:00', 'Asia/Kolkata')],
  ['ISK', seed('10:00', 'Atlantic/Reykjavik')],
  ['JOD', seed('10:00', 'Asia/Amman')],
  ['JPY', seed('10:00', 'Asia/Tokyo')],
  ['KRW', seed('10:00', 'Asia/Seoul')],
  ['KWD', seed('10:00', 'Asia/Kuwait')],
  ['MXN', seed('10:00', 'America/Mexico_City')],
  ['NZD', seed('10:00', 'Pacific/Auckland')],
  ['MYR', seed('10:00', 'Asia/Kuala_Lumpur')],
  ['OMR', seed('10:00', 'Asia/Muscat')],
  ['PHP', seed('10:00', 'Asia/Manila')],
  ['PLN', seed('10:00', 'Europe/Warsaw')],
  ['QAR', seed('10:00', 'Asia/Qatar')],
  ['RON', seed('10:00', 'Europe/Bucharest')],
  ['SAR', seed('10:00', 'Asia/Riyadh')],
  ['SGD', seed('11:00', 'Asia/Singapore')],
  ['THB', seed('10:00', 'Asia/Bangkok')],
  ['TRY', seed('10:00', 'Europe/Istanbul')],
  ['TWD', seed('10:00', 'Asia/Taipei')],
  ['ZAR', seed('10:00', 'Africa/Johannesburg')],
]);

/** For a currency without a seed: the earliest of the London times. */
const OTHER_CURRENCY = seed('09:00', LONDON);

export const seedCutOffs: CutOffs = { sameDay: (currency) => SEEDS.get(currency) ?? OTHER_CURRENCY };

/** The first instant at which one of both currencies can no longer be settled on a date. */
export function earlierCutOff(pair: readonly [string, string], date: IsoDate, cutOffs: CutOffs): number {
  return Math.min(cutOffInstant(pair[0], date, cutOffs), cutOffInstant(pair[1], date, cutOffs));
}

/** Dates remembered per cut-off; a quote asks for the few dates up to spot. */
const DATES_MAX = 64;

// Per cut-off object, so that an operator's new time, a new object, is never answered with the old one.
const instants = new WeakMap<CutOff, Map<IsoDate, number>>();

/**
 * Epoch milliseconds of the currency's cut-off on a date: the first instant that is too late. Remembered,
 * since every quote carries one and the zone arithmetic costs 8 µs.
 */
export function cutOffInstant(currency: string, date: IsoDate, cutOffs: CutOffs = seedCutOffs): number {
  const cutOff = cutOffs.sameDay(currency);
  let byDate = instants.get(cutOff);
  if (byDate === undefined || byDate.size >= DATES_MAX) {
    byDate = new Map();
    instants.set(cutOff, byDate);
  }
  let instant = byDate.get(date);
  if (instant === undefined) {
    instant = instantOf(date, cutOff.time, cutOff.zone);
    byDate.set(date, instant);
  }
  return instant;
}
