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
  /** Those that not every answer has. What is absent or null is not part of the terms. */
  readonly optional: readonly string[];
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
    optional: [],
  },
  transaction: {
    // v1 had neither the account to pay to nor the one that is paid to. What was signed with it still verifies.
    typ: 'transaction-terms.v2+jws',
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
      'funding.mode',
      'payout.amount',
      'payout.currency',
    ],
    optional: [
      'funding.instructions.accountHolder',
      'funding.instructions.bankName',
      'funding.instructions.bic',
      'funding.instructions.iban',
      'funding.instructions.accountNumber',
      'funding.instructions.routingNumber',
      'funding.instructions.virtualAccount',
      'funding.instructions.reference',
      'payout.to',
      'payout.destinationId',
      'payout.destinationMasked',
    ],
  },
};

interface Tree {
  [name: string]: string | Tree;
}

/**
 * The terms of an answer as they are signed: the listed members that it has, verbatim and nested as in the body, as canonical JSON
 * (RFC 8785). All of them are texts, so that nothing depends on how anybody writes a number.
 * @throws Error when the body lacks a member
 */
export function termsText(kind: TermsKind, body: unknown): string {
  const terms: Tree = {};
  const { members, optional } = TERMS[kind];
  for (const path of [...members, ...optional]) {
    const names = path.split('.');
    const value = names.reduce(memberOf, body);
    if (typeof value === 'string') {
      const last = names.pop() ?? '';
      names.reduce(branchOf, terms)[last] = value;
    } else if (!optional.includes(path) || (value !== undefined && value !== null)) {
      throw new Error(`a ${kind} without ${path} has no terms to sign`);
    }
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
