import { type Connection, inTransaction } from '../database/pool.ts';
import {
  type ExceptionRow,
  markOver,
  type NewException,
  openExceptions,
  writeException,
} from '../deposits/exceptions.ts';
import { newUuid } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { ExceptionsRoom } from './room.ts';
import { lockSweep } from './state-exception-store.ts';

/** Who did it, as history keeps it. */
const SYSTEM = 'system';

/** Exceptions that the service opens by itself for a state of something, and closes when that state is over. */
interface StateException extends Pick<Sweep, 'name' | 'does' | 'everyMs'> {
  /** Named in the database: instances work on these one after the other. */
  readonly lock: string;
  /** Open ones that are over, locked, each with what became of it. */
  over(connection: Connection): Promise<(readonly [ExceptionRow, resolution: string])[]>;
  /** Ids of those that a person was done with and that are over since: should it come again, it has arisen. Left out: no machine can tell. */
  overSince?(connection: Connection): Promise<readonly string[]>;
  /** What is in that state, and nobody is at work on or was done with. */
  arisen(connection: Connection): Promise<Omit<NewException, 'id' | 'depositId' | 'assignee' | 'actor'>[]>;
}

export function exceptionSweep(
  { pool, clock }: ExceptionsRoom,
  { name, does, everyMs, lock, over, overSince, arisen }: StateException,
): Sweep {
  return {
    name,
    does,
    everyMs,
    run: () =>
      inTransaction(pool, async (connection) => {
        if (!(await lockSweep(connection, lock))) return 0;
        const now = clock.now();
        const ended = await over(connection);
        for (const [row, resolution] of ended) {
          const closed = {
            ...row,
            resolution,
            status: 'resolved',
            resolved_at: now,
            version: row.version + 1,
          } as const;
          await writeException(connection, closed, { actor: SYSTEM, action: 'resolved', note: null }, now);
        }
        if (overSince !== undefined) await markOver(connection, await overSince(connection), now);
        const opened = (await arisen(connection)).map((each) => ({
          ...each,
          id: newUuid(now),
          depositId: null,
          assignee: null,
          actor: SYSTEM,
        }));
        await openExceptions(connection, opened, now);
        return ended.length + opened.length;
      }),
  };
}
