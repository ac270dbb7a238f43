import { streamMarketPrices } from '@firmquote/api/operations/operator-quotes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readmission, type SessionAccess } from '../http/access.ts';
import { readQuery } from '../http/parameters.ts';
import { serveRaw } from '../http/serve.ts';
import { type AccessRoom, codeOf } from './access-check.ts';
import { StreamConnection } from './connection.ts';
import { answerEventStream, isGone } from './event-stream.ts';
import type { PricesRoom } from './price-reader.ts';
import { resolvePrices } from './price-request.ts';
import { resync } from './routes.ts';
import { MARKET_KEY, marketRender } from './topic.ts';

interface MarketStreamRoom extends PricesRoom, Pick<AccessRoom, 'authenticator'> {
  readonly sessions?: SessionAccess | undefined;
}

/** The market's own prices for operators, over the same hub as those of customers. */
export function marketStreamRoute(app: FastifyInstance, room: MarketStreamRoom): void {
  const stream = async (
    request: FastifyRequest,
    reply: FastifyReply,
    lastEventId: string | undefined,
  ): Promise<void> => {
    const { hub, market } = room;
    const { pairs } = resolvePrices(
      readQuery(streamMarketPrices, request.query).query,
      market.book,
      (name) => `/query/${name}`,
    );
    const owner = request.caller?.actor.id ?? '';
    const slot = hub.slots.take(
      owner,
      pairs.map((pair) => pair.code),
    );
    let isOpen = false;
    try {
      if (isGone(reply)) return;
      const transport = answerEventStream(request, reply, () => hub.gone(connection));
      const connection = new StreamConnection(owner, transport, hub.counts);
      if (lastEventId !== undefined) connection.post(resync(lastEventId));
      isOpen = true;
      hub.open(connection, {
        check: operatorCheck(room, request),
        follow: () => undefined,
        onEnd: () => hub.slots.release(slot),
      });
      hub.attempt(connection, () => {
        for (const pair of pairs) hub.subscribe(connection, pair.code, pair, MARKET_KEY, marketRender(pair));
      });
      hub.flush(connection);
    } finally {
      if (!isOpen) hub.slots.release(slot);
    }
  };
  // A HEAD request must not open a stream.
  serveRaw(
    app,
    streamMarketPrices,
    (request, reply, { lastEventId }) => stream(request, reply, lastEventId),
    { exposeHeadRoute: false },
  );
}

/** Looks again at the session or the token, and at what its owner may see, for as long as the stream is open. */
function operatorCheck(
  room: MarketStreamRoom,
  request: FastifyRequest,
): () => string | undefined | Promise<string | undefined> {
  const readmit = readmission(room, request);
  return () => {
    try {
      const caller = readmit();
      return caller instanceof Promise ? caller.then(() => undefined, codeOf) : undefined;
    } catch (error) {
      return codeOf(error);
    }
  };
}
