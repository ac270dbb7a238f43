import type { Connection } from '../database/pool.ts';
import { findTargets, type PaymentIdentifiers } from './find-payments.ts';
import { noteStatuses } from './payment-report-store.ts';

/** The payment will not be made. Every other status is only noted: only a statement shows that money has moved. */
const REFUSALS: ReadonlySet<string> = new Set(['RJCT', 'CANC']);

export function isRefusal(status: string): boolean {
  return REFUSALS.has(status);
}

/** What a status report says of payments, without moving them. */
export interface BankStatus extends PaymentIdentifiers {
  /** ISO external code, such as ACSP or RJCT. */
  readonly status: string;
  readonly reason: string | null;
  readonly at: number;
  /** It is said of the payment itself: that outweighs what the same report says of all that were ordered with it. */
  readonly isOwn: boolean;
}

/**
 * Keeps what a bank says of payments of runs. A payment that the bank has accepted, or says that it has executed, is paid
 * only when a statement has its debit.
 * @returns for each, whether it is about a payment of ours
 */
export async function noteBankStatuses(
  connection: Connection,
  statuses: readonly BankStatus[],
): Promise<boolean[]> {
  const found = await findTargets(connection, statuses);
  await noteStatuses(
    connection,
    statuses.flatMap(({ status, reason, at, isOwn }, index) =>
      // Of a cancelled run it is not said of what was made in its place.
      (found[index]?.isCancelled === true ? [] : (found[index]?.items ?? [])).map((target) => ({
        target,
        status,
        reason,
        at,
        isOwn,
      })),
    ),
  );
  return found.map((each) => each !== undefined);
}
