import type { Operation } from '@firmquote/api/operation';
import { createToken, introspectToken, revokeToken } from '@firmquote/api/operations/authorization';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acting } from '../database/acting.ts';
import { hindranceOf } from '../database/failures.ts';
import { logFailure } from '../database/log-failure.ts';
import type { ProvenRequest } from '../http/access.ts';
import { actOf } from '../http/acts.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { addressOwner, type Quota } from '../http/rate-limits.ts';
import { serveRaw } from '../http/serve.ts';
import { claimedClientOf } from './authenticate-client.ts';
import { INTROSPECTION_RATE, introspect, revokeOwnToken, type TokenInspector } from './inspect-token.ts';
import { issueToken, type TokenIssuer, tooManyRequests } from './issue-token.ts';
import { invalidRequest, OAuthError } from './oauth-error.ts';
import { type BodyFormat, PARAMETERS, parseTokenQuestion, parseTokenRequest } from './token-request.ts';

export const TOKEN_PATH = createToken.path;
/** Room for a client assertion signed with a large RSA key many times over. */
const BODY_LIMIT_BYTES = 16 * 1024; // limit: Body of a token request
const CHALLENGE = 'Basic realm="firmquote", charset="UTF-8"';

/** Errors of the framework on this route, in the form that OAuth clients understand. */
const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, `The body may be ${BODY_LIMIT_BYTES} bytes at most.`],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'Send application/json or application/x-www-form-urlencoded.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'The body length differs from Content-Length.'],
};

/** Token requests a minute. */
export interface TokenRates {
  /** Of a client, once it has authenticated. */
  readonly perClient: Quota;
  /** Of an address, whatever is sent: a bound on the work that one address can ask for. */
  readonly perAddress: Quota;
  /** Of an address, answered with an error. */
  readonly failuresPerAddress: Quota;
}

interface RawBody {
  readonly format: BodyFormat;
  readonly text: string;
}

/** `POST /oauth/token`, `/oauth/revoke` and `/oauth/introspect`. */
export function registerTokenRoutes(
  app: FastifyInstance,
  issuer: TokenIssuer & TokenInspector,
  rates: TokenRates,
): void {
  registerRoute(app, createToken, issuer, rates, async ({ format, text }, request) => {
    requireRate(issuer, request, 'token', rates.perAddress);
    const parsed = parseTokenRequest(format, text, request.headers.authorization);
    request.claimedClientId = claimedClientOf(parsed.credentials);
    const answer = await issueToken(issuer, parsed, request.ip, request.raw as ProvenRequest);
    issuer.onAnswer?.('issued');
    return answer;
  });
  registerRoute(app, revokeToken, issuer, rates, async ({ format, text }, request, reply) => {
    requireRate(issuer, request, 'token', rates.perAddress);
    const question = parseTokenQuestion(format, text, request.headers.authorization);
    request.claimedClientId = claimedClientOf(question.credentials);
    // What is written is written once the client has shown that it is the one.
    await acting(actOf(revokeToken, request), () => revokeOwnToken(issuer, question, request.ip));
    return reply.send();
  });
  registerRoute(app, introspectToken, issuer, rates, async ({ format, text }, request) => {
    requireRate(issuer, request, 'introspection', INTROSPECTION_RATE);
    const question = parseTokenQuestion(format, text, request.headers.authorization);
    request.claimedClientId = claimedClientOf(question.credentials);
    return introspect(issuer, question, request.ip);
  });
}

type Answering = (body: RawBody, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * An endpoint of OAuth. A plugin of its own, because everything differs here: it takes forms, and every answer, also
 * to a wrong method or media type, has the form of RFC 6749 and must not be stored by anyone.
 */
function registerRoute(
  app: FastifyInstance,
  operation: Operation,
  issuer: TokenIssuer,
  rates: TokenRates,
  answer: Answering,
): void {
  app.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', (_request, reply, next) => {
        reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
        next();
      });
      takeRawBodies(scope);
      scope.setErrorHandler((error, request, reply) => {
        const refusal = asOAuthError(error);
        issuer.onAnswer?.(refusal.code);
        return sendOAuthError(request, reply, slowedDown(request, refusal, issuer, rates));
      });
      scope.setNotFoundHandler((request, reply) =>
        sendOAuthError(request, reply, wrongMethod(request, operation.path)),
      );
      // What the body must be is checked where it is read, with errors that are OAuth's.
      const options = { bodyLimit: BODY_LIMIT_BYTES, recordsItself: operation.id === revokeToken.id };
      serveRaw(scope, operation, (request, reply) => answer(bodyOf(request), request, reply), options);
      done();
    },
    { prefix: operation.path },
  );
}

function requireRate(
  { limiter }: TokenIssuer,
  request: FastifyRequest,
  policy: 'token' | 'introspection',
  quota: Quota,
): void {
  const { allowed, resetSeconds } = limiter.take(addressOwner(request.ip), policy, quota);
  if (!allowed) throw tooManyRequests(resetSeconds);
}

function bodyOf(request: FastifyRequest): RawBody {
  if (PARAMETERS.some((name) => name in (request.query as object))) {
    throw invalidRequest('Send parameters in the body, not in the URL.');
  }
  const body = request.body as RawBody | undefined;
  if (body === undefined) throw invalidRequest('The body is empty.');
  return body;
}

/**
 * Failures are counted by address, apart from tokens that are given: who guesses behind a proxy, or has a wrong secret in a
 * loop, uses up its own answers and not the tokens of its neighbours.
 */
function slowedDown(
  request: FastifyRequest,
  refusal: OAuthError,
  { limiter }: TokenIssuer,
  { failuresPerAddress }: TokenRates,
): OAuthError {
  if (refusal.status >= 429) return refusal;
  const { allowed, resetSeconds } = limiter.take(
    addressOwner(request.ip),
    'token failures',
    failuresPerAddress,
  );
  return allowed ? refusal : tooManyRequests(resetSeconds, refusal.cause);
}

/** Bodies as text: what is wrong with them is then said in one place, and forms are known to this plugin only. */
function takeRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const formats = { 'application/json': 'json', 'application/x-www-form-urlencoded': 'form' } as const;
  for (const [mediaType, format] of Object.entries(formats)) {
    scope.addContentTypeParser<string>(mediaType, { parseAs: 'string' }, (_request, text, done) => {
      done(null, { format, text } satisfies RawBody);
    });
  }
}

function wrongMethod(request: FastifyRequest, path: string): OAuthError {
  return request.url.split('?', 1)[0] === path
    ? new OAuthError('invalid_request', 'This endpoint accepts only POST.', {
        status: 405,
        headers: { Allow: 'POST' },
      })
    : invalidRequest('No route matches this path.', 404);
}

function asOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  const known = FRAMEWORK_ERRORS[(error as Partial<FastifyError>).code ?? ''];
  if (known) return invalidRequest(known[1], known[0]);
  return hindranceOf(error) !== undefined
    ? new OAuthError('temporarily_unavailable', 'The service cannot reach its database.', {
        status: 503,
        headers: { 'Retry-After': '2' },
        cause: error,
      })
    : new OAuthError('server_error', 'The request failed because of a fault in the service.', {
        status: 500,
        cause: error,
      });
}

function sendOAuthError(request: FastifyRequest, reply: FastifyReply, error: OAuthError): FastifyReply {
  request.problemCode = error.code;
  if (error.status >= 500) {
    const { code, cause, message } = error;
    logFailure(request.server.logger, cause, { code, ...loggedRequest(request) }, message);
  } else if (error.code === 'invalid_client') {
    const { clientId, message } = error;
    request.server.logger.warn({ clientId, address: request.ip, ...loggedRequest(request) }, message);
  }
  // RFC 6749 §5.2: a challenge only for a client that used the Authorization header. Libraries of clients take one for all that a refusal
  // says, and pass over `invalid_client` (openid-client.test.ts).
  if (error.status === 401 && request.headers.authorization !== undefined) {
    reply.header('WWW-Authenticate', CHALLENGE);
  }
  return reply
    .code(error.status)
    .headers(error.headers)
    .header('Content-Type', 'application/json; charset=utf-8')
    .serializer((value: unknown) => JSON.stringify(value))
    .send(error.toBody());
}
