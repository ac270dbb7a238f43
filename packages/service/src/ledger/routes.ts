import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import type { RouteAccess } from '../http/context.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { readStatement, type StatementPlace } from './account-statement.ts';
import { ACCOUNT_NAMES, ACCOUNTS } from './accounts.ts';
import { checkBooks } from './check-books.ts';
import { entryRoutes } from './entry-routes.ts';
import { exportRoute } from './export-route.ts';
import { readPositions } from './positions.ts';
import { readCurrency, readOwner } from './query.ts';
import * as schema from './schema.ts';
import { readTrialBalance } from './trial-balance.ts';

export const LEDGER_PATH = '/v1/operator/ledger';
const access: RouteAccess = { audience: 'operator', scope: 'operator:ledger' };
const tags = ['Operator: ledger'];

export interface LedgerRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly book: RateBook;
  readonly cursors: CursorCodec;
}

/** The books, for finance: accounts, balances, statements, entries, positions, and the whole journal as a file. */
export function ledgerRoutes(app: FastifyInstance, options: LedgerRoutesOptions): void {
  app.get(
    `${LEDGER_PATH}/accounts`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The chart of accounts',
        response: { 200: schema.ChartOfAccounts, default: ProblemSchema },
      },
    },
    async () => ({ items: ACCOUNTS }),
  );
  app.get(
    `${LEDGER_PATH}/check`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Whether balances are what the journal has, and debits equal credits',
        response: { 200: schema.BooksCheckAnswer, default: ProblemSchema },
      },
    },
    async (_request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return checkBooks(options.pool, options.clock.now());
    },
  );
  trialBalanceRoute(app, options);
  statementRoute(app, options);
  positionsRoute(app, options);
  entryRoutes(app, options);
  exportRoute(app, options);
}

function trialBalanceRoute(app: FastifyInstance, { pool, clock }: LedgerRoutesOptions): void {
  app.get(
    `${LEDGER_PATH}/trial-balance`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Trial balance now or at an instant, of the house or a customer',
        querystring: schema.TrialBalanceQuery,
        response: { 200: schema.TrialBalanceAnswer, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const at = query.instant('at');
      const now = clock.now();
      if (at !== undefined && at > now) query.refuse('at', 'out_of_range', 'must not be in the future');
      const filter = { customerId: readOwner(query), currency: readCurrency(query) };
      query.finish();
      reply.header('Cache-Control', 'no-store');
      return readTrialBalance(pool, filter, at, now);
    },
  );
}

function statementRoute(app: FastifyInstance, { pool, cursors }: LedgerRoutesOptions): void {
  app.get<{ Params: { account: string } }>(
    `${LEDGER_PATH}/accounts/:account/postings`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Statement of an account: its postings in the order of time, with the balance after each',
        params: schema.AccountParams,
        querystring: schema.StatementQuery,
        response: { 200: schema.StatementAnswer, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const { account } = request.params;
      const query = new QueryReader(request.query);
      if (!ACCOUNT_NAMES.some((name) => name === account)) {
        throw new Problem(
          'account_not_found',
          `There is no account ${account}; see ${LEDGER_PATH}/accounts.`,
        );
      }
      const customerId = readOwner(query);
      if (customerId === undefined) query.refuse('customerId', 'required', 'must be a customer, or "house"');
      const currency = readCurrency(query);
      if (currency === undefined) query.refuse('currency', 'required', 'must be a currency code');
      const from = query.instant('from') ?? 0;
      const to = query.instant('to');
      if (to !== undefined && from >= to) query.refuse('to', 'out_of_range', 'must be later than from');
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const key = { account, customerId: customerId ?? '', currency: currency ?? '' };
      const scope: CursorScope = { list: 'account statement', sort: 'at', filters: { ...key, from, to } };
      const after = cursor === undefined ? undefined : placeOf(cursors.decode(scope, cursor));
      const statement = await readStatement(pool, key, { from, to }, after, limit);
      const page = cursors.page(
        scope,
        statement.lines,
        limit,
        ({ place }) => [place.entryId, place.line, place.balanceMinor.toString()],
        ({ view }) => view,
      );
      linkedPage(request, reply, page);
      reply.header('Cache-Control', 'no-store');
      const { openingBalance, closingBalance } = statement;
      const owner = (request.query as { customerId: string }).customerId;
      return { account, customerId: owner, currency, openingBalance, closingBalance, ...page };
    },
  );
}

/** The cursor is signed, so the balance in it is one that this service told. */
function placeOf([entryId, line, balance]: readonly unknown[]): StatementPlace {
  if (typeof entryId !== 'string' || typeof line !== 'number' || typeof balance !== 'string') {
    throw new Problem('cursor_invalid', 'The cursor is not one of this list.', { field: '/query/cursor' });
  }
  return { entryId, line, balanceMinor: BigInt(balance) };
}

function positionsRoute(app: FastifyInstance, { pool, clock, book }: LedgerRoutesOptions): void {
  app.get(
    `${LEDGER_PATH}/positions`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Currency positions with realised and unrealised result at the present mid',
        querystring: schema.PositionsQuery,
        response: { 200: schema.PositionsAnswer, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const customerId = readOwner(query);
      query.finish();
      reply.header('Cache-Control', 'no-store');
      return readPositions(pool, book, clock.now(), customerId);
    },
  );
}
