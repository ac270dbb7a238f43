import type { UnwindReason } from '@firmquote/api/operations/operator-transactions';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Approvable } from '../approvals/approvals.ts';
import { doOrPropose } from '../approvals/do-or-propose.ts';
import type { ApprovalRecord } from '../approvals/store.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { typeId } from '../platform/ids.ts';
import { changeTransactions } from '../transactions/change.ts';
import { transactionNotFound } from '../transactions/list-transactions.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { chargeOf, closeOutAtMarket, closeOutView, moneyHeld } from './close-out.ts';
import { changeOne, find, type OperatorCommand } from './operate.ts';
import type { PaymentsRoom } from './room.ts';
import { type Unwinding, unwind } from './unwind-changes.ts';

/** How a trade is to end. What is left out follows its state and the service's settings. */
interface EndCommand {
  readonly reason?: UnwindReason | undefined;
  /** `market`: the gain or loss of closing the position now is booked; `trade`: everything is taken back as it was booked. */
  readonly closeOutAt?: 'market' | 'trade' | undefined;
  /** Whether the customer bears a loss. */
  readonly chargeCustomer?: boolean | undefined;
}

const UNWIND_KIND = 'unwind_transaction' as const;
const PROPOSAL_REASONS_MAX = 500;

/** What ending a trade does to it and to the house's position, by its state and the service's settings. */
export function unwindingOf(room: PaymentsRoom, row: TransactionRow, command: EndCommand): Unwinding {
  const isOverdue = row.status === 'overdue';
  const reason = command.reason ?? (isOverdue ? 'closed_out' : 'client_request');
  const at = command.closeOutAt ?? (isOverdue ? 'market' : 'trade');
  if (at === 'trade') return { reason };
  const closeOut = closeOutAtMarket(row, room.market.book);
  const charged = command.chargeCustomer ?? room.closeOutCharge === 'losses';
  return { reason, closeOut, charge: chargeOf(row, closeOut, charged) };
}

/**
 * Ends a trade that is not paid out: an unwind, or the close-out of an overdue one.
 * @throws Problem transaction_not_found, version_mismatch, invalid_state_transition (a funded one takes two persons),
 * price_unavailable when it is closed out at the market
 */
export function endTransaction(
  room: PaymentsRoom,
  command: OperatorCommand,
  how: EndCommand = {},
): Promise<TransactionRow> {
  return changeOne(room, command, (row) => unwind(row, unwindingOf(room, row, how), 'operator'));
}

/** What ending a trade would book now. Nothing is written. @throws as endTransaction, but for who may do it */
export async function quoteUnwinding(
  room: PaymentsRoom,
  transactionId: string,
  how: EndCommand = {},
): Promise<Record<string, unknown>> {
  const row = await find(room, transactionId);
  const unwinding = unwindingOf(room, row, how);
  const change = unwind(row, unwinding, 'operator', true);
  const { closeOut, charge } = unwinding;
  const refund = change.patch?.refund;
  return {
    transactionId: typeId('txn', row.id),
    status: row.status,
    version: row.version,
    reason: unwinding.reason,
    needs: row.status === 'funded' ? 'second_person' : null,
    closeOutAt: closeOut === undefined ? 'trade' : 'market',
    closeOut: closeOut === undefined || charge === undefined ? null : closeOutView(row, closeOut, charge),
    received: formatAmount(moneyHeld(row), knownCurrency(row.sell_currency)),
    refund: refund === undefined || refund === null ? null : (JSON.parse(refund) as unknown),
    postings: (change.entries ?? []).flatMap((entry) =>
      entry.postings
        .filter((posting) => posting.amount !== 0n)
        .map(({ account, currency, amount }) => ({
          entry: entry.kind,
          account,
          currency,
          amount: `${amount < 0n ? '-' : ''}${formatAmount(amount < 0n ? -amount : amount, knownCurrency(currency))}`,
        })),
    ),
  };
}

/**
 * Proposes to unwind a funded trade, which a second person has to approve. The market's price is taken when that is done.
 * @throws Problem transaction_not_found, version_mismatch, invalid_state_transition, already_exists
 */
export async function proposeUnwinding(
  room: PaymentsRoom,
  command: OperatorCommand,
  how: EndCommand,
  by: string,
  inCommit?: (connection: Connection, approval: ApprovalRecord) => Promise<void>,
): Promise<ApprovalRecord> {
  const row = await find(room, command.transactionId);
  const reason = how.reason ?? 'client_request';
  // Refused now rather than after somebody has looked at it.
  unwind(row, { reason }, 'operator', true);
  requireVersion(command.ifMatch, row.version);
  const request: UnwindRequest = { customerId: row.customer_id, transactionId: row.id, ...how, reason };
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const proposal = {
      kind: UNWIND_KIND,
      subject: typeId('txn', row.id),
      request,
      reason: `Unwind ${row.reference}: ${reason}`.slice(0, PROPOSAL_REASONS_MAX),
      proposedBy: by,
    };
    const carryOut = () => carryOutUnwinding(room, connection, request, now);
    const proposable = { needsTwo: true, carryOut, proposal: () => proposal };
    const outcome = await doOrPropose(connection, proposable, now);
    if (outcome.done) throw new Error('a funded trade was ended by one person');
    await inCommit?.(connection, outcome.approval);
    return outcome.approval;
  });
}

interface UnwindRequest extends EndCommand {
  readonly customerId: string;
  readonly transactionId: string;
}

/** What the approval of a proposed unwinding does. */
export function unwindApproval(room: PaymentsRoom): Approvable {
  return [
    UNWIND_KIND,
    {
      scope: 'operator:transactions',
      carryOut: (connection, { request, now }) =>
        carryOutUnwinding(room, connection, request as UnwindRequest, now),
    },
  ];
}

async function carryOutUnwinding(
  room: PaymentsRoom,
  connection: Connection,
  { customerId, transactionId, ...how }: UnwindRequest,
  now: number,
): Promise<void> {
  const [row] = await changeTransactions(connection, [{ customerId, id: transactionId }], now, (locked) =>
    unwind(locked, unwindingOf(room, locked, how), 'operator', true),
  );
  if (row === undefined) throw transactionNotFound();
}
