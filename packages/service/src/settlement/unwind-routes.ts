import { Approval as ApprovalAnswer } from '@firmquote/api/operations/approvals';
import type { FastifyInstance } from 'fastify';
import type { ApprovalRecord } from '../approvals/store.ts';
import { approvalLocation, approvalView } from '../approvals/view.ts';
import { parseIfMatch } from '../http/conditional.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { TransactionParams } from '../transactions/schema.ts';
import { endTrade, proposeUnwinding, quoteUnwinding } from './end-trade.ts';
import { find } from './operate.ts';
import {
  access,
  answerOrder,
  operatorOf,
  orderRoute,
  type SettlementRoutesOptions,
  TRANSACTIONS_PATH,
  tags,
} from './order-route.ts';
import { rollValueDate } from './roll-value-date.ts';
import * as schema from './schema.ts';

/** How operators end a trade, or put it off. */
export function unwindRoutes(app: FastifyInstance, options: SettlementRoutesOptions): void {
  const { room } = options;
  quoteRoute(app, options);
  unwindRoute(app, options);
  orderRoute<schema.RollValueDate>(
    app,
    options,
    'roll-value-date',
    'Put the value date off, and the funding cut-off with it',
    schema.RollValueDate,
    (order, { valueDate, reason }) => rollValueDate(room, order, valueDate, reason),
  );
}

function quoteRoute(app: FastifyInstance, { room }: SettlementRoutesOptions): void {
  app.get<{ Params: { transactionId: string } }>(
    `${TRANSACTIONS_PATH}/:transactionId/unwind-quote`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'What ending a transaction would book now, with the gain or loss at the market',
        params: TransactionParams,
        querystring: schema.UnwindQuoteQuery,
        response: { 200: schema.UnwindQuote, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request) => {
      const query = new QueryReader(request.query);
      const closeOutAt = query.choice('closeOutAt', ['market', 'trade'] as const);
      const charge = query.choice('chargeCustomer', ['true', 'false'] as const);
      query.finish();
      return quoteUnwinding(room, parseTypeId('txn', request.params.transactionId), {
        closeOutAt: closeOutAt ?? 'market',
        ...(charge === undefined ? {} : { chargeCustomer: charge === 'true' }),
      });
    },
  );
}

function unwindRoute(app: FastifyInstance, { room, idempotency }: SettlementRoutesOptions): void {
  app.post(
    `${TRANSACTIONS_PATH}/:transactionId/unwind`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Cancel a transaction that is not paid out, or close out an overdue one',
        description:
          'A funded one takes two persons: the answer is 202 with the approval that a second one gives.',
        params: TransactionParams,
        body: schema.Unwind,
        response: { 200: schema.OperatorTransaction, 202: ApprovalAnswer, default: ProblemSchema },
      },
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { transactionId } = request.params as { transactionId: string };
      const id = parseTypeId('txn', transactionId);
      const how = request.body as schema.Unwind;
      const { status } = await find(room, id);
      if (status !== 'funded') {
        return answerOrder(room, request, keep, (order) => endTrade(room, order, how));
      }
      const order = { transactionId: id, ifMatch: parseIfMatch(request.headers['if-match']) };
      const approval = await proposeUnwinding(room, order, how, operatorOf(request), (connection, made) =>
        keep(connection, proposed(made)),
      );
      return proposed(approval);
    }),
  );
}

function proposed(approval: ApprovalRecord): Answer {
  return { status: 202, headers: { Location: approvalLocation(approval) }, body: approvalView(approval) };
}
