/** A repeatable choice: the same seed draws the same. */
export function sampled<T>(items: readonly T[], count: number, seed: number): T[] {
  const rest = [...items];
  const random = randomFrom(seed);
  const drawn: T[] = [];
  while (drawn.length < count && rest.length > 0) {
    const [item] = rest.splice(random() % rest.length, 1);
    drawn.push(item as T);
  }
  return drawn;
}

/** Marsaglia's xorshift with 32 bits. */
function randomFrom(seed: number): () => number {
  let state = (Math.imul(seed, 2_654_435_761) ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
