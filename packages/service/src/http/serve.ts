import diagnosticsChannel from 'node:diagnostics_channel';
import { isDeepStrictEqual } from 'node:util';
import { underPolicy } from '@firmquote/api/four-eyes';
import type { BodyOf, Operation, ParamsOf, QueryOf } from '@firmquote/api/operation';
import { isDeclaration } from '@firmquote/api/operation';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preValidationHookHandler,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import { acting } from '../database/acting.ts';
import type { Queryable } from '../database/pool.ts';
import { validationProblem } from '../problems/problem.ts';
import { actOf, leavesRow } from './acts.ts';
import { cacheable } from './cacheable.ts';
import { type RawCommand, rawCommandOf, requestOf } from './command-desk.ts';
import { etagOf, hasTag } from './conditional.ts';
import type { Caller, Kit } from './context.ts';
import { DeclaredHeaders, type DeclaredKey, type DeclaredMatch } from './declared-headers.ts';
import { type Answer, idempotent, type KeepAnswer } from './idempotency.ts';
import type { ListTurns } from './list-turns.ts';
import { type CursorPart, linkedPage, type Page, type Place, type PlaceParts, readPlace } from './paging.ts';
import { type Judge, type ReadQuery, readParams, readQuery } from './parameters.ts';

/** Tells who listens of every answer of a served operation; without a listener it costs nothing. */
export const ANSWER_CHANNEL = diagnosticsChannel.channel('firmquote:answer');

/** Tells who listens of every operation that a server gets. */
export const SERVED_CHANNEL = diagnosticsChannel.channel('firmquote:served');

/** What is told on {@link ANSWER_CHANNEL}. */
export interface DeclaredAnswer {
  readonly operation: Operation;
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Rows of the audit trail in commits of the operation; 0 where it got one of its own, undefined where it leaves none. */
  readonly written: number | undefined;
}

/** What a handler answers: a body, with the version that becomes its `ETag`, and other than 200 the status. */
export interface Result {
  readonly status?: number;
  readonly body?: unknown;
  readonly version?: number;
  /**
   * For what has no version: the `ETag` is made of the content. So long a caller may use the answer without asking again; 0
   * makes it ask each time.
   */
  readonly maxAgeSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** False: of an operation whose answers hold a secret, this one does not, so that a repetition gets it too. */
  readonly holdsSecret?: false;
}

/** The part of a list that is asked for. */
export interface PageRequest {
  /** Rows to read: one more than a page holds, which shows whether there is another page. */
  readonly rows: number;
  /**
   * Sort key and id of the last row of the page before; undefined for the first page.
   * @param kinds of what {@link of} puts into a place
   * @throws Problem cursor_invalid
   */
  place<const Kinds extends readonly (keyof PlaceParts)[]>(...kinds: Kinds): Place<Kinds> | undefined;
  /** The same of a list that is sorted by id alone. */
  readonly afterId: string | undefined;
  /** Items that a page holds at most. */
  readonly limit: number;
  /** A page that goes on from `next`, or is the last one. */
  from<Item>(items: readonly Item[], next: readonly CursorPart[] | undefined): Page<Item>;
  /** The page out of up to {@link rows} rows. @param place sort key and id of a row */
  of<Row, Item>(
    rows: readonly Row[],
    place: (row: Row) => readonly CursorPart[],
    item: (row: Row) => Item,
  ): Page<Item>;
}

/** A request, read as its operation declares it. */
export interface Call<O extends Operation> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly caller: Caller;
  /** Of a command that is done when a second person has approved it. */
  readonly carried: RawCommand['carried'];
  /** Why, as whoever sends it says, and who has approved it where it took two. */
  readonly because: Pick<RawCommand, 'reason' | 'approval'>;
  /** UUID of the person or OAuth client that calls. */
  readonly by: string;
  /** For work that looks at its key itself. */
  readonly key: DeclaredKey<O>;
  readonly ifMatch: DeclaredMatch<O>;
  /** Seconds that the answer may be held. */
  readonly wait: number | undefined;
  readonly page: PageRequest;
  /** Keeps the answer under the `Idempotency-Key`, in the handler's own database transaction. */
  readonly keep: (connection: Queryable, result: Result) => Promise<void>;
  /** For use cases that hand out what they have done before they commit: the answer is made and kept there. */
  readonly inCommit: <Row>(
    render: (row: Row, connection: Queryable) => Result | Promise<Result>,
  ) => (connection: Queryable, row: Row) => Promise<void>;
}

/** Answers with a {@link Result}, or nothing where `inCommit` has made the answer. */
export type Handler<O extends Operation> = (call: Call<O>) => Promise<Result | undefined> | Result;

/**
 * Serves an operation as it is declared: who may call, what is read from address, headers and body, the `Idempotency-Key`, the
 * page, the `ETag`. What is left to the handler is the work.
 */
export function serve<const O extends Operation>(
  app: FastifyInstance,
  declared: O,
  handler: Handler<O>,
  { judge, ...options }: RawOptions & { readonly judge?: Judge<O> } = {},
): void {
  const operation = underPolicy(declared);
  const { desk } = app.kit;
  const isJudged = desk?.judges(operation.id) === true;
  const isRecorded = leavesRow(operation);
  const turns = turnsOf(app.kit, operation);
  const work: Work = async (request, reply, keep) => {
    const { call, kept } = callOf(app.kit, operation, request, reply, keep, judge);
    const made = () => answered(operation, handler, call, kept);
    const isWanted = () => !request.raw.socket.destroyed;
    const done = turns === undefined ? made : () => turns.run(made, isWanted);
    const worked = () => {
      if (desk === undefined || !isJudged) return done();
      const { caller, keep } = call;
      const { receivedAt } = request;
      return desk.do({ operation, command: rawCommandOf(request), caller, receivedAt, keep }, done);
    };
    const { result, written } = isRecorded
      ? await recorded(app.kit, operation, request, worked)
      : { result: await worked(), written: undefined };
    const answer = answerOf(operation, result);
    publishAnswer(operation, answer, result.body, written);
    return answer;
  };
  desk?.add({
    operation,
    run: (command, caller, now) => {
      const request = requestOf(command, caller, operation, now, app);
      const { call, kept } = callOf(app.kit, operation, request, NO_REPLY, keepNothing, judge, command);
      return answered(operation, handler, call, kept);
    },
  });
  if (operation.key !== undefined && operation.key !== 'own') {
    const keys = {
      store: app.kit.idempotency,
      storeBody: operation.key !== 'secret',
      needsKey: operation.needsKey === true,
    };
    // A kept answer is sent again without its handler, so a handler with a key sets nothing on the reply.
    route(
      app,
      operation,
      idempotent(keys, (request, keep, reply) => work(request, reply, keep)),
      options,
    );
    return;
  }
  route(app, operation, revalidating(operation, work), options);
}

type Work = (request: FastifyRequest, reply: FastifyReply, keep: KeepAnswer) => Promise<Answer>;

function publishAnswer(
  operation: Operation,
  { status, headers = {} }: Answer,
  body: unknown,
  written: number | undefined,
): void {
  if (!ANSWER_CHANNEL.hasSubscribers) return;
  ANSWER_CHANNEL.publish({ operation, status, body, headers, written } satisfies DeclaredAnswer);
}

/** A list takes its turn, but for one that is held until there is something in it. */
function turnsOf({ lists }: Kit, { pages, waits, access }: Operation): ListTurns | undefined {
  if (pages !== true || waits === true || access === undefined) return undefined;
  return lists?.[access.audience];
}

/** Answers 304 where the caller has the answer already. */
function revalidating(operation: Operation, work: Work): RouteHandlerMethod {
  return async (request, reply) => {
    const { status, body, headers = {} } = await work(request, reply, keepNothing);
    const { ETag } = headers;
    if (operation.revalidates === true && ETag !== undefined && isKnown(request, ETag)) {
      request.notModified?.();
      const { 'Content-Type': _, ...about } = headers;
      return reply.code(304).headers(about).send();
    }
    return reply.code(status).headers(headers).send(body);
  };
}

/**
 * Does the work as an act of who asked for it: what it changes is written down in its commit. What changes nothing in the
 * database, or nothing that is noted, is written down alone.
 */
async function recorded<T>(
  kit: Kit,
  operation: Operation,
  request: FastifyRequest,
  work: () => Promise<T> | T,
): Promise<{ result: T; written: number }> {
  const act = actOf(operation, request);
  const done = await acting(act, work);
  if (done.written === 0) await kit.recordAct(act);
  return done;
}

async function answered<O extends Operation>(
  operation: O,
  handler: Handler<O>,
  call: Call<O>,
  kept: () => Result | undefined,
): Promise<Result> {
  const result = (await handler(call)) ?? kept();
  if (result === undefined) throw new Error(`${operation.id} was done without an answer`);
  return result;
}

/** Handlers of commands write nothing on the reply: their answers may be kept, and sent again. */
const NO_REPLY = { header: () => NO_REPLY } as unknown as FastifyReply;

type RawOptions = Partial<Omit<RouteOptions, 'schema' | 'config' | 'method' | 'url' | 'handler'>>;

/** The body, and the parameters of the path as texts. */
interface RawRoute<O extends Operation> {
  readonly Body: BodyOf<O>;
  readonly Params: { readonly [Name in keyof ParamsOf<O>]: string };
}

/** @param headers the key, the conditions and the preferences of the request, as the operation declares them */
type RawHandler<O extends Operation> = (
  request: FastifyRequest<RawRoute<O>>,
  reply: FastifyReply,
  headers: DeclaredHeaders<O>,
) => unknown;

/**
 * As {@link serve}, for what writes its answers itself: hot paths, streams and files. It reads its declared query itself. What
 * anybody may read takes any query: probes and caches put in what they like.
 * @param options `recordsItself`: the handler opens its act; without it nothing that leaves a row in the audit trail is served past it
 */
export function serveRaw<const O extends Operation>(
  app: FastifyInstance,
  operation: O,
  handler: RawHandler<O>,
  { recordsItself = false, ...options }: RawOptions & { readonly recordsItself?: boolean } = {},
): void {
  if (leavesRow(operation) && !recordsItself)
    throw new Error(`${operation.id} would leave no row in the audit trail`);
  const takesNoQuery = operation.access !== undefined && operation.query === undefined;
  const handle = (request: FastifyRequest<RawRoute<O>>, reply: FastifyReply) => {
    if (takesNoQuery) readQuery(operation, request.query);
    return handler(request, reply, new DeclaredHeaders(operation, request));
  };
  route(app, operation, handle as RouteHandlerMethod, options);
}

function route(
  app: FastifyInstance,
  operation: Operation,
  handler: RouteHandlerMethod,
  options: RawOptions,
): void {
  const { method, path, body, optionalBody, bodyMedia } = operation;
  const hasBody = body !== undefined || bodyMedia !== undefined;
  const takesNoBody = !hasBody && WITH_BODY.has(method);
  SERVED_CHANNEL.publish(operation);
  app.route({
    ...(optionalBody === true && { preValidation: withBody }),
    ...(takesNoBody && { preValidation: withoutBody }),
    ...options,
    method,
    // A plugin may have the beginning of its paths as its prefix.
    url: path.slice(path.startsWith(app.prefix) ? app.prefix.length : 0).replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    schema: {
      ...(body !== undefined && bodyMedia === undefined && { body }),
      response: responsesOf(operation),
    },
    handler,
  });
}

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function responsesOf({ answers }: Operation): Record<string, object> {
  const bodies = Object.entries(answers).flatMap(([status, answer]) => {
    const schema = isDeclaration(answer) ? answer.content?.['application/json'] : answer;
    return schema === undefined ? [] : [[status, schema] as const];
  });
  return Object.fromEntries(bodies);
}

/** The body is optional; what is sent is held against the schema. */
const withBody: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= {};
  done();
};

/** What is sent where nothing is taken was meant for something else. */
const withoutBody: preValidationHookHandler = ({ body }, _reply, done) => {
  const isEmpty = body === undefined || body === null || isDeepStrictEqual(body, {});
  done(
    isEmpty
      ? undefined
      : validationProblem([{ pointer: '', code: 'unknown_field', detail: 'must be empty' }]),
  );
};

const keepNothing: KeepAnswer = async () => undefined;

function callOf<O extends Operation>(
  kit: Kit,
  operation: O,
  request: FastifyRequest,
  reply: FastifyReply,
  keepAnswer: KeepAnswer,
  judge: Judge<O> | undefined,
  command?: RawCommand,
): { call: Call<O>; kept: () => Result | undefined } {
  const { caller } = request;
  let kept: Result | undefined;
  const keep: Call<O>['keep'] = async (connection, result) => {
    await keepAnswer(connection, answerOf(operation, result));
    kept = result;
  };
  const params = readParams(operation, request.params);
  const read = readQuery(operation, request.query, judge);
  const page = pageOf(kit, operation, request, reply, read);
  const headers = new DeclaredHeaders(operation, request);
  const call = {
    request,
    reply,
    params,
    query: read.query,
    body: request.body,
    ifMatch: headers.ifMatch,
    wait: headers.wait,
    carried: command?.carried,
    keep,
    inCommit: (render) => async (connection, row) => keep(connection, await render(row, connection)),
    get caller() {
      if (caller === undefined) throw new Error(`${operation.id} needs an authenticated caller`);
      return caller;
    },
    get key() {
      return headers.key;
    },
    get by() {
      return this.caller.actor.id;
    },
    get because() {
      const { reason, approval } = command ?? rawCommandOf(request);
      return { reason, approval };
    },
    get page() {
      return page();
    },
  } as Call<O>;
  return { call, kept: () => kept };
}

function answerOf({ answers }: Operation, result: Result): Answer {
  const { status, body, version, maxAgeSeconds, headers, holdsSecret } = result;
  const content = maxAgeSeconds === undefined ? undefined : cacheable(body, maxAgeSeconds);
  return {
    status: status ?? Number.parseInt(Object.keys(answers)[0] ?? '200', 10),
    body: content === undefined ? body : content.text,
    headers: { ...(version !== undefined && { ETag: etagOf(version) }), ...content?.headers, ...headers },
    ...(holdsSecret === false && { holdsSecret }),
  };
}

function isKnown(request: FastifyRequest, tag: string): boolean {
  return hasTag(request.headers['if-none-match'], tag.slice(1, -1));
}

/** Cursors belong to the operation, to what the path names, to who asks where that decides, and to the filters. */
function pageOf(
  { cursors }: Kit,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, limit, cursor }: ReadQuery,
): () => PageRequest {
  let page: PageRequest | undefined;
  return () => {
    if (page !== undefined) return page;
    const scope = {
      list: [operation.id, request.caller?.customerId ?? ''].join(' '),
      sort: '',
      // How much a page holds may change from one to the next.
      filters: { ...query, ...(request.params as object), limit: undefined },
    };
    const after = cursor === undefined ? undefined : cursors.decode(scope, cursor);
    page = {
      rows: limit + 1,
      limit,
      place: (...kinds) => after && readPlace(after, kinds),
      get afterId() {
        return this.place('uuid')?.[0];
      },
      from(items, next) {
        const nextCursor = next === undefined ? null : cursors.encode(scope, next);
        return linkedPage(request, reply, { items, nextCursor, hasMore: nextCursor !== null });
      },
      of(rows, place, item) {
        return linkedPage(request, reply, cursors.page(scope, rows, limit, place, item));
      },
    };
    return page;
  };
}

/** Of items that are JSON already. */
export function pageJson({ items, nextCursor, hasMore }: Page<string>): Result {
  const body = `{"items":[${items.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`;
  return json(body);
}

/** An answer that is JSON already. */
export function json(body: string): Result {
  return { headers: JSON_HEADERS, body };
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
