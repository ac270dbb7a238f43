import type { DayCount } from '@firmquote/fx';
import { type KnownRate, knownRate } from './policy.ts';

/**
 * What money costs in the sandbox, so that it trades every tenor. The levels are the central banks' policy rates at the
 * end of 2024, entered by hand from their announcements, with a tenth of a percent to either side; Singapore has none,
 * and its level is only a plausible one. They are not maintained: production is given rates of its own or none.
 */
const AS_OF = '2024-12-31';
const SOURCE = "sandbox: central banks' policy rates at the end of 2024, rounded, not maintained";

/** Currency, level in hundredths of a percent a year, and the days of its year in the money market. */
const LEVELS: readonly (readonly [currency: string, level: number, dayCount: DayCount])[] = [
  ['AED', 440, 'ACT/360'],
  ['AUD', 435, 'ACT/365'],
  ['BHD', 500, 'ACT/360'],
  ['BRL', 1225, 'ACT/365'],
  ['CAD', 325, 'ACT/365'],
  ['CHF', 50, 'ACT/360'],
  ['CLP', 500, 'ACT/360'],
  ['CNH', 150, 'ACT/360'],
  ['CZK', 400, 'ACT/360'],
  ['DKK', 260, 'ACT/360'],
  ['EUR', 300, 'ACT/360'],
  ['GBP', 475, 'ACT/365'],
  ['HKD', 475, 'ACT/365'],
  ['HUF', 650, 'ACT/360'],
  ['IDR', 600, 'ACT/360'],
  ['ILS', 450, 'ACT/365'],
  ['INR', 650, 'ACT/365'],
  ['ISK', 850, 'ACT/360'],
  ['JOD', 650, 'ACT/360'],
  ['JPY', 25, 'ACT/360'],
  ['KRW', 300, 'ACT/365'],
  ['KWD', 400, 'ACT/365'],
  ['MXN', 1000, 'ACT/360'],
  ['MYR', 300, 'ACT/365'],
  ['NOK', 450, 'ACT/360'],
  ['NZD', 425, 'ACT/365'],
  ['OMR', 500, 'ACT/360'],
  ['PHP', 575, 'ACT/360'],
  ['PLN', 575, 'ACT/365'],
  ['QAR', 485, 'ACT/360'],
  ['RON', 650, 'ACT/360'],
  ['SAR', 500, 'ACT/360'],
  ['SEK', 275, 'ACT/360'],
  ['SGD', 300, 'ACT/365'],
  ['THB', 225, 'ACT/365'],
  ['TRY', 4750, 'ACT/365'],
  ['TWD', 200, 'ACT/365'],
  ['USD', 450, 'ACT/360'],
  ['ZAR', 775, 'ACT/365'],
];

const HALF_WIDTH = 10;

export const SANDBOX_RATES: ReadonlyMap<string, KnownRate> = new Map(
  LEVELS.map(([currency, level, dayCount]) => [
    currency,
    knownRate({
      currency,
      bid: percent(level - HALF_WIDTH),
      ask: percent(level + HALF_WIDTH),
      dayCount,
      asOf: AS_OF,
      source: SOURCE,
    }),
  ]),
);

function percent(hundredths: number): string {
  const digits = String(hundredths).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
