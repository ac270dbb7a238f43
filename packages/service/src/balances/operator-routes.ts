import { Approval as ApprovalAnswer } from '@firmquote/api/operations/approvals';
import type { FastifyInstance, RouteShorthandOptions } from 'fastify';
import { approvalLocation, approvalView } from '../approvals/view.ts';
import { etagOf, parseIfMatch } from '../http/conditional.ts';
import { operatorOf, type RouteAccess } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import {
  orderOnWithdrawal,
  redirectWithdrawal,
  type WithdrawalChange,
  type WithdrawalOrder,
  withdrawalNotFound,
} from './change-withdrawal.ts';
import type { BalancesRoutesOptions } from './room.ts';
import * as schema from './schema.ts';
import { type WithdrawalOutcome, withdrawForCustomer } from './withdraw.ts';
import { operatorWithdrawalView, type WithdrawalRow } from './withdrawal-record.ts';
import { answerList } from './withdrawal-routes.ts';
import { findWithdrawal } from './withdrawal-store.ts';

const PATH = '/v1/operator/withdrawals';
const tags = ['Operator: settlement'];
const access: RouteAccess = { audience: 'operator', scope: 'operator:transactions' };

/** Operators take money out of balances, and tell what banks did where no statement tells it. */
export function operatorWithdrawalRoutes(app: FastifyInstance, options: BalancesRoutesOptions): void {
  withdrawRoute(app, options);
  readRoutes(app, options);
  changeRoute<schema.Paid>(app, options, 'paid', 'The bank has paid it', schema.Paid, (body, now) => ({
    to: 'paid',
    bankReference: body.bankReference,
    paidAt: now,
  }));
  orderRoute(
    app,
    options,
    'redirect',
    "Pay it to the customer's present account instead of the one that was promised",
    schema.NoFields,
    (order) => redirectWithdrawal(options.room, order),
  );
  changeRoute<schema.Ended>(
    app,
    options,
    'failed',
    'The bank refused it, or sent it back; the balance has the money again',
    schema.Ended,
    ({ detail }) => ({ to: 'failed', detail }),
  );
  changeRoute<schema.Ended>(
    app,
    options,
    'cancel',
    'Give it up before the bank has it; the balance has the money again',
    schema.Ended,
    ({ detail }) => ({ to: 'cancelled', by: 'operator', detail }),
  );
}

function withdrawRoute(app: FastifyInstance, { room, idempotency }: BalancesRoutesOptions): void {
  app.post(
    '/v1/operator/customers/:customerId/balances/withdrawals',
    {
      config: { access },
      schema: {
        tags,
        summary: "Take money out of a customer's balance, to its settlement instruction in the currency",
        description:
          'Above the limit of work by hand it takes two persons: the answer is 202 with the approval.',
        params: schema.CustomerParams,
        body: schema.WithdrawForCustomer,
        response: { 201: schema.OperatorWithdrawal, 202: ApprovalAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { customerId } = request.params as { customerId: string };
      const wanted = {
        ...(request.body as schema.WithdrawForCustomer),
        customerId: parseTypeId('cus', customerId),
        by: operatorOf(request),
      };
      const outcome = await withdrawForCustomer(room, wanted, (connection, made) =>
        keep(connection, outcomeAnswer(made)),
      );
      return outcomeAnswer(outcome);
    }),
  );
}

function outcomeAnswer(outcome: WithdrawalOutcome): Answer {
  if (!outcome.done) {
    const { approval } = outcome;
    return { status: 202, headers: { Location: approvalLocation(approval) }, body: approvalView(approval) };
  }
  const { withdrawal } = outcome;
  const headers = { Location: `${PATH}/${typeId('wdr', withdrawal.id)}`, ETag: etagOf(withdrawal.version) };
  return { status: 201, headers, body: operatorWithdrawalView(withdrawal) };
}

function readRoutes(app: FastifyInstance, options: BalancesRoutesOptions): void {
  app.get(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List withdrawals of all customers, newest first',
        querystring: schema.OperatorWithdrawalQuery,
        response: { 200: schema.OperatorWithdrawalList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    (request, reply) => {
      const query = new QueryReader(request.query);
      const customer = query.text('customerId', 64);
      const id = customer === undefined ? undefined : (parseTypeId('cus', customer) ?? null);
      return answerList(options, request, reply, query, id, operatorWithdrawalView);
    },
  );
  app.get<{ Params: { withdrawalId: string } }>(
    `${PATH}/:withdrawalId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'A withdrawal',
        params: schema.WithdrawalParams,
        response: { 200: schema.OperatorWithdrawal, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const id = parseTypeId('wdr', request.params.withdrawalId);
      const row = id === undefined ? undefined : await findWithdrawal(options.room.pool, id, undefined);
      if (row === undefined) throw withdrawalNotFound();
      return reply.header('ETag', etagOf(row.version)).send(operatorWithdrawalView(row));
    },
  );
}

type BodySchema = NonNullable<RouteShorthandOptions['schema']>['body'];

function changeRoute<Body>(
  app: FastifyInstance,
  options: BalancesRoutesOptions,
  verb: string,
  summary: string,
  body: BodySchema,
  change: (body: Body, now: number) => WithdrawalChange,
): void {
  orderRoute<Body>(app, options, verb, summary, body, (order, sent) =>
    orderOnWithdrawal(options.room, order, (now) => change(sent, now)),
  );
}

function orderRoute<Body>(
  app: FastifyInstance,
  { idempotency }: BalancesRoutesOptions,
  verb: string,
  summary: string,
  body: BodySchema,
  work: (order: WithdrawalOrder, body: Body) => Promise<WithdrawalRow>,
): void {
  app.post(
    `${PATH}/:withdrawalId/${verb}`,
    {
      config: { access },
      schema: {
        tags,
        summary,
        params: schema.WithdrawalParams,
        body,
        response: { 200: schema.OperatorWithdrawal, default: ProblemSchema },
      },
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { withdrawalId } = request.params as { withdrawalId: string };
      const answer = (row: WithdrawalRow): Answer => ({
        status: 200,
        headers: { ETag: etagOf(row.version) },
        body: operatorWithdrawalView(row),
      });
      const order: WithdrawalOrder = {
        withdrawalId: parseTypeId('wdr', withdrawalId),
        ifMatch: parseIfMatch(request.headers['if-match']),
        inCommit: (connection, changed) => keep(connection, answer(changed)),
      };
      return answer(await work(order, request.body as Body));
    }),
  );
}
