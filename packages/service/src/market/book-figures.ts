import type { KnownLevels } from './level-store.ts';
import type { PairBook } from './pair-book.ts';

/**
 * Where each pair was last dealt, and where first.
 * @param unkept sources with whose pairs this is left out
 */
export function levelsOf(books: Iterable<PairBook>, unkept: ReadonlySet<string>): KnownLevels[] {
  return [...books].flatMap(({ pair: { code }, band: { last, first }, tops }) =>
    last === undefined || tops.some(({ source }) => unkept.has(source))
      ? []
      : [{ pair: code, last, first: first ?? last }],
  );
}

/** The pairs that have no price because an operator must say which one is right. */
export function awaitingOperator(books: Iterable<PairBook>, now: number): string[] {
  return [...books].filter((book) => book.awaitsOperator(now)).map(({ pair }) => pair.code);
}

/** How many sources are set aside, each pair for itself. */
export function setAside(books: Iterable<PairBook>): number {
  let count = 0;
  for (const { tops } of books) for (const { aside } of tops) if (aside !== undefined) count += 1;
  return count;
}
