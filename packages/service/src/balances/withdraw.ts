import type { Approvable, ApprovalKind } from '../approvals/approvals.ts';
import { doOrPropose, type Outcome, worthOf } from '../approvals/do-or-propose.ts';
import { requireCustomer } from '../customers/room.ts';
import { lockStatus } from '../customers/standing.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { readAmount } from '../http/amounts.ts';
import { requireCurrency } from '../http/market-codes.ts';
import { postEntries } from '../ledger/journal.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { availableMinor, lockBalances, notCovered } from './balances.ts';
import { readDebt } from './debt-store.ts';
import type { BalancesRoom } from './room.ts';
import { type WithdrawalRow, withdrawalEntry, withdrawalEvent } from './withdrawal-record.ts';
import { insertWithdrawal, type NewWithdrawal, owedOnReturns } from './withdrawal-store.ts';

/** Who wants how much out of a balance. */
interface WithdrawalRequest {
  readonly customerId: string | undefined;
  readonly currency: string;
  readonly amount: string;
  readonly clientReference?: string | undefined;
  /** An operator's reason. */
  readonly reason?: string | undefined;
  /** Person or OAuth client (UUID). */
  readonly by: string;
}

type InCommit<Done> = (connection: Connection, done: Done) => Promise<void>;

/**
 * A customer takes money out of its balance, to its own account in the currency. The balance is debited in the commit
 * that writes the withdrawal; the next settlement run pays it.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem customer_not_found, customer_suspended, currency_not_supported, validation_failed, amount_precision_invalid,
 *   amount_below_minimum, settlement_instructions_missing, limit_exceeded (limitType balance)
 */
export function withdraw(
  room: BalancesRoom,
  request: WithdrawalRequest,
  inCommit?: InCommit<WithdrawalRow>,
): Promise<WithdrawalRow> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const given = await read(connection, request, 'customer', now);
    await requireNotSuspended(connection, given.customerId);
    const row = await open(connection, given, now);
    await inCommit?.(connection, row);
    return row;
  });
}

/** What a second person gets to see and the approval gets back. */
interface Proposed {
  readonly withdrawalId: string;
  readonly customerId: string;
  readonly currency: string;
  readonly amountMinor: string;
  readonly worthUsdMinor: string | null;
  readonly clientReference: string | null;
}

const WITHDRAWAL_KIND = 'balance_withdrawal';

/** The same for an operator; above the limit of work by hand it takes two persons. @throws as {@link withdraw} */
export function withdrawForCustomer(
  room: BalancesRoom,
  request: WithdrawalRequest & { readonly reason: string },
  inCommit?: InCommit<Outcome<WithdrawalRow>>,
): Promise<Outcome<WithdrawalRow>> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const given = await read(connection, request, 'operator', now);
    const worth = worthOf(room, given.currency, given.amountMinor);
    const subject = typeId('wdr', given.id);
    const proposed: Proposed = {
      withdrawalId: given.id,
      customerId: given.customerId,
      currency: given.currency,
      amountMinor: given.amountMinor.toString(),
      worthUsdMinor: worth?.toString() ?? null,
      clientReference: given.clientReference,
    };
    const { reason, by: proposedBy } = request;
    const outcome = await doOrPropose(
      connection,
      {
        needsTwo: false,
        act: {
          kind: 'withdrawal',
          actorId: proposedBy,
          amounts: [{ customerId: given.customerId, usdMinor: worth }],
          formerLimit: { fromUsdMinor: await room.fourEyesFromUsdMinor(connection) },
        },
        carryOut: () => open(connection, given, now),
        proposal: () => ({ kind: WITHDRAWAL_KIND, subject, request: proposed, reason, proposedBy }),
      },
      now,
    );
    await inCommit?.(connection, outcome);
    return outcome;
  });
}

/** What a second person can approve of this room. */
export function withdrawalApproval(): Approvable {
  const kind: ApprovalKind = {
    scope: 'operator:payouts',
    carryOut: async (connection, { request, reason, proposedBy, decidedBy, now }) => {
      const { withdrawalId: id, amountMinor, ...proposed } = request as Proposed;
      const given: NewWithdrawal = {
        id,
        customerId: proposed.customerId,
        currency: proposed.currency,
        amountMinor: BigInt(amountMinor),
        clientReference: proposed.clientReference,
        requestedAs: 'operator',
        requestedBy: proposedBy,
        approvedBy: decidedBy,
        reason,
      };
      await open(connection, given, now);
    },
  };
  return [WITHDRAWAL_KIND, kind];
}

async function read(
  connection: Connection,
  request: WithdrawalRequest,
  requestedAs: NewWithdrawal['requestedAs'],
  now: number,
): Promise<NewWithdrawal> {
  const currency = requireCurrency(request.currency, '/currency');
  const customerId = await requireCustomer(connection, request.customerId);
  return {
    id: newUuid(now),
    customerId,
    currency: currency.code,
    amountMinor: readAmount(request.amount, currency),
    clientReference: request.clientReference ?? null,
    requestedAs,
    requestedBy: request.by,
    approvedBy: null,
    reason: request.reason ?? null,
  };
}

/** Held until the commit: a suspension that comes first counts, one that comes later waits. */
async function requireNotSuspended(connection: Connection, customerId: string): Promise<void> {
  if ((await lockStatus(connection, customerId)) === 'active') return;
  throw new Problem('customer_suspended', 'The customer is suspended and cannot withdraw from its balance.');
}

/** Debits the balance and writes the withdrawal. Those at the same time go one after the other. */
async function open(connection: Connection, given: NewWithdrawal, now: number): Promise<WithdrawalRow> {
  const { customerId, currency, amountMinor } = given;
  await lockBalances(connection, [customerId]);
  const balance = await availableMinor(connection, customerId, currency);
  // What is owed stays, in its own currency, until it is paid or written off.
  const owed =
    (await owedOnReturns(connection, customerId, currency)) +
    (await readDebt(connection, customerId, currency));
  const available = balance > owed ? balance - owed : 0n;
  if (amountMinor > available) throw notCovered(currency, available, amountMinor, 'withdrawn');
  const row = await insertWithdrawal(connection, given, now);
  if (row === undefined) {
    throw new Problem(
      'settlement_instructions_missing',
      `The customer has no settlement instruction in ${currency}.`,
    );
  }
  await appendEvents(connection, [withdrawalEvent(row, 'withdrawal.created')], now);
  await postEntries(connection, [withdrawalEntry(row, 'withdrawal_requested')], now);
  return row;
}
