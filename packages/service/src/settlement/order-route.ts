import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { etagOf, parseIfMatch } from '../http/conditional.ts';
import { operatorOf, type RouteAccess } from '../http/context.ts';
import { type Answer, idempotent, type KeepAnswer } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { CursorCodec } from '../http/paging.ts';
import { ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { TransactionParams } from '../transactions/schema.ts';
import type { OperatorOrder, SettlementRoom } from './operate.ts';
import * as schema from './schema.ts';
import { operatorView } from './view.ts';

export { operatorOf };

export const TRANSACTIONS_PATH = '/v1/operator/transactions';
export const access: RouteAccess = { audience: 'operator', scope: 'operator:transactions' };
export const tags = ['Operator: transactions'];

export interface SettlementRoutesOptions {
  readonly room: SettlementRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

type BodySchema = NonNullable<RouteShorthandOptions['schema']>['body'];

/** What an order on one trade needs of its room. */
type OrderRouteOptions = Pick<SettlementRoutesOptions, 'idempotency'> & {
  readonly room: Pick<SettlementRoom, 'clock'>;
};

/** A POST on one trade, whose answer is the trade as it is after it, kept under the idempotency key in its commit. */
export function orderRoute<Body>(
  app: FastifyInstance,
  { room, idempotency }: OrderRouteOptions,
  verb: string,
  summary: string,
  body: BodySchema,
  work: (order: OperatorOrder, body: Body, by: string) => Promise<TransactionRow>,
): void {
  app.post(
    `${TRANSACTIONS_PATH}/:transactionId/${verb}`,
    {
      config: { access },
      schema: {
        tags,
        summary,
        params: TransactionParams,
        body,
        response: { 200: schema.OperatorTransaction, default: ProblemSchema },
      },
      preValidation: withOptionalBody,
    },
    idempotent({ store: idempotency }, (request, keep) =>
      answerOrder(room, request, keep, (order) => work(order, request.body as Body, operatorOf(request))),
    ),
  );
}

/** Runs an order on the trade that the path names, and answers the trade with its tag. */
export async function answerOrder(
  room: Pick<SettlementRoom, 'clock'>,
  request: FastifyRequest,
  keep: KeepAnswer | undefined,
  work: (order: OperatorOrder) => Promise<TransactionRow>,
): Promise<Answer> {
  const { transactionId } = request.params as { transactionId: string };
  let answer: Answer | undefined;
  await work({
    transactionId: parseTypeId('txn', transactionId),
    ifMatch: parseIfMatch(request.headers['if-match']),
    inCommit: async (connection, row) => {
      const headers = { ETag: etagOf(row.version) };
      answer = { status: 200, headers, body: await operatorView(connection, row, room.clock.now()) };
      await keep?.(connection, answer);
    },
  });
  if (answer === undefined) throw new Error(`${request.url} was done without an answer`);
  return answer;
}

/** The body is optional; what is sent is held against the schema. */
async function withOptionalBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}
