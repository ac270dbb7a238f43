import { currencyStatus, findCurrency, formatAmount, localDateAt } from '@firmquote/fx';
import { type Connection, inTransaction } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { HOUSE_ID, type JournalEntry, postEntries } from '../ledger/journal.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { knownCurrency } from '../quotes/record.ts';
import { readMinor } from '../quotes/terms.ts';
import {
  type BalanceRow,
  customerExists,
  customersByTopUpReference,
  insertTopUp,
  readBalances,
  topUpReference,
} from './balance-store.ts';
import type { SettlementRoom } from './operate.ts';

export { customersByTopUpReference };

export interface TopUp {
  readonly customerId: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** The bank's reference of the booking; counts once for a customer. */
  readonly bankReference: string;
  /** The deposit that it is, which lies in suspense; left out for what an operator books by hand. */
  readonly depositId?: string;
  readonly bookedBy?: string;
}

/**
 * Credits money that arrived to a customer's balance, in the caller's transaction: ledger, event, and the record that
 * makes it happen once. A deposit is taken out of suspense; the caller marks it as matched.
 * @returns false when it was credited before; then nothing is done
 */
export async function topUpBalance(connection: Connection, topUp: TopUp, now: number): Promise<boolean> {
  const { customerId, currency, amountMinor, depositId } = topUp;
  const id = newUuid(now);
  const written = await insertTopUp(connection, {
    ...topUp,
    id,
    depositId: depositId ?? null,
    bookedBy: topUp.bookedBy ?? null,
    at: now,
  });
  if (!written) return false;
  const deposit = depositId === undefined ? {} : { depositId };
  const entries: JournalEntry[] = [
    {
      customerId,
      kind: 'balance_topped_up',
      ...deposit,
      postings: [
        { account: 'bank', currency, amount: amountMinor },
        { account: 'customer_balance', currency, amount: -amountMinor },
      ],
    },
  ];
  if (depositId !== undefined) {
    entries.push({
      customerId: HOUSE_ID,
      kind: 'deposit_allocated',
      depositId,
      postings: [
        { account: 'suspense', currency, amount: amountMinor },
        { account: 'bank', currency, amount: -amountMinor },
      ],
    });
  }
  const amount = formatAmount(amountMinor, knownCurrency(currency));
  // The event takes the lock on the customer's usage, which everything that moves a balance goes through.
  await appendEvents(
    connection,
    [{ customerId, type: 'balance.topped_up', ...deposit, detail: { amount, currency } }],
    now,
  );
  await postEntries(connection, entries, now);
  return true;
}

export interface ManualTopUp {
  readonly customerId: string | undefined;
  readonly currency: string;
  readonly amount: string;
  readonly bankReference: string;
  readonly bookedBy: string;
}

export interface CustomerBalances {
  readonly rows: readonly BalanceRow[];
  readonly reference: string;
}

/**
 * Books money for a balance by hand.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem customer_not_found, currency_not_supported, amount_precision_invalid, already_exists
 */
export async function bookTopUp(
  room: SettlementRoom,
  input: ManualTopUp,
  inCommit?: (connection: Connection, balances: CustomerBalances) => Promise<void>,
): Promise<CustomerBalances> {
  const now = room.clock.now();
  const { customerId } = input;
  const currency = findCurrency(input.currency);
  if (currency === undefined || currencyStatus(currency.code, localDateAt(now, 'UTC')) !== 'tradable') {
    throw new Problem('currency_not_supported', `${input.currency} is not a currency that is traded here.`);
  }
  const amountMinor = readMinor(input.amount, currency, '/amount');
  return inTransaction(room.pool, async (connection) => {
    if (customerId === undefined || !(await customerExists(connection, customerId))) throw noCustomer();
    const topUp = { ...input, customerId, currency: currency.code, amountMinor };
    if (!(await topUpBalance(connection, topUp, now))) {
      throw new Problem('already_exists', 'The customer has a top-up under this bank reference.', {
        members: { customerId: typeId('cus', customerId), bankReference: input.bankReference },
      });
    }
    const balances = await balancesOf(connection, customerId);
    await inCommit?.(connection, balances);
    return balances;
  });
}

/** @throws Problem customer_not_found */
export async function showBalances(
  room: SettlementRoom,
  customerId: string | undefined,
): Promise<CustomerBalances> {
  if (customerId === undefined || !(await customerExists(room.pool, customerId))) throw noCustomer();
  const id = customerId;
  return inTransaction(room.pool, (connection) => balancesOf(connection, id));
}

async function balancesOf(connection: Connection, customerId: string): Promise<CustomerBalances> {
  return {
    rows: await readBalances(connection, customerId),
    reference: await topUpReference(connection, customerId),
  };
}

function noCustomer(): Problem {
  return new Problem('customer_not_found', 'There is no customer with this id.');
}
