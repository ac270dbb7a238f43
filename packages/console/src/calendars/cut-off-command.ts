import type { CutOff } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { type PageCommand, REASON, text } from '../parts/page-command.ts';
import { check } from '../parts/written-forms.ts';

/** What a cut-off is, and which time zones others have. */
export interface CutOffSubject {
  readonly of: Pick<CutOff, 'time' | 'zone'>;
  readonly zones: readonly string[];
}

export const SET_CUT_OFF: PageCommand<CutOffSubject> = {
  label: 'Change',
  scope: 'operator:calendars',
  // The reason is in the command itself.
  why: 'none',
  about: 'Until then a trade can settle on the same day. Quotes and trades that exist keep their cut-offs.',
  done: 'The new cut-off applies to new quotes.',
  asks: ({ of: { time, zone }, zones }) => [
    {
      name: 'time',
      label: 'Time, such as 13:30',
      initial: time,
      check: check(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter hours and minutes, such as 13:30.'),
    },
    { name: 'zone', label: 'Time zone', hint: 'Such as Europe/London.', initial: zone, offers: zones },
    { name: 'source', label: 'Source of the time' },
    REASON,
  ],
  send: ([currency = ''], { time, zone, source, reason }, { ifMatch = '' }) =>
    operator.setCutOff(
      currency,
      { time: text(time), zone: text(zone), source: text(source), reason: text(reason) },
      { ifMatch },
    ),
};
