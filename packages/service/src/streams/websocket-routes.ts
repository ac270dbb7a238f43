import websocket from '@fastify/websocket';
import { openPriceSocket } from '@firmquote/api/operations/price-streams';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { customerOf } from '../http/context.ts';
import { asProblem } from '../http/errors.ts';
import { RateLimiter } from '../http/rate-limits.ts';
import { serveRaw } from '../http/serve.ts';
import { problemBody } from '../problems/problem.ts';
import { accessCheck } from './access-check.ts';
import { byeFrame, StreamConnection } from './connection.ts';
import { DeskMessages } from './desk-messages.ts';
import { Frame } from './frame.ts';
import { PriceReader } from './price-reader.ts';
import type { StreamsRoom } from './room.ts';
import { upgradeRequired } from './routes.ts';
import { WebSocketTransport } from './websocket-transport.ts';

export const WEBSOCKET_PATH = openPriceSocket.path;
/** A message that names forty pairs has less than a kilobyte. */
const MESSAGE_MAX_BYTES = 16 * 1024; // limit: Message to a WebSocket
/** Messages of one connection. */
const MESSAGE_RATE = { perMinute: 120, burst: 20 } as const; // limit: {a minute} Messages of one WebSocket
/** What a connection may send beyond that, and pings and pongs of its own: each is answered, so more of them end it. */
const FLOOD_RATE = { perMinute: 120, burst: 60 } as const;

/**
 * `GET /v1/customer/prices/ws`: the events of the stream as messages, for desks that change what they read while they
 * read. The token comes in the `Authorization` header of the upgrade and nowhere else: an address ends up in logs.
 */
export async function websocketRoutes(
  app: FastifyInstance,
  room: StreamsRoom,
  baseUrl: () => string,
): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(websocket, {
      options: { maxPayload: MESSAGE_MAX_BYTES, perMessageDeflate: false, clientTracking: false },
      // The hub says goodbye before the server closes.
      preClose: (done) => done(),
      errorHandler: (_error, socket) => socket.close(INTERNAL_ERROR),
    });
    // An upgrade that is refused leaves a connection that nobody reads from any more.
    scope.addHook('onResponse', (request, _reply, done) => {
      if (request.headers.upgrade?.toLowerCase() === 'websocket') request.raw.socket.destroySoon();
      done();
    });
    const limiter = new RateLimiter();
    serveRaw(scope, openPriceSocket, upgradeRequired, {
      exposeHeadRoute: false,
      // While a plain answer is still possible; what may have changed until the upgrade is looked at once more.
      preHandler: (request, _reply, done) => {
        room.hub.slots.check(customerOf(request).customerId);
        done();
      },
      wsHandler: (socket, request) => serve(socket, request, room, limiter, baseUrl),
    });
  });
}

/** RFC 6455 §7.4.1. Where the protocol itself was broken, the connection is closing with its own code already. */
const INTERNAL_ERROR = 1011;

function serve(
  socket: WebSocket,
  request: FastifyRequest,
  room: StreamsRoom,
  limiter: RateLimiter,
  baseUrl: () => string,
): void {
  const { hub } = room;
  const { customerId } = customerOf(request);
  const transport = new WebSocketTransport(socket, request.raw.socket);
  let slot: ReturnType<typeof hub.slots.take>;
  try {
    slot = hub.slots.take(customerId, []);
  } catch (error) {
    const { code } = asProblem(error);
    transport.end(byeFrame(code), code);
    return;
  }
  const connection = new StreamConnection(customerId, transport, hub.counts);
  const reader = new PriceReader(room, connection);
  const messages = new DeskMessages({ room, connection, reader, slot, request });
  socket.on('close', () => hub.gone(connection));
  socket.on('error', () => hub.gone(connection));
  const owner = `${request.id} ${messages.number}`;
  const isFlood = () => {
    if (limiter.take(owner, 'flood', FLOOD_RATE).allowed) return false;
    hub.end(connection, 'rate_limited');
    // It is not waited for: whoever floods need not agree to the end.
    socket.terminate();
    return true;
  };
  // One of ours is answered with one pong every few seconds.
  socket.on('ping', isFlood);
  socket.on('pong', isFlood);
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    const decision = limiter.take(owner, 'messages', MESSAGE_RATE);
    if (!decision.allowed && isFlood()) return;
    messages.receive(data, isBinary, decision, (error, requestId) => {
      const context = { baseUrl: baseUrl(), instance: WEBSOCKET_PATH, requestId: requestId ?? request.id };
      connection.post(new Frame('error', JSON.stringify(problemBody(asProblem(error), context))));
      hub.flush(connection);
    });
  });
  hub.open(connection, {
    check: accessCheck(room, request),
    follow: () => reader.follow(),
    onEnd: () => hub.slots.release(slot),
  });
  hub.flush(connection);
}
