import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { listEvents } from '@firmquote/api/operations/events';
import { getIndicativePrice } from '@firmquote/api/operations/quotes';
import { getTransaction } from '@firmquote/api/operations/transactions';
import type { Logger } from '../platform/logger.ts';
import { Problem, problemBody } from '../problems/problem.ts';
import { wantsEventStream } from './access.ts';
import { Admission, type WorkKind } from './admission.ts';
import { preferredWait } from './conditional.ts';
import { preferenceOf } from './preferences.ts';

const CUSTOMERS = '/v1/customer/';
const QUOTES = '/v1/customer/quotes';
const STREAM = '/v1/customer/prices/stream';
/** Where an answer to a customer may be held until there is something to say. */
const HELD = anyOf(listEvents, getTransaction);
/** Where prices may be followed instead of read once. */
const FOLLOWED = anyOf(getIndicativePrice);
const COMMITS = /\/(execute|cancel)(\?|$)/;
/** The log tells of a time of overload, not of each request. */
const REPORT_EVERY_MS = 10_000;
/** Lines of requests: one stands for all that were refused since the one before it, since writing them is work too. */
const LINE_EVERY_MS = 1_000;

interface OverloadOptions {
  readonly baseUrl: () => string;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly requestId: (request: IncomingMessage) => string;
  readonly logger: Logger;
  /** Whether the log has lines of requests. */
  readonly isLogged: boolean;
  /** Called for each refusal with the route, as far as it is known before it is looked for: it counts, and must be cheap. */
  readonly onRefused: (method: string, route: string) => void;
  readonly admission?: Admission;
}

/** As the router has them. */
const ROUTES = {
  quote: QUOTES,
  execute: `${QUOTES}/:quoteId/execute`,
  cancel: `${QUOTES}/:quoteId/cancel`,
  other: 'none',
} as const;

function routeOf(kind: WorkKind, path: string): string {
  if (kind !== 'execution') return ROUTES[kind];
  return path.endsWith('/cancel') ? ROUTES.cancel : ROUTES.execute;
}

/** What a request of a customer is counted as; undefined for everybody else, who is never refused here. */
function kindOf({ method, url = '' }: IncomingMessage): WorkKind | undefined {
  if (!url.startsWith(CUSTOMERS)) return undefined;
  if (method !== 'POST' || !url.startsWith(QUOTES)) return 'other';
  if (COMMITS.test(url)) return 'execution';
  return url.length === QUOTES.length ? 'quote' : 'other';
}

/**
 * A held poll or a stream takes no part in the work while it is open; whoever asks for one where there is none is counted. A stream of prices is one whatever its reader says that it takes;
 * executions and quotes are none, whatever they say.
 */
function isHeldOpen(kind: WorkKind, { method, url = '', headers }: IncomingMessage): boolean {
  if (kind !== 'other') return false;
  if (url.startsWith(STREAM)) return true;
  if (method === 'GET') return HELD.test(url) && (preferredWait(preferenceOf({ headers })) ?? 0) > 0;
  return FOLLOWED.test(url) && wantsEventStream(headers.accept);
}

function anyOf(...operations: readonly { readonly path: string }[]): RegExp {
  const paths = operations.map(({ path }) => path.replaceAll(/\{\w+\}/g, '[^/?]+'));
  return new RegExp(`^(${paths.join('|')})(\\?|$)`);
}

/** Refuses requests of customers beyond what can be done in time, before anything of them is looked at. */
export class OverloadGuard {
  readonly admission: Admission;
  readonly #options: OverloadOptions;
  #warnedAt = Number.NEGATIVE_INFINITY;
  #lineAt = Number.NEGATIVE_INFINITY;
  #unwritten = 0;
  #parts: readonly [string, string, string] | undefined;
  #headers: readonly string[] | undefined;

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.admission = options.admission ?? new Admission();
  }

  /** Goes before the listener of a server. */
  before(listener: RequestListener): RequestListener {
    return (request, response) => {
      const kind = kindOf(request);
      if (kind === undefined) {
        listener(request, response);
        return;
      }
      const seconds = this.admission.refusedFor(kind);
      if (seconds > 0) {
        this.#refuse(kind, seconds, request, response);
        return;
      }
      if (!isHeldOpen(kind, request)) {
        this.admission.begin(kind);
        response.once('close', () => this.admission.end(kind, response.statusCode < 400));
      }
      listener(request, response);
    };
  }

  #refuse(kind: WorkKind, seconds: number, request: IncomingMessage, response: ServerResponse): void {
    const { onRefused, requestId } = this.#options;
    const id = requestId(request);
    const path = request.url?.split('?', 1)[0] ?? '/';
    const { method = '' } = request;
    const route = routeOf(kind, path);
    onRefused(method, route);
    this.#notify(kind, seconds, { requestId: id, method, path, route });
    this.#parts ??= this.#bodyParts();
    this.#headers ??= [
      ...Object.entries(this.#options.headers()).flat(),
      ...['Content-Type', 'application/problem+json; charset=utf-8'],
    ];
    const [head, middle, tail] = this.#parts;
    const body = `${head}${JSON.stringify(path)}${middle}${JSON.stringify(id)}${tail}`;
    response.writeHead(503, [
      ...this.#headers,
      ...[
        'X-Request-Id',
        id,
        'Retry-After',
        String(seconds),
        'Content-Length',
        String(Buffer.byteLength(body)),
      ],
    ]);
    response.end(body);
  }

  #notify(kind: WorkKind, seconds: number, request: Readonly<Record<string, string>>): void {
    const { logger, isLogged } = this.#options;
    const now = performance.now();
    if (now - this.#warnedAt > REPORT_EVERY_MS) {
      this.#warnedAt = now;
      logger.warn({ kind, retryAfterSeconds: seconds }, 'overloaded: requests are refused');
    }
    this.#unwritten++;
    if (!isLogged || now - this.#lineAt < LINE_EVERY_MS) return;
    this.#lineAt = now;
    logger.info({ ...request, status: 503, code: 'overloaded', refused: this.#unwritten }, 'request');
    this.#unwritten = 0;
  }

  /** Made once: under load it is what costs. */
  #bodyParts(): readonly [string, string, string] {
    const problem = new Problem(
      'overloaded',
      'The service cannot serve this many requests in time. Nothing was done.',
    );
    const context = { baseUrl: this.#options.baseUrl(), instance: '\0', requestId: '\0' };
    const [head = '', middle = '', tail = ''] = JSON.stringify(problemBody(problem, context)).split(
      '"\\u0000"',
    );
    return [head, middle, tail];
  }
}
