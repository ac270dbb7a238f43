import { randomUUID } from 'node:crypto';
import { knownCurrency, powerOfTen } from '@firmquote/fx';
import {
  asReturn,
  type HouseAccount,
  houseAccountOf,
  type Movement,
  movement,
  returnOf,
} from '@firmquote/sandbox-bank';
import { collectionAccounts } from '../../customers/collection-accounts.ts';
import type { Connection, Queryable } from '../../database/pool.ts';
import type { PricedTransaction, TransactionRow } from '../../transactions/record.ts';
import { EXCESSIVE_DEPOSIT, SHORT_DEPOSIT, TWO_DEPOSITS } from '../scenarios.ts';
import { findBySource } from './books-store.ts';
import type { PayoutTransaction } from './transaction-store.ts';

export const SANDBOX_REMITTER = 'Sandbox customer';

/** What the customer sends: what is still owed, or what the amount's scenario says. */
export function depositAmount(row: TransactionRow, step: number): bigint {
  const isExpecting = ['awaiting_funds', 'partially_funded', 'overdue'].includes(row.status);
  if (!isExpecting) return 0n;
  const sell = BigInt(row.sell_minor);
  const owed = sell - BigInt(row.received_minor) - BigInt(row.shortfall_minor);
  const unit = powerOfTen(knownCurrency(row.sell_currency).minorUnits);
  switch (row.scenario) {
    case SHORT_DEPOSIT:
      return owed > unit ? owed - unit : owed;
    case EXCESSIVE_DEPOSIT:
      return owed + unit;
    case TWO_DEPOSITS:
      return step === 1 ? sell / 2n : sell - sell / 2n;
    default:
      return owed;
  }
}

/**
 * The customer pays for a trade, into the account that its instructions name.
 * @param step distinguishes deposits for one trade
 */
export function depositMovement(
  row: PricedTransaction,
  step: string,
  amountMinor: bigint,
  accounts: HouseAccounts,
): Movement {
  return movement({
    source: `deposit:${row.id}:${step}`,
    account: accountToPayTo(row, accounts),
    direction: 'credit',
    kind: 'payment',
    amountMinor,
    uetr: randomUUID(),
    remittanceText: row.reference,
    counterpartyName: SANDBOX_REMITTER,
  });
}

/** Behind a virtual account is the house's own, which is the one that the bank keeps and reports. */
function accountToPayTo(row: PricedTransaction, accounts: HouseAccounts): HouseAccount {
  const { virtualAccount } = JSON.parse(row.instructions) as { virtualAccount?: string | null };
  const named = virtualAccount ? undefined : houseAccountOf(row.sell_currency, row.instructions);
  return named ?? accounts(row.sell_currency);
}

/** The house's accounts by currency. */
type HouseAccounts = (currency: string) => HouseAccount;

/** @throws Error, when asked for one, where customers have no account to pay a currency into */
export async function houseAccounts(
  connection: Queryable,
  currencies: readonly string[],
): Promise<HouseAccounts> {
  const kept = await collectionAccounts(connection, [...new Set(currencies)]);
  const details = new Map(kept.map((each) => [each.currency, each.details]));
  return (currency) => {
    const account = houseAccountOf(currency, details.get(currency) ?? '{}');
    if (account === undefined) throw new Error(`the house has no account in ${currency}`);
    return account;
  };
}

/** The payout of a trade leaves the house: as its settlement run says, or else as a run would have said it. */
export function payoutMovement(row: PayoutTransaction, accounts: HouseAccounts): Movement {
  const isOfRun = row.payment_id !== null;
  return movement({
    source: payoutSource(row),
    account: accounts(row.buy_currency),
    direction: 'debit',
    kind: 'payment',
    amountMinor: BigInt(row.payment_minor ?? row.buy_minor),
    endToEndId: row.payment_end_to_end_id ?? ownEndToEndId(row),
    uetr: isOfRun ? row.payment_uetr : randomUUID(),
    remittanceText: [row.reference, row.client_reference].filter(Boolean).join(' '),
    counterpartyName: row.payee_name,
    counterpartyAccount: row.payee_account,
  });
}

/** As the first run would have it. Once there was a run, numbers are its own: then the id only names the trade. */
function ownEndToEndId({ reference, payout_attempts: attempt, instructed }: PayoutTransaction): string {
  if (instructed > 0) return `${reference}-S${attempt}`;
  return attempt === 1 ? reference : `${reference}-${attempt}`;
}

function payoutSource(row: PayoutTransaction): string {
  return row.payment_id === null ? `payout:${row.id}:${row.payout_attempts}` : paymentSource(row.payment_id);
}

/** What the entry of a payment of a settlement run is booked under. */
export function paymentSource(paymentId: string): string {
  return `payment:${paymentId}`;
}

/** The payout of a trade comes back, as whole as it left. */
export async function payoutReturn(
  connection: Connection,
  row: PayoutTransaction,
  reason: string,
): Promise<Movement> {
  const own = `payout:${row.id}:${row.payout_attempts}`;
  const sources = row.payment_id === null ? [own] : [paymentSource(row.payment_id), own];
  const original = await findBySource(connection, sources);
  if (original !== undefined) return returnOf(original, reason);
  // Confirmed by hand, and never seen to leave: the bank's return is all there is.
  const accounts = await houseAccounts(connection, [row.buy_currency]);
  return { ...payoutMovement(row, accounts), ...asReturn(own, 'credit', reason), originalId: null };
}
