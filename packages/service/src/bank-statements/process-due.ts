import { logFailure } from '../database/log-failure.ts';
import { isConnectionFailure } from '../database/pool.ts';
import { NIL_UUID, typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { AppliedKind } from './apply-failure-store.ts';
import { noteFailure } from './apply-failures.ts';
import { awaitHolder } from './due-entry-store.ts';
import type { StatementsRoom } from './room.ts';

/** A range of what is due. */
export interface DueSpan {
  readonly rowsMax: number;
  /** After this id. */
  readonly after: string;
  /** Up to this id, inclusive; null: all. */
  readonly upTo: string | null;
  /** Those that could not be applied before wait until their time has come. Epoch milliseconds. */
  readonly now: number;
}

/** A kind of work that entries are due for. */
interface DueWork {
  /** What they are, for the log. */
  readonly what: string;
  readonly kind: AppliedKind;
  /** Entries in one commit. */
  readonly batch: number;
  /** Settles the first entries of a span, in a commit of its own. @returns how many were settled */
  work(span: DueSpan): Promise<number>;
  /** Id of the first due entry after another one. */
  next(after: string, now: number): Promise<string | undefined>;
}

/**
 * Processes what is due, a batch in one commit. An entry is marked in the commit of its effect, so none is lost and none
 * counts twice, whenever a process ends; the next run, on any instance, finds what is left. If a batch fails, its entries are
 * processed one by one, so that one failure does not hold up the others: it is recorded, becomes an exception, and is retried
 * after longer and longer pauses.
 * @param only `fresh`: what could not be applied before is left to the sweep, and what another one holds is waited for
 * @returns how many entries were settled, or waited for
 */
export async function processDue(
  room: StatementsRoom,
  due: DueWork,
  logger: Logger,
  only: 'fresh' | 'all',
): Promise<number> {
  // Failed ones wait until a time after 1970, so they are left out.
  const now = only === 'fresh' ? 0 : room.clock.now();
  // Usually nothing is due, which one index look-up shows without a transaction.
  const first = await due.next(NIL_UUID, now);
  if (first === undefined) return 0;
  let settled: number;
  try {
    settled = await due.work({ rowsMax: due.batch, after: NIL_UUID, upTo: null, now });
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    const message = `a batch of ${due.what} from statements failed; booking one by one`;
    logFailure(logger, error, {}, message, 'warn');
    return oneByOne(room, due, logger, now);
  }
  if (settled > 0 || only === 'all') return settled;
  // Where somebody waits for an answer, what another one is at is settled when it comes.
  return (await awaitHolder(room.pool, due.kind, first)) ? 1 : 0;
}

async function oneByOne(
  room: StatementsRoom,
  { what, kind, batch, work, next }: DueWork,
  logger: Logger,
  now: number,
): Promise<number> {
  let settled = 0;
  let last = NIL_UUID;
  for (let count = 0; count < batch; count++) {
    const id = await next(last, now);
    if (id === undefined) break;
    try {
      // This one and no other: another instance may hold it.
      settled += await work({ rowsMax: 1, after: last, upTo: id, now });
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      const subject = kind === 'status' ? { statusId: id } : { entryId: typeId('ste', id) };
      logFailure(logger, error, subject, `one of the ${what} from statements could not be booked`);
      await noteFailure(room, kind, id, error);
    }
    last = id;
  }
  return settled;
}
