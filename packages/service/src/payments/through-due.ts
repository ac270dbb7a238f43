import { isConnectionFailure } from '../database/failures.ts';
import { isPassing } from '../database/log-failure.ts';
import type { TransactionId } from '../transactions/store.ts';

/** Trades in one commit, or looked at in one turn. */
export const BATCH = 500; // limit

/** A trade on a work list, with its place in it. */
export interface DueTransaction extends TransactionId {
  /** What the list is ordered by, before the id: an instant or a date. */
  readonly due: string;
  readonly pair: string;
}

/**
 * Goes through a work list from its beginning to its end. What cannot be done now stays where it is and holds up nothing
 * that comes after it: a batch that fails is done one by one.
 * @param next the next trades of the list after a place, at most {@link BATCH}
 * @param work answers how many trades it moved
 * @throws the first fault, or else the first failure, when all the others have had their turn
 */
export async function throughDue(
  next: (after: DueTransaction | undefined) => Promise<readonly DueTransaction[]>,
  work: (trades: readonly DueTransaction[]) => Promise<number>,
): Promise<number> {
  let moved = 0;
  let failure: { readonly error: unknown } | undefined;
  let after: DueTransaction | undefined;
  for (;;) {
    const trades = await next(after);
    after = trades.at(-1);
    if (after === undefined) break;
    try {
      moved += await work(trades);
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      for (const trade of trades) {
        try {
          moved += await work([trade]);
        } catch (single) {
          if (isConnectionFailure(single)) throw single;
          // A fault is reported rather than what passes by itself.
          if (failure === undefined || isPassing(failure.error)) failure = { error: single };
        }
      }
    }
    if (trades.length < BATCH) break;
  }
  if (failure !== undefined) throw failure.error;
  return moved;
}
