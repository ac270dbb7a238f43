import { operation } from '../operation.ts';
import { currency, id, integer, listMatching, required, text } from '../parameters.ts';
import { CURRENCY } from '../problem-groups.ts';
import {
  CalendarDate,
  CLOSED,
  CurrencyCode,
  Instant,
  line,
  literals,
  named,
  nullable,
  pageOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { Approval } from './approvals.ts';

/** Calendars and cut-offs as operators see and set them (docs/interface.md#cut-offs). */

export const DAY_STATES = ['closed', 'open'] as const;
export type DayState = (typeof DAY_STATES)[number];
/** `built_in`: it comes with the service. */
export const RULE_ORIGINS = ['built_in', 'operator'] as const;

/** A leap year's worth: every day of the year may be named. */
const DAYS_MAX = 366; // limit: Days that one change of a calendar may name

const Version = Type.Integer({ minimum: 1, description: 'The number in the `ETag`; 1 is built in.' });
const Change = named(
  'CalendarChange',
  Type.Object({
    version: Version,
    reason: Type.String(),
    changedBy: Type.String({ description: 'Person or OAuth client.' }),
    changedAt: Instant,
  }),
);
export type Change = Static<typeof Change>;

const CorrectedDay = named(
  'CorrectedDay',
  Type.Object(
    {
      date: CalendarDate,
      state: literals(DAY_STATES, {
        description: '`closed` adds a closing day; `open` removes one, or opens a day off.',
      }),
      reason: line(100, "For a closed day, the holiday's name, which customers see."),
      source: line(300, "Its source: the announcement or the settlement system's calendar."),
    },
    CLOSED,
  ),
);

const CalendarRange = named(
  'CalendarRange',
  Type.Object({
    from: CalendarDate,
    to: CalendarDate,
    estimatedFrom: nullable(CalendarDate),
    source: nullable(Type.String({ description: 'Where the built-in days come from.' })),
    runsShort: Type.Boolean({ description: 'It ends less than 13 months from now.' }),
  }),
);
export type CalendarRange = Static<typeof CalendarRange>;

const CalendarDay = named(
  'CalendarDay',
  Type.Object({
    date: CalendarDate,
    state: literals(DAY_STATES),
    name: Type.String(),
    origin: literals(RULE_ORIGINS),
    estimated: Type.Boolean({ description: 'Calculated; not yet announced.' }),
    inWorkingWeek: Type.Boolean({ description: 'False on a weekly day off, which is closed anyway.' }),
  }),
);
export type CalendarDay = Static<typeof CalendarDay>;

const CalendarYear = named(
  'CalendarYear',
  Type.Object({
    currency: CurrencyCode,
    year: Type.Integer(),
    version: Version,
    known: Type.Boolean({ description: 'False if no calendar covers the year: nothing is priced in it.' }),
    range: nullable(CalendarRange),
    complete: Type.Boolean({
      description: 'Whether `changes` lists all closing days of the year; if so, built-in days do not count.',
    }),
    days: Type.Array(CalendarDay, { description: 'Built-in days with the changes applied.' }),
    changes: Type.Array(CorrectedDay, { description: "The operator's changes; a PUT replaces them." }),
    lastChange: nullable(Change),
  }),
);
export type CalendarYear = Static<typeof CalendarYear>;

const SetCalendarYear = Type.Object(
  {
    complete: Type.Boolean({
      default: false,
      description:
        'Whether `changes` lists all closing days of the year. A complete year extends an adjoining calendar or starts one.',
    }),
    changes: Type.Array(CorrectedDay, { maxItems: DAYS_MAX }),
    reason: line(200, 'Why the year is changed, for its history.'),
  },
  CLOSED,
);

const TurnedDay = Type.Object({
  date: CalendarDate,
  state: literals([...DAY_STATES, 'unknown'], {
    description: '`unknown`: no calendar covers the day any more; listed only if transactions are open.',
  }),
  openTransactions: Type.Integer({
    description:
      'Transactions with this value date that are neither settled nor cancelled. They keep their date. For USD, all pairs count.',
  }),
});
export type TurnedDay = Static<typeof TurnedDay>;

const CalendarYearSet = named(
  'ChangedCalendarYear',
  Type.Object({
    ...CalendarYear.properties,
    turnedDays: Type.Array(TurnedDay, {
      description:
        'Days that this change closed or opened. Existing quotes and transactions keep their dates.',
    }),
  }),
);

const CalendarYearVersion = named(
  'CalendarYearVersion',
  Type.Object({
    ...Change.properties,
    approvedBy: nullable(
      Type.String({ description: 'For an import, the second person, or their OAuth client.' }),
    ),
    importId: nullable(Type.String({ description: 'The file import that the year came from.' })),
    complete: Type.Boolean(),
    changes: Type.Array(CorrectedDay),
  }),
);
export type CalendarYearVersion = Static<typeof CalendarYearVersion>;

const CalendarList = Type.Object({
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

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const NamedDay = Type.Object({ date: CalendarDate, name: Type.String() });

const ImportedCalendar = Type.Object({
  currency: CurrencyCode,
  years: Type.Array(
    Type.Object({
      year: Type.Integer(),
      replaces: Type.Integer({ description: 'The version that it replaces; 1 is built in.' }),
      known: Type.Boolean({ description: 'False if no calendar covers the year: all its days are added.' }),
    }),
  ),
  added: Type.Array(NamedDay, { description: 'Open days that will be closed.' }),
  removed: Type.Array(NamedDay, { description: 'Closed days that will be open.' }),
  renamed: Type.Array(Type.Object({ ...NamedDay.properties, formerName: Type.String() }), {
    description: 'Days that stay closed under a new name.',
  }),
  openTransactions: Count(
    'Transactions with an added day as value date that were neither settled nor cancelled when it was proposed. They keep their date. For USD, all pairs count.',
  ),
});

const CalendarImport = named(
  'CalendarImport',
  Type.Object({
    importId: Type.String({ examples: ['cim_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    source: Type.String(),
    fileSha256: Type.String({ description: 'Of the file as sent, in hex.' }),
    fromYear: Type.Integer(),
    toYear: Type.Integer(),
    lines: Count('Days in the file.'),
    leftOut: Type.Object({
      otherYears: Count('Lines of years not asked for.'),
      notAskedFor: Count('Lines of currencies or centres not asked for.'),
    }),
    calendars: Type.Array(ImportedCalendar),
    approval: Approval,
    appliedAt: nullable(Instant),
  }),
);
export type CalendarImport = Static<typeof CalendarImport>;

const CutOff = named(
  'CutOff',
  Type.Object({
    currency: CurrencyCode,
    time: Type.String({ examples: ['13:30'] }),
    zone: Type.String({ examples: ['Europe/London'] }),
    origin: literals(RULE_ORIGINS),
    source: nullable(Type.String()),
    version: Version,
    cutOffAt: Instant,
    lastChange: nullable(Change),
  }),
);
export type CutOff = Static<typeof CutOff>;

const SetCutOff = Type.Object(
  {
    time: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM, 24 hours.' }),
    zone: line(64, 'IANA time zone, such as Europe/London.'),
    source: line(300, 'Source of the time.'),
    reason: line(200, 'Why it is changed, for its history.'),
  },
  CLOSED,
);

const CutOffVersion = named(
  'CutOffVersion',
  Type.Object({
    ...Change.properties,
    time: Type.String(),
    zone: Type.String(),
    source: Type.String(),
  }),
);
export type CutOffVersion = Static<typeof CutOffVersion>;

const tag = 'Operator: calendars';
const access = { audience: 'operator', scope: 'operator:calendars' } as const;
const CALENDARS = '/v1/operator/calendars';
const IMPORTS = '/v1/operator/calendar-imports';
const CUT_OFFS = '/v1/operator/cutoffs';

const year = (description: string) => integer(2000, 2099, description);
const ofCurrency = { currency: currency() };
const ofYear = { ...ofCurrency, year: year('2000 to 2099.') };

export const listCalendars = operation({
  id: 'listCalendars',
  method: 'GET',
  path: CALENDARS,
  tag,
  summary: 'List the calendars of all currencies',
  description: 'Shows how far each calendar goes, and which run short.',
  access,
  answers: { 200: CalendarList },
});

export const getCalendarYear = operation({
  id: 'getCalendarYear',
  method: 'GET',
  path: `${CALENDARS}/{currency}/{year}`,
  tag,
  summary: "Read a year of a currency's calendar",
  description: "Returns the built-in days, the operator's changes, and the result.",
  access,
  params: ofYear,
  versioned: true,
  answers: { 200: CalendarYear },
  problems: CURRENCY,
});

export const setCalendarYear = operation({
  id: 'setCalendarYear',
  method: 'PUT',
  path: `${CALENDARS}/{currency}/{year}`,
  tag,
  summary: "Replace the operator's changes to a year",
  description: 'They take effect at once. Existing quotes and transactions keep their dates.',
  access,
  params: ofYear,
  body: SetCalendarYear,
  conditional: 'required',
  answers: { 200: CalendarYearSet },
  problems: CURRENCY,
});

export const listCalendarYearVersions = operation({
  id: 'listCalendarYearVersions',
  method: 'GET',
  path: `${CALENDARS}/{currency}/{year}/versions`,
  tag,
  summary: "List the versions of the operator's changes to a year, newest first",
  description: 'Empty if only the built-in days apply.',
  access,
  params: ofYear,
  pages: true,
  answers: { 200: pageOf(CalendarYearVersion) },
  problems: CURRENCY,
});

export const proposeCalendarImport = operation({
  id: 'proposeCalendarImport',
  method: 'POST',
  path: IMPORTS,
  tag,
  summary: "Propose a vendor's holidays for whole years",
  description:
    'The body is a CSV file in UTF-8, at most 2 MiB and 20,000 days: headings `currency` (or `centre`), `date` and `name`, then a line for each closing day. Nothing changes until another operator approves it; the approval is of kind `calendar_import`.',
  access,
  query: {
    source: required(text(300, 'Source of the days: the vendor and its file. Stored with each day.')),
    reason: required(text(200, 'Why the calendars are changed, for their history.')),
    fromYear: required(year('First year to set, 2000 to 2099. Days of other years are left out.')),
    toYear: required(year('Last year to set; at most ten years in all.')),
    currencies: listMatching(
      /^[A-Z]{3}$/,
      'a list of currencies such as EUR,JPY',
      'From a file with a column `currency`, take only these.',
    ),
    centres: listMatching(
      /^[^:,]{1,40}:[A-Z]{3}$/,
      'a list such as TGT:EUR,NYB:USD',
      'For a file with a column `centre`: the currency of each centre, such as `TGT:EUR,NYB:USD`. Others are left out.',
    ),
  },
  body: Type.String({ description: 'The file.' }),
  bodyMedia: ['text/csv'],
  key: 'kept',
  answers: { 202: CalendarImport },
  problems: [...CURRENCY, 'already_exists'],
});

export const getCalendarImport = operation({
  id: 'getCalendarImport',
  method: 'GET',
  path: `${IMPORTS}/{importId}`,
  tag,
  summary: 'Read an import of holidays',
  description: 'Returns the proposed changes and their approval.',
  access,
  params: { importId: id('cim') },
  answers: { 200: CalendarImport },
  problems: ['calendar_import_not_found'],
});

export const listCutOffs = operation({
  id: 'listCutOffs',
  method: 'GET',
  path: CUT_OFFS,
  tag,
  summary: 'List the same-day cut-offs of all currencies',
  description:
    "Of each, the operator's or else the built-in one (`origin`). Only currencies that can be traded.",
  access,
  answers: { 200: Type.Object({ items: Type.Array(CutOff) }) },
});

export const getCutOff = operation({
  id: 'getCutOff',
  method: 'GET',
  path: `${CUT_OFFS}/{currency}`,
  tag,
  summary: 'Read the same-day cut-off of a currency',
  description: "The operator's, or else the built-in one. `cutOffAt` is that of the current trade date.",
  access,
  params: ofCurrency,
  versioned: true,
  answers: { 200: CutOff },
  problems: CURRENCY,
});

export const setCutOff = operation({
  id: 'setCutOff',
  method: 'PUT',
  path: `${CUT_OFFS}/{currency}`,
  tag,
  summary: 'Set the same-day cut-off of a currency',
  description: 'Existing quotes and transactions keep their cut-offs.',
  access,
  params: ofCurrency,
  body: SetCutOff,
  conditional: 'required',
  answers: { 200: CutOff },
  problems: CURRENCY,
});

export const listCutOffVersions = operation({
  id: 'listCutOffVersions',
  method: 'GET',
  path: `${CUT_OFFS}/{currency}/versions`,
  tag,
  summary: "List the versions of a currency's cut-off, newest first",
  description: 'Empty if the built-in cut-off applies.',
  access,
  params: ofCurrency,
  pages: true,
  answers: { 200: pageOf(CutOffVersion) },
  problems: CURRENCY,
});
