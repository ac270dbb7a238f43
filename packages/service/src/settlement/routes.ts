import { TRANSACTION_STATUSES } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { etagOf } from '../http/conditional.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { TransactionParams } from '../transactions/schema.ts';
import { holdRoutes } from './hold-routes.ts';
import { find } from './operate.ts';
import { access, type SettlementRoutesOptions, TRANSACTIONS_PATH, tags } from './order-route.ts';
import { runRoutes } from './run-routes.ts';
import * as schema from './schema.ts';
import { listForOperator } from './store.ts';
import { payoutRoutes, redirectRoute, refundRoutes } from './trade-routes.ts';
import { unwindRoutes } from './unwind-routes.ts';
import { operatorSummary, operatorView } from './view.ts';

/** Contract §14: trades of all customers, and what operators do with them. */
export function settlementRoutes(app: FastifyInstance, options: SettlementRoutesOptions): void {
  listRoute(app, options);
  transactionRoute(app, options);
  holdRoutes(app, options);
  runRoutes(app, options);
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
      const customer = query.text('customerId', 64);
      const filter = {
        status: query.list('status', TRANSACTION_STATUSES),
        customerId: customer === undefined ? undefined : (parseTypeId('cus', customer) ?? null),
      };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'operator transactions', sort: '-createdAt', filters: filter };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listForOperator(room.pool, filter, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], operatorSummary);
      return linkedPage(request, reply, page);
    },
  );
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
      return reply.header('ETag', etagOf(row.version)).send(operatorView(row, room.clock.now()));
    },
  );
}
