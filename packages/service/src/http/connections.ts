import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 50;

/** Streams of a process and as many again. Connections beyond them are closed before they are listened to. */
export const CONNECTIONS_MAX = 20_000;
/** Requests sent ahead on one connection: more than any client that means well, and few enough answers to hold at once. */
export const PIPELINED_MAX = 32;

const UNDER_WAY = Symbol('requests under way');
interface CountedSocket extends Socket {
  [UNDER_WAY]?: number;
}

/**
 * Counts a request on its connection, and ends a connection that has too many under way: Node hands on everything that a
 * packet holds at once, and keeps the answers until those before them are written.
 */
export function isOneTooMany(socket: CountedSocket): boolean {
  const underWay = (socket[UNDER_WAY] ?? 0) + 1;
  socket[UNDER_WAY] = underWay;
  if (underWay > PIPELINED_MAX) socket.destroy();
  return socket.destroyed;
}

export function answeredOn(socket: CountedSocket): void {
  socket[UNDER_WAY] = (socket[UNDER_WAY] ?? 1) - 1;
}

/**
 * Lets a stop end when the requests under way are answered. Node closes the idle connections once, at the beginning.
 * What it leaves open: connections on which nothing was asked yet (browsers and load balancers open them ahead), which
 * it does not count as idle, and those that become idle with the answer that was under way, such as a held poll's.
 * Both would hold up the stop for more than a minute.
 */
export function closeConnectionsOnStop(app: FastifyInstance): void {
  app.server.maxConnections = CONNECTIONS_MAX;
  const silent = new Set<Socket>();
  let sweep: NodeJS.Timeout | undefined;
  app.server.on('connection', (socket) => {
    if (sweep !== undefined) {
      socket.destroy();
      return;
    }
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  app.server.on('request', (request) => {
    silent.delete(request.socket);
  });
  app.server.on('upgrade', (request: IncomingMessage) => {
    silent.delete(request.socket);
  });
  app.addHook('preClose', (done) => {
    for (const socket of silent) socket.destroy();
    sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
    done();
  });
  app.addHook('onClose', (_instance, done) => {
    clearInterval(sweep);
    done();
  });
}
