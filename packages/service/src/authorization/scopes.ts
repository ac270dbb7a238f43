/** What a token may do (docs/interface.md#access). Executing is a scope of its own. */
export const CUSTOMER_SCOPES = [
  'quotes:read',
  'quotes:write',
  'trades:execute',
  'transactions:read',
  'webhooks:manage',
] as const;

/** `operator:*` stands for all of them. */
export const OPERATOR_SCOPES = [
  'operator:*',
  'operator:clients',
  'operator:customers',
  'operator:spreads',
  'operator:limits',
  'operator:market',
  'operator:calendars',
  'operator:deposits',
  'operator:statements',
  'operator:transactions',
  'operator:ledger',
  'operator:reports',
  'operator:approvals',
  'operator:sandbox',
] as const;

export type ClientKind = 'customer' | 'operator';
export type Scope = (typeof CUSTOMER_SCOPES)[number] | (typeof OPERATOR_SCOPES)[number];

/** The scopes that a client of the kind may be given. The two sets share nothing. */
export function scopesOf(kind: ClientKind): readonly Scope[] {
  return kind === 'customer' ? CUSTOMER_SCOPES : OPERATOR_SCOPES;
}

/** What a client gets when nothing is said. */
export function defaultScopes(kind: ClientKind): readonly Scope[] {
  return kind === 'customer' ? CUSTOMER_SCOPES : ['operator:*'];
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
export function covers(granted: readonly string[], wanted: string): boolean {
  return granted.includes(wanted) || (wanted.startsWith('operator:') && granted.includes('operator:*'));
}
