import { PROBLEMS, type ProblemCode } from '@firmquote/api/problems';

/** One wrong field. */
export interface FieldError {
  /**
   * JSON pointer (RFC 6901) into the body. What is not in the body is under `/query`, `/path` or `/header`, with its name:
   * `/query/limit`, `/header/If-Match`.
   */
  readonly pointer: string;
  readonly code: string;
  /** What holds of the field, for people: `must be a date such as "2026-03-06"`. No pattern, whatever checks it. */
  readonly detail: string;
}

/** `/` and the name as RFC 6901 writes it. */
export function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A status as people read it: `awaiting_funds` is "awaiting funds". */
export function inWords(status: string): string {
  return status.replaceAll('_', ' ');
}

interface ProblemOptions {
  /** Pointer to the one field that is at fault; it is told in `errors`, as where several are. */
  readonly field?: string;
  /** Further members of the problem object; what they are depends on the code. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Further headers, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only, never sent. */
  readonly cause?: unknown;
}

/** An answer other than success, on purpose. Thrown by use cases, written by the HTTP layer (RFC 9457). */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = PROBLEMS[code].status;
    const { members = {}, field } = options;
    this.members = field === undefined ? members : { ...members, errors: [{ pointer: field, code, detail }] };
    this.headers = options.headers ?? {};
  }
}

/** All wrong fields at once. */
export function validationProblem(errors: readonly FieldError[]): Problem {
  const first = errors[0];
  const detail =
    errors.length === 1 && first
      ? `${first.pointer === '' ? 'body' : first.pointer}: ${first.detail}`
      : `${errors.length} fields are not valid; see errors.`;
  return new Problem('validation_failed', detail, { members: { errors } });
}

/** The problem as sent. `baseUrl` has no slash at the end. */
export function problemBody(
  problem: Problem,
  context: { baseUrl: string; instance: string; requestId: string },
): Record<string, unknown> {
  const definition = PROBLEMS[problem.code];
  const standard = {
    type: `${context.baseUrl}/problems/${problem.code.replaceAll('_', '-')}`,
    title: definition.title,
    status: definition.status,
    detail: problem.message,
    instance: context.instance,
    code: problem.code,
    retry: definition.retry,
    requestId: context.requestId,
  };
  // The members of RFC 9457 keep their meaning, whatever a problem adds: `status` is the HTTP status.
  return { ...standard, ...problem.members, ...standard };
}
