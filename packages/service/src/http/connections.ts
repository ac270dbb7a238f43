import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 50;

/**
 * Lets a stop end when the requests under way are answered. Node closes the idle connections once, at the beginning.
 * What it leaves open: connections on which nothing was asked yet (browsers and load balancers open them ahead), which
 * it does not count as idle, and those that become idle with the answer that was under way, such as a held poll's.
 * Both would hold up the stop for more than a minute.
 */
export function closeConnectionsOnStop(app: FastifyInstance): void {
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
