/** A word that more than this part of all tests has says nothing. */
const COMMON_SHARE = 0.3;

/** How much a test has to do with some lines of code: the words that both have, the rare ones first of all. */
export class Relevance {
  readonly #words: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #weights = new Map<string, number>();

  /** @param texts of all tests, by file */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#words = new Map([...texts].map(([test, text]) => [test, wordsOf(text)]));
    const counts = new Map<string, number>();
    for (const words of this.#words.values()) {
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    for (const [word, count] of counts) {
      if (count <= COMMON_SHARE * texts.size) this.#weights.set(word, Math.log(texts.size / count));
    }
  }

  of(test: string, code: string): number {
    const words = this.#words.get(test) ?? new Set();
    return [...wordsOf(code)].reduce(
      (sum, word) => sum + (words.has(word) ? (this.#weights.get(word) ?? 0) : 0),
      0,
    );
  }
}

/** Names as wholes and in their parts. */
function wordsOf(text: string): Set<string> {
  const names = text.match(/[\p{L}_][\p{L}\d_]*/gu) ?? [];
  return new Set(
    names.flatMap((name) => [name, ...name.split(/_|(?=\p{Lu})/u).map((part) => part.toLowerCase())]),
  );
}
