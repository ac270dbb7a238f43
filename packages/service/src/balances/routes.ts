import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { customerOf, operatorOf } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import { ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { bookTopUp, type CustomerBalances, showBalances } from './balances.ts';
import { operatorWithdrawalRoutes } from './operator-routes.ts';
import type { BalancesRoutesOptions } from './room.ts';
import { Balances, CustomerParams, TopUpBody } from './schema.ts';
import { withdrawalRoutes } from './withdrawal-routes.ts';

const operatorTags = ['Operator: settlement'];
const OPERATOR_PATH = '/v1/operator/customers/:customerId/balances';

/** Balances of pre-funded customers, and withdrawals from them. */
export function balanceRoutes(app: FastifyInstance, options: BalancesRoutesOptions): void {
  readRoutes(app, options);
  topUpRoute(app, options);
  withdrawalRoutes(app, options);
  operatorWithdrawalRoutes(app, options);
}

function readRoutes(app: FastifyInstance, { room }: BalancesRoutesOptions): void {
  app.get(
    '/v1/customer/balances',
    {
      config: { access: { audience: 'customer', scope: 'transactions:read' }, rate: 'reads' },
      schema: {
        tags: ['Transactions'],
        summary: 'What you have with the house, for executions that are paid from it',
        response: { 200: Balances, default: ProblemSchema },
      },
    },
    async (request) => balancesView(await showBalances(room, customerOf(request).customerId)),
  );
  app.get<{ Params: { customerId: string } }>(
    OPERATOR_PATH,
    {
      config: { access: { audience: 'operator', scope: 'operator:transactions' } },
      schema: {
        tags: operatorTags,
        summary: "A customer's balances",
        params: CustomerParams,
        response: { 200: Balances, default: ProblemSchema },
      },
    },
    async (request) => balancesView(await showBalances(room, parseTypeId('cus', request.params.customerId))),
  );
}

function topUpRoute(app: FastifyInstance, { room, idempotency }: BalancesRoutesOptions): void {
  app.post(
    `${OPERATOR_PATH}/top-ups`,
    {
      config: { access: { audience: 'operator', scope: 'operator:deposits' } },
      schema: {
        tags: operatorTags,
        summary: 'Credit money that arrived to a balance, by hand',
        params: CustomerParams,
        body: TopUpBody,
        response: { 201: Balances, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { customerId } = request.params as { customerId: string };
      const input = {
        ...(request.body as TopUpBody),
        customerId: parseTypeId('cus', customerId),
        bookedBy: operatorOf(request),
      };
      const balances = await bookTopUp(room, input, (connection, made) => keep(connection, answerOf(made)));
      return answerOf(balances);
    }),
  );
}

function answerOf(balances: CustomerBalances): Answer {
  return { status: 201, body: balancesView(balances) };
}

function balancesView({ rows, reference }: CustomerBalances): Record<string, unknown> {
  return {
    items: rows.map((row) => ({
      currency: row.currency,
      available: formatAmount(BigInt(row.available_minor), knownCurrency(row.currency)),
    })),
    topUpReference: reference,
  };
}
