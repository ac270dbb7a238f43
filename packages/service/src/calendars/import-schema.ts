import { Approval as ApprovalAnswer } from '@firmquote/api/operations/approvals';
import { CalendarDate, CurrencyCode, Instant, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

const text = (description: string) => Type.String({ description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const ImportQuery = Type.Object({
  source: text('Where the days are from: the vendor and its file. It stands with every day.'),
  reason: text('Why the calendars are changed, for their history.'),
  fromYear: text('First year that is set, 2000 to 2099. Days of other years are left out.'),
  toYear: text('Last year that is set; at most ten years.'),
  currencies: Type.Optional(text('Comma list; only these are taken of a file with a column `currency`.')),
  centres: Type.Optional(
    text(
      'Of a file with a column `centre`: which currency a centre stands for, such as `TGT:EUR,NYB:USD`. Others are left out.',
    ),
  ),
});

export const ImportParams = Type.Object({ importId: Type.String() });

const NamedDay = Type.Object({ date: CalendarDate, name: Type.String() });

const ImportedCalendar = Type.Object({
  currency: CurrencyCode,
  years: Type.Array(
    Type.Object({
      year: Type.Integer(),
      replaces: Type.Integer({ description: 'The version that it replaces; 1 is what is built in.' }),
      known: Type.Boolean({
        description: 'False for a year that no calendar covers: all its days are added.',
      }),
    }),
  ),
  added: Type.Array(NamedDay, { description: 'Days that will be closed and are not.' }),
  removed: Type.Array(NamedDay, { description: 'Days that are closed and will be open.' }),
  renamed: Type.Array(Type.Object({ date: CalendarDate, name: Type.String(), formerName: Type.String() }), {
    description: 'Days that stay closed, under another name.',
  }),
  openTransactions: Count(
    'Transactions that are neither settled nor cancelled and have an added day as their value date, when it was proposed. They keep it; for USD those of every pair are counted.',
  ),
});

export const CalendarImport = Type.Object({
  importId: Type.String({ examples: ['cim_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  source: Type.String(),
  fileSha256: Type.String({ description: 'Of the bytes that were sent, in hex.' }),
  fromYear: Type.Integer(),
  toYear: Type.Integer(),
  lines: Count('Days that the file names.'),
  leftOut: Type.Object({
    otherYears: Count('Lines of years that were not asked for.'),
    notAskedFor: Count('Lines of currencies or centres that were not asked for.'),
  }),
  calendars: Type.Array(ImportedCalendar),
  approval: ApprovalAnswer,
  appliedAt: nullable(Instant),
});
export type CalendarImport = Static<typeof CalendarImport>;
