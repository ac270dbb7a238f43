/** Pairs and currencies as people write them; what is none of them stays as it was written. */

/** `EUR/USD`, `eur usd` and `eurusd` are `EURUSD`. */
export function readPair(text: string): string {
  const code = text.replace(/[\s/_.-]/g, '').toUpperCase();
  return /^[A-Z]{6}$/.test(code) ? code : text.trim();
}

/** `usd` is `USD`. */
export function readCurrency(text: string): string {
  const code = text.trim().toUpperCase();
  return /^[A-Z]{3}$/.test(code) ? code : text.trim();
}
