import * as api from '@firmquote/api/operations/operator-transactions';
import type { FastifyInstance } from 'fastify';
import { proposed } from '../approvals/view.ts';
import { logFailure } from '../database/log-failure.ts';
import { outcomeView } from '../http/each-by-itself.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { type Call, serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { commandMany } from './command-many.ts';
import { endTransaction, proposeUnwinding, quoteUnwinding } from './end-transaction.ts';
import type { HoldRow } from './hold-store.ts';
import { holdHistory, placeHold, releaseHold } from './holds.ts';
import {
  commandOf,
  confirm,
  confirmRefund,
  fail,
  find,
  type OnTransaction,
  type OperatorCommand,
  redirect,
  rejectRefund,
  repeatRefund,
  retry,
  settle,
} from './operate.ts';
import { rollValueDate } from './roll-value-date.ts';
import type { PaymentsRoom } from './room.ts';
import { runRoutes } from './run-routes.ts';
import { countWork, listForOperator } from './search-store.ts';
import { COUNTED_MAX, filterOf } from './search-transactions.ts';
import { missingFunds } from './store.ts';
import { operatorSummary, transactionAnswer } from './view.ts';

/** Transactions of all customers, and what operators do with them. */
export function paymentRoutes(app: FastifyInstance, room: PaymentsRoom): void {
  listRoutes(app, room);
  commandRoutes(app, room);
  holdRoutes(app, room);
  unwindRoutes(app, room);
  runRoutes(app, room);
}

function listRoutes(app: FastifyInstance, room: PaymentsRoom): void {
  serve(app, api.listAllTransactions, async ({ query, page }) => {
    const rows = await listForOperator(room.pool, filterOf(query), page.afterId, page.rows);
    const missing = await missingFunds(room.pool, rows);
    return {
      body: page.of(
        rows,
        (row) => [row.id],
        (row) => operatorSummary(row, missing),
      ),
    };
  });
  serve(app, api.countTransactionWork, async () => {
    const counts = await countWork(room.pool);
    const items = counts.map(({ work, count }) => ({
      work,
      count: Math.min(count, COUNTED_MAX),
      isMore: count > COUNTED_MAX,
    }));
    return { body: { items } };
  });
  serve(app, api.getAnyTransaction, async ({ params }) =>
    transactionAnswer(room.pool, await find(room, params.transactionId), room.clock.now()),
  );
}

function commandRoutes(app: FastifyInstance, room: PaymentsRoom): void {
  const onTransaction = <const O extends OnTransaction>(
    operation: O,
    work: (command: OperatorCommand, body: Call<O>['body']) => Promise<TransactionRow>,
  ): void =>
    serve(app, operation, async (call) => {
      await work(commandOf(room, call), call.body);
      return undefined;
    });
  onTransaction(api.releasePayout, (command) => settle(room, command));
  onTransaction(api.confirmPayout, (command, { bankReference }) => confirm(room, command, bankReference));
  onTransaction(api.failPayout, (command, { reason, detail }) => fail(room, command, reason, detail));
  onTransaction(api.retryPayout, (command) => retry(room, command));
  onTransaction(api.redirectPayout, (command) => redirect(room, command));
  onTransaction(api.confirmRefund, (command, { bankReference }) =>
    confirmRefund(room, command, bankReference),
  );
  onTransaction(api.failRefund, (command, { detail }) => rejectRefund(room, command, detail));
  onTransaction(api.retryRefund, (command) => repeatRefund(room, command));
  onTransaction(api.rollValueDate, (command, { valueDate, reason }) =>
    rollValueDate(room, command, valueDate, reason),
  );
  serve(app, api.commandTransactions, async ({ body, request }) => {
    const outcomes = await commandMany(room, body, (error, { transactionId }) =>
      logFailure(
        request.server.logger,
        error,
        { transactionId, ...loggedRequest(request) },
        'a bulk command failed for one transaction',
      ),
    );
    const views = outcomes.map((each, index) => ({
      transactionId: body.items[index]?.transactionId ?? '',
      ...outcomeView(each),
    }));
    return { body: { items: views } };
  });
}

/** What keeps a payout waiting. */
function holdRoutes(app: FastifyInstance, room: PaymentsRoom): void {
  serve(app, api.placeHold, async (call) => {
    await placeHold(room, commandOf(room, call), { ...call.body, by: call.by });
  });
  serve(app, api.listHolds, async ({ params }) => ({
    body: { items: (await holdHistory(room, params.transactionId)).map(holdView) },
  }));
  serve(app, api.releaseHold, async (call) => {
    const { params, body, by } = call;
    await releaseHold(room, commandOf(room, call), params.holdId, { reason: body.reason, by });
  });
}

function holdView(hold: HoldRow): Record<string, unknown> {
  return {
    holdId: typeId('hold', hold.id),
    kind: hold.kind,
    reason: hold.reason,
    placedBy: actorId(hold.placed_by),
    placedAt: isoInstant(hold.placed_at),
    releasedBy: hold.released_by === null ? null : actorId(hold.released_by),
    releasedAt: hold.released_at === null ? null : isoInstant(hold.released_at),
    releaseReason: hold.release_reason,
  };
}

/** How operators end a trade. */
function unwindRoutes(app: FastifyInstance, room: PaymentsRoom): void {
  serve(app, api.quoteUnwinding, async ({ params, query: { closeOutAt, chargeCustomer } }) => ({
    body: await quoteUnwinding(room, params.transactionId, {
      closeOutAt,
      ...(chargeCustomer === undefined ? {} : { chargeCustomer: chargeCustomer === 'true' }),
    }),
  }));
  serve(app, api.unwindTransaction, async (call) => {
    const { params, body, by, ifMatch, inCommit } = call;
    const { status } = await find(room, params.transactionId);
    if (status !== 'funded') await endTransaction(room, commandOf(room, call), body);
    else {
      const command = { transactionId: params.transactionId, ifMatch };
      await proposeUnwinding(room, command, body, by, inCommit(proposed));
    }
  });
}
