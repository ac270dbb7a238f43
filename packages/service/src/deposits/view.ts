import type { Deposit, HistoryStep, MatchEvidence } from '@firmquote/api/operations/deposits';
import { maskAccount } from '@firmquote/bank-formats';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import type { Result } from '../http/serve.ts';
import { returnsOf, type ShownReturn } from '../payments/deposit-returns.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import { allocationsOf } from './allocation-store.ts';
import type { HistoryRow } from './history-store.ts';
import type { AllocationRecord, DepositRecord } from './record.ts';
import { missingDeposits } from './store.ts';

/** Deposits as operators see them, in the order given. */
export async function depositViews(
  connection: Queryable,
  deposits: readonly DepositRecord[],
): Promise<Deposit[]> {
  const allocations = Map.groupBy(
    await allocationsOf(
      connection,
      deposits.map((deposit) => deposit.id),
    ),
    (allocation) => allocation.depositId,
  );
  const missing = await missingDeposits(
    connection,
    deposits.map(({ id }) => id),
  );
  const returns = Map.groupBy(
    await returnsOf(
      connection,
      deposits.filter(({ returnedMinor, version }) => returnedMinor > 0n || version > 1).map(({ id }) => id),
    ),
    (each) => each.deposit_id,
  );
  return deposits.map((deposit) => ({
    ...depositView(deposit, allocations.get(deposit.id) ?? []),
    missingSince: missing.get(deposit.id) ?? null,
    returns: (returns.get(deposit.id) ?? []).map(returnView),
  }));
}

/** A deposit with its version. */
export async function depositAnswer(connection: Queryable, deposit: DepositRecord): Promise<Result> {
  const [body] = await depositViews(connection, [deposit]);
  return { version: deposit.version, body };
}

/** The same to whoever has reported it. */
export async function newDepositAnswer(
  connection: Queryable,
  deposit: DepositRecord,
  status: 200 | 201,
): Promise<Result> {
  const headers = { Location: `/v1/operator/deposits/${typeId('dep', deposit.id)}` };
  return { ...(await depositAnswer(connection, deposit)), status, headers };
}

function returnView(row: ShownReturn): Deposit['returns'][number] {
  const isInRun = row.status === 'pending' && row.run_id !== null;
  return {
    returnId: typeId('dpr', row.id),
    status: isInRun ? (row.run_status === 'sent' ? 'sent' : 'in_run') : row.status,
    amount: formatAmount(BigInt(row.amount_minor), knownCurrency(row.currency)),
    reference: row.reference,
    accountHolder: row.account_holder,
    destinationMasked: maskAccount(row.iban ?? row.account_number ?? ''),
    runId: row.run_id === null ? null : typeId('run', row.run_id),
    bankReference: row.bank_reference,
    paidAt: row.paid_at === null ? null : isoInstant(row.paid_at),
    failure: row.failure,
    detail: row.detail,
    createdAt: isoInstant(row.created_at),
  };
}

function depositView(
  deposit: DepositRecord,
  allocations: readonly AllocationRecord[],
): Omit<Deposit, 'returns' | 'missingSince'> {
  const currency = knownCurrency(deposit.currency);
  const amount = (minor: bigint) => formatAmount(minor, currency);
  return {
    depositId: typeId('dep', deposit.id),
    status: deposit.status,
    exception: deposit.exception,
    version: deposit.version,
    account: deposit.account,
    bankReference: deposit.bankReference,
    amount: amount(deposit.amountMinor),
    currency: deposit.currency,
    allocatedAmount: amount(deposit.allocatedMinor),
    excessAmount: amount(deposit.excessMinor),
    returnedAmount: amount(deposit.returnedMinor),
    bookedAs: deposit.bookedAs,
    remitterName: deposit.remitterName,
    remitterAccount: deposit.remitterAccount,
    virtualAccount: deposit.virtualAccount ?? null,
    remittanceText: deposit.remittanceText,
    valueDate: deposit.valueDate,
    bookedOn: deposit.bookedOn ?? null,
    receivedAt: isoInstant(deposit.receivedAt),
    source: deposit.source,
    customerId: deposit.customerId === null ? null : typeId('cus', deposit.customerId),
    allocations: allocations.map((allocation) => ({
      to: allocation.transactionId === null ? 'balance' : 'transaction',
      customerId: typeId('cus', allocation.customerId),
      transactionId: allocation.transactionId === null ? null : typeId('txn', allocation.transactionId),
      allocatedAmount: amount(allocation.allocatedMinor),
      excessAmount: amount(allocation.excessMinor),
      shortfallAmount: amount(allocation.shortfallMinor),
      matchRule: allocation.rule,
      score: allocation.score,
      matchedBy: allocation.matchedBy,
      actor: actorText(allocation.actor),
      evidence: JSON.parse(allocation.evidence) as MatchEvidence,
      at: isoInstant(allocation.at),
    })),
    createdAt: isoInstant(deposit.createdAt),
    updatedAt: isoInstant(deposit.updatedAt),
  };
}

/** Who did something, as the API writes it: `matcher`, `bank_feed`, `system`, or a person or OAuth client. */
function actorText(actor: string): string {
  return /^[0-9a-f]{8}-/.test(actor) ? actorId(actor) : actor;
}

/** A step of a deposit or of an exception. */
export function historyView({ version, at, actor, action, reason, detail }: HistoryRow): HistoryStep {
  return {
    version,
    at: isoInstant(at),
    actor: actorText(actor),
    action,
    reason,
    detail: JSON.parse(detail) as HistoryStep['detail'],
  };
}
