/**
 * A seeded random walk that is pulled back to zero, in whole-number arithmetic: every intermediate is an
 * integer below 2^53, so each machine computes the same walk from the same seed.
 *
 * The generator is xoshiro128** (Blackman and Vigna), filled by SplitMix32 from a hash of the seed and the
 * name, so that each name walks on its own and leaving one out changes no other.
 */
export class ValueWalk {
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  readonly #noiseFactor: number;
  readonly #boundFine: number;
  #fine = 0;
  #draw = 0;

  /**
   * @param stepPpb standard deviation of one step, in billionths of the value, a whole number from 0
   */
  constructor(seed: number, name: string, stepPpb: number) {
    [this.#a, this.#b, this.#c, this.#d] = seededState(hashOf(`${seed}:${name}`));
    this.#noiseFactor = Math.round((stepPpb * FINE) / NOISE_DEVIATION);
    this.#boundFine = boundPpb(stepPpb) * FINE;
  }

  /** One step on. */
  advance(): void {
    this.#draw = this.#nextUint32();
    const other = this.#nextUint32();
    // Four uniform 16-bit numbers add up to a near-normal one (Irwin-Hall), without a logarithm or a root.
    const sum = (this.#draw & 0xffff) + (this.#draw >>> 16) + (other & 0xffff) + (other >>> 16);
    const pulled = this.#fine - Math.trunc(this.#fine / PULL_STEPS);
    const next = pulled + (sum - NOISE_MEAN) * this.#noiseFactor;
    this.#fine = Math.max(-this.#boundFine, Math.min(this.#boundFine, next));
  }

  /** How far the value is from where it started, in billionths; never beyond `boundPpb`. */
  get displacementPpb(): number {
    return Math.trunc(this.#fine / FINE);
  }

  /** The raw bits of the last step, for small decisions that need no generator of their own. */
  get draw(): number {
    return this.#draw;
  }

  #nextUint32(): number {
    const result = Math.imul(rotateLeft(Math.imul(this.#b, 5), 7), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotateLeft(this.#d, 11);
    return result;
  }
}

/** The walk is kept in 65,536ths of a billionth, so that the pull of a slow walk is not lost to rounding. */
const FINE = 65_536;

/** The pull halves a displacement in about 45,000 steps: three hours at four steps a second. */
const PULL_STEPS = 65_536;

const NOISE_MEAN = 131_070;
const NOISE_DEVIATION = 37_837;

/** In the long run the walk's deviation is step x sqrt(PULL_STEPS / 2) = 181 steps; it is held within five. */
const BOUND_STEPS = 181 * 5;

/** The farthest that a walk with this step gets from where it started, in billionths. */
export function boundPpb(stepPpb: number): number {
  return stepPpb * BOUND_STEPS;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Four words of SplitMix32. It never gives four zeros in a row, the one state xoshiro does not leave. */
function seededState(seed: number): readonly [number, number, number, number] {
  let at = seed;
  const next = (): number => {
    at = (at + 0x9e3779b9) | 0;
    let mixed = at ^ (at >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  return [next(), next(), next(), next()];
}
