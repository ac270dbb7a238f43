import diagnosticsChannel from 'node:diagnostics_channel';
import { mayChange } from '@firmquote/api/operation';
import type { ProblemCode } from '@firmquote/api/problems';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Hindrance, hindranceOf, LOCKED, sqlState } from '../database/failures.ts';
import { logFailure } from '../database/log-failure.ts';
import { type FieldError, Problem, pointerTo, problemBody, validationProblem } from '../problems/problem.ts';
import { loggedRequest } from './logged-request.ts';
import { type AjvError, sentenceOf } from './sentences.ts';

/** Errors of the framework that are the caller's doing, as problems. */
const FRAMEWORK_CODES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_json', 'The body is not valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_json', 'The body is empty.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', "The request body exceeds this endpoint's limit."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send Content-Type: application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_json', 'The body length differs from Content-Length.'],
  FST_ERR_BAD_URL: ['route_not_found', 'The path is not valid.'],
  FST_ERR_MAX_PARAM_LENGTH: ['route_not_found', 'The path is not valid.'],
};

/** Where in a request the validator looked, as the beginning of pointers. What is in the body needs none. */
const PARTS: Readonly<Record<string, string>> = {
  querystring: '/query',
  params: '/path',
  headers: '/header',
};

/** Codes of the validator's keywords, where they are not its own name in small letters. */
const KEYWORD_CODES: Readonly<Record<string, string>> = {
  dependentRequired: 'required',
  additionalProperties: 'unknown_field',
  unevaluatedProperties: 'unknown_field',
  type: 'wrong_type',
  enum: 'not_permitted',
  const: 'not_permitted',
  pattern: 'wrong_format',
};

function fieldError(error: AjvError, part: string): FieldError {
  const named = error.params.missingProperty ?? error.params.additionalProperty ?? error.propertyName;
  const pointer = `${PARTS[part] ?? ''}${error.instancePath}${typeof named === 'string' ? pointerTo(named) : ''}`;
  const { keyword } = error;
  const code = KEYWORD_CODES[keyword] ?? keyword.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
  return { pointer, code, detail: sentenceOf(error) };
}

/** Keywords that only frame the errors of the schemas in them. */
const FRAMES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'not', 'if', 'propertyNames']);
/** A body of megabytes can be wrong in every line: whoever mends these is told the next. */
const FIELD_ERRORS_MAX = 100; // limit: Field errors in one answer

/**
 * Every wrong place once. A union reports an error for each of its branches: they become the values of all of them, and
 * what may be null says so.
 */
function merged(errors: readonly AjvError[], part: string): FieldError[] {
  const byPointer = new Map<string, FieldError>();
  const constants = new Map<string, string[]>();
  for (const error of errors) {
    if (FRAMES.has(error.keyword)) continue;
    const field = fieldError(error, part);
    const before = byPointer.get(field.pointer);
    if (error.keyword === 'const') {
      const values = constants.get(field.pointer) ?? [];
      values.push(String(error.params.allowedValue));
      constants.set(field.pointer, values);
      byPointer.set(field.pointer, { ...field, detail: `must be one of ${values.join(', ')}` });
    } else if (before === undefined) {
      if (byPointer.size >= FIELD_ERRORS_MAX) break;
      byPointer.set(field.pointer, field);
    } else if (error.keyword === 'enum') byPointer.set(field.pointer, field);
    else if (error.keyword === 'type' && error.params.type === 'null') {
      byPointer.set(field.pointer, { ...before, detail: `${before.detail}, or null` });
    }
  }
  return [...byPointer.values()];
}

/** What hinders the database, with the seconds after which asking again may help. */
const HINDRANCES: Readonly<Record<Hindrance, readonly [ProblemCode, string, string]>> = {
  unreachable: ['maintenance', 'The database cannot be reached.', '2'],
  read_only: ['maintenance', 'The database accepts no writes for now.', '2'],
  no_room: ['maintenance', 'The database has run out of disk space.', '10'],
  busy: ['overloaded', LOCKED, '1'],
  unanswered: [
    'outcome_unknown',
    'The database connection was lost or timed out. The request may have been carried out.',
    '2',
  ],
  unconfirmed: [
    'outcome_unknown',
    'No standby has confirmed what was written for this request. It may have been carried out, and may be lost with this database.',
    '2',
  ],
};

function hindered(hindrance: Hindrance, cause: unknown): Problem {
  const [code, detail, seconds] = HINDRANCES[hindrance];
  return new Problem(code, detail, { headers: { 'Retry-After': seconds }, cause });
}

/** What callers send is UTF-8 already, but for this character, which PostgreSQL takes in no text (`%00` in an address, say). */
const NUL_IN_TEXT = '22021';

/**
 * Whatever was thrown, as the problem that the caller is told.
 * @param changes whether the request was to change anything: else it has no outcome that could be unknown
 */
export function asProblem(error: unknown, changes = false): Problem {
  if (error instanceof Problem) return error;
  const known = error as Partial<FastifyError> & { validation?: AjvError[]; validationContext?: string };
  if (known.validation) {
    const fields = merged(known.validation, known.validationContext ?? 'body');
    return validationProblem(
      fields.length > 0 ? fields : [{ pointer: '', code: 'invalid', detail: 'is not valid' }],
    );
  }
  const framework = known.code === undefined ? undefined : FRAMEWORK_CODES[known.code];
  if (framework) {
    const [code, detail] = framework;
    return new Problem(code, detail, { cause: error, ...(code === 'malformed_json' && { field: '' }) });
  }
  if (sqlState(error) === NUL_IN_TEXT) {
    return validationProblem([{ pointer: '', code: 'wrong_format', detail: 'must not contain NUL' }]);
  }
  const hindrance = hindranceOf(error);
  if (hindrance === 'unanswered' && !changes) return hindered('unreachable', error);
  if (hindrance !== undefined) return hindered(hindrance, error);
  return new Problem('internal_error', 'The request failed because of a fault in the service.', {
    cause: error,
  });
}

/** Tells who listens of every problem that is answered; without a listener it costs nothing. */
export const PROBLEM_CHANNEL = diagnosticsChannel.channel('firmquote:problem');

/** What is told on {@link PROBLEM_CHANNEL}. */
export interface AnsweredProblem {
  readonly request: FastifyRequest;
  readonly code: ProblemCode;
}

/** Writes a problem. The one place where error answers are made. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  baseUrl: string,
): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? request.url;
  request.problemCode = problem.code;
  if (PROBLEM_CHANNEL.hasSubscribers) {
    PROBLEM_CHANNEL.publish({ request, code: problem.code } satisfies AnsweredProblem);
  }
  // What is left of the body is not read, so nothing else can come on this connection.
  if (problem.code === 'body_too_large') reply.header('Connection', 'close');
  const body = problemBody(problem, { baseUrl, instance: path, requestId: request.id });
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('Content-Type', 'application/problem+json; charset=utf-8')
    .serializer((value: unknown) => JSON.stringify(value))
    .send(body);
}

/** What is refused on purpose is in the line of the request and in the metrics; anything else is told here. */
function reportFailure(request: FastifyRequest, problem: Problem, error: unknown): void {
  if (problem === error && problem.cause === undefined && problem.status === 503) return;
  const fields = { code: problem.code, ...loggedRequest(request) };
  logFailure(request.server.logger, problem.cause ?? error, fields, problem.message);
}

/** Routes with their methods, to tell a wrong method (405) from a wrong path (404). */
class RouteIndex {
  readonly #routes = new Map<string, Set<string>>();

  add(url: string, methods: readonly string[]): void {
    const pattern = `^${url
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/:[^/]+/g, '[^/]+')
      .replaceAll('\\*', '.*')}$`;
    const known = this.#routes.get(pattern) ?? new Set();
    for (const method of methods) known.add(method);
    this.#routes.set(pattern, known);
  }

  methodsOf(path: string): string[] {
    const found = new Set<string>();
    for (const [pattern, methods] of this.#routes) {
      if (new RegExp(pattern).test(path)) for (const method of methods) found.add(method);
    }
    return [...found].sort();
  }
}

export function routeNotFound(): Problem {
  return new Problem('route_not_found', 'No route matches this path.');
}

function isChange({ method, routeOptions }: FastifyRequest): boolean {
  const { operation } = routeOptions.config;
  return operation === undefined ? method !== 'GET' && method !== 'HEAD' : mayChange(operation);
}

/** Every failure of every route ends here, and nothing but a problem leaves. */
export function handleErrors(
  app: FastifyInstance,
  baseUrl: () => string,
  isHidden: (request: FastifyRequest, path: string) => boolean = () => false,
): void {
  const index = new RouteIndex();
  app.addHook('onRoute', (route) => {
    index.add(route.url, Array.isArray(route.method) ? route.method : [route.method]);
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error, isChange(request));
    if (problem.status >= 500) reportFailure(request, problem, error);
    return sendProblem(request, reply, problem, baseUrl());
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = isHidden(request, path) ? [] : index.methodsOf(path);
    const problem =
      methods.length > 0
        ? new Problem('method_not_allowed', `This path does not take ${request.method}.`, {
            headers: { Allow: methods.join(', ') },
          })
        : routeNotFound();
    return sendProblem(request, reply, problem, baseUrl());
  });
}
