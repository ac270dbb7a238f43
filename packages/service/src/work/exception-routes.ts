import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { failureOf } from '../bank-statements/apply-failures.ts';
import {
  type ExceptionFilter,
  type ExceptionRow,
  findException,
  listExceptions,
} from '../deposits/exceptions.ts';
import { operatorOf } from '../deposits/order-routes.ts';
import { AssignOrder } from '../deposits/order-schema.ts';
import { type DepositsRoom, exceptionHistory, findDeposit } from '../deposits/room.ts';
import { outstandingOf } from '../deposits/target.ts';
import { historyView } from '../deposits/view.ts';
import { etagOf, parseIfMatch } from '../http/conditional.ts';
import type { RouteAccess } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { ordersFor } from './exception-orders.ts';
import * as schema from './exception-schema.ts';
import {
  assignException,
  type ExceptionOrder,
  exceptionNotFound,
  resolveException,
  retryException,
} from './resolve-exception.ts';
import { type Suggestion, suggestFor } from './suggest.ts';

const PATH = '/v1/operator/exceptions';
const access: RouteAccess = { audience: 'operator', scope: 'operator:deposits' };
const tags = ['Operator: exceptions'];
const HOUR_MS = 3_600_000;

export interface ExceptionRoutesOptions {
  readonly room: DepositsRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

/** The queue of what needs a person. */
export function exceptionRoutes(app: FastifyInstance, options: ExceptionRoutesOptions): void {
  listRoute(app, options);
  showRoute(app, options);
  orderRoute<AssignOrder>(
    app,
    options,
    'assign',
    'Give an exception to somebody',
    AssignOrder,
    (order, body) => assignException(options.room, { ...order, note: body.note ?? null }, body.assignee),
  );
  orderRoute<schema.ResolveException>(
    app,
    options,
    'resolve',
    'Close an exception that moves no money',
    schema.ResolveException,
    (order, { resolution, note }) => resolveException(options.room, { ...order, note }, resolution),
  );
  orderRoute<schema.RetryException>(
    app,
    options,
    'retry',
    'Try at once what could not be applied',
    schema.RetryException,
    (order, { note }) => retryException(options.room, { ...order, note: note ?? null }),
  );
}

function listRoute(app: FastifyInstance, { room, cursors }: ExceptionRoutesOptions): void {
  app.get(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List exceptions, those first that have waited longest',
        querystring: schema.ExceptionQuery,
        response: { 200: schema.ExceptionList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const now = room.clock.now();
      const { age, ...filter } = readFilter(query);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      // The cursor belongs to the age as it was asked for; the instant moves on from page to page.
      const scope: CursorScope = { list: 'exceptions', sort: 'openedAt', filters: { ...filter, age } };
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const openedUntil = age === undefined ? undefined : now - age * HOUR_MS;
      const rows = await listExceptions(room.pool, { ...filter, openedUntil }, after, limit + 1);
      const page = cursors.page(
        scope,
        rows,
        limit,
        (row) => [row.id],
        (row) => exceptionView(row, now),
      );
      return linkedPage(request, reply, page);
    },
  );
}

function readFilter(query: QueryReader): Omit<ExceptionFilter, 'openedUntil'> & { age: number | undefined } {
  const assignee = query.text('assignee', 100);
  const customer = query.text('customerId', 64);
  const status = query.choice('status', ['open', 'resolved', 'all']) ?? 'open';
  const age = query.text('age', 5);
  if (age !== undefined && !/^(0|[1-9]\d{0,4})$/.test(age)) {
    query.refuse('age', 'wrong_format', 'must be whole hours from 0 to 87600');
  }
  return {
    types: query.list('type', schema.EXCEPTION_TYPES),
    status: status === 'all' ? undefined : status,
    assignee: assignee === 'none' ? undefined : assignee,
    unassigned: assignee === 'none',
    customerId: customer === undefined ? undefined : (parseTypeId('cus', customer) ?? null),
    age: age === undefined ? undefined : Number.parseInt(age, 10),
  };
}

function showRoute(app: FastifyInstance, { room }: ExceptionRoutesOptions): void {
  app.get<{ Params: { exceptionId: string } }>(
    `${PATH}/:exceptionId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'An exception with its history, and the transactions that its deposit may be for',
        params: schema.ExceptionParams,
        response: { 200: schema.ExceptionDetail, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const id = parseTypeId('exc', request.params.exceptionId);
      const row = id === undefined ? undefined : await findException(room.pool, id);
      if (row === undefined) throw exceptionNotFound();
      const isOpenDeposit = row.status === 'open' && row.deposit_id !== null;
      const deposit = isOpenDeposit ? await findDeposit(room.pool, row.deposit_id ?? '') : undefined;
      const suggestions = deposit === undefined ? [] : await suggestFor(room.pool, deposit);
      return reply.header('ETag', etagOf(row.version)).send({
        ...exceptionView(row, room.clock.now()),
        suggestions: suggestions.map(suggestionView),
        orders: await ordersFor(room.pool, row),
        failure: await failureView(room, row),
        history: (await exceptionHistory(room.pool, row.id)).map(historyView),
      });
    },
  );
}

function orderRoute<Body>(
  app: FastifyInstance,
  { room, idempotency }: ExceptionRoutesOptions,
  verb: string,
  summary: string,
  body: object,
  work: (order: Omit<ExceptionOrder, 'note'>, body: Body) => Promise<ExceptionRow>,
): void {
  app.post(
    `${PATH}/:exceptionId/${verb}`,
    {
      config: { access },
      schema: {
        tags,
        summary,
        params: schema.ExceptionParams,
        body,
        response: { 200: schema.ExceptionAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      let answer: Answer | undefined;
      await work(
        {
          exceptionId: parseTypeId('exc', (request.params as { exceptionId: string }).exceptionId),
          ifMatch: parseIfMatch(request.headers['if-match']),
          actor: operatorOf(request),
          inCommit: async (connection, row) => {
            const headers = { ETag: etagOf(row.version) };
            answer = { status: 200, headers, body: exceptionView(row, room.clock.now()) };
            await keep(connection, answer);
          },
        },
        request.body as Body,
      );
      if (answer === undefined) throw new Error(`${verb} was done without an answer`);
      return answer;
    }),
  );
}

function exceptionView(row: ExceptionRow, now: number): schema.ExceptionAnswer {
  return {
    exceptionId: typeId('exc', row.id),
    type: row.type,
    reason: row.reason,
    status: row.status,
    version: row.version,
    depositId: row.deposit_id === null ? null : typeId('dep', row.deposit_id),
    transactionId: row.transaction_id === null ? null : typeId('txn', row.transaction_id),
    withdrawalId: row.withdrawal_id === null ? null : typeId('wdr', row.withdrawal_id),
    returnId: row.return_id === null ? null : typeId('dpr', row.return_id),
    customerId: row.customer_id === null ? null : typeId('cus', row.customer_id),
    entryId: row.entry_id === null ? null : typeId('ste', row.entry_id),
    assignee: row.assignee,
    openedAt: isoInstant(row.opened_at),
    ageHours: Math.max(0, Math.trunc(((row.resolved_at ?? now) - row.opened_at) / HOUR_MS)),
    resolvedAt: row.resolved_at === null ? null : isoInstant(row.resolved_at),
    resolution: row.resolution,
  };
}

async function failureView({ pool }: DepositsRoom, row: ExceptionRow) {
  const subject = row.entry_id ?? row.status_id;
  const failure = subject === null || row.status !== 'open' ? undefined : await failureOf(pool, subject);
  if (failure === undefined) return null;
  const { attempts, reason, detail, firstAt, lastAt, nextAt } = failure;
  return {
    attempts,
    reason,
    detail,
    firstAt: isoInstant(firstAt),
    lastAt: isoInstant(lastAt),
    nextAt: isoInstant(nextAt),
  };
}

function suggestionView({ row, target, score, reasonsFor, reasonsAgainst }: Suggestion) {
  return {
    transactionId: typeId('txn', row.id),
    customerId: typeId('cus', row.customer_id),
    reference: row.reference,
    status: row.status,
    currency: target.currency,
    outstandingAmount: formatAmount(outstandingOf(target), knownCurrency(target.currency)),
    score,
    reasonsFor: [...reasonsFor],
    reasonsAgainst: [...reasonsAgainst],
  };
}
