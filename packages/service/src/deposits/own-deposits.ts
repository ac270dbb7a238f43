import * as api from '@firmquote/api/operations/own-money';
import { maskAccount } from '@firmquote/bank-formats';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import type { Pool, Queryable } from '../database/pool.ts';
import { customerOf } from '../http/context.ts';
import { serve } from '../http/serve.ts';
import { returnsOf, type ShownReturn } from '../payments/deposit-returns.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { allocationsOf } from './allocation-store.ts';
import type { AllocationRecord, DepositRecord } from './record.ts';
import { searchDeposits } from './search-store.ts';
import { findDeposit } from './store.ts';

/** A customer's own deposits. What others share in one, and why something waits, is not shown. */
export function ownDepositRoutes(app: FastifyInstance, { pool }: { readonly pool: Pool }): void {
  serve(app, api.listOwnDeposits, async ({ request, query, page }) => {
    const { customerId } = customerOf(request);
    const { currency: currencies, ...times } = query;
    const filter = { customerId, currencies, ...times };
    const rows = await searchDeposits(pool, filter, page.place('instant', 'uuid'), page.rows);
    const own = await ownParts(pool, customerId, rows);
    return { body: page.of(own, ({ deposit }) => [isoInstant(deposit.receivedAt), deposit.id], ownView) };
  });
  serve(app, api.getOwnDeposit, async ({ request, params }) => {
    const { customerId } = customerOf(request);
    const deposit = await findDeposit(pool, params.depositId);
    const [own] = deposit === undefined ? [] : await ownParts(pool, customerId, [deposit]);
    if (own === undefined) throw new Problem('deposit_not_found', 'There is no deposit with this id.');
    return { version: own.deposit.version, body: ownView(own) };
  });
}

/** A deposit with what of it is one customer's. */
interface OwnParts {
  readonly deposit: DepositRecord;
  /** Minor units. */
  readonly amount: bigint;
  readonly allocated: bigint;
  readonly excess: bigint;
  readonly returned: bigint;
  readonly allocations: readonly AllocationRecord[];
  readonly returns: readonly ShownReturn[];
}

/** Of the deposits those that are the customer's, or of which a part is, in the order given. */
async function ownParts(
  connection: Queryable,
  customerId: string,
  deposits: readonly DepositRecord[],
): Promise<OwnParts[]> {
  const ids = deposits.map(({ id }) => id);
  const parts = Map.groupBy(
    (await allocationsOf(connection, ids)).filter((each) => each.customerId === customerId),
    (each) => each.depositId,
  );
  const whole = deposits.filter((deposit) => deposit.customerId === customerId);
  const returns = Map.groupBy(
    await returnsOf(
      connection,
      whole.filter(({ version }) => version > 1).map(({ id }) => id),
    ),
    (each) => each.deposit_id,
  );
  return deposits.flatMap((deposit) => {
    const allocations = parts.get(deposit.id) ?? [];
    if (deposit.customerId === customerId) {
      const { amountMinor: amount, allocatedMinor: allocated, excessMinor: excess } = deposit;
      const sums = { amount, allocated, excess, returned: deposit.returnedMinor };
      return [{ deposit, ...sums, allocations, returns: returns.get(deposit.id) ?? [] }];
    }
    if (allocations.length === 0) return [];
    // Several customers share it, and none sees what came to the others.
    const allocated = allocations.reduce((sum, part) => sum + part.allocatedMinor, 0n);
    const excess = allocations.reduce((sum, part) => sum + part.excessMinor, 0n);
    const sums = { amount: allocated + excess, allocated, excess, returned: 0n };
    return [{ deposit, ...sums, allocations, returns: [] }];
  });
}

function ownView({ deposit, allocations, returns, ...sums }: OwnParts): api.OwnDeposit {
  const currency = knownCurrency(deposit.currency);
  const text = (minor: bigint) => formatAmount(minor, currency);
  const { amount, allocated, excess, returned } = sums;
  return {
    depositId: typeId('dep', deposit.id),
    status: statusOf(sums),
    version: deposit.version,
    currency: deposit.currency,
    amount: text(amount),
    allocatedAmount: text(allocated),
    excessAmount: text(excess),
    returnedAmount: text(returned),
    unallocatedAmount: text(amount - allocated - excess - returned),
    remitterName: deposit.remitterName,
    // Of a shared one it may name trades of the others.
    remittanceText: deposit.customerId === null ? null : deposit.remittanceText,
    valueDate: deposit.valueDate,
    receivedAt: isoInstant(deposit.receivedAt),
    allocations: allocations.map((part) => ({
      to: part.transactionId === null ? 'balance' : 'transaction',
      transactionId: part.transactionId === null ? null : typeId('txn', part.transactionId),
      amount: text(part.allocatedMinor),
      excessAmount: text(part.excessMinor),
      at: isoInstant(part.at),
    })),
    returns: returns.map((row) => ({
      amount: text(BigInt(row.amount_minor)),
      status: row.status,
      reference: row.reference,
      destinationMasked: maskAccount(row.iban ?? row.account_number ?? ''),
      paidAt: row.paid_at === null ? null : isoInstant(row.paid_at),
    })),
    updatedAt: isoInstant(deposit.updatedAt),
  };
}

function statusOf({
  amount,
  allocated,
  excess,
  returned,
}: Omit<OwnParts, 'deposit' | 'allocations' | 'returns'>): api.OwnDeposit['status'] {
  if (returned === amount) return 'returned';
  const placed = allocated + excess + returned;
  if (placed === amount) return 'matched';
  return placed === 0n ? 'unmatched' : 'partially_matched';
}
