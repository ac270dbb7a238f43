/** Why something from the venue was not used. */
export const REFUSALS = [
  'garbled',
  'body_length',
  'too_long',
  'checksum',
  'comp_id',
  'malformed',
  'no_sending_time',
  'stale',
  'repeated',
  'not_requested',
  'unknown_symbol',
  'unknown_book',
  'bad_price',
  'bad_size',
  'zero_size',
  'missing_side',
  'too_many_entries',
  'expired',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Counts them. */
export class Refusals {
  readonly #counts = new Map<Refusal, number>();

  add(reason: Refusal): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** Those that have happened. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
