import { type ProblemDefinition, RETRY_HELP, type Retry } from './definition.ts';
import { OUTCOME_PROBLEMS } from './outcome-problems.ts';
import { REQUEST_PROBLEMS } from './request-problems.ts';

export { type ProblemDefinition, RETRY_HELP, type Retry };

/**
 * Every error the API can answer with: stable code, HTTP status, retry class and what to do about it, in the order of
 * the statuses. Served at `/v1/problems`, one page each at `/problems/<code with dashes>`.
 */
export const PROBLEMS = { ...REQUEST_PROBLEMS, ...OUTCOME_PROBLEMS };

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** `quote_expired` → `/problems/quote-expired`. */
export function problemPath(code: ProblemCode): string {
  return `/problems/${code.replaceAll('_', '-')}`;
}
