import { isConnectionFailure } from '../../database/pool.ts';
import type { Logger } from '../../platform/logger.ts';

/** Before all ids. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Entries of statements that are due for something, and how it is done to them. */
export interface DueWork {
  /** What they are, for the log. */
  readonly what: string;
  /** Entries in one commit. */
  readonly batch: number;
  /** Settles the first entries after an id, in a commit of its own. @returns how many were settled */
  work(rowsMax: number, after: string): Promise<number>;
  /** Id of the first due entry after another one. */
  next(after: string): Promise<string | undefined>;
}

/**
 * Settles what is due, a batch in one commit. An entry is marked in the commit of what it brings about, so none is lost
 * and none counts twice, whenever a process ends; what is left is found by the next run, on any instance. When a batch
 * fails, each of its entries is settled alone, so that one that cannot be does not hold up the others.
 * @returns how many entries were settled
 */
export async function settleDue({ what, batch, work, next }: DueWork, logger: Logger): Promise<number> {
  // As a rule nothing is due, which one look at an index tells without a transaction.
  if ((await next(NO_ID)) === undefined) return 0;
  try {
    return await work(batch, NO_ID);
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    logger.warn(
      { err: error },
      `${what} of statements could not be booked together; they are booked one by one`,
    );
  }
  let settled = 0;
  let last: string | undefined = NO_ID;
  for (let count = 0; count < batch && last !== undefined; count++) {
    const entryId: string | undefined = await next(last);
    try {
      if (entryId !== undefined) settled += await work(1, last);
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      logger.error({ err: error, entryId }, `one of the ${what} of statements cannot be booked`);
    }
    last = entryId;
  }
  return settled;
}
