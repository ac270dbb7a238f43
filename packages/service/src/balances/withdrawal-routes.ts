import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, parseIfMatch } from '../http/conditional.ts';
import { customerOf } from '../http/context.ts';
import { type Answer, idempotencyKeyOf, idempotent } from '../http/idempotency.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { orderOnWithdrawal, withdrawalNotFound } from './change-withdrawal.ts';
import type { BalancesRoutesOptions } from './room.ts';
import * as schema from './schema.ts';
import { withdraw } from './withdraw.ts';
import { WITHDRAWAL_STATUSES, type WithdrawalRow, withdrawalView } from './withdrawal-record.ts';
import { findWithdrawal, listWithdrawals } from './withdrawal-store.ts';

const PATH = '/v1/customer/balances/withdrawals';
const tags = ['Transactions'];
const mayRead = { access: { audience: 'customer', scope: 'transactions:read' }, rate: 'reads' } as const;
const mayMove = { access: { audience: 'customer', scope: 'trades:execute' }, rate: 'execute' } as const;

/** Customers take money out of their balances. */
export function withdrawalRoutes(app: FastifyInstance, options: BalancesRoutesOptions): void {
  withdrawRoute(app, options);
  listRoute(app, options);
  showRoute(app, options);
  cancelRoute(app, options);
}

function withdrawRoute(app: FastifyInstance, { room, idempotency }: BalancesRoutesOptions): void {
  app.post(
    PATH,
    {
      config: mayMove,
      schema: {
        tags,
        summary: 'Take money out of a balance, to your settlement instruction in its currency',
        description: 'Needs an `Idempotency-Key`. Paid with the next payment file of the house.',
        body: schema.Withdraw,
        response: { 201: schema.Withdrawal, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      if (idempotencyKeyOf(request) === undefined) {
        throw new Problem('idempotency_key_required', 'A withdrawal needs an Idempotency-Key.', {
          field: '/header/Idempotency-Key',
        });
      }
      const { customerId, clientId: by } = customerOf(request);
      const body = request.body as schema.Withdraw;
      const row = await withdraw(room, { ...body, customerId, by }, (connection, made) =>
        keep(connection, createdAnswer(made)),
      );
      return createdAnswer(row);
    }),
  );
}

function createdAnswer(row: WithdrawalRow): Answer {
  const headers = { Location: `${PATH}/${typeId('wdr', row.id)}`, ETag: etagOf(row.version) };
  return { status: 201, headers, body: withdrawalView(row) };
}

function listRoute(app: FastifyInstance, options: BalancesRoutesOptions): void {
  app.get(
    PATH,
    {
      config: mayRead,
      schema: {
        tags,
        summary: 'List your withdrawals, newest first',
        querystring: schema.WithdrawalQuery,
        response: { 200: schema.WithdrawalList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    (request, reply) => {
      const query = new QueryReader(request.query);
      return answerList(options, request, reply, query, customerOf(request).customerId, withdrawalView);
    },
  );
}

/** A page of withdrawals. @param customerId null: of a customer that there is not; undefined: of all */
export async function answerList(
  { room, cursors }: BalancesRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  query: QueryReader,
  customerId: string | null | undefined,
  view: (row: WithdrawalRow) => Record<string, unknown>,
) {
  const filter = {
    customerId,
    status: query.list('status', WITHDRAWAL_STATUSES),
    currency: query.text('currency', 3),
  };
  const limit = query.limit();
  const cursor = query.cursor();
  query.finish();
  const scope: CursorScope = { list: 'withdrawals', sort: '-createdAt', filters: filter };
  const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
  const rows = await listWithdrawals(room.pool, filter, before, limit + 1);
  const page = cursors.page(scope, rows, limit, (row) => [row.id], view);
  return linkedPage(request, reply, page);
}

function showRoute(app: FastifyInstance, { room }: BalancesRoutesOptions): void {
  app.get<{ Params: { withdrawalId: string } }>(
    `${PATH}/:withdrawalId`,
    {
      config: mayRead,
      schema: {
        tags,
        summary: 'A withdrawal of yours',
        params: schema.WithdrawalParams,
        response: { 200: schema.Withdrawal, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const id = parseTypeId('wdr', request.params.withdrawalId);
      const { customerId } = customerOf(request);
      const row = id === undefined ? undefined : await findWithdrawal(room.pool, id, customerId);
      if (row === undefined) throw withdrawalNotFound();
      return reply.header('ETag', etagOf(row.version)).send(withdrawalView(row));
    },
  );
}

function cancelRoute(app: FastifyInstance, { room, idempotency }: BalancesRoutesOptions): void {
  app.post(
    `${PATH}/:withdrawalId/cancel`,
    {
      config: mayMove,
      schema: {
        tags,
        summary: 'Cancel a withdrawal before it is in a payment file; the balance has the money again',
        params: schema.WithdrawalParams,
        response: { 200: schema.Withdrawal, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { withdrawalId } = request.params as { withdrawalId: string };
      const answer = (row: WithdrawalRow): Answer => ({
        status: 200,
        headers: { ETag: etagOf(row.version) },
        body: withdrawalView(row),
      });
      const order = {
        withdrawalId: parseTypeId('wdr', withdrawalId),
        customerId: customerOf(request).customerId,
        ifMatch: parseIfMatch(request.headers['if-match']),
        inCommit: (connection: Parameters<typeof keep>[0], row: WithdrawalRow) =>
          keep(connection, answer(row)),
      };
      const cancelled = { to: 'cancelled', by: 'customer', detail: undefined } as const;
      return answer(await orderOnWithdrawal(room, order, () => cancelled));
    }),
  );
}
