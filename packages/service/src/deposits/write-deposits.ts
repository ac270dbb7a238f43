import type { Connection } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { dropKeys } from './deposit-key-store.ts';
import { closeExceptions, type NewException, openExceptions, passExceptions } from './exceptions.ts';
import { type DepositHistoryEntry, insertDepositHistory } from './history-store.ts';
import type { DepositRecord } from './record.ts';
import { updateDeposits } from './store.ts';

/** One step in the life of a deposit. */
export interface DepositStep {
  /** Undefined for one that was just written. */
  readonly before: DepositRecord | undefined;
  readonly after: DepositRecord;
  /** Who did it: `matcher`, `bank_feed`, `system`, or a person or OAuth client (UUID). */
  readonly actor: string;
  /** Stable code, such as `received`, `matched`, `returned`. */
  readonly action: string;
  /** In the words of the person who did it. */
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * The one way in which deposits change: writes the rows, a line of history for each, and closes and opens the
 * exceptions that follow from what changed, in the caller's transaction. Ledger and trades are the caller's.
 */
export async function writeDeposits(
  connection: Connection,
  steps: readonly DepositStep[],
  at: number,
): Promise<void> {
  await updateDeposits(
    connection,
    steps.map(({ after }) => after),
  );
  await insertDepositHistory(
    connection,
    steps.map((step) => historyOf(step, at)),
  );
  const changed = steps.filter(({ before, after }) => !isSameException(before, after));
  const closed = await closeExceptions(
    connection,
    changed
      .filter(({ before }) => (before?.exception ?? null) !== null)
      .map(({ after, actor, action, reason }) => ({
        depositId: after.id,
        actor,
        resolution: after.exception === null ? action : 'superseded',
        note: reason,
      })),
    at,
  );
  const opened = changed.flatMap(({ after, actor }): NewException[] => {
    if (after.exception === null) return [];
    // Whoever was at work on the deposit stays so.
    const assignee = closed.get(after.id) ?? null;
    const { customerId } = after;
    return [
      {
        ...after.exception,
        id: newUuid(at),
        depositId: after.id,
        customerId,
        transactionId: null,
        assignee,
        actor,
      },
    ];
  });
  await openExceptions(connection, opened, at);
  await passExceptions(
    connection,
    steps.filter(({ before, after }) => isWithAnother(before, after)).map(({ after }) => after),
  );
  await dropKeys(
    connection,
    steps.filter(({ before }) => before !== undefined).map(({ after }) => after.id),
  );
}

function historyOf(
  { before, after, actor, action, reason, detail }: DepositStep,
  at: number,
): DepositHistoryEntry {
  return {
    depositId: after.id,
    version: after.version,
    at,
    actor,
    action,
    reason,
    detail: {
      ...detail,
      status: after.status,
      ...(before === undefined ? {} : { previousStatus: before.status }),
      ...(after.exception === null ? {} : { exception: after.exception }),
    },
  };
}

function isSameException(before: DepositRecord | undefined, after: DepositRecord): boolean {
  const [was, is] = [before?.exception ?? null, after.exception];
  return was?.type === is?.type && was?.reason === is?.reason;
}

/** Whether an exception stays, and is no longer about the same customer. */
function isWithAnother(before: DepositRecord | undefined, after: DepositRecord): boolean {
  const stays = after.exception !== null && isSameException(before, after);
  return stays && before?.customerId !== after.customerId;
}
