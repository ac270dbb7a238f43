import type { FastifyInstance } from 'fastify';
import { logFailure } from '../database/log-failure.ts';
import { etagOf } from '../http/conditional.ts';
import { type ItemOutcome, itemProblem } from '../http/each-by-itself.ts';
import { idempotent } from '../http/idempotency.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { TransactionParams } from '../transactions/schema.ts';
import { commandMany } from './command-many.ts';
import { holdRoutes } from './hold-routes.ts';
import { find } from './operate.ts';
import { access, type SettlementRoutesOptions, TRANSACTIONS_PATH, tags } from './order-route.ts';
import { runRoutes } from './run-routes.ts';
import * as schema from './schema.ts';
import {
  COUNTED_MAX,
  countWork,
  filterTexts,
  listForOperator,
  readOperatorFilter,
} from './search-transactions.ts';
import { payoutRoutes, redirectRoute, refundRoutes } from './trade-routes.ts';
import { unwindRoutes } from './unwind-routes.ts';
import { missingFunds, operatorSummary, operatorView } from './view.ts';

/** Trades of all customers, and what operators do with them. */
export function settlementRoutes(app: FastifyInstance, options: SettlementRoutesOptions): void {
  listRoute(app, options);
  countsRoute(app, options);
  commandsRoute(app, options);
  transactionRoute(app, options);
  holdRoutes(app, options);
  runRoutes(app, options.room);
  payoutRoutes(app, options);
  redirectRoute(app, options);
  refundRoutes(app, options);
  unwindRoutes(app, options);
}

function listRoute(app: FastifyInstance, { room, cursors }: SettlementRoutesOptions): void {
  app.get(
    TRANSACTIONS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List transactions of all customers, newest first',
        querystring: schema.OperatorTransactionQuery,
        response: { 200: schema.OperatorTransactionList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = readOperatorFilter(query);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = {
        list: 'operator transactions',
        sort: '-createdAt',
        filters: filterTexts(filter),
      };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listForOperator(room.pool, filter, before, limit + 1);
      const missing = await missingFunds(room.pool, rows);
      const page = cursors.page(
        scope,
        rows,
        limit,
        (row) => [row.id],
        (row) => operatorSummary(row, missing),
      );
      return linkedPage(request, reply, page);
    },
  );
}

function countsRoute(app: FastifyInstance, { room }: SettlementRoutesOptions): void {
  app.get(
    `${TRANSACTIONS_PATH}/counts`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'How many transactions, refunds and withdrawals wait, by what they wait for',
        response: { 200: schema.WorkCounts, default: ProblemSchema },
      },
    },
    async () => ({
      items: (await countWork(room.pool)).map(({ work, count }) => ({
        work,
        count: Math.min(count, COUNTED_MAX),
        isMore: count > COUNTED_MAX,
      })),
    }),
  );
}

function commandsRoute(app: FastifyInstance, { room, idempotency }: SettlementRoutesOptions): void {
  app.post(
    `${TRANSACTIONS_PATH}/commands`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The same command on many transactions, each with its own outcome',
        description:
          'Each is done as by its own route, in a commit of its own. The answer is 200 whatever became of them.',
        body: schema.CommandMany,
        response: { 200: schema.CommandOutcomes, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const body = request.body as schema.CommandMany;
      const outcomes = await commandMany(room, body, (error, { transactionId }) =>
        logFailure(
          request.server.logger,
          error,
          { transactionId, ...loggedRequest(request) },
          'a command on many transactions failed for one',
        ),
      );
      const view = (each: ItemOutcome<TransactionRow>, index: number) =>
        outcomeView(body.items[index]?.transactionId ?? '', each);
      return { status: 200, body: { items: outcomes.map(view) } };
    }),
  );
}

function outcomeView(transactionId: string, each: ItemOutcome<TransactionRow>): Record<string, unknown> {
  const { outcome } = each;
  return {
    ...{ transactionId, outcome },
    status: each.outcome === 'done' ? each.done.status : null,
    version: each.outcome === 'done' ? each.done.version : null,
    problem: each.outcome === 'refused' ? itemProblem(each.problem) : null,
  };
}

function transactionRoute(app: FastifyInstance, { room }: SettlementRoutesOptions): void {
  app.get<{ Params: { transactionId: string } }>(
    `${TRANSACTIONS_PATH}/:transactionId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'A transaction of any customer',
        params: TransactionParams,
        response: { 200: schema.OperatorTransaction, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const row = await find(room, parseTypeId('txn', request.params.transactionId));
      const view = await operatorView(room.pool, row, room.clock.now());
      return reply.header('ETag', etagOf(row.version)).send(view);
    },
  );
}
