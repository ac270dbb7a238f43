import type { StatusState } from '@firmquote/api/operations/bank-statements';
import type { PaymentStatus } from '@firmquote/bank-formats';
import { type Connection, inTransaction } from '../database/pool.ts';
import { closePaymentExceptions } from '../deposits/exceptions.ts';
import {
  applyPaymentReports,
  type BankPaymentReport,
  type BatchOutcome,
} from '../payments/bank-payment-report.ts';
import { type BankStatus, isRefusal, noteBankStatuses } from '../payments/bank-status.ts';
import { newUuid } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { reportPayment } from './apply-payments.ts';
import { type DueSpan, processDue } from './process-due.ts';
import type { StatementsRoom } from './room.ts';
import {
  insertStatuses,
  lockDueStatuses,
  nextDueStatus,
  type StatusRow,
  writeStatusOutcomes,
} from './status-store.ts';

/** Statuses in one commit. */
const BATCH = 200; // limit

/**
 * Writes statuses in the transaction of the import. Rejections are left `due`, to be applied in commits of their own; the
 * others need nothing more.
 */
export async function takeStatuses(
  connection: Connection,
  file: { readonly id: string; readonly receivedAt: number },
  statuses: readonly PaymentStatus[],
  position: number,
): Promise<void> {
  if (statuses.length === 0) return;
  const isOurs = await noteBankStatuses(
    connection,
    statuses.map((each) => noteOf(each, file.receivedAt)),
  );
  const stateOf = (each: PaymentStatus, index: number): StatusState => {
    if (isOurs[index] !== true) return 'unknown';
    return isRefusal(each.status) ? 'due' : 'noted';
  };
  await insertStatuses(
    connection,
    statuses.map((payment, index) => ({
      id: newUuid(file.receivedAt),
      fileId: file.id,
      position: position + index,
      payment,
      state: stateOf(payment, index),
    })),
  );
}

function noteOf(payment: PaymentStatus, at: number): BankStatus {
  const { status, reasonCode, reasonText, level } = payment;
  const reason = reasonOf(reasonCode, reasonText) ?? null;
  return { ...identifiersOf(payment), status, reason, at, isOwn: level === 'payment' };
}

function reasonOf(code: string | null, text: string | null): string | undefined {
  return [code, text].filter((part) => part).join(' ') || undefined;
}

type Identified = Pick<
  PaymentStatus,
  'level' | 'originalId' | 'endToEndId' | 'instructionId' | 'uetr' | 'amountMinor' | 'currency'
>;

/** A payment by its own ids; a block or a file by its identifier. */
function identifiersOf({
  level,
  originalId,
  endToEndId,
  instructionId,
  uetr,
  amountMinor,
  currency,
}: Identified) {
  if (level !== 'payment') return { blockId: originalId ?? undefined };
  return {
    endToEndId: endToEndId ?? undefined,
    otherIds: instructionId === null ? [] : [instructionId],
    uetr: uetr ?? undefined,
    orderedIn: originalId ?? undefined,
    amountMinor: amountMinor ?? undefined,
    currency: currency ?? undefined,
  };
}

/**
 * Rejects what banks have rejected, a batch in a commit of its own; see {@link processDue}.
 * @returns how many statuses were settled
 */
export function applyStatuses(room: StatementsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
  return processDue(
    room,
    {
      what: 'rejections',
      kind: 'status',
      batch: BATCH,
      work: (span) => applyBatch(room, span),
      next: (after, now) => nextDueStatus(room.pool, after, now),
    },
    logger,
    only,
  );
}

async function applyBatch(room: StatementsRoom, span: DueSpan): Promise<number> {
  return inTransaction(room.pool, async (connection) => {
    const due = await lockDueStatuses(connection, span);
    if (due.length === 0) return 0;
    const now = room.clock.now();
    const results = await applyPaymentReports(connection, due.map(rejectionOf), now);
    const outcomes = due.flatMap(({ id }, index) => {
      const outcome = results[index];
      if (outcome === undefined || outcome.outcome === 'later') return [];
      return [{ id, state: outcome.outcome, reason: outcome.outcome === 'mismatch' ? outcome.reason : null }];
    });
    await writeStatusOutcomes(connection, outcomes);
    for (const outcome of results) await reportMismatch(connection, outcome, now);
    const inOrder = results.flatMap((each) =>
      each.outcome === 'applied' || each.outcome === 'known' ? each.targets : [],
    );
    const subjectIds = inOrder.map(({ subjectId }) => subjectId);
    await closePaymentExceptions(connection, { entryIds: [], subjectIds }, now);
    return outcomes.length;
  });
}

function rejectionOf(row: StatusRow): BankPaymentReport {
  return {
    ...identifiersOf({
      level: row.level,
      originalId: row.original_id,
      endToEndId: row.end_to_end_id,
      instructionId: row.instruction_id,
      uetr: row.uetr,
      amountMinor: row.amount_minor === null ? null : BigInt(row.amount_minor),
      currency: row.currency,
    }),
    kind: 'rejected',
    at: row.received_at,
    detail: reasonOf(row.reason_code, row.reason_text) ?? row.status,
    sourceId: row.id,
  };
}

/** Such as a rejection of a payment that a statement has shown as paid. In a block it is unclear which payment is meant. */
async function reportMismatch(connection: Connection, result: BatchOutcome, now: number): Promise<void> {
  if (result.outcome !== 'mismatch') return;
  const [target] = result.targets;
  if (target !== undefined) await reportPayment(connection, target, result.reason, now);
}
