import type { FastifyInstance } from 'fastify';
import { ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { TransactionParams } from '../transactions/schema.ts';
import type { HoldRow } from './hold-store.ts';
import { holdHistory, placeHold, releaseHold } from './holds.ts';
import {
  access,
  answerOrder,
  operatorOf,
  orderRoute,
  type SettlementRoutesOptions,
  TRANSACTIONS_PATH,
  tags,
} from './order-route.ts';
import * as schema from './schema.ts';

/** What keeps a payout waiting. */
export function holdRoutes(app: FastifyInstance, options: SettlementRoutesOptions): void {
  const { room } = options;
  orderRoute<schema.PlaceHold>(
    app,
    options,
    'holds',
    'Keep the payout waiting',
    schema.PlaceHold,
    (order, body, by) => placeHold(room, order, { ...body, by }),
  );
  app.get<{ Params: { transactionId: string } }>(
    `${TRANSACTIONS_PATH}/:transactionId/holds`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Holds of a transaction with their reasons, oldest first, those that were released too',
        params: TransactionParams,
        response: { 200: schema.HoldList, default: ProblemSchema },
      },
    },
    async (request) => {
      const holds = await holdHistory(room, parseTypeId('txn', request.params.transactionId));
      return { items: holds.map(holdView) };
    },
  );
  app.delete<{ Params: { transactionId: string; holdId: string }; Body: schema.ReleaseHold | undefined }>(
    `${TRANSACTIONS_PATH}/:transactionId/holds/:holdId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Release a hold',
        params: schema.HoldParams,
        body: schema.ReleaseHold,
        response: { 200: schema.OperatorTransaction, default: ProblemSchema },
      },
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    async (request, reply) => {
      const released = { reason: request.body?.reason, by: operatorOf(request) };
      const holdId = parseTypeId('hold', request.params.holdId);
      const answer = await answerOrder(room, request, undefined, (order) =>
        releaseHold(room, order, holdId, released),
      );
      return reply.headers(answer.headers ?? {}).send(answer.body);
    },
  );
}

function holdView(hold: HoldRow): Record<string, unknown> {
  return {
    holdId: typeId('hold', hold.id),
    kind: hold.kind,
    reason: hold.reason,
    placedBy: typeId('cli', hold.placed_by),
    placedAt: isoInstant(hold.placed_at),
    releasedBy: hold.released_by === null ? null : typeId('cli', hold.released_by),
    releasedAt: hold.released_at === null ? null : isoInstant(hold.released_at),
    releaseReason: hold.release_reason,
  };
}
