import { Approval as ApprovalAnswer } from '@firmquote/api/operations/approvals';
import type { FastifyInstance } from 'fastify';
import { approvalLocation, approvalView } from '../approvals/view.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import { operatorOf } from '../deposits/order-routes.ts';
import type { RouteAccess } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import { ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { BookEntry, EntryParams, JudgeEntry, MatchEntry, SameEntry } from './entry-order-schema.ts';
import { findEntry } from './listing-store.ts';
import { type EntryOutcome, type EntryRequest, entryNotFound, orderOnEntry } from './operate-entry.ts';
import { access, type StatementRoutesOptions, tags } from './route-parts.ts';
import { EntryAnswer } from './schema.ts';
import { entryView } from './view.ts';

const PATH = '/v1/operator/statement-entries/:entryId';
/** It is work of those who work on deposits, and not of those who bring files. */
const orderAccess: RouteAccess = { audience: 'operator', scope: 'operator:deposits' };

/** What people say of entries that no machine could decide. Answers 202 with the proposal where it takes two. */
export function entryOrderRoutes(app: FastifyInstance, options: StatementRoutesOptions): void {
  const { pool } = options.room;
  app.get<{ Params: { entryId: string } }>(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'An entry of a statement',
        params: EntryParams,
        response: { 200: EntryAnswer, default: ProblemSchema },
      },
    },
    async (request) => shownEntry(pool, parseTypeId('ste', request.params.entryId)),
  );
  orderRoute<BookEntry>(
    app,
    options,
    'book',
    'Say what an entry is that is no payment',
    BookEntry,
    bookRequest,
  );
  orderRoute<MatchEntry>(app, options, 'match', 'Say which payment an entry is', MatchEntry, matchRequest);
  const another = 'Say that an entry is another one than that which it is taken for';
  orderRoute<JudgeEntry>(app, options, 'another', another, JudgeEntry, () => ({ is: 'another' }));
  const same = 'Say that an entry is one that was told of before';
  orderRoute<SameEntry>(app, options, 'same', same, SameEntry, ({ as }) => ({ is: 'same', as }));
  const never = 'Say that the bank has never booked what it told of';
  orderRoute<JudgeEntry>(app, options, 'never-booked', never, JudgeEntry, () => ({ is: 'never_booked' }));
}

function bookRequest({ as, customerId }: BookEntry): EntryRequest {
  if ((as === 'customer_debt') !== (customerId !== undefined)) {
    throw wrong('/customerId', as === 'customer_debt' ? 'is required for a debt' : 'is for debts only');
  }
  if (as === 'customer_debt') return { is: as, customerId: customerId ?? '' };
  return as === 'deposit' ? { is: as } : { is: 'house', account: as };
}

function matchRequest({ transactionId, depositId, purpose }: MatchEntry): EntryRequest {
  if ((transactionId === undefined) === (depositId === undefined)) {
    throw wrong('/transactionId', 'exactly one of transactionId and depositId must be given');
  }
  if (transactionId !== undefined) return { is: 'payment', transactionId, purpose: purpose ?? 'payout' };
  if (purpose !== undefined) throw wrong('/purpose', 'is for transactions only');
  return { is: 'deposit_return', depositId: depositId ?? '' };
}

function wrong(pointer: string, detail: string) {
  return validationProblem([{ pointer, code: 'not_permitted', detail }]);
}

function orderRoute<Body extends { reason: string }>(
  app: FastifyInstance,
  { room, idempotency }: StatementRoutesOptions,
  verb: string,
  summary: string,
  body: object,
  requestOf: (body: Body) => EntryRequest,
): void {
  app.post(
    `${PATH}/${verb}`,
    {
      config: { access: orderAccess },
      schema: {
        tags,
        summary,
        params: EntryParams,
        body,
        response: { 200: EntryAnswer, 202: ApprovalAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      let answer: Answer | undefined;
      const { reason } = request.body as Body;
      const order = {
        entryId: parseTypeId('ste', (request.params as { entryId: string }).entryId),
        actor: operatorOf(request),
        reason,
        inCommit: async (connection: Connection, outcome: EntryOutcome) => {
          answer = await answerOf(connection, outcome);
          await keep(connection, answer);
        },
      };
      await orderOnEntry(room, order, requestOf(request.body as Body));
      if (answer === undefined) throw new Error(`${verb} was done without an answer`);
      return answer;
    }),
  );
}

async function answerOf(connection: Connection, outcome: EntryOutcome): Promise<Answer> {
  if (outcome.done) return { status: 200, body: await shownEntry(connection, outcome.entryId) };
  const { approval } = outcome;
  return { status: 202, headers: { Location: approvalLocation(approval) }, body: approvalView(approval) };
}

async function shownEntry(connection: Queryable, entryId: string | undefined): Promise<EntryAnswer> {
  const row = entryId === undefined ? undefined : await findEntry(connection, entryId);
  if (row === undefined) throw entryNotFound();
  return entryView(row);
}
