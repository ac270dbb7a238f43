import { formatAmount } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { customerOf, operatorOf } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import { Amount, CurrencyCode, LINE_PATTERN, ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { knownCurrency } from '../quotes/record.ts';
import { bookTopUp, type CustomerBalances, showBalances } from './balances.ts';
import type { BalancesRoutesOptions } from './room.ts';

const TopUpBody = Type.Object(
  {
    currency: CurrencyCode,
    amount: Amount,
    bankReference: Type.String({
      minLength: 1,
      maxLength: 140,
      pattern: LINE_PATTERN,
      description: "The bank's reference of the booking: what is told twice counts once.",
    }),
  },
  { additionalProperties: false },
);
type TopUpBody = Static<typeof TopUpBody>;

const Balances = Type.Object({
  items: Type.Array(Type.Object({ currency: CurrencyCode, available: Type.String() })),
  topUpReference: Type.String({ description: 'ISO 11649; to be given with money for the balance.' }),
});
const Params = Type.Object({ customerId: Type.String() });
const operatorTags = ['Operator: settlement'];
const OPERATOR_PATH = '/v1/operator/customers/:customerId/balances';

/** Balances of pre-funded customers. */
export function balanceRoutes(app: FastifyInstance, { room, idempotency }: BalancesRoutesOptions): void {
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
        params: Params,
        response: { 200: Balances, default: ProblemSchema },
      },
    },
    async (request) => balancesView(await showBalances(room, parseTypeId('cus', request.params.customerId))),
  );
  app.post(
    `${OPERATOR_PATH}/top-ups`,
    {
      config: { access: { audience: 'operator', scope: 'operator:deposits' } },
      schema: {
        tags: operatorTags,
        summary: 'Credit money that arrived to a balance, by hand',
        params: Params,
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
