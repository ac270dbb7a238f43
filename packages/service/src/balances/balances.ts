import { currencyStatus, formatAmount, knownCurrency, localDateAt } from '@firmquote/fx';
import { requireCustomer } from '../customers/room.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { readAmount } from '../http/amounts.ts';
import { notTraded, requireCurrency } from '../http/market-codes.ts';
import { postEntries } from '../ledger/journal.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { type DebtRow, readDebts } from './debt-store.ts';
import { TOLD_WITHIN_DAYS, topUpEntry } from './replace-top-up.ts';
import type { BalancesRoom } from './room.ts';
import {
  type BalanceOwner,
  type BalanceRow,
  findBalanceOwners,
  holdBankReferences,
  insertTopUp,
  lockUsage,
  readAvailable,
  readBalances,
  takenDeposit,
  topUpReference,
} from './store.ts';

export type { BalanceOwner };

export interface TopUp {
  readonly customerId: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** The bank's reference of the entry; counts once for a customer. */
  readonly bankReference: string;
  readonly bookedBy?: string;
}

/**
 * Credits to a customer's balance money that no deposit reports, in the caller's transaction: ledger, event, and the
 * record that makes it happen once. The bank reference is held before anybody looks whether a deposit is that money, as it is where
 * deposits look for top-ups by hand: of two at once the second sees the first.
 * @returns false when it was credited before, or a deposit is that money; then nothing is done
 */
export async function topUpBalance(connection: Connection, topUp: TopUp, now: number): Promise<boolean> {
  const { customerId, currency, amountMinor } = topUp;
  await holdBankReferences(connection, [topUp.bankReference], 'top_up');
  await lockUsage(connection, [customerId]);
  const id = newUuid(now);
  const record = { ...topUp, id, bookedBy: topUp.bookedBy ?? null, at: now };
  if ((await takenDeposit(connection, record, TOLD_WITHIN_DAYS)) !== undefined) return false;
  if (!(await insertTopUp(connection, record))) return false;
  const detail = amountDetail(currency, amountMinor);
  await appendEvents(connection, [{ customerId, type: 'balance.topped_up', detail }], now);
  // By the one id a statement finds what the bank calls the money.
  await postEntries(connection, [{ id, ...topUpEntry(customerId, currency, amountMinor) }], now);
  return true;
}

/** Amount and currency as events state them. */
export function amountDetail(currency: string, minor: bigint): { amount: string; currency: string } {
  return { amount: formatAmount(minor, knownCurrency(currency)), currency };
}

/** Whose balances the references are, for deposits that name them. */
export async function balanceOwners(
  connection: Queryable,
  references: readonly string[],
): Promise<BalanceOwner[]> {
  return references.length === 0 ? [] : findBalanceOwners(connection, references);
}

/**
 * Holds balances until the transaction ends. Taken after trades and before anything is posted; for several customers
 * at once, so that everybody takes them in one order.
 */
export async function lockBalances(connection: Connection, customerIds: readonly string[]): Promise<void> {
  if (customerIds.length > 0) await lockUsage(connection, customerIds);
}

/** Minor units that a customer has in a currency; they stay while {@link lockBalances} holds. */
export function availableMinor(connection: Queryable, customerId: string, currency: string): Promise<bigint> {
  return readAvailable(connection, customerId, currency);
}

/** Whether money of this currency is taken into balances at the instant. */
export function isTakenIntoBalances(currency: string, at: number): boolean {
  return currencyStatus(currency, localDateAt(at, 'UTC')) === 'tradable';
}

interface ManualTopUp {
  readonly customerId: string | undefined;
  readonly currency: string;
  readonly amount: string;
  readonly bankReference: string;
  readonly bookedBy: string;
}

export interface CustomerBalances {
  readonly rows: readonly BalanceRow[];
  readonly debts: readonly DebtRow[];
  readonly reference: string;
}

/**
 * Books money for a balance by hand.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem customer_not_found, currency_not_supported, amount_precision_invalid, amount_below_minimum, already_exists
 */
export async function bookTopUp(
  room: Pick<BalancesRoom, 'pool' | 'clock'>,
  input: ManualTopUp,
  inCommit?: (connection: Connection, balances: CustomerBalances) => Promise<void>,
): Promise<CustomerBalances> {
  const now = room.clock.now();
  const currency = requireCurrency(input.currency, '/currency');
  if (!isTakenIntoBalances(currency.code, now)) throw notTraded(currency.code, '/currency');
  const amountMinor = readAmount(input.amount, currency);
  return inTransaction(room.pool, async (connection) => {
    const customerId = await requireCustomer(connection, input.customerId);
    const topUp = { ...input, customerId, currency: currency.code, amountMinor };
    if (!(await topUpBalance(connection, topUp, now))) {
      throw await alreadyThere(connection, { ...topUp, at: now });
    }
    const balances = await balancesOf(connection, customerId);
    await inCommit?.(connection, balances);
    return balances;
  });
}

async function alreadyThere(
  connection: Connection,
  topUp: TopUp & { readonly at: number },
): Promise<Problem> {
  const { customerId, bankReference } = topUp;
  const members = { customerId: typeId('cus', customerId), bankReference };
  const depositId = await takenDeposit(connection, topUp, TOLD_WITHIN_DAYS);
  if (depositId === undefined) {
    const why = 'The customer already has a top-up with this bank reference.';
    return new Problem('already_exists', why, { members });
  }
  const why =
    'There is a deposit with this bank reference already. If it is this money, work on the deposit instead.';
  return new Problem('already_exists', why, { members: { ...members, depositId: typeId('dep', depositId) } });
}

/** @throws Problem customer_not_found */
export async function showBalances(
  room: Pick<BalancesRoom, 'pool' | 'clock'>,
  customerId: string | undefined,
): Promise<CustomerBalances> {
  const id = await requireCustomer(room.pool, customerId);
  return inTransaction(room.pool, (connection) => balancesOf(connection, id));
}

/** What a customer has and owes, in the caller's transaction. */
export async function balancesOf(connection: Connection, customerId: string): Promise<CustomerBalances> {
  return {
    rows: await readBalances(connection, customerId),
    debts: await readDebts(connection, customerId),
    reference: await topUpReference(connection, customerId),
  };
}

/** More is to be taken out of a balance than it has. */
export function notCovered(
  code: string,
  available: bigint,
  wanted: bigint,
  how: 'withdrawn' | 'taken',
): Problem {
  const currency = knownCurrency(code);
  const limit = formatAmount(available, currency);
  const required = formatAmount(wanted, currency);
  return new Problem('limit_exceeded', `Only ${limit} ${code} of the balance can be ${how}.`, {
    members: { limitType: 'balance', limit, required, currency: code },
  });
}
