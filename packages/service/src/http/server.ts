import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { AmbiguousJson, DeepJson, JSON_DEPTH_MAX, parseStrictly } from '@firmquote/fx';
import { REQUEST_CHANNEL } from '@firmquote/telemetry/channels';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { actorId, newRequestId, typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { securityHeaders } from '../platform/security-headers.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { type AccessOptions, countAddress, guardAccess } from './access.ts';
import type { Admission } from './admission.ts';
import { answerClientErrors } from './client-errors.ts';
import {
  answeredOn,
  type ConnectionLimits,
  closeConnectionsOnStop,
  isOneTooMany,
  limitConnections,
  passOverEnded,
} from './connections.ts';
import type { Caller } from './context.ts';
import { asProblem, handleErrors, routeNotFound, sendProblem } from './errors.ts';
import { cameBy, insideListener, isInside } from './inside-listener.ts';
import { lazySchemas } from './lazy-schemas.ts';
import { loggedRequest } from './logged-request.ts';
import { OverloadGuard } from './overload.ts';
import { closeStalledReaders, type StallLimits } from './stalled-readers.ts';

export interface ServerOptions extends AccessOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly accessLog: 'all' | 'errors' | 'off';
  readonly trustProxy: readonly string[];
  /** Public address without a slash at the end; known for sure only once the server listens. */
  readonly baseUrl: () => string;
  /** Paths at which a connection may be upgraded to a WebSocket. */
  readonly webSocketPaths?: readonly string[];
  /** The operator API, the API reference and the metrics are served by a listener of their own (`app.insideServer`). */
  readonly apart?: boolean;
  readonly connections?: ConnectionLimits;
  readonly stalls?: StallLimits;
  /** What is taken on at once, for whoever counts it. Default: one of its own. */
  readonly admission?: Admission;
  /** Default: {@link REQUEST_TIMEOUT_MS}. */
  readonly requestTimeoutMs?: number;
  readonly onResponse?: (
    method: string,
    route: string,
    status: number,
    /** undefined for what was refused before anything was done */
    seconds: number | undefined,
    problemCode: string | undefined,
  ) => void;
}

const NO_LIMITS: ConnectionLimits = {
  perAddress: Number.POSITIVE_INFINITY,
  newPerSecond: Number.POSITIVE_INFINITY,
  isShared: () => true,
};

/** Requests with a body: 64 KiB are room for the largest permitted quote many times over. */
export const BODY_LIMIT_BYTES = 64 * 1024; // limit: Body of a request, where nothing else is said

/** Time in which a request has to arrive, head and body; then it is 408. */
export const REQUEST_TIMEOUT_MS = 30_000; // limit: Time for a request to arrive, head and body
const TIMEOUT_CHECK_MS = 1_000;

/** The bare server: request ids, arrival time, problems, access. Rooms add their routes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const schemas = lazySchemas();
  const secure = headersFor(options.baseUrl);
  const nodeOptions = nodeOptionsOf(options);
  const app = fastifyOf(options, nodeOptions, schemas.compilers, secure);
  app.decorate('logger', options.logger);
  app.decorate('compileSchemas', schemas.compileRest);
  const isHidden = (request: FastifyRequest) =>
    app.insideServer !== undefined && !cameBy(request.raw, app.insideServer);
  handleErrors(app, options.baseUrl, (request, path) => isInside(path) && isHidden(request));
  parseBodies(app);
  const inside = options.apart === true ? insideListener(app, nodeOptions) : undefined;
  app.decorate('insideServer', inside);
  guardListeners(app, inside === undefined ? [app.server] : [app.server, inside], options, secure);
  beginRequests(app, options, secure, isHidden);
  guardAccess(app, options);
  return app;
}

type SecurityHeaders = () => Readonly<Record<string, string>>;

function nodeOptionsOf({
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
  webSocketPaths = [],
}: Pick<ServerOptions, 'requestTimeoutMs' | 'webSocketPaths'>) {
  return {
    // Node looks every 30 s by default, so that half a minute might be a whole one.
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, requestTimeoutMs),
    // Of two limits Node takes the longer one for the body, and the head's is a minute by default.
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    shouldUpgradeCallback: upgradesOnlyAt(webSocketPaths),
  };
}

function fastifyOf(
  options: ServerOptions,
  nodeOptions: ReturnType<typeof nodeOptionsOf>,
  compilersFactory: ReturnType<typeof lazySchemas>['compilers'],
  secure: SecurityHeaders,
): FastifyInstance {
  return fastify({
    // Our own lines name the request themselves. With a logger, Fastify would make a child of it and two listeners for
    // every request, which cost more than some requests.
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    http: nodeOptions,
    requestIdHeader: false,
    genReqId: requestId,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // A request must not hang on a slow or silent client for ever.
    requestTimeout: nodeOptions.requestTimeout,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: answerClientErrors(options.baseUrl, secure),
    // Paths that cannot be decoded are refused before any hook runs.
    frameworkErrors: (error, request, reply) => {
      reply.headers(secure()).header('X-Request-Id', request.id);
      const problem = countAddress(request, reply, 'public', options) ?? asProblem(error);
      sendProblem(request, reply, problem, options.baseUrl());
    },
    schemaController: { compilersFactory },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    // Money must arrive as it was sent: nothing is converted, nothing dropped in silence.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: true,
        allErrors: true,
        // Errors bring their schema along, which has the form that is wanted.
        verbose: true,
        strict: false,
      },
    },
  }) as unknown as FastifyInstance;
}

/** What is refused before a request is one: under load, and connections that are too many. */
function guardListeners(
  app: FastifyInstance,
  servers: readonly Server[],
  options: ServerOptions,
  headers: SecurityHeaders,
): void {
  const guard = new OverloadGuard({
    baseUrl: options.baseUrl,
    headers,
    requestId,
    logger: options.logger,
    isLogged: options.accessLog !== 'off',
    onRefused: (method, route) => options.onResponse?.(method, route, 503, undefined, 'overloaded'),
    ...(options.admission === undefined ? {} : { admission: options.admission }),
  });
  for (const server of servers) {
    passOverEnded(server, (listener) => guard.before(listener));
    limitConnections(server, options.connections ?? NO_LIMITS);
    closeConnectionsOnStop(app, server);
    closeStalledReaders(app, server, options.logger, options.stalls);
  }
}

/** The first thing that happens to a request: its arrival is noted, and what is hidden from its listener is not found. */
function beginRequests(
  app: FastifyInstance,
  options: ServerOptions,
  secure: SecurityHeaders,
  isHidden: (request: FastifyRequest) => boolean,
): void {
  app.decorateRequest('receivedAt', 0);
  app.decorateRequest('problemCode', undefined);
  app.decorateRequest('claimedClientId', undefined);
  app.decorateRequest('claimedPersonId', undefined);
  const observe = observer(options);
  app.addHook('onRequest', (request, reply, done) => {
    if (isOneTooMany(request.raw.socket)) {
      reply.hijack();
      return;
    }
    request.receivedAt = options.clock.now();
    reply.headers(secure()).header('X-Request-Id', request.id);
    observe(request, reply);
    const goOn = () => {
      if (isHidden(request) && isInside(request.routeOptions.url ?? '')) {
        done(countAddress(request, reply, 'public', options) ?? routeNotFound());
      } else done();
    };
    if (REQUEST_CHANNEL.hasSubscribers) REQUEST_CHANNEL.runStores({ request, response: reply.raw }, goOn);
    else goOn();
  });
}

/** Made once: the public address is known for sure when the first request comes. */
function headersFor(baseUrl: () => string): SecurityHeaders {
  let headers: Readonly<Record<string, string>> | undefined;
  return () => {
    headers ??= securityHeaders(baseUrl().startsWith('https:'));
    return headers;
  };
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
 * UTF-8 are refused here: decoding would put replacement characters in their place without a word. So is a member that is
 * given twice: whoever looks at the request on the way may have read the other one.
 */
function parseBodies(app: FastifyInstance): void {
  const withoutPrototypes = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else if (!isUtf8(body))
      done(new Problem('malformed_json', 'The body is not encoded as UTF-8.', { field: '' }));
    else parse(request, body.toString('utf8'), done);
  });

  function parse(request: FastifyRequest, text: string, done: Done): void {
    try {
      const value = parseStrictly(text, () => {
        let parsed: unknown;
        // It calls back before it returns.
        void withoutPrototypes(request, text, (error, result) => {
          if (error) throw error;
          parsed = result;
        });
        return parsed;
      });
      done(null, value);
    } catch (error) {
      done(refusedBody(error, text));
    }
  }
}

function refusedBody(error: unknown, text: string): Error {
  if (error instanceof AmbiguousJson)
    return new Problem('malformed_json', 'The body contains a member twice.', { field: '' });
  // The parser says the same of a prototype key as of what it cannot read.
  if (!(error instanceof DeepJson))
    return isJson(text) ? new Problem('malformed_json', PROTOTYPE, { field: '' }) : (error as Error);
  const detail = `must not be nested more than ${JSON_DEPTH_MAX} levels deep`;
  return validationProblem([{ pointer: '', code: 'too_deep', detail }]);
}

const PROTOTYPE = 'The body contains a member that is not taken: __proto__, or constructor with prototype.';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type Done = (error: Error | null, value?: unknown) => void;

const OBSERVED = Symbol('observed request');

interface ObservedResponse extends ServerResponse {
  [OBSERVED]?: { readonly request: FastifyRequest; readonly startedAt: number };
}

/** As the API names them. */
function loggedCaller(caller: Caller | undefined): Record<string, string> {
  if (caller === undefined) return {};
  const { actor, customerId } = caller;
  return {
    ...(actor.kind === 'person' ? { personId: actorId(actor.id) } : { clientId: actorId(actor.id) }),
    ...(customerId === undefined ? {} : { customerId: typeId('cus', customerId) }),
  };
}

/** Counts and logs what was answered, when the last byte of it was handed on. One listener serves all answers. */
function observer({ onResponse, accessLog, logger }: ServerOptions) {
  function answered(this: ObservedResponse): void {
    const observed = this[OBSERVED];
    if (observed === undefined) return;
    const { request, startedAt } = observed;
    answeredOn(request.raw.socket);
    // A stream is answered when it begins, not when it ends.
    const ms = request.answeredAfterMs ?? performance.now() - startedAt;
    const route = request.routeOptions.url ?? 'none';
    onResponse?.(request.method, route, this.statusCode, ms / 1000, request.problemCode);
    if (accessLog === 'all' || (accessLog === 'errors' && this.statusCode >= 400)) {
      logger.info(
        {
          ...loggedRequest(request),
          method: request.method,
          path: request.url.split('?', 1)[0],
          route,
          status: this.statusCode,
          code: request.problemCode,
          ms: Math.round(ms * 10) / 10,
          ...loggedCaller(request.caller),
        },
        'request',
      );
    }
  }
  return (request: FastifyRequest, { raw }: FastifyReply): void => {
    const response: ObservedResponse = raw;
    response[OBSERVED] = { request, startedAt: performance.now() };
    response.on('finish', answered);
  };
}
