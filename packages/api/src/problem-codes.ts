import type { Operation } from './operation.ts';
import { PROBLEM_CODES, type ProblemCode } from './problems/registry.ts';

/** Whoever calls, and whatever is called. */
const OF_CALLERS: readonly ProblemCode[] = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'ip_not_allowed',
  'insufficient_scope',
  'maintenance',
  'overloaded',
];
/** A body that is sent is read, also where none is asked for. */
const OF_BODIES: readonly ProblemCode[] = [
  'malformed_json',
  'validation_failed',
  'body_too_large',
  'unsupported_media_type',
  'outcome_unknown',
];
const OF_KEYS: readonly ProblemCode[] = [
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'request_in_progress',
];
/** Trading stops for a suspended customer; looking at what is under way does not. By the buckets of requests. */
export const STOPPED_WHEN_SUSPENDED: ReadonlySet<string> = new Set(['indicative', 'quotes', 'execute']);

/**
 * Every code that an operation can answer, in the order of the registry. Not in it is what is answered before anybody knows
 * which operation is meant: requests that cannot be read, addresses and methods that there are not.
 */
export function problemCodesOf(operation: Operation): readonly ProblemCode[] {
  const { method, access, rate = 'reads', media, params, query, pages, key, conditional } = operation;
  // Tokens are given out under limits of their own, and refused in the words of OAuth.
  if (access === undefined && rate === 'unlimited') return [];
  const codes = new Set<ProblemCode>(['rate_limited', 'internal_error', ...(operation.problems ?? [])]);
  const add = (more: readonly ProblemCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (access !== undefined) {
    add(OF_CALLERS);
    if (media !== 'anything') codes.add('not_acceptable');
    if (access.audience === 'customer' && STOPPED_WHEN_SUSPENDED.has(rate)) codes.add('customer_suspended');
  }
  if (method !== 'GET') add(OF_BODIES);
  if (params !== undefined || query !== undefined || pages === true) codes.add('validation_failed');
  if (pages === true) codes.add('cursor_invalid');
  if (key === 'kept' || key === 'secret') add(OF_KEYS);
  if (key === 'secret') codes.add('already_exists');
  if (conditional !== undefined) codes.add('version_mismatch');
  if (conditional === 'required') codes.add('precondition_required');
  return PROBLEM_CODES.filter((code) => codes.has(code));
}
