import type { End } from './machine.ts';

/** How long it is until a quote is asked for again, ms. */
const ASK_AGAIN_MS = 2_000;
/** From when it was first seen expired: the service may work for 17.5 s on an execution that arrived in time. */
const DECIDED_AFTER_MS = 20_000;

/** Whoever trades may not read quotes: it has run out, and nobody has seen what became of it. */
export const OUT_OF_SIGHT = 'out of sight';
/** How far the service's clock of business may be from what is known of it here, ms. */
const CLOCKS_APART_MS = 5_000;

/** What can be known of a quote by its time alone. */
export function outOfSight(
  { expiresAt }: { readonly expiresAt: string },
  now: number,
): typeof OUT_OF_SIGHT | undefined {
  return now - Date.parse(expiresAt) >= CLOCKS_APART_MS ? OUT_OF_SIGHT : undefined;
}

/** What an execution whose answer was lost is asked with. What cannot be asked now is undefined, and asked again. */
interface Asking {
  /** What became of the quote, as readers see it; undefined where it has no end yet. */
  readonly read: () => Promise<End | typeof OUT_OF_SIGHT | undefined>;
  /** The execution again, under its own key; undefined where the answer says nothing of the quote. */
  readonly repeat: () => Promise<End | undefined>;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** By a clock that only goes forward, ms. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * What became of an execution whose answer was lost; undefined where nobody wants to know any more. While the quote is open it is read
 * and nothing is sent. Readers see it as expired at once, and what arrived in time may still be on its way to a trade: so it is
 * sent again under its own key, which can trade nothing by then, and whose answer holds for whatever is on its way.
 */
export async function findOut({ read, repeat, sleep, now, signal }: Asking): Promise<End | undefined> {
  let expiredAt: number | undefined;
  while (!signal.aborted) {
    const seen = await read();
    if (seen === OUT_OF_SIGHT) {
      const answered = await repeat();
      if (answered !== undefined) return answered;
    } else if (seen !== undefined) {
      if (seen.as !== 'expired') return seen;
      expiredAt ??= now();
      const answered = await repeat();
      if (answered !== undefined) return answered;
      // Whoever may not ask this way any more waits until there is nothing left to ask.
      if (now() - expiredAt > DECIDED_AFTER_MS) return seen;
    }
    await sleep(ASK_AGAIN_MS);
  }
  return undefined;
}
