import type { StatementKind } from '@firmquote/bank-formats';

/** What proves that the entries of one statement are not those of another. Amounts in minor units. */
export interface StatementFacts {
  readonly id: string;
  readonly fileId: string;
  readonly kind: StatementKind;
  readonly currency: string;
  readonly number: bigint | null;
  readonly page: number | null;
  /** What the bank calls it. */
  readonly reference?: string | null;
  /** A page and not the whole: it does not go from the opening balance to the closing one. */
  readonly isPart: boolean;
  readonly from: string | null;
  readonly to: string | null;
  readonly opening: bigint | null;
  readonly closing: bigint | null;
}

interface Balanced extends StatementFacts {
  readonly from: string;
  readonly to: string;
  readonly opening: bigint;
  readonly closing: bigint;
}

/** A statement whose entries are all that moved the account between two balances. */
export function isBalanced(facts: StatementFacts): facts is Balanced {
  const { kind, from, to, opening, closing } = facts;
  return kind === 'statement' && from !== null && to !== null && opening !== null && closing !== null;
}

/**
 * Whether no entry of one statement can be an entry of the other:
 * - both are statements of the end of the day in one file;
 * - they are pages of one statement;
 * - their days do not overlap;
 * - one begins with the balance that the other ends with, and neither is a part of the other: parts begin or end with the
 *   same balance as the whole.
 */
export function areDisjoint(a: StatementFacts, b: StatementFacts): boolean {
  if (a.id === b.id) return false;
  if (a.kind === 'statement' && b.kind === 'statement' && a.fileId === b.fileId) return true;
  if (arePages(a, b)) return true;
  if (!isBalanced(a) || !isBalanced(b) || a.currency !== b.currency) return false;
  if (areTwins(a, b)) return false;
  if (a.from > b.to || b.from > a.to) return true;
  return follows(a, b) || follows(b, a);
}

/** More statements than these do not come in a day or two. */
const CHAINED_MAX = 50n; // limit: Statements between two that are proved to be different

/** The numbers of the statements that may lie between two of overlapping days, and prove that no entry is in both; undefined when none may. */
export function numbersBetween(
  a: StatementFacts,
  b: StatementFacts,
): { readonly first: bigint; readonly last: bigint } | undefined {
  if (a.number === null || b.number === null || a.currency !== b.currency) return undefined;
  if (!isBalanced(a) || !isBalanced(b) || areTwins(a, b) || areDisjoint(a, b)) return undefined;
  const [first, last] = a.number < b.number ? [a.number + 1n, b.number - 1n] : [b.number + 1n, a.number - 1n];
  return first > last || last - first >= CHAINED_MAX ? undefined : { first, last };
}

/** Whether numbered statements lead from one to the other, of which each begins with the balance that the one before it ends with. */
export function areChained(
  a: StatementFacts,
  b: StatementFacts,
  between: readonly StatementFacts[],
): boolean {
  const [earlier, later] = (a.number ?? 0n) < (b.number ?? 0n) ? [a, b] : [b, a];
  let reached: readonly StatementFacts[] = [earlier];
  while (reached.length > 0 && !reached.includes(later)) {
    reached = [...between, later].filter((next) =>
      reached.some(
        (each) =>
          isBalanced(each) &&
          isBalanced(next) &&
          each.number !== null &&
          next.number === each.number + 1n &&
          follows(each, next),
      ),
    );
  }
  return reached.includes(later);
}

/** The same statement in another format or file: the same days and the same balances. */
export function areTwins(a: StatementFacts, b: StatementFacts): boolean {
  return (
    isBalanced(a) &&
    isBalanced(b) &&
    a.id !== b.id &&
    a.fileId !== b.fileId &&
    a.currency === b.currency &&
    a.to === b.to &&
    a.opening === b.opening &&
    a.closing === b.closing &&
    !arePages(a, b)
  );
}

/** Two parts of one statement. A page without balances may not know its last day. */
function arePages(a: StatementFacts, b: StatementFacts): boolean {
  const isOneDay = a.to === b.to || a.to === null || b.to === null;
  return (
    a.kind === 'statement' &&
    b.kind === 'statement' &&
    a.currency === b.currency &&
    // A whole statement repeats its pages; and some banks close each page as if it were whole.
    a.isPart === b.isPart &&
    a.number !== null &&
    a.number === b.number &&
    a.page !== null &&
    b.page !== null &&
    a.page !== b.page &&
    isOneDay
  );
}

/** Whether `later` begins where `earlier` ends. */
function follows(earlier: Balanced, later: Balanced): boolean {
  if (earlier.closing !== later.opening || earlier.from > later.from || earlier.to > later.to) return false;
  const isNext = earlier.number !== null && later.number === earlier.number + 1n;
  return (
    isNext ||
    ((earlier.to < later.to || earlier.closing !== later.closing) &&
      (earlier.from < later.from || earlier.opening !== later.opening))
  );
}
