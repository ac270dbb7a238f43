import { mayChange, type Operation } from './operation.ts';
import { PROBLEM_CODES, type ProblemCode } from './problems/registry.ts';

/** What is refused because of what an operation is, whatever it does. Each has a name in the document. */
const GROUPS = {
  any: ['validation_failed', 'rate_limited', 'internal_error'],
  caller: [
    'token_missing',
    'token_invalid',
    'token_expired',
    'ip_not_allowed',
    'insufficient_scope',
    'maintenance',
    'overloaded',
  ],
  media: ['not_acceptable'],
  trader: ['customer_suspended'],
  // A body that is sent is read, also where none is asked for.
  body: ['malformed_json', 'body_too_large', 'unsupported_media_type'],
  change: ['outcome_unknown'],
  session: ['cross_site_request'],
  fresh: ['fresh_sign_in_required'],
  page: ['cursor_invalid'],
  key: ['idempotency_key_invalid', 'idempotency_key_reused', 'request_in_progress'],
  match: ['version_mismatch'],
} as const satisfies Record<string, readonly ProblemCode[]>;
export type ProblemGroup = keyof typeof GROUPS;

/** Trading stops for a suspended customer; looking at what is under way does not. By the buckets of requests. */
export const STOPPED_WHEN_SUSPENDED: ReadonlySet<string> = new Set(['indicative', 'quotes', 'execute']);

/** The groups of codes that follow from what an operation is. */
export function problemGroupsOf(operation: Operation): readonly ProblemGroup[] {
  const { method, access, rate = 'reads', media, pages, key, conditional } = operation;
  // Tokens are given out under limits of their own, and refused in the words of OAuth.
  if (access === undefined && rate === 'unlimited') return [];
  const isTrading = access?.audience === 'customer' && STOPPED_WHEN_SUSPENDED.has(rate);
  const applies: Readonly<Record<ProblemGroup, boolean>> = {
    any: true,
    caller: access !== undefined,
    media: access !== undefined && media !== 'anything',
    trader: isTrading,
    body: method !== 'GET',
    change: mayChange(operation),
    session: access?.audience === 'operator' && method !== 'GET',
    fresh: access?.fresh === true,
    page: pages === true,
    key: key !== undefined && key !== 'own',
    match: conditional !== undefined,
  };
  return (Object.keys(GROUPS) as ProblemGroup[]).filter((group) => applies[group]);
}

export function codesOfGroups(groups: readonly ProblemGroup[]): readonly ProblemCode[] {
  return inOrder(groups.flatMap((group) => GROUPS[group]));
}

/**
 * Every code that an operation can answer, in the order of the registry. Not in it is what is answered before anybody knows
 * which operation is meant: requests that cannot be read, addresses and methods that there are not.
 */
export function problemCodesOf(operation: Operation): readonly ProblemCode[] {
  const { key, needsKey, conditional, problems = [] } = operation;
  const groups = problemGroupsOf(operation);
  if (groups.length === 0) return [];
  return inOrder([
    ...codesOfGroups(groups),
    ...problems,
    ...(key === 'secret' ? (['already_exists'] as const) : []),
    ...(needsKey === true ? (['idempotency_key_required'] as const) : []),
    ...(conditional === 'required' ? (['precondition_required'] as const) : []),
  ]);
}

function inOrder(codes: readonly ProblemCode[]): readonly ProblemCode[] {
  const set = new Set(codes);
  return PROBLEM_CODES.filter((code) => set.has(code));
}
