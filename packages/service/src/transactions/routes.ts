import { setTimeout as delay } from 'node:timers/promises';
import { executeForCustomer } from '@firmquote/api/operations/operator-quotes';
import { listAllTransactions } from '@firmquote/api/operations/operator-transactions';
import * as api from '@firmquote/api/operations/transactions';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { CustomerProfile } from '../customers/profile.ts';
import { customersKey } from '../customers/required-key.ts';
import { etagOf } from '../http/conditional.ts';
import { customerOf } from '../http/context.ts';
import { untilHangUp } from '../http/held-polls.ts';
import { replayHeaders } from '../http/replay-headers.ts';
import { type Handler, pageJson, serve, serveRaw } from '../http/serve.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { executeQuote, transactionPath } from './execute-quote.ts';
import { findTransactions, partsOf, placeOf } from './list-store.ts';
import { filterOf, transactionNotFound } from './list-transactions.ts';
import type { TransactionSummary } from './read-rows.ts';
import type { PricedTransaction } from './record.ts';
import { nextPollAfterSeconds, renderSummary, renderTransaction } from './render.ts';
import type { ExecutionRoom, TransactionsRoom } from './room.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Sandbox drill: the execution commits and its answer is lost in time. */
const SCENARIO_SLOW_ANSWER = 904;
const SLOW_ANSWER_MS = 20_000;
/**
 * How long the body of an execution may take after its head, in which it has arrived. One that takes longer arrives with its
 * end: whoever could hold it back would have an option on the market for longer than the quote says.
 */
const BODY_LIMIT_MS = 1_000; // limit: Time for the body of an execution; a later one counts from its end

/** docs/interface.md#execution, and the transaction that comes of it: docs/interface.md#transactions. */
export function transactionRoutes(app: FastifyInstance, room: TransactionsRoom): void {
  executionRoute(app, room);

  serve(app, api.listTransactions, async ({ request, query, page }) => {
    const { customerId } = customerOf(request);
    const filter = filterOf(query);
    const after = page.place(...partsOf(query.sort));
    const rows = await findTransactions(room.pool, customerId, filter, query.sort, page.limit, after);
    const place = (row: TransactionSummary) => placeOf(query.sort, row);
    return pageJson(page.of(rows, place, (row) => renderSummary(row, 'customer')));
  });

  serveRaw(app, api.getTransaction, async (request, reply, headers) => {
    const { customerId } = customerOf(request);
    const id = parseTypeId('txn', request.params.transactionId);
    let row = id === undefined ? undefined : await room.transactions.find(customerId, id);
    if (row === undefined) throw transactionNotFound();
    if (headers.has(row.version)) {
      row = await heldWhileUnchanged(room, request, reply, headers.wait, row);
      if (headers.has(row.version)) {
        request.notModified?.();
        return withPollHint(room, reply.code(304).header('ETag', etagOf(row.version)), row).send();
      }
    }
    return sendTransaction(
      room,
      headers.wantsSignature,
      withPollHint(room, reply, row),
      row,
      room.clock.now(),
    );
  });
}

/** Hooks of a route that executes, whoever sends it: a request whose body is held back arrives with the end of it. */
function arrivingWithBody({ clock }: ExecutionRoom): Pick<RouteOptions, 'preParsing' | 'preHandler'> {
  const bodyBegan = new WeakMap<FastifyRequest, number>();
  return {
    preParsing: (request, _reply, payload, done) => {
      bodyBegan.set(request, clock.now());
      done(null, payload);
    },
    preHandler: (request, _reply, done) => {
      const now = clock.now();
      if (now - (bodyBegan.get(request) ?? now) > BODY_LIMIT_MS) request.receivedAt = now;
      done();
    },
  };
}

function executionRoute(app: FastifyInstance, room: TransactionsRoom): void {
  serveRaw(
    app,
    api.executeQuote,
    async (request, reply, headers) => {
      const { customerId, clientId } = customerOf(request);
      const found = customersKey(room, customerId, headers.key);
      const key = found instanceof Promise ? await found : found;
      const match = requiredMatch(room, customerId, headers.ifMatch);
      const executed = await executeQuote(room, {
        customerId,
        clientId,
        quoteId: parseTypeId('quote', request.params.quoteId),
        body: request.body,
        receivedAt: request.receivedAt,
        key,
        ifMatch: match instanceof Promise ? await match : match,
      });
      const { transaction } = executed;
      if (executed.replayed) reply.headers(replayHeaders({ status: executed.currentStatus }));
      else if (transaction.scenario === SCENARIO_SLOW_ANSWER) await slowAnswer(request);
      reply.code(201).header('Location', transactionPath(transaction.id));
      // The hint counts from the commit, so that a replay is the same to the letter.
      return sendTransaction(room, headers.wantsSignature, reply, transaction, transaction.created_at);
    },
    arrivingWithBody(room),
  );
}

/** What a dealer executes for a customer is what the customer executes, by another hand. */
export function dealerRoute(app: FastifyInstance, room: ExecutionRoom): void {
  const arrival = arrivingWithBody(room);
  const execute: Handler<typeof executeForCustomer> = async ({ request, params, key, by }) => {
    const { customerId, quoteId } = params;
    const executed = await executeQuote(room, {
      ...{ customerId, quoteId, clientId: by },
      body: {},
      receivedAt: request.receivedAt,
      key,
      ifMatch: undefined,
    });
    const { transaction } = executed;
    const replay = executed.replayed ? replayHeaders({ status: executed.currentStatus }) : {};
    const body: unknown = JSON.parse(renderTransaction(transaction, transaction.created_at, 'operator'));
    const Location = `${listAllTransactions.path}/${typeId('txn', transaction.id)}`;
    const { version } = transaction;
    return { status: 201, version, headers: { 'Cache-Control': 'no-store', ...replay, Location }, body };
  };
  serve(app, executeForCustomer, execute, arrival);
}

async function heldWhileUnchanged(
  { polls, transactions }: TransactionsRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  wait: number | undefined,
  row: PricedTransaction,
): Promise<PricedTransaction> {
  const changed = await polls.waitFor(request, reply, wait, row.customer_id, async () => {
    const current = await transactions.find(row.customer_id, row.id);
    return current?.version === row.version ? undefined : current;
  });
  return changed ?? row;
}

/** Nobody waits for the answer any more once the caller has hung up, which is what the drill is about. */
function slowAnswer(request: FastifyRequest): Promise<void> {
  return untilHangUp(request, (signal) =>
    delay(SLOW_ANSWER_MS, undefined, { signal }).catch(() => undefined),
  );
}

/** `Retry-After` beside `nextPollAfterSeconds`, for clients that look at headers only. */
function withPollHint(room: TransactionsRoom, reply: FastifyReply, row: PricedTransaction): FastifyReply {
  const seconds = nextPollAfterSeconds(row, room.clock.now(), room.pollAtMostSeconds);
  return seconds === null ? reply : reply.header('Retry-After', String(seconds));
}

/** At once, unless the answer is to be signed. */
function sendTransaction(
  room: TransactionsRoom,
  wantsSignature: boolean,
  reply: FastifyReply,
  row: PricedTransaction,
  now: number,
): FastifyReply | Promise<FastifyReply> {
  const answer = renderTransaction(row, now, 'customer', room.pollAtMostSeconds);
  reply
    .header('ETag', etagOf(row.version))
    .header('Content-Type', JSON_TYPE)
    .header('Cache-Control', 'no-store');
  if (!wantsSignature) return reply.send(answer);
  const signed = room.signer.attach(reply, 'transaction', row.customer_id, answer);
  return signed.then(() => reply.send(answer));
}

/** `If-Match` as a version; demanded of customers who are set to prove that they looked. */
function requiredMatch(
  room: TransactionsRoom,
  customerId: string,
  match: number | '*' | undefined,
): number | undefined | Promise<undefined> {
  // `*` fits any version, so it shows nothing of having looked.
  if (match !== undefined && match !== '*') return match;
  const found = room.customers.profile(customerId);
  return found instanceof Promise ? found.then(requireNoMatch) : requireNoMatch(found);
}

function requireNoMatch({ settings }: CustomerProfile): undefined {
  if (!settings.requireStatusCheck) return undefined;
  throw new Problem('precondition_required', "Read the quote's status first and send its ETag as If-Match.");
}
