import { Approval as ApprovalAnswer } from '@firmquote/api/operations/approvals';
import type { FastifyInstance, RouteShorthandOptions } from 'fastify';
import { approvalLocation, approvalView } from '../approvals/view.ts';
import type { Connection } from '../database/pool.ts';
import { etagOf, parseIfMatch } from '../http/conditional.ts';
import { operatorOf, type RouteAccess } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { bookingAsHouse } from './book-deposit.ts';
import { forgiving } from './forgive-shortfall.ts';
import { depositHistory } from './history-store.ts';
import { ignoring } from './ignore-deposit.ts';
import { matchingByHand } from './match-by-hand.ts';
import { assignDeposit, noteOnDeposit } from './note-deposit.ts';
import { type DepositOrder, type OrderOutcome, orderOnDeposit } from './operate-deposit.ts';
import { cancelReturn, confirmReturn } from './operate-return.ts';
import * as orders from './order-schema.ts';
import { releasing } from './release-deposit.ts';
import { returning } from './return-deposit.ts';
import type { DepositsRoom } from './room.ts';
import { DepositAnswer, DepositParams, ReturnParams } from './schema.ts';
import { findDeposit } from './store.ts';
import { toppingUp } from './top-up-by-hand.ts';
import { unmatching } from './unmatch-deposit.ts';
import { depositViews, historyView } from './view.ts';

export { operatorOf };

const PATH = '/v1/operator/deposits/:depositId';
const access: RouteAccess = { audience: 'operator', scope: 'operator:deposits' };
const tags = ['Operator: deposits'];

export interface OrderRoutesOptions {
  readonly room: DepositsRoom;
  readonly idempotency: IdempotencyStore;
}

type Order = Omit<DepositOrder, 'reason'>;

/** What people do with deposits. Answers 202 with the proposal where it takes a second person. */
export function orderRoutes(app: FastifyInstance, options: OrderRoutesOptions): void {
  const { room } = options;
  orderRoute<orders.MatchOrder>(
    app,
    options,
    'match',
    'Match a deposit by hand, to one transaction or several, or to a balance',
    orders.MatchOrder,
    (order, { allocations, balance, reason }) => {
      const all = { ...order, reason };
      if (allocations !== undefined && balance === undefined) {
        return orderOnDeposit(room, all, matchingByHand, { allocations });
      }
      if (balance !== undefined && allocations === undefined) {
        return orderOnDeposit(room, all, toppingUp, balance);
      }
      throw validationProblem([
        {
          pointer: '/allocations',
          code: 'required',
          detail: 'must be given, or balance instead, and not both',
        },
      ]);
    },
  );
  orderRoute<orders.UnmatchOrder>(
    app,
    options,
    'unmatch',
    'Take a deposit away from its transactions, or from one of them',
    orders.UnmatchOrder,
    (order, { reason, ...request }) => orderOnDeposit(room, { ...order, reason }, unmatching, request),
  );
  orderRoute<orders.ReturnOrder>(
    app,
    options,
    'return',
    'Money of a deposit goes back to its remitter',
    orders.ReturnOrder,
    (order, { reason, returnedBy = 'house', ...request }) =>
      orderOnDeposit(room, { ...order, reason }, returning, { ...request, returnedBy }),
  );
  orderRoute<orders.ReleaseOrder>(
    app,
    options,
    'release',
    'Let a deposit pass that is held because somebody else pays',
    orders.ReleaseOrder,
    (order, { reason, remember = false }) =>
      orderOnDeposit(room, { ...order, reason }, releasing, { remember }),
  );
  orderRoute<orders.ForgiveOrder>(
    app,
    options,
    'forgive',
    'Complete a transaction that the deposit has paid in part; what is missing is a charge of the house',
    orders.ForgiveOrder,
    (order, { reason, ...request }) => orderOnDeposit(room, { ...order, reason }, forgiving, request),
  );
  orderRoute<orders.IgnoreOrder>(
    app,
    options,
    'ignore',
    'Set a deposit aside; its money stays in suspense',
    orders.IgnoreOrder,
    (order, { reason }) => orderOnDeposit(room, { ...order, reason }, ignoring, {}),
  );
  orderRoute<orders.BookOrder>(
    app,
    options,
    'book',
    'Book a whole deposit as money of the house, such as interest',
    orders.BookOrder,
    (order, { as, reason }) => orderOnDeposit(room, { ...order, reason }, bookingAsHouse, { as }),
  );
  orderRoute<orders.AssignOrder>(
    app,
    options,
    'assign',
    'Give the work on a deposit to somebody',
    orders.AssignOrder,
    (order, { assignee, note }) => assignDeposit(room, { ...order, reason: note ?? null }, assignee),
  );
  orderRoute<orders.NoteOrder>(
    app,
    options,
    'note',
    'Write something down about a deposit',
    orders.NoteOrder,
    (order, { note }) => noteOnDeposit(room, { ...order, reason: note }),
  );
  returnRoute<orders.ReturnPaid>(
    app,
    options,
    'paid',
    'The bank has sent it back, and no statement tells',
    orders.ReturnPaid,
    (order, { reason, bankReference }) => confirmReturn(room, { ...order, reason }, bankReference),
  );
  returnRoute<orders.ReturnCancelled>(
    app,
    options,
    'cancel',
    'It does not go back: its money is in suspense again',
    orders.ReturnCancelled,
    (order, { reason }) => cancelReturn(room, { ...order, reason }),
  );
  historyRoute(app, options);
}

function returnRoute<Body>(
  app: FastifyInstance,
  options: OrderRoutesOptions,
  verb: string,
  summary: string,
  body: BodySchema,
  work: (order: Order & { readonly returnId: string }, body: Body) => Promise<unknown>,
): void {
  orderRoute<Body>(
    app,
    options,
    `returns/:returnId/${verb}`,
    summary,
    body,
    (order, sent, params) => work({ ...order, returnId: params.returnId ?? '' }, sent),
    ReturnParams,
  );
}

type BodySchema = NonNullable<RouteShorthandOptions['schema']>['body'];

function orderRoute<Body>(
  app: FastifyInstance,
  { idempotency }: OrderRoutesOptions,
  verb: string,
  summary: string,
  body: BodySchema,
  work: (order: Order, body: Body, params: Readonly<Record<string, string>>) => Promise<unknown>,
  params: object = DepositParams,
): void {
  app.post(
    `${PATH}/${verb}`,
    {
      config: { access },
      schema: {
        tags,
        summary,
        params,
        body,
        response: { 200: DepositAnswer, 202: ApprovalAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      let answer: Answer | undefined;
      const order: Order = {
        depositId: parseTypeId('dep', (request.params as { depositId: string }).depositId),
        ifMatch: parseIfMatch(request.headers['if-match']),
        actor: operatorOf(request),
        inCommit: async (connection, outcome) => {
          answer = await answerOf(connection, outcome);
          await keep(connection, answer);
        },
      };
      await work(order, request.body as Body, request.params as Record<string, string>);
      if (answer === undefined) throw new Error(`${verb} was done without an answer`);
      return answer;
    }),
  );
}

async function answerOf(connection: Connection, outcome: OrderOutcome): Promise<Answer> {
  if (!outcome.done) {
    const { approval } = outcome;
    return { status: 202, headers: { Location: approvalLocation(approval) }, body: approvalView(approval) };
  }
  const [view] = await depositViews(connection, [outcome.deposit]);
  return { status: 200, headers: { ETag: etagOf(outcome.deposit.version) }, body: view };
}

function historyRoute(app: FastifyInstance, { room }: OrderRoutesOptions): void {
  app.get<{ Params: { depositId: string } }>(
    `${PATH}/history`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'What became of a deposit, newest first',
        params: DepositParams,
        response: { 200: orders.History, default: ProblemSchema },
      },
    },
    async (request) => {
      const id = parseTypeId('dep', request.params.depositId);
      if (id === undefined || (await findDeposit(room.pool, id)) === undefined) {
        throw new Problem('deposit_not_found', 'There is no such deposit.');
      }
      return { items: (await depositHistory(room.pool, id)).map(historyView) };
    },
  );
}
