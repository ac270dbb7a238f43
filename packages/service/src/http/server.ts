import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, fastify, LogController } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { newRequestId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { Problem } from '../problems/problem.ts';
import { type AccessOptions, guardAccess } from './access.ts';
import { answerClientErrors } from './client-errors.ts';
import { closeConnectionsOnStop } from './connections.ts';
import { asProblem, handleErrors, sendProblem } from './errors.ts';

export interface ServerOptions extends AccessOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly accessLog: 'all' | 'errors' | 'off';
  readonly trustProxy: readonly string[];
  /** Public address without a slash at the end; known for sure only once the server listens. */
  readonly baseUrl: () => string;
  /** Paths at which a connection may be upgraded to a WebSocket. */
  readonly webSocketPaths?: readonly string[];
  readonly onResponse?: (method: string, route: string, status: number, seconds: number) => void;
}

/** Requests with a body: 64 KiB are room for the largest permitted quote many times over. */
export const BODY_LIMIT_BYTES = 64 * 1024;

/** The bare server: request ids, arrival time, problems, access. Rooms add their routes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    http: { shouldUpgradeCallback: upgradesOnlyAt(options.webSocketPaths ?? []) },
    requestIdHeader: false,
    genReqId: requestId,
    // A child logger for every request would cost more than most requests; our own lines name the request themselves.
    childLoggerFactory: (logger) => logger,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // A request must not hang on a slow or silent client for ever.
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: answerClientErrors(options.baseUrl),
    // Paths that cannot be decoded are refused before any hook runs.
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id);
      sendProblem(request, reply, asProblem(error), options.baseUrl());
    },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    // Money must arrive as it was sent: nothing is converted, nothing dropped in silence.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: true,
        allErrors: true,
        strict: false,
      },
    },
  }) as unknown as FastifyInstance;

  handleErrors(app, options.baseUrl);
  parseBodies(app);
  closeConnectionsOnStop(app);
  app.decorateRequest('receivedAt', 0);
  app.addHook('onRequest', (request, reply, done) => {
    request.receivedAt = options.clock.now();
    reply.header('X-Request-Id', request.id);
    done();
  });
  guardAccess(app, options);
  observe(app, options);
  return app;
}

/**
 * Some clients offer an upgrade to HTTP/2 with any request. Elsewhere than at these paths an upgrade is passed over, as
 * RFC 9110 §7.8 permits, and the request answered; once one is listened for, Node would hand over all of them.
 */
function upgradesOnlyAt(paths: readonly string[]) {
  return ({ url, headers }: IncomingMessage): boolean =>
    headers.upgrade?.toLowerCase() === 'websocket' && paths.includes(url?.split('?', 1)[0] ?? '');
}

function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : newRequestId();
}

/**
 * JSON only, and no body at all where a body is optional. Prototype keys are refused by the parser. Bytes that are no
 * UTF-8 are refused here: decoding would put replacement characters in their place without a word.
 */
function parseBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else if (!isUtf8(body)) done(new Problem('malformed_json', 'The body is not encoded as UTF-8.'));
    else parse(request, body.toString('utf8'), done);
  });
}

function observe(app: FastifyInstance, options: ServerOptions): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const elapsedMs = request.answeredAfterMs ?? reply.elapsedTime;
    options.onResponse?.(request.method, route, reply.statusCode, elapsedMs / 1000);
    if (options.accessLog === 'all' || (options.accessLog === 'errors' && reply.statusCode >= 400)) {
      request.log.info(
        {
          requestId: request.id,
          method: request.method,
          path: request.url.split('?', 1)[0],
          route,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 10) / 10,
          clientId: request.caller?.clientId,
          customerId: request.caller?.customerId,
        },
        'request',
      );
    }
    done();
  });
}
