import * as api from '@firmquote/api/operations/price-streams';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { customerOf } from '../http/context.ts';
import { serveRaw } from '../http/serve.ts';
import { Problem } from '../problems/problem.ts';
import { accessCheck } from './access-check.ts';
import { StreamConnection } from './connection.ts';
import { answerEventStream, isGone } from './event-stream.ts';
import { FRAME_ID, Frame } from './frame.ts';
import { PriceReader } from './price-reader.ts';
import { readPriceQuery, requireTerms, resolvePrices } from './price-request.ts';
import type { StreamsRoom } from './room.ts';

/** docs/interface.md#price-streams. */
export function streamRoutes(app: FastifyInstance, room: StreamsRoom): void {
  // A HEAD request must not open a stream.
  serveRaw(
    app,
    api.streamPrices,
    (request, reply, { lastEventId }) => streamPrices(room, request, reply, lastEventId),
    { exposeHeadRoute: false },
  );
}

async function streamPrices(
  room: StreamsRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  lastEventId: string | undefined,
): Promise<void> {
  const { customerId } = customerOf(request);
  const { hub, market } = room;
  const wanted = resolvePrices(readPriceQuery(request.query), market.book, (name) => `/query/${name}`);
  const slot = hub.slots.take(
    customerId,
    wanted.pairs.map((pair) => pair.code),
  );
  let opened = false;
  try {
    const terms = await requireTerms(room, customerId, wanted);
    if (isGone(reply)) return;
    const transport = answerEventStream(request, reply, () => hub.gone(connection));
    const connection = new StreamConnection(customerId, transport, hub.counts);
    const reader = new PriceReader(room, connection);
    if (lastEventId !== undefined) connection.post(resync(lastEventId));
    opened = true;
    hub.open(connection, {
      check: accessCheck(room, request),
      follow: () => reader.follow(),
      onEnd: () => hub.slots.release(slot),
    });
    hub.attempt(connection, () => reader.add(wanted, terms));
    hub.flush(connection);
  } finally {
    if (!opened) hub.slots.release(slot);
  }
}

/** Old prices are never played again; a client that comes back is told so, and then gets each pair as it is now. */
export function resync(lastEventId: string): Frame {
  const known = FRAME_ID.test(lastEventId) ? `"${lastEventId}"` : 'null';
  return new Frame('resync', `{"lastEventId":${known}}`);
}

/** For requests that would be answered by an upgrade. */
export function upgradeRequired(): never {
  throw new Problem('upgrade_required', 'Upgrade the connection to a WebSocket.', {
    headers: { Upgrade: 'websocket', Connection: 'Upgrade, close' },
  });
}
