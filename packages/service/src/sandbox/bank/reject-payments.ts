import type { Connection } from '../../database/pool.ts';
import { applyBankNotice } from '../../settlement/bank-notice.ts';

/** A payment of the house that the bank does not make. */
export interface Rejection {
  /** Of the payment file that ordered it; undefined without one. */
  readonly messageId?: string;
  readonly endToEndId: string;
  readonly uetr: string | null;
  readonly paymentInformationId: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** ISO external status reason, such as AC04. */
  readonly reason: string;
}

export async function rejectPayments(
  connection: Connection,
  rejections: readonly Rejection[],
  now: number,
): Promise<string | undefined> {
  for (const { endToEndId, uetr, amountMinor, currency, reason } of rejections) {
    await applyBankNotice(
      connection,
      {
        kind: 'rejected',
        endToEndId,
        uetr: uetr ?? undefined,
        amountMinor,
        currency,
        at: now,
        detail: reason,
      },
      now,
    );
  }
  return undefined;
}
