import type { FastifyInstance } from 'fastify';
import { logFailure } from '../database/log-failure.ts';
import { bookingAsHouse } from '../deposits/book-deposit.ts';
import type { ExceptionRow } from '../deposits/exceptions.ts';
import { ignoring } from '../deposits/ignore-deposit.ts';
import { assignDeposit, noteOnDeposit } from '../deposits/note-deposit.ts';
import { type DepositOrder, type OrderOutcome, orderOnDeposit } from '../deposits/operate-deposit.ts';
import { releasing } from '../deposits/release-deposit.ts';
import { returning } from '../deposits/return-deposit.ts';
import type { DepositsRoom } from '../deposits/room.ts';
import { unmatching } from '../deposits/unmatch-deposit.ts';
import { operatorOf, type RouteAccess } from '../http/context.ts';
import { eachByItself, type ItemOutcome, itemProblem } from '../http/each-by-itself.ts';
import { idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { ProblemSchema } from '../http/schema.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { assignException, resolveException, retryException } from './resolve-exception.ts';
import { countDeposits, countExceptions } from './work-counts.ts';
import * as schema from './work-schema.ts';

const DEPOSITS = '/v1/operator/deposits';
const EXCEPTIONS = '/v1/operator/exceptions';
const access: RouteAccess = { audience: 'operator', scope: 'operator:deposits' };
const DEPOSIT_TAGS = ['Operator: deposits'];
const EXCEPTION_TAGS = ['Operator: exceptions'];

export interface WorkRoutesOptions {
  readonly room: DepositsRoom;
  readonly idempotency: IdempotencyStore;
}

/** How much work waits, and the same command on many pieces of it. */
export function workRoutes(app: FastifyInstance, options: WorkRoutesOptions): void {
  countRoutes(app, options);
  commandDepositsRoute(app, options);
  commandExceptionsRoute(app, options);
}

function countRoutes(app: FastifyInstance, { room }: WorkRoutesOptions): void {
  app.get(
    `${DEPOSITS}/counts`,
    {
      config: { access },
      schema: {
        tags: DEPOSIT_TAGS,
        summary: 'How many deposits wait, by status and age',
        response: { 200: schema.DepositCounts, default: ProblemSchema },
      },
    },
    async () => {
      const counts = await countDeposits(room.pool, room.clock.now());
      return { items: counts.map(({ kind: status, ...count }) => ({ status, ...count })) };
    },
  );
  app.get(
    `${EXCEPTIONS}/counts`,
    {
      config: { access },
      schema: {
        tags: EXCEPTION_TAGS,
        summary: 'How many exceptions are open, by type and age',
        response: { 200: schema.ExceptionCounts, default: ProblemSchema },
      },
    },
    async () => {
      const counts = await countExceptions(room.pool, room.clock.now());
      return { items: counts.map(({ kind: type, ...count }) => ({ type, ...count })) };
    },
  );
}

const SAME_ON_MANY =
  'Each is done as by its own route, in a commit of its own. The answer is 200 whatever became of them.';

function commandDepositsRoute(app: FastifyInstance, { room, idempotency }: WorkRoutesOptions): void {
  app.post(
    `${DEPOSITS}/commands`,
    {
      config: { access },
      schema: {
        tags: DEPOSIT_TAGS,
        summary: 'The same command on many deposits, each with its own outcome',
        description: SAME_ON_MANY,
        body: schema.CommandDeposits,
        response: { 200: schema.DepositOutcomes, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const body = request.body as schema.CommandDeposits;
      requireFields(body.command, { book: ['as', body.as], assign: ['assignee', body.assignee] });
      const by = operatorOf(request);
      const outcomes = await eachByItself(
        body.items,
        (item) => commandDeposit(room, body, item, by),
        (error, { depositId }) =>
          logFailure(
            request.server.logger,
            error,
            { depositId, ...loggedRequest(request) },
            'a command on many deposits failed for one',
          ),
      );
      const items = outcomes.map((each, index) => depositOutcome(body.items[index]?.depositId ?? '', each));
      return { status: 200, body: { items } };
    }),
  );
}

async function commandDeposit(
  room: DepositsRoom,
  { command, reason, as, remember = false, assignee = null }: schema.CommandDeposits,
  { depositId, version }: schema.CommandDeposits['items'][number],
  actor: string,
): Promise<OrderOutcome> {
  const order: DepositOrder = { depositId: parseTypeId('dep', depositId), ifMatch: version, actor, reason };
  switch (command) {
    case 'return':
      return orderOnDeposit(room, order, returning, { returnedBy: 'house' });
    case 'release':
      return orderOnDeposit(room, order, releasing, { remember });
    case 'ignore':
      return orderOnDeposit(room, order, ignoring, {});
    case 'book':
      if (as === undefined) throw new Error('a booking was let through without its account');
      return orderOnDeposit(room, order, bookingAsHouse, { as });
    case 'unmatch':
      return orderOnDeposit(room, order, unmatching, {});
    case 'assign':
      return { done: true, deposit: await assignDeposit(room, order, assignee) };
    case 'note':
      return { done: true, deposit: await noteOnDeposit(room, order) };
  }
}

function depositOutcome(depositId: string, each: ItemOutcome<OrderOutcome>): Record<string, unknown> {
  const nothing = { status: null, version: null, approvalId: null, problem: null };
  if (each.outcome === 'refused')
    return { ...nothing, depositId, outcome: 'refused', problem: itemProblem(each.problem) };
  if (each.outcome === 'failed') return { ...nothing, depositId, outcome: 'failed' };
  if (!each.done.done) {
    return { ...nothing, depositId, outcome: 'proposed', approvalId: typeId('apr', each.done.approval.id) };
  }
  const { status, version } = each.done.deposit;
  return { ...nothing, depositId, outcome: 'done', status, version };
}

function commandExceptionsRoute(app: FastifyInstance, { room, idempotency }: WorkRoutesOptions): void {
  app.post(
    `${EXCEPTIONS}/commands`,
    {
      config: { access },
      schema: {
        tags: EXCEPTION_TAGS,
        summary: 'The same command on many exceptions, each with its own outcome',
        description: SAME_ON_MANY,
        body: schema.CommandExceptions,
        response: { 200: schema.ExceptionOutcomes, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const body = request.body as schema.CommandExceptions;
      const needed = {
        resolve: ['resolution', body.resolution],
        assign: ['assignee', body.assignee],
      } as const;
      requireFields(body.command, needed);
      const by = operatorOf(request);
      const outcomes = await eachByItself(
        body.items,
        (item) => commandException(room, body, item, by),
        (error, { exceptionId }) =>
          logFailure(
            request.server.logger,
            error,
            { exceptionId, ...loggedRequest(request) },
            'a command on many exceptions failed for one',
          ),
      );
      const items = outcomes.map((each, index) => ({
        exceptionId: body.items[index]?.exceptionId,
        outcome: each.outcome,
        status: each.outcome === 'done' ? each.done.status : null,
        version: each.outcome === 'done' ? each.done.version : null,
        problem: each.outcome === 'refused' ? itemProblem(each.problem) : null,
      }));
      return { status: 200, body: { items } };
    }),
  );
}

async function commandException(
  room: DepositsRoom,
  { command, note, resolution, assignee = null }: schema.CommandExceptions,
  { exceptionId, version }: schema.CommandExceptions['items'][number],
  actor: string,
): Promise<ExceptionRow> {
  const order = { exceptionId: parseTypeId('exc', exceptionId), ifMatch: version, actor, note };
  if (command === 'assign') return assignException(room, order, assignee);
  if (command === 'retry') return retryException(room, order);
  if (resolution === undefined) throw new Error('a resolution was let through without its name');
  return resolveException(room, order, resolution);
}

/** What one command needs is not what another does. @throws Problem validation_failed */
function requireFields(
  command: string,
  needed: Readonly<Record<string, readonly [name: string, value: unknown]>>,
): void {
  const [name, value] = needed[command] ?? [];
  if (name === undefined || value !== undefined) return;
  throw validationProblem([{ pointer: `/${name}`, code: 'required', detail: `is needed to ${command}` }]);
}
