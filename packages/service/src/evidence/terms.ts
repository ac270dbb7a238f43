import { canonicalJson } from '../http/idempotency.ts';

export type TermsKind = 'quote' | 'transaction';

interface TermsForm {
  /** `typ` of the signature (RFC 7515 §4.1.9): what is signed, and by which list of members. */
  readonly typ: string;
  /**
   * Members of the answer's body that never change, as paths. Others may be added to an answer or change with its
   * status; a list is never changed, a longer one gets another `typ`.
   */
  readonly members: readonly string[];
}

export const TERMS: Readonly<Record<TermsKind, TermsForm>> = {
  quote: {
    typ: 'quote-terms.v1+jws',
    members: [
      'type',
      'quoteId',
      'sellCurrency',
      'buyCurrency',
      'fixedSide',
      'sellAmount',
      'buyAmount',
      'rate.pair',
      'rate.side',
      'rate.value',
      'settlement.valueDate',
      'createdAt',
      'expiresAt',
    ],
  },
  transaction: {
    typ: 'transaction-terms.v1+jws',
    members: [
      'transactionId',
      'quoteId',
      'reference',
      'sellCurrency',
      'buyCurrency',
      'fixedSide',
      'sellAmount',
      'buyAmount',
      'rate.pair',
      'rate.side',
      'rate.value',
      // The value date itself moves when money comes late.
      'settlement.originalValueDate',
      'createdAt',
    ],
  },
};

interface Tree {
  [name: string]: string | Tree;
}

/**
 * The terms of an answer as they are signed: the listed members, verbatim and nested as in the body, as canonical JSON
 * (RFC 8785). All of them are texts, so that nothing depends on how anybody writes a number.
 * @throws Error when the body lacks a member
 */
export function termsText(kind: TermsKind, body: unknown): string {
  const terms: Tree = {};
  for (const path of TERMS[kind].members) {
    let from = body;
    let to: Tree = terms;
    const names = path.split('.');
    const last = names.pop() ?? '';
    for (const name of names) {
      from = memberOf(from, name);
      to = branchOf(to, name);
    }
    const value = memberOf(from, last);
    if (typeof value !== 'string') throw new Error(`a ${kind} without ${path} has no terms to sign`);
    to[last] = value;
  }
  return canonicalJson(terms);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function branchOf(tree: Tree, name: string): Tree {
  const known = tree[name];
  if (typeof known === 'object') return known;
  const branch: Tree = {};
  tree[name] = branch;
  return branch;
}
