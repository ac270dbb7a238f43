import type { HoldKind } from '@firmquote/api/operations/transactions';
import { isFinalTransactionStatus } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { inWords, Problem } from '../problems/problem.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { type HoldRow, insertHold, listHolds, releaseHoldRow } from './hold-store.ts';
import { changeOne, find, type OperatorCommand } from './operate.ts';
import type { PaymentsRoom } from './room.ts';

/** Holds that stand against one payout at the same time. */
const HOLDS_MAX = 10; // limit: Holds on one transaction

/** A hold as the customer sees it: the reason stays inside the house. */
interface ShownHold {
  readonly holdId: string;
  readonly kind: HoldKind;
  readonly placedAt: string;
}

export interface PlaceHold {
  readonly kind: HoldKind;
  readonly reason: string;
  /** UUID of the person or OAuth client. */
  readonly by: string;
}

/**
 * Keeps a trade from being paid out. It orders nothing about the trade itself: money may still come in, and the trade
 * may still be unwound.
 * @throws Problem transaction_not_found, version_mismatch, invalid_state_transition when the trade has ended, the
 * payout is in a payment file, or ten holds stand already
 */
export async function placeHold(
  room: PaymentsRoom,
  command: OperatorCommand,
  { kind, reason, by }: PlaceHold,
): Promise<TransactionRow> {
  const now = room.clock.now();
  const id = newUuid(now);
  const shown: ShownHold = { holdId: typeId('hold', id), kind, placedAt: isoInstant(now) };
  return changeOne(
    room,
    {
      ...command,
      inCommit: async (connection, row) => {
        const hold = { customerId: row.customer_id, transactionId: row.id, id, kind, reason, by, at: now };
        await insertHold(connection, hold);
        await command.inCommit?.(connection, row);
      },
    },
    (row) => {
      const holds = shownHolds(row);
      if (isFinalTransactionStatus(row.status) || row.status === 'settling') {
        throw new Problem(
          'invalid_state_transition',
          `A transaction that is ${inWords(row.status)} has no payout to hold.`,
          { members: { from: row.status, to: row.status } },
        );
      }
      if (holds.length >= HOLDS_MAX) {
        throw new Problem('invalid_state_transition', `The transaction already has ${HOLDS_MAX} holds.`, {
          members: { from: row.status, to: row.status, holds },
        });
      }
      return holdChange(row, 'hold_placed', [...holds, shown], shown);
    },
  );
}

/**
 * Takes a hold away. When it was the last one the payout goes at its time, or at once when that has passed.
 * @throws Problem hold_not_found, transaction_not_found, version_mismatch
 */
export async function releaseHold(
  room: PaymentsRoom,
  command: OperatorCommand,
  holdId: string,
  { reason, by }: { readonly reason: string | undefined; readonly by: string },
): Promise<TransactionRow> {
  const now = room.clock.now();
  return changeOne(
    room,
    {
      ...command,
      inCommit: async (connection, row) => {
        if (holdId === undefined) throw holdNotFound();
        await releaseHoldRow(connection, {
          customerId: row.customer_id,
          transactionId: row.id,
          id: holdId,
          by,
          at: now,
          reason,
        });
        await command.inCommit?.(connection, row);
      },
    },
    (row) => {
      const holds = shownHolds(row);
      const shown = holds.find((each) => each.holdId === typeId('hold', holdId));
      if (shown === undefined) throw holdNotFound();
      return holdChange(
        row,
        'hold_released',
        holds.filter((each) => each !== shown),
        shown,
      );
    },
  );
}

/** All holds of a trade, those that were released too, oldest first, with their reasons. */
export async function holdHistory(room: PaymentsRoom, transactionId: string): Promise<readonly HoldRow[]> {
  const row = await find(room, transactionId);
  return listHolds(room.pool, row.customer_id, row.id);
}

function shownHolds(row: TransactionRow): readonly ShownHold[] {
  return JSON.parse(row.holds) as ShownHold[];
}

function holdChange(
  row: TransactionRow,
  code: 'hold_placed' | 'hold_released',
  holds: readonly ShownHold[],
  shown: ShownHold,
) {
  const detail = { holdId: shown.holdId, kind: shown.kind };
  return {
    code,
    actor: 'operator' as const,
    patch: { holds: JSON.stringify(holds) },
    detail,
    events: [
      {
        customerId: row.customer_id,
        type: `transaction.${code}` as const,
        quoteId: row.quote_id,
        transactionId: row.id,
        version: row.version + 1,
        status: row.status,
        clientReference: row.client_reference,
        detail,
      },
    ],
  };
}

function holdNotFound(): Problem {
  return new Problem('hold_not_found', 'The transaction has no hold with this id in force.');
}
