import * as api from '@firmquote/api/scopes';

type CustomerScope = keyof typeof api.CUSTOMER_SCOPES;
type OperatorScope = keyof typeof api.OPERATOR_SCOPES;

/** What a token may do (docs/interface.md#access). */
export const CUSTOMER_SCOPES = Object.keys(api.CUSTOMER_SCOPES) as readonly CustomerScope[];
/** `operator:*` stands for all of them. */
export const OPERATOR_SCOPES = Object.keys(api.OPERATOR_SCOPES) as readonly OperatorScope[];

export type ClientKind = 'customer' | 'operator';
export type Scope = CustomerScope | OperatorScope;

/** The scopes that a client of the kind may be given. The two sets share nothing. */
export function scopesOf(kind: ClientKind): readonly Scope[] {
  return kind === 'customer' ? CUSTOMER_SCOPES : OPERATOR_SCOPES;
}

/** What managing clients of a kind takes. A client of a customer gets it only when it is asked for. */
export const MANAGES = { customer: 'credentials:write', operator: 'operator:clients' } as const;

/** What a client gets when nothing is said. */
export function defaultScopes(kind: ClientKind): readonly Scope[] {
  return kind === 'customer' ? CUSTOMER_SCOPES.filter((scope) => scope !== MANAGES.customer) : ['operator:*'];
}

/**
 * Splits the `scope` parameter (RFC 6749 §3.3).
 * @returns the scopes without repetition, or undefined when the text is not a scope list
 */
export function parseScope(text: string): string[] | undefined {
  // Bounded before it is split: no request names more scopes than there are.
  if (text.length > 1000 || !/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text)) {
    return undefined;
  }
  return [...new Set(text.split(' '))];
}

/** True when the client's scopes cover the wanted one; `operator:*` covers every operator scope. */
export function covers(granted: ReadonlySet<string>, wanted: string): boolean {
  return granted.has(wanted) || (wanted.startsWith('operator:') && granted.has('operator:*'));
}

/** What a token may still do: what it was given, as far as its client has that now. */
export function within(given: ReadonlySet<string>, granted: ReadonlySet<string>): ReadonlySet<string> {
  const kept = [...given].filter((scope) => covers(granted, scope));
  if (kept.length === given.size) return given;
  // A token for everything is one for all that is left.
  return new Set([...kept, ...[...granted].filter((scope) => covers(given, scope))]);
}
