/** How a venue writes pairs: `EUR/USD` for `EURUSD`. */
export class Symbols {
  readonly #bySymbol = new Map<string, string>();
  readonly #separator: string;

  constructor(pairs: readonly string[], separator: string) {
    this.#separator = separator;
    for (const pair of pairs) this.#bySymbol.set(this.symbolOf(pair), pair);
  }

  symbolOf(pair: string): string {
    return `${pair.slice(0, 3)}${this.#separator}${pair.slice(3)}`;
  }

  /** Undefined for a symbol that was not asked for. */
  pairOf(symbol: string): string | undefined {
    return this.#bySymbol.get(symbol);
  }
}
