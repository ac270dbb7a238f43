/**
 * Why the money behind a payment is not there for certain, as SQL: an exclusion, or null. The bank's statements lack it, or the remitter's
 * bank has taken it back. Said once, for what is due, what is in a file that is sent, and what settles by itself. Balances are looked up once
 * for all payments of a statement.
 */

interface Trade {
  readonly customer: string;
  readonly id: string;
  readonly isPreFunded: string;
  readonly sellCurrency: string;
}

type Held = 'not_in_statement' | 'deposit_returned';

/** Whether a balance is one that is held for this reason; SQL. Names are those of columns. */
export const isHeldBalance = (customer: string, currency: string, held: Held) =>
  `(${customer}, ${currency}) in (select u.of_customer, u.of_currency from unbacked_balances() u where u.held = '${held}')`;

/** Names are those of columns. */
export function heldMoneyOfTrade({ customer, id, isPreFunded, sellCurrency }: Trade): string {
  return `case
      when rests_on_missing_money(${customer}, ${id})
        or (${isPreFunded} and ${isHeldBalance(customer, sellCurrency, 'not_in_statement')}) then 'not_in_statement'
      when rests_on_returned_money(${customer}, ${id})
        or (${isPreFunded} and ${isHeldBalance(customer, sellCurrency, 'deposit_returned')}) then 'deposit_returned'
    end`;
}

/** Of a withdrawal. */
export function heldMoneyOfBalance(customer: string, currency: string): string {
  return `case
      when ${isHeldBalance(customer, currency, 'not_in_statement')} then 'not_in_statement'
      when ${isHeldBalance(customer, currency, 'deposit_returned')} then 'deposit_returned'
    end`;
}
