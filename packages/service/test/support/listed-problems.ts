import { subscribe } from 'node:diagnostics_channel';
import { type AnsweredProblem, PROBLEM_CHANNEL } from '../../src/http/errors.ts';
import { codesOf } from '../../src/http/operation-codes.ts';

const unlisted = new Set<string>();

/** Answered as if there were no such operation: a wrong method, or an address of the other listener. */
const NO_OPERATION: ReadonlySet<string> = new Set(['route_not_found', 'method_not_allowed']);

/** The framework hands out a bound copy of the handler, which does not show that it takes keys. */
const OF_KEYS: ReadonlySet<string> = new Set([
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'request_in_progress',
]);

subscribe(PROBLEM_CHANNEL.name, (message) => {
  const { request, code } = message as AnsweredProblem;
  const { method, url, config, schema, handler } = request.routeOptions;
  // What is not in the API document lists nothing.
  const summary = (schema as { summary?: string } | undefined)?.summary;
  if (url === undefined || summary === undefined || NO_OPERATION.has(code)) return;
  if (OF_KEYS.has(code) && request.method === 'POST') return;
  const operation = { method: String(method), url, config, schema, handler };
  if (!codesOf(operation).includes(code)) unlisted.add(`${operation.method} ${url} answered ${code}`);
});

/** Every problem that a server of this file has answered is one that the API document lists for the operation. */
export function assertProblemsListed(): void {
  const found = [...unlisted];
  unlisted.clear();
  if (found.length > 0) throw new Error(`not in the list of the operation: ${found.join(', ')}`);
}
