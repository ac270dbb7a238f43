import assert from 'node:assert/strict';
import { listEvents } from '@firmquote/api/operations/events';
import { Explanation, OperatorExplanation } from '@firmquote/api/operations/quote-explanations';
import { IndicativePrice, Quote } from '@firmquote/api/operations/quotes';
import { listTransactions, Transaction } from '@firmquote/api/operations/transactions';
import { PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import { ProblemSchema } from '@firmquote/api/schema';
import { Compile } from 'typebox/schema';
import type { Answer } from './service.ts';

/**
 * Answers of the hot paths are joined by hand, so nothing but a test holds them against the schemas that the API
 * reference shows. No member may be there that the schema does not name.
 */
const SCHEMAS = {
  indicative: Compile(closed(IndicativePrice)),
  quote: Compile(closed(Quote)),
  explanation: Compile(closed(Explanation)),
  operatorExplanation: Compile(closed(OperatorExplanation)),
  transaction: Compile(closed(Transaction)),
  transactions: Compile(closed(listTransactions.answers[200])),
  events: Compile(closed(listEvents.answers[200])),
};
const PROBLEM = Compile(ProblemSchema);

/** The schema with every object closed that does not say that it is open. */
function closed(schema: unknown): Record<string, unknown> {
  return close(schema) as Record<string, unknown>;
}

function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, close(value)]));
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  return isObject ? { additionalProperties: false, ...copy } : copy;
}

/** The body is what the schema says, to the last member. */
export function conforms(kind: keyof typeof SCHEMAS, answer: Answer): void {
  assert.match(answer.headers.get('Content-Type') ?? '', /^application\/json; charset=utf-8$/);
  assert.equal(answer.headers.get('Cache-Control'), 'no-store');
  const [isValid, errors] = SCHEMAS[kind].Errors(answer.body);
  assert.ok(isValid, `${kind}: ${JSON.stringify(errors)} in ${answer.text}`);
}

/** The answer is a complete problem of the registry; answers its body. */
export function isProblem(answer: Answer): Answer['body'] {
  assert.match(answer.headers.get('Content-Type') ?? '', /^application\/problem\+json/, answer.text);
  const { body } = answer;
  const [isValid, errors] = PROBLEM.Errors(body);
  assert.ok(isValid, `${JSON.stringify(errors)} in ${answer.text}`);
  assert.ok(body.code in PROBLEMS, `${body.code} is in the registry`);
  const { status, title, retry } = PROBLEMS[body.code as ProblemCode];
  assert.deepEqual([answer.status, body.status, body.title, body.retry], [status, status, title, retry]);
  assert.match(body.type, new RegExp(`^http://[^/]+/problems/${body.code.replaceAll('_', '-')}$`));
  assert.equal(body.requestId, answer.headers.get('X-Request-Id'));
  assert.ok(body.instance.startsWith('/') && !body.instance.includes('?'), body.instance);
  assert.ok(body.detail.length > 0);
  return body;
}

/** The second answer is the first one again, to the byte; a problem but for the id of its request. */
export function assertReplay(second: Answer, first: Answer): void {
  assert.equal(second.status, first.status, second.text);
  assert.equal(second.headers.get('Idempotency-Replayed'), 'true');
  assert.equal(first.headers.get('Idempotency-Replayed'), null);
  for (const name of ['ETag', 'Location'])
    assert.equal(second.headers.get(name), first.headers.get(name), name);
  const text = ({ text, body }: Answer) => text.replace(`"${body.requestId}"`, '"one of each"');
  assert.equal(text(second), text(first));
  assert.deepEqual([first.headers.get(STATUS_NOW), first.headers.get(LEFT_NOW)], [null, null]);
}

/** What is true now, beside the first answer. */
export const STATUS_NOW = 'Firmquote-Current-Status';
export const LEFT_NOW = 'Firmquote-Valid-For-Ms';
export const truthNow = ({ headers }: Answer) => [headers.get(STATUS_NOW), headers.get(LEFT_NOW)];
