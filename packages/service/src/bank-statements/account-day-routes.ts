import type { FastifyInstance } from 'fastify';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { Type } from '../platform/typebox.ts';
import { type AccountDays, entriesOfAccount, statementsOfAccount } from './account-listing-store.ts';
import { DEPOSIT_STATES, PAYMENT_STATES } from './record.ts';
import { access, type StatementRoutesOptions, tags } from './route-parts.ts';
import { EntryList, StatementList } from './schema.ts';
import { entryView, statementView } from './view.ts';

/** Days that one request looks at. */
const DAYS_MAX = 92; // limit: Range of days of an account's entries
const DAY_MS = 86_400_000;

const text = (description: string) => Type.Optional(Type.String({ description }));
const days = {
  account: Type.String({ description: "The house's account, as statements call it: an IBAN or a number." }),
  from: Type.String({ description: 'First day.' }),
  to: text(`Last day, at most ${DAYS_MAX} days on. By default the first.`),
};
const paging = {
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
};
const StatementsQuery = Type.Object({ ...days, ...paging });
const EntriesQuery = Type.Object({
  ...days,
  direction: text('credit or debit; repeatable or comma list.'),
  depositState: text(`Repeatable or comma list of: ${DEPOSIT_STATES.join(', ')}.`),
  paymentState: text(`Repeatable or comma list of: ${PAYMENT_STATES.join(', ')}.`),
  ...paging,
});

/** What banks have told of an account of the house, day by day, whichever files it came in. */
export function accountDayRoutes(app: FastifyInstance, options: StatementRoutesOptions): void {
  statementsRoute(app, options);
  entriesRoute(app, options);
}

function statementsRoute(app: FastifyInstance, { room, cursors }: StatementRoutesOptions): void {
  app.get(
    '/v1/operator/account-statements',
    {
      config: { access },
      schema: {
        tags,
        summary: 'The statements of an account that end on some days, oldest first',
        description: 'Those that say which days they cover.',
        querystring: StatementsQuery,
        response: { 200: StatementList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = readDays(query);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'account-statements', sort: 'to', filters: { ...filter } };
      const parts = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = parts && { day: String(parts[0]), id: String(parts[1]) };
      const rows = await statementsOfAccount(room.pool, filter, after, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.period_to ?? '', row.id], statementView);
      return linkedPage(request, reply, page);
    },
  );
}

function entriesRoute(app: FastifyInstance, { room, cursors }: StatementRoutesOptions): void {
  app.get(
    '/v1/operator/statement-entries',
    {
      config: { access },
      schema: {
        tags,
        summary: 'The entries of an account that were booked on some days, oldest first, each once',
        description: 'What several files have told of is here as the first one told it.',
        querystring: EntriesQuery,
        response: { 200: EntryList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = {
        ...readDays(query),
        direction: query.list('direction', ['credit', 'debit']),
        depositState: query.list('depositState', DEPOSIT_STATES),
        paymentState: query.list('paymentState', PAYMENT_STATES),
      };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'account-entries', sort: 'bookingDate', filters: { ...filter } };
      const parts = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = parts && { day: String(parts[0]), id: String(parts[1]) };
      const rows = await entriesOfAccount(room.pool, filter, after, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.booking_date, row.id], entryView);
      return linkedPage(request, reply, page);
    },
  );
}

function readDays(query: QueryReader): AccountDays {
  const account = query.text('account', 64)?.replace(/\s/g, '');
  const from = query.date('from');
  const to = query.date('to') ?? from;
  if (account === undefined) query.refuse('account', 'required', 'is required');
  if (from === undefined) query.refuse('from', 'required', 'is required: a date such as 2026-03-04');
  if (from !== undefined && to !== undefined) {
    if (to < from) query.refuse('to', 'before_start', 'is before the first day');
    const span = Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`);
    if (span > DAYS_MAX * DAY_MS)
      query.refuse('to', 'out_of_range', `must be at most ${DAYS_MAX} days after the first day`);
  }
  return { account: account ?? '', from: from ?? '', to: to ?? '' };
}
