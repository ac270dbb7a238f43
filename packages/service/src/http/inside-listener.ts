import { createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** What is not for customers, and need not be where they are. */
const INSIDE =
  /^\/($|login(\/|$)|auth(\/|$)|console(\/|$)|v1\/(operator|sandbox)(\/|$)|docs(\/|$)|openapi\.json$|llms(-full)?\.txt$|metrics$)/;

export function isInside(path: string): boolean {
  return INSIDE.test(path);
}

/** Whether a request came by this listener. */
export function cameBy(request: IncomingMessage, server: Server): boolean {
  // The server that accepted a connection: Node sets it, and its types do not tell.
  return (request.socket as { server?: Server }).server === server;
}

/** A second listener for the same routes. It takes no upgrades: streams of prices are for customers. */
export function insideListener(app: FastifyInstance, options: ServerOptions): Server {
  const server = createServer(options, (request, response) => app.routing(request, response));
  server.keepAliveTimeout = app.server.keepAliveTimeout;
  server.headersTimeout = app.server.headersTimeout;
  server.requestTimeout = app.server.requestTimeout;
  server.on('clientError', (error, socket) => app.server.emit('clientError', error, socket));
  return server;
}
