import * as api from '@firmquote/api/operations/quotes';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { customersKey } from '../customers/required-key.ts';
import type { TermsSigner } from '../evidence/sign-terms.ts';
import { wantsEventStream } from '../http/access.ts';
import { etagOf } from '../http/conditional.ts';
import { customerOf } from '../http/context.ts';
import { atEndOfTurn } from '../http/end-of-turn.ts';
import { replayHeaders } from '../http/replay-headers.ts';
import { serveRaw } from '../http/serve.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { cancelQuote, findQuote } from './quote-lifecycle.ts';
import { currentState, renderCreated, renderQuote, shownVersion } from './render.ts';
import { requestIndicative } from './request-indicative.ts';
import { requestQuote } from './request-quote.ts';
import type { QuotesRoom, StreamIndicative } from './room.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const QUOTES_PATH = '/v1/customer/quotes';

/**
 * `/v1/customer/quotes`: docs/interface.md#indicative-prices, docs/interface.md#quotes, and cancelling. Executing is the transactions room's.
 * @param signer of the terms of firm quotes, for who prefers them signed
 */
export function quoteRoutes(
  app: FastifyInstance,
  room: QuotesRoom,
  streamIndicative: StreamIndicative,
  signer: TermsSigner,
): void {
  serveRaw(
    app,
    api.getIndicativePrice,
    async (request, reply, headers) => {
      if (wantsEventStream(request.headers.accept))
        return streamIndicative(request, reply, request.body, headers.lastEventId);
      const { customerId } = customerOf(request);
      const answer = await requestIndicative(room, customerId, request.body);
      return reply.header('Content-Type', JSON_TYPE).header('Cache-Control', 'no-store').send(answer);
    },
    { onSend: atEndOfTurn },
  );

  serveRaw(app, api.createQuote, async (request, reply, headers) => {
    const { customerId, clientId } = customerOf(request);
    const found = customersKey(room, customerId, headers.key);
    const key = found instanceof Promise ? await found : found;
    const { record, answeredAt, current } = await requestQuote(room, {
      customerId,
      clientId,
      body: request.body,
      key,
    });
    const now = room.clock.now();
    if (current !== undefined) reply.headers(replayHeaders(currentState(current, now)));
    reply.code(201).header('Location', `${QUOTES_PATH}/${typeId('quote', record.id)}`);
    const answer = renderCreated(record, answeredAt ?? now);
    if (headers.wantsSignature) await signer.attach(reply, 'quote', customerId, answer);
    return sendJson(reply, record.version, answer);
  });

  existingQuoteRoutes(app, room, signer);
}

/** Reading and cancelling. */
function existingQuoteRoutes(app: FastifyInstance, room: QuotesRoom, signer: TermsSigner): void {
  serveRaw(app, api.getQuote, async (request, reply, headers) => {
    const { customerId } = customerOf(request);
    const quote = await findQuote(room, customerId, parseTypeId('quote', request.params.quoteId));
    const now = room.clock.now();
    const version = shownVersion(quote, now);
    if (headers.has(version)) {
      request.notModified?.();
      return reply.code(304).header('ETag', etagOf(version)).send();
    }
    const answer = renderQuote(quote, now);
    if (headers.wantsSignature) await signer.attach(reply, 'quote', customerId, answer);
    return sendJson(reply, version, answer);
  });

  serveRaw(app, api.cancelQuote, async (request, reply, headers) => {
    const { customerId } = customerOf(request);
    // Cancelling twice is harmless, so its key only has to be well-formed.
    await customersKey(room, customerId, headers.key);
    const { ifMatch } = headers;
    const quote = await cancelQuote(
      room,
      customerId,
      parseTypeId('quote', request.params.quoteId),
      request.receivedAt,
      ifMatch === '*' ? undefined : ifMatch,
    );
    const now = room.clock.now();
    return sendJson(reply, shownVersion(quote, now), renderQuote(quote, now));
  });
}

function sendJson(reply: FastifyReply, version: number, body: string): FastifyReply {
  return reply
    .header('ETag', etagOf(version))
    .header('Content-Type', JSON_TYPE)
    .header('Cache-Control', 'no-store')
    .send(body);
}
