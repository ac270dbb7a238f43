import type { Random } from './random.ts';

/** One payment, as the bank knows it: in or out, or one that comes back. */
export interface Payment {
  readonly amountMinor: bigint;
  readonly endToEndId: string | null;
  readonly uetr: string | null;
  readonly text: string;
  readonly name: string;
  readonly account: string;
  /** Of a payment that came back: why. */
  readonly returned?: string;
}

/** One entry of the account: of one payment, or of several in one sum. */
export interface Entry {
  readonly sign: 1 | -1;
  readonly payments: readonly Payment[];
  readonly amountMinor: bigint;
  readonly day: string;
  /** The bank begins anew every day. */
  readonly reference: string;
  /** How a notice told of it: not at all, as it is, payment by payment, or without its details. */
  reported: 'no' | 'whole' | 'apart' | 'bare';
}

/** `camt` books several payments as one and tells of them by day; `mt940` only speaks in the evening. */
export type Style = 'camt-batches' | 'camt' | 'mt940';

export interface Account {
  readonly currency: string;
  readonly number: string;
  readonly isIban: boolean;
  readonly style: Style;
}

const BATCH_MAX = 4;

/** An account of the house at the bank. What is booked here is the truth that everything else is held against. */
export class Books {
  readonly account: Account;
  readonly #random: Random;
  readonly #entries: Entry[] = [];
  #waiting: Payment[] = [];
  #numbers = new Map<string, number>();
  #closedMinor = 0n;
  #statements = 0;

  constructor(account: Account, random: Random) {
    this.account = account;
    this.#random = random;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get balanceMinor(): bigint {
    return this.#entries.reduce((sum, each) => sum + BigInt(each.sign) * each.amountMinor, 0n);
  }

  /** A payment arrives; it is booked with the next {@link book}. */
  receive(payment: Payment): void {
    this.#waiting.push(payment);
  }

  /** Books what has arrived, some of it in sums. */
  book(day: string): Entry[] {
    const booked: Entry[] = [];
    while (this.#waiting.length > 0) {
      const size =
        this.account.style === 'camt-batches' && this.#random.chance(0.5)
          ? this.#random.between(2, BATCH_MAX)
          : 1;
      booked.push(this.#enter(1, this.#waiting.splice(0, size), day));
    }
    return booked;
  }

  pay(payments: readonly Payment[], day: string): void {
    const inOne = this.account.style === 'camt-batches' && payments.length > 1 && this.#random.chance(0.4);
    if (inOne) this.#enter(-1, payments, day);
    else for (const payment of payments) this.#enter(-1, [payment], day);
  }

  /** A payment that went out comes back. */
  giveBack(payment: Payment, day: string): void {
    this.#enter(1, [{ ...payment, returned: 'AC04' }], day);
  }

  #enter(sign: 1 | -1, payments: readonly Payment[], day: string): Entry {
    const number = (this.#numbers.get(day) ?? 0) + 1;
    this.#numbers.set(day, number);
    const entry: Entry = {
      sign,
      payments,
      amountMinor: payments.reduce((sum, each) => sum + each.amountMinor, 0n),
      day,
      reference: `R${String(number).padStart(5, '0')}`,
      reported: 'no',
    };
    this.#entries.push(entry);
    return entry;
  }

  /** What a notice tells now: most of what nothing was told of yet, each in one of the ways. */
  report(day: string): Entry[] {
    if (this.account.style === 'mt940') return [];
    const fresh = this.#entries.filter(({ reported, day: of }) => reported === 'no' && of === day);
    const reported = fresh.filter(() => this.#random.chance(0.75));
    for (const entry of reported) {
      // Payment by payment only where each can be known again.
      const canBeApart =
        entry.payments.length > 1 && entry.payments.every(({ endToEndId }) => endToEndId !== null);
      if (entry.payments.length === 1) entry.reported = 'whole';
      else if (canBeApart && this.#random.chance(0.5)) entry.reported = 'apart';
      else entry.reported = this.#random.chance(0.5) ? 'bare' : 'whole';
    }
    return reported;
  }

  /** The statement of a day that is over. */
  close(day: string): Statement {
    const entries = this.#entries.filter((each) => each.day === day);
    const openingMinor = this.#closedMinor;
    this.#closedMinor += entries.reduce((sum, each) => sum + BigInt(each.sign) * each.amountMinor, 0n);
    this.#statements++;
    return {
      account: this.account,
      number: this.#statements,
      day,
      openingMinor,
      closingMinor: this.#closedMinor,
      entries,
    };
  }
}

export interface Statement {
  readonly account: Account;
  readonly number: number;
  readonly day: string;
  readonly openingMinor: bigint;
  readonly closingMinor: bigint;
  readonly entries: readonly Entry[];
}
