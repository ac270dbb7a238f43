import type { Queryable } from '../database/pool.ts';
import { type CustomerLine, customerLines } from './posting-store.ts';
import { trialBalances } from './store.ts';

export { debtReason } from './debt-events.ts';
export { debtsBefore } from './debt-store.ts';

/**
 * What a customer and the house owe each other: the accounts of sold amounts not paid, of bought amounts not paid out,
 * of what was paid too much, and of what a pre-funded customer keeps here. As the customer sees it: positive is owed to the customer.
 */
const CUSTOMER_ACCOUNTS = [
  'customer_receivable',
  'customer_payable',
  'customer_excess',
  'customer_balance',
] as const;

/** The customer's balance in each currency before an instant, minor units. */
export async function customerBalances(
  database: Queryable,
  customerId: string,
  before: number,
): Promise<Map<string, bigint>> {
  const balances = new Map<string, bigint>();
  for (const { account, currency, balance } of await trialBalances(database, { customerId }, before)) {
    if (!CUSTOMER_ACCOUNTS.some((each) => each === account)) continue;
    balances.set(currency, (balances.get(currency) ?? 0n) - balance);
  }
  return balances;
}

/** Of a positive amount more is owed to the customer. */
export type CustomerMovement = CustomerLine;

/** What moved those balances, in the order of time; an entry that moves nothing for the customer is left out. */
export async function customerMovements(
  database: Queryable,
  customerId: string,
  range: Parameters<typeof customerLines>[3],
  rowsMax: number,
): Promise<CustomerMovement[]> {
  return asCustomerSees(await customerLines(database, customerId, CUSTOMER_ACCOUNTS, range, rowsMax));
}

/** What it came to owe apart from open trades, and owes no longer, in the order of time. */
export async function debtMovements(
  database: Queryable,
  customerId: string,
  range: Parameters<typeof customerLines>[3],
  rowsMax: number,
): Promise<CustomerMovement[]> {
  const ofDebts = { ...range, areDebts: true };
  return asCustomerSees(await customerLines(database, customerId, ['customer_receivable'], ofDebts, rowsMax));
}

function asCustomerSees(lines: readonly CustomerLine[]): CustomerMovement[] {
  return lines.map(({ amount, ...line }) => ({ ...line, amount: -amount }));
}
