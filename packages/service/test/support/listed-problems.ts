import { subscribe } from 'node:diagnostics_channel';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { problemCodesOf } from '@firmquote/api/problem-codes';
import { type AnsweredProblem, PROBLEM_CHANNEL } from '../../src/http/errors.ts';

const unlisted = new Set<string>();

/** Answered as if there were no such operation: a wrong method, or an address of the other listener. */
const NO_OPERATION: ReadonlySet<string> = new Set(['route_not_found', 'method_not_allowed']);

subscribe(PROBLEM_CHANNEL.name, (message) => {
  const { request, code } = message as AnsweredProblem;
  const { operation } = request.routeOptions.config;
  // What is not in the API document lists nothing.
  if (operation === undefined || NO_OPERATION.has(code)) return;
  // What follows from all operations together is said of those that the document is made of.
  const documented = OPERATIONS.find(({ id }) => id === operation.id) ?? operation;
  if (!problemCodesOf(documented).includes(code)) unlisted.add(`${operation.id} answered ${code}`);
});

/** Every problem that a server of this file has answered is one that the API document lists for the operation. */
export function assertProblemsListed(): void {
  const found = [...unlisted];
  unlisted.clear();
  if (found.length > 0) throw new Error(`not in the list of the operation: ${found.join(', ')}`);
}
