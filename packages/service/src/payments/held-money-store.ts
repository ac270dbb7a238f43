/**
 * Why the money behind a payment is not there for certain, as SQL: an exclusion, or null. The bank's statements lack it, or the remitter's
 * bank has taken it back. Said once, for what is due, what is in a file that is sent, and what settles by itself.
 */

interface Trade {
  readonly customer: string;
  readonly id: string;
  readonly isPreFunded: string;
  readonly sellCurrency: string;
}

/** Names are those of columns. */
export function heldMoneyOfTrade({ customer, id, isPreFunded, sellCurrency }: Trade): string {
  return `case
      when rests_on_missing_money(${customer}, ${id})
        or (${isPreFunded} and balance_rests_on_missing_money(${customer}, ${sellCurrency})) then 'not_in_statement'
      when rests_on_returned_money(${customer}, ${id})
        or (${isPreFunded} and balance_rests_on_returned_money(${customer}, ${sellCurrency})) then 'deposit_returned'
    end`;
}

/** Of a withdrawal. */
export function heldMoneyOfBalance(customer: string, currency: string): string {
  return `case
      when balance_rests_on_missing_money(${customer}, ${currency}) then 'not_in_statement'
      when balance_rests_on_returned_money(${customer}, ${currency}) then 'deposit_returned'
    end`;
}
