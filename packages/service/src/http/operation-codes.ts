import { problemCodesOf, STOPPED_WHEN_SUSPENDED } from '@firmquote/api/problem-codes';
import { PROBLEM_CODES, type ProblemCode } from '@firmquote/api/problems';
import type { FastifyContextConfig } from 'fastify';
import { OPERATION_PROBLEMS } from '../problems/operations/index.ts';
import { isIdempotent } from './idempotency.ts';

/** What decides which problems a route can answer. */
export interface Operation {
  readonly method: string;
  /** With parameters as the router writes them: `/v1/customer/quotes/:quoteId`. */
  readonly url: string;
  readonly config: FastifyContextConfig;
  readonly schema: { readonly params?: unknown; readonly querystring?: unknown } | undefined;
  readonly handler: unknown;
}

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

/**
 * Every code that an operation can answer, in the order of the registry. Not in it is what is answered before anybody knows
 * which operation is meant: requests that cannot be read, addresses and methods that there are not.
 */
export function codesOf(operation: Operation): readonly ProblemCode[] {
  const { method, url, config, schema, handler } = operation;
  if (config.operation !== undefined) return problemCodesOf(config.operation);
  const { access, rate = 'reads', answers } = config;
  // Tokens are given out under limits of their own, and refused in the words of OAuth.
  if (access === undefined && rate === 'unlimited') return [];
  const codes = new Set<ProblemCode>(['rate_limited', 'internal_error']);
  const add = (more: readonly ProblemCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (access !== undefined) {
    add(OF_CALLERS);
    if (answers !== 'anything') codes.add('not_acceptable');
    if (access.audience === 'customer' && STOPPED_WHEN_SUSPENDED.has(rate)) codes.add('customer_suspended');
  }
  if (method !== 'GET' && method !== 'HEAD') add(OF_BODIES);
  if (schema?.params !== undefined || schema?.querystring !== undefined) codes.add('validation_failed');
  if (takesCursor(schema?.querystring)) codes.add('cursor_invalid');
  if (isIdempotent(handler)) add(OF_KEYS);
  add(OPERATION_PROBLEMS[`${method === 'HEAD' ? 'GET' : method} ${url}`] ?? []);
  return PROBLEM_CODES.filter((code) => codes.has(code));
}

function takesCursor(querystring: unknown): boolean {
  const { properties = {} } = (querystring ?? {}) as { properties?: object };
  return Object.hasOwn(properties, 'cursor');
}
