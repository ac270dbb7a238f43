import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../database/pool.ts';
import { etagOf } from '../http/conditional.ts';
import type { RouteAccess } from '../http/context.ts';
import { type Answer, idempotent, type KeepAnswer } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { accountRoutes } from './account-routes.ts';
import { orderRoutes } from './order-routes.ts';
import { readDeposit } from './read-deposit.ts';
import { receiveDeposit } from './receive-deposit.ts';
import type { DepositRecord, NewDeposit } from './record.ts';
import { refundExcessRoute } from './refund-excess.ts';
import type { DepositsRoom } from './room.ts';
import { DepositAnswer, DepositList, DepositParams, DepositQuery, ReceiveDeposit } from './schema.ts';
import { depositFilterTexts, readDepositFilter, searchDeposits } from './search-deposits.ts';
import { settingsRoutes } from './settings-routes.ts';
import { findDeposit } from './store.ts';
import { depositViews } from './view.ts';

const DEPOSITS_PATH = '/v1/operator/deposits';
const access: RouteAccess = { audience: 'operator', scope: 'operator:deposits' };
const tags = ['Operator: deposits'];

export interface DepositRoutesOptions {
  readonly room: DepositsRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

/** Money that arrived, and what people do with it. */
export function depositRoutes(app: FastifyInstance, options: DepositRoutesOptions): void {
  receiveRoute(app, options);
  listRoute(app, options);
  depositRoute(app, options);
  orderRoutes(app, options);
  refundExcessRoute(app, options.room);
  accountRoutes(app, options);
  settingsRoutes(app, options.room);
}

function receiveRoute(app: FastifyInstance, { room, idempotency }: DepositRoutesOptions): void {
  app.post(
    DEPOSITS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Record a deposit',
        description:
          'Books and matches money that arrived. The same booking again (account and bank reference) answers 200 with the deposit of the first time.',
        body: ReceiveDeposit,
        response: { 200: DepositAnswer, 201: DepositAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const body = request.body as ReceiveDeposit;
      const deposit = await readDeposit(room.pool, body, 'operator', room.clock.now());
      return answerDeposit(room, deposit, keep);
    }),
  );
}

/** Takes the deposit in and answers it; 200 instead of 201 when it was known already. */
async function answerDeposit(room: DepositsRoom, deposit: NewDeposit, keep: KeepAnswer): Promise<Answer> {
  let answer: Answer | undefined;
  await receiveDeposit(room, deposit, async (connection, { deposit: record, outcome }) => {
    answer = await depositAnswer(connection, record, outcome === 'received' ? 201 : 200);
    await keep(connection, answer);
  });
  if (answer === undefined) throw new Error('a deposit was received without an answer');
  return answer;
}

export async function depositAnswer(
  connection: Queryable,
  deposit: DepositRecord,
  status: 200 | 201,
): Promise<Answer> {
  const [body] = await depositViews(connection, [deposit]);
  const headers = {
    Location: `${DEPOSITS_PATH}/${typeId('dep', deposit.id)}`,
    ETag: etagOf(deposit.version),
  };
  return { status, headers, body };
}

function listRoute(app: FastifyInstance, { room, cursors }: DepositRoutesOptions): void {
  app.get(
    DEPOSITS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List deposits, newest first',
        querystring: DepositQuery,
        response: { 200: DepositList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = readDepositFilter(query, room.clock.now());
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = {
        list: 'deposits',
        sort: '-receivedAt',
        filters: depositFilterTexts(filter),
      };
      const parts = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const before = parts && { receivedAt: String(parts[0]), id: String(parts[1]) };
      const rows = await searchDeposits(room.pool, filter, before, limit + 1);
      const page = cursors.page(
        scope,
        rows,
        limit,
        (deposit) => [isoInstant(deposit.receivedAt), deposit.id],
        (deposit) => deposit,
      );
      linkedPage(request, reply, page);
      return { ...page, items: await depositViews(room.pool, page.items) };
    },
  );
}

function depositRoute(app: FastifyInstance, { room }: DepositRoutesOptions): void {
  app.get<{ Params: { depositId: string } }>(
    `${DEPOSITS_PATH}/:depositId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'A deposit',
        params: DepositParams,
        response: { 200: DepositAnswer, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const id = parseTypeId('dep', request.params.depositId);
      const deposit = id === undefined ? undefined : await findDeposit(room.pool, id);
      if (deposit === undefined) throw new Problem('deposit_not_found', 'There is no such deposit.');
      const [view] = await depositViews(room.pool, [deposit]);
      return reply.header('ETag', etagOf(deposit.version)).send(view);
    },
  );
}
