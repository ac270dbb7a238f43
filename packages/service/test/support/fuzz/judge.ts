import { isDeclaration, type Operation } from '@firmquote/api/operation';
import { problemCodesOf } from '@firmquote/api/problem-codes';
import { PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import { ProblemSchema } from '@firmquote/api/schema';
import { Compile } from 'typebox/schema';
import { isProblem } from '../answers.ts';
import type { Answer } from '../service.ts';

/** Answered before it is known which operation is meant. */
const OF_NO_OPERATION: ReadonlySet<string> = new Set([
  ...[
    'headers_too_large',
    'malformed_request',
    'method_not_allowed',
    'request_timeout',
    'route_not_found',
    'uri_too_long',
  ],
]);
/** The 503s that a healthy service has: a price that is missing, and more at once than it takes. */
const BUSY: ReadonlySet<string> = new Set(['price_unavailable', 'overloaded']);

type Validator = ReturnType<typeof Compile>;
const validators = new WeakMap<object, Validator>();

/** What is wrong with an answer; undefined where it is as the interface says. */
export function faultOf(operation: Operation, answer: Answer): string | undefined {
  const { status, body, headers, text } = answer;
  const declared = operation.answers[status];
  if (declared !== undefined) {
    const schema = isDeclaration(declared) ? declared.content?.['application/json'] : declared;
    if (schema === undefined || body === undefined)
      return schema === undefined || isFile(headers) ? undefined : `${status} without a body`;
    return mismatch(schema, body);
  }
  if (status === 304)
    return operation.revalidates === true || operation.waits === true ? undefined : '304 is not declared';
  if (!/^application\/problem\+json/.test(headers.get('Content-Type') ?? ''))
    return `${status} is not declared: ${text.slice(0, 200)}`;
  const wrong = mismatch(ProblemSchema, body);
  if (wrong !== undefined) return wrong;
  const code: string = body.code;
  if (!(code in PROBLEMS)) return `${code} is not in the registry`;
  const isServed = !OF_NO_OPERATION.has(code);
  if (isServed && !problemCodesOf(operation).includes(code as ProblemCode)) return `${code} is not listed`;
  if (status >= 500 && !(status === 503 && BUSY.has(code)))
    return `a fault of the service: ${text.slice(0, 400)}`;
  try {
    isProblem(answer);
  } catch (error) {
    return String(error);
  }
  return undefined;
}

/** An answer in a form that the request asked for. */
function isFile(headers: Headers): boolean {
  return !/[/+]json/.test(headers.get('Content-Type') ?? '');
}

function mismatch(schema: object, value: unknown): string | undefined {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  if (validator.Check(value)) return undefined;
  const [, errors] = validator.Errors(value);
  return `not as declared: ${JSON.stringify(errors.slice(0, 2))} in ${JSON.stringify(value).slice(0, 300)}`;
}
