import { randomUUID } from 'node:crypto';
import type { Books, Payment } from './bank.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import type { Acknowledged, Customer } from './traders.ts';

/** What a payment without a usable reference is for, as the customer would say on the telephone. */
export interface Known {
  readonly transactionIds: readonly string[];
}

const minorOf = (amount: string) => BigInt(amount.replace('.', ''));

/** What customers owe becomes payments on the accounts of the house, as people pay: mostly as they should. */
export class Payers {
  readonly #books: ReadonlyMap<string, Books>;
  readonly #random: Random;
  readonly #report: Report;
  #owed: { readonly customer: Customer; readonly trade: Acknowledged }[] = [];
  /** By the text that the payment bears. */
  readonly known = new Map<string, Known>();
  /** Every amount that was paid in, by currency. */
  readonly paidIn = new Map<string, bigint[]>();
  #notes = 0;

  constructor(books: ReadonlyMap<string, Books>, random: Random, report: Report) {
    this.#books = books;
    this.#random = random;
    this.#report = report;
  }

  readonly owes = (customer: Customer, trade: Acknowledged): void => {
    if (!customer.preFunded) this.#owed.push({ customer, trade });
  };

  /** Some of what is owed is paid. */
  payAFew(): void {
    const count = Math.min(this.#owed.length, this.#random.between(1, 12));
    for (let i = 0; i < count; i++) {
      const next = this.#owed.shift();
      if (next !== undefined) this.#settle(next.customer, next.trade);
    }
  }

  /** Nothing remains to be paid. */
  payAll(): void {
    while (this.#owed.length > 0) this.payAFew();
  }

  topUp(customer: Customer, reference: string, currency: string): void {
    const amount = BigInt(this.#random.between(2_000_000, 9_000_000));
    this.#pay(customer, currency, amount, reference);
    this.#report.count('payments to balances');
  }

  #settle(customer: Customer, trade: Acknowledged): void {
    const amount = minorOf(trade.sellAmount);
    const pay = (minor: bigint, text: string) => this.#pay(customer, trade.sellCurrency, minor, text);
    const what = this.#random.next();
    if (what < 0.8) pay(amount, `Invoice 7 ${trade.reference}`);
    else if (what < 0.86) {
      pay(amount / 2n, trade.reference);
      pay(amount - amount / 2n, trade.reference);
    } else if (what < 0.9) pay(amount + BigInt(this.#random.between(100, 99_999)), trade.reference);
    else if (what < 0.93) {
      pay(amount, trade.reference);
      pay(amount, trade.reference);
      this.#report.count('payments made twice by their payer');
    } else if (what < 0.97) this.#withoutReference(customer, [trade]);
    else this.#report.count('trades that nobody pays');
  }

  #withoutReference(customer: Customer, trades: readonly Acknowledged[]): void {
    const other = this.#owed.findIndex(
      (each) => each.customer === customer && each.trade.sellCurrency === trades[0]?.sellCurrency,
    );
    const all =
      other >= 0 && this.#random.chance(0.5)
        ? [...trades, ...this.#owed.splice(other, 1).map(({ trade }) => trade)]
        : trades;
    const text = `our order ${++this.#notes} thank you`;
    this.known.set(text, { transactionIds: all.map(({ transactionId }) => transactionId) });
    const sum = all.reduce((total, { sellAmount }) => total + minorOf(sellAmount), 0n);
    this.#pay(customer, all[0]?.sellCurrency ?? '', sum, text);
    this.#report.count('payments without a reference');
  }

  #pay(customer: Customer, currency: string, amountMinor: bigint, text: string): void {
    const payment: Payment = {
      amountMinor,
      endToEndId: this.#random.chance(0.7) ? `E${randomUUID().replaceAll('-', '').slice(0, 20)}` : null,
      uetr: this.#random.chance(0.3) ? randomUUID() : null,
      text,
      name: customer.name,
      account: customer.account,
    };
    this.#books.get(currency)?.receive(payment);
    this.paidIn.set(currency, [...(this.paidIn.get(currency) ?? []), amountMinor]);
    this.#report.count('payments of customers');
  }
}
