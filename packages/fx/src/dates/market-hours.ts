import { addDays, type IsoDate, instantOf, localDateAt, weekdayOf } from './time.ts';

/** `closesAt` is the first closed instant, `reopensAt` the first open one (epoch milliseconds). */
export interface MarketHours {
  readonly open: boolean;
  readonly reason?: 'weekend' | 'holiday';
  readonly closesAt?: number;
  readonly reopensAt?: number;
}

const ZONE = 'America/New_York';
const SESSION_TIME = '17:00';

/**
 * Days of the year without a session, as `-MM-DD`. A session is named by the day it ends on, so a closed
 * Monday closes the Sunday evening before it too (no broker opened on Sunday 24 or 31 December 2017).
 */
const CLOSED_DAYS: readonly string[] = ['-12-25', '-01-01'];

/** Longer than any closure and any week, so that a search for a change of state always ends. */
const SEARCH_DAYS_MAX = 14;

type SessionState = 'open' | 'weekend' | 'holiday';

interface Window {
  readonly from: number;
  readonly until: number;
  readonly hours: MarketHours;
}

let lastWindow: Window | undefined;

/**
 * The state of the spot market: Sunday 17:00 to Friday 17:00 New York, closed for 25 December and 1 January.
 * Computed in the IANA zone, so the UTC hour differs between the two ends of a week in which clocks change.
 * The same frozen object is returned until the state changes.
 */
export function marketHoursAt(instant: number): MarketHours {
  if (lastWindow === undefined || instant < lastWindow.from || instant >= lastWindow.until) {
    lastWindow = windowAt(instant);
  }
  return lastWindow.hours;
}

function windowAt(instant: number): Window {
  const localDate = localDateAt(instant, ZONE);
  const session = instant < sessionEnd(localDate) ? localDate : addDays(localDate, 1);
  const state = sessionState(session);
  const last = lastSessionWith(session, state);
  const from = sessionEnd(addDays(session, -1));
  const until = sessionEnd(last);
  if (state === 'open') return { from, until, hours: Object.freeze({ open: true, closesAt: until }) };
  const reopensAt = sessionEnd(lastClosedSession(last));
  return { from, until, hours: Object.freeze({ open: false, reason: state, reopensAt }) };
}

function sessionEnd(session: IsoDate): number {
  return instantOf(session, SESSION_TIME, ZONE);
}

function sessionState(session: IsoDate): SessionState {
  if (weekdayOf(session) > 5) return 'weekend';
  return CLOSED_DAYS.some((day) => session.endsWith(day)) ? 'holiday' : 'open';
}

function lastSessionWith(session: IsoDate, state: SessionState): IsoDate {
  return lastWhile(session, (next) => sessionState(next) === state);
}

function lastClosedSession(session: IsoDate): IsoDate {
  return lastWhile(session, (next) => sessionState(next) !== 'open');
}

function lastWhile(start: IsoDate, holds: (session: IsoDate) => boolean): IsoDate {
  let last = start;
  for (let days = 0; days < SEARCH_DAYS_MAX; days += 1) {
    const next = addDays(last, 1);
    if (!holds(next)) return last;
    last = next;
  }
  throw new Error(`the market's state does not change within ${SEARCH_DAYS_MAX} days of ${start}`);
}
