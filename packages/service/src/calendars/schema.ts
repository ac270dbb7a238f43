import { CalendarDate, CurrencyCode, Instant, literals, nullable } from '../http/schema.ts';
import { type Static, type TSchema, Type } from '../platform/typebox.ts';

/** Calendars and cut-offs as operators see and set them (docs/interface.md#cut-offs). */

const request = { additionalProperties: false } as const;

function text(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$', description });
}

/** A leap year's worth: every day of the year may be named. */
const DAYS_MAX = 366; // limit: Days that one request may name

const Version = Type.Integer({ minimum: 1, description: 'The number in the `ETag`; 1 is what is built in.' });
const Change = Type.Object({
  version: Version,
  reason: Type.String(),
  changedBy: Type.String({ description: "The operator's OAuth client." }),
  changedAt: Instant,
});
export type Change = Static<typeof Change>;

const CorrectedDay = Type.Object(
  {
    date: CalendarDate,
    state: literals(['closed', 'open'], {
      description: 'closed adds a closing day; open takes one away, or opens a day off.',
    }),
    reason: text(100, "Of a closed day, the holiday's name: it is shown to customers."),
    source: text(300, 'Where it is known from: the announcement or the calendar of the settlement system.'),
  },
  request,
);

export const CalendarRange = Type.Object({
  from: CalendarDate,
  to: CalendarDate,
  estimatedFrom: nullable(CalendarDate),
  source: nullable(Type.String({ description: 'Where the built-in days come from.' })),
  runsShort: Type.Boolean({ description: 'It ends less than 13 months from now.' }),
});
export type CalendarRange = Static<typeof CalendarRange>;

const CalendarDay = Type.Object({
  date: CalendarDate,
  state: literals(['closed', 'open']),
  name: Type.String(),
  origin: literals(['built_in', 'operator']),
  estimated: Type.Boolean({ description: 'Calculated; it awaits an announcement.' }),
  inWorkingWeek: Type.Boolean({ description: 'False on a day off, which is closed anyhow.' }),
});
export type CalendarDay = Static<typeof CalendarDay>;

export const CalendarYear = Type.Object({
  currency: CurrencyCode,
  year: Type.Integer(),
  version: Version,
  known: Type.Boolean({ description: 'False for a year that no calendar covers: nothing is priced in it.' }),
  range: nullable(CalendarRange),
  complete: Type.Boolean({
    description: 'The changes are all closing days of the year; nothing built in counts.',
  }),
  days: Type.Array(CalendarDay, { description: 'What comes of built-in days and changes.' }),
  changes: Type.Array(CorrectedDay, { description: 'What an operator has said; a PUT replaces it.' }),
  lastChange: nullable(Change),
});
export type CalendarYear = Static<typeof CalendarYear>;

export const SetCalendarYear = Type.Object(
  {
    complete: Type.Boolean({
      default: false,
      description:
        'True when `changes` are all closing days of the year. A complete year extends a calendar that it adjoins, or begins one.',
    }),
    changes: Type.Array(CorrectedDay, { maxItems: DAYS_MAX }),
    reason: text(200, 'Why the year is changed, for its history.'),
  },
  request,
);
export type SetCalendarYear = Static<typeof SetCalendarYear>;

const TurnedDay = Type.Object({
  date: CalendarDate,
  state: literals(['closed', 'open', 'unknown'], {
    description: 'unknown: no calendar says any more; such days are told where transactions are open.',
  }),
  openTransactions: Type.Integer({
    description:
      'Transactions that are neither settled nor cancelled and have this value date. They keep it; for USD those of every pair are counted.',
  }),
});
export type TurnedDay = Static<typeof TurnedDay>;

export const CalendarYearSet = Type.Object({
  ...CalendarYear.properties,
  turnedDays: Type.Array(TurnedDay, {
    description:
      'Days that this change has closed or opened. Quotes and transactions that exist keep their dates.',
  }),
});

export const CalendarYearVersion = Type.Object({
  ...Change.properties,
  approvedBy: nullable(Type.String({ description: 'OAuth client of the second operator, of an import.' })),
  importId: nullable(Type.String({ description: 'The import of a file that the year came from.' })),
  complete: Type.Boolean(),
  changes: Type.Array(CorrectedDay),
});
export type CalendarYearVersion = Static<typeof CalendarYearVersion>;

export const CalendarList = Type.Object({
  items: Type.Array(
    Type.Object({
      currency: CurrencyCode,
      range: nullable(CalendarRange),
    }),
  ),
  runningShort: Type.Array(CurrencyCode, {
    description: 'Currencies whose calendar ends less than 13 months from now.',
  }),
});

export const CutOff = Type.Object({
  currency: CurrencyCode,
  time: Type.String({ examples: ['13:30'] }),
  zone: Type.String({ examples: ['Europe/London'] }),
  origin: literals(['built_in', 'operator']),
  source: nullable(Type.String()),
  version: Version,
  cutOffAt: Instant,
  lastChange: nullable(Change),
});
export type CutOff = Static<typeof CutOff>;

export const SetCutOff = Type.Object(
  {
    time: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM, 24 hours.' }),
    zone: text(64, 'A zone of the IANA database, such as Europe/London.'),
    source: text(300, 'Where the time is known from.'),
    reason: text(200, 'Why it is changed, for its history.'),
  },
  request,
);
export type SetCutOff = Static<typeof SetCutOff>;

export const CutOffVersion = Type.Object({
  ...Change.properties,
  time: Type.String(),
  zone: Type.String(),
  source: Type.String(),
});
export type CutOffVersion = Static<typeof CutOffVersion>;

export const CutOffList = Type.Object({ items: Type.Array(CutOff) });

export const CurrencyParams = Type.Object({ currency: CurrencyCode });
export const YearParams = Type.Object({
  currency: CurrencyCode,
  year: Type.String({ pattern: '^20[0-9]{2}$', description: '2000 to 2099.' }),
});

export const VersionQuery = Type.Object(
  {
    limit: Type.Optional(Type.String({ description: '1 to 200, default 50.' })),
    cursor: Type.Optional(Type.String({ description: 'From nextCursor.' })),
  },
  { additionalProperties: false },
);

export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: nullable(Type.String()),
    hasMore: Type.Boolean(),
  });
}
