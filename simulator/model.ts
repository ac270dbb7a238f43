import { legsOf } from './feed.ts';
import type { Character, Currency, StagedCustomer } from './stage.ts';

/** What the simulator believes to be so: small, and written without the service's code. */

/** `gone`: it ended by a halt or a suspension, or will when that is noticed. */
export type QuoteState = 'open' | 'executed' | 'cancelled';

export interface ModelQuote {
  readonly quoteId: string;
  readonly customer: ModelCustomer;
  readonly sell: Currency;
  readonly buy: Currency;
  readonly sellAmount: string;
  readonly buyAmount: string;
  readonly pair: string;
  readonly etag: string;
  readonly expiresAt: number;
  /** Under which key it was requested, with what, and what was answered. */
  readonly asked: { readonly key: string; readonly body: object; readonly text: string };
  state: QuoteState;
  /** An operator has taken it back: by a halt, by a suspension. */
  isTakenBack: boolean;
  /** Of an execution: the request, its answer, and when that was. */
  execution:
    | { readonly key: string | undefined; readonly body: object; readonly text: string; readonly at: number }
    | undefined;
}

export interface ModelTrade {
  readonly transactionId: string;
  readonly quote: ModelQuote;
  readonly reference: string;
  readonly sellMinor: bigint;
  /** What its customer has sent so far, whatever became of that. */
  paidMinor: bigint;
}

export interface ModelCustomer extends StagedCustomer {
  readonly place: number;
  isSuspended: boolean;
  /** When it was last suspended or resumed. */
  changedAt: number;
  lastQuoteAt: number;
  /** Id of the last event that was read, and how many there were. */
  lastEvent: string | undefined;
  eventsRead: number;
}

export interface ModelHalt {
  readonly scope: 'all' | 'pair' | 'customer';
  readonly pair: string | undefined;
  readonly customerId: string | undefined;
  readonly keepsQuotes: boolean;
  readonly since: number;
}

const KEPT = 400;

/** The newest of many; what fell out is looked for in the database at the end. */
class Recent<T> {
  readonly items: T[] = [];
  count = 0;

  add(item: T): void {
    this.count++;
    this.items.push(item);
    if (this.items.length > 2 * KEPT) this.items.splice(0, KEPT);
  }
}

export class Model {
  readonly customers: readonly ModelCustomer[];
  readonly quotes = new Recent<ModelQuote>();
  readonly trades = new Recent<ModelTrade>();
  readonly halts = new Map<string, ModelHalt>();
  /** Every trade that was told of, by its quote: the database must have these and no others. */
  readonly reported = new Map<string, string>();
  /** When a halt was last lifted. */
  resumedAt = 0;

  constructor(customers: readonly StagedCustomer[]) {
    this.customers = customers.map((each, place) => ({
      ...each,
      place,
      isSuspended: false,
      changedAt: 0,
      lastQuoteAt: 0,
      lastEvent: undefined,
      eventsRead: 0,
    }));
  }

  customer(character: Character): ModelCustomer {
    const found = this.customers.find((each) => each.character === character);
    if (found === undefined) throw new Error(`there is no ${character} customer`);
    return found;
  }

  openQuotesOf(customer: ModelCustomer, now: number): ModelQuote[] {
    return this.quotes.items.filter(
      (quote) =>
        quote.customer === customer && quote.state === 'open' && !quote.isTakenBack && quote.expiresAt > now,
    );
  }

  /** Halts that stand against new quotes of a pair for a customer. */
  haltsOf(pair: string, customerId: string): ModelHalt[] {
    return [...this.halts.values()].filter(
      (halt) => halt.scope === 'all' || isOf(halt.pair, pair) || halt.customerId === customerId,
    );
  }

  /** Takes back what is open, as an operator's halt or suspension does. */
  takeBack(which: (quote: ModelQuote) => boolean): void {
    for (const quote of this.quotes.items)
      if (quote.state === 'open' && which(quote)) quote.isTakenBack = true;
  }
}

/** A halt of a pair stands against its crosses too. */
export function isOf(halted: string | undefined, pair: string): boolean {
  return halted !== undefined && (halted === pair || legsOf(pair).includes(halted));
}

export const minorOf = (amount: string): bigint => BigInt(amount.replace('.', ''));
