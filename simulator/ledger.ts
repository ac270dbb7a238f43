import { type Account, Books, type Payment, type Style } from '../soak/bank.ts';
import { countMessagesAnew, notice, readOrders, rejection, statementFile } from '../soak/files.ts';
import type { Random } from '../soak/random.ts';
import { BANKED, HOUSE_ACCOUNTS } from './stage.ts';

const STYLES: Readonly<Record<(typeof BANKED)[number], Style>> = {
  USD: 'camt',
  EUR: 'camt-batches',
  GBP: 'mt940',
};

/** A message of the bank that is on its way. */
export interface BankFile {
  readonly kind: string;
  readonly content: string;
}

/** The bank: what is booked here is the truth, and files tell of it, in their order, until they are taken in. */
export class Ledger {
  readonly books: ReadonlyMap<string, Books>;
  readonly files: BankFile[] = [];
  /** Taken in: they may come again. */
  readonly known: BankFile[] = [];
  /** What the payment files of the house have ordered. */
  ordered = 0;
  #day: string | undefined;
  #payments = 0;
  readonly #comingBack: { readonly books: Books; readonly payment: Payment }[] = [];

  constructor(random: Random) {
    countMessagesAnew();
    this.books = new Map(
      BANKED.map((currency) => {
        const account: Account = { currency, ...HOUSE_ACCOUNTS[currency], style: STYLES[currency] };
        return [currency, new Books(account, random.fork())];
      }),
    );
  }

  /** A customer's payment arrives. */
  receive(random: Random, currency: string, amountMinor: bigint, text: string, name: string): void {
    const number = ++this.#payments;
    this.books.get(currency)?.receive({
      amountMinor,
      endToEndId: random.chance(0.7) ? `E2E${String(number).padStart(9, '0')}` : null,
      uetr: null,
      text,
      name,
      account: random.chance(0.5) ? 'GB94BARC10201530093459' : '0009876543210',
    });
  }

  /** Books what has arrived, and tells of some of it. */
  report(day: string): void {
    this.#begin(day);
    for (const books of this.books.values()) {
      books.book(day);
      const entries = books.report(day);
      if (entries.length > 0)
        this.files.push({ kind: 'camt.054', content: notice(books.account, day, entries) });
    }
  }

  /** A day is over: what was booked on it is told by statements. */
  close(now: number): void {
    const day = this.#day;
    if (day === undefined || dayOf(now) <= day) return;
    for (const books of this.books.values()) {
      books.book(day);
      const kind = books.account.style === 'mt940' ? 'MT940' : 'camt.053';
      this.files.push({ kind, content: statementFile(books.close(day)) });
    }
    this.#day = undefined;
    for (const { books, payment } of this.#comingBack.splice(0)) {
      this.#begin(dayOf(now));
      books.giveBack(payment, dayOf(now));
    }
  }

  #begin(day: string): void {
    this.#day ??= day;
  }

  /** Does what a payment file orders: pays, refuses, and brings some back on another day. */
  execute(random: Random, currency: string, file: string, day: string): string {
    const books = this.books.get(currency);
    if (books === undefined) return 'the bank has no such account';
    this.#begin(day);
    const { messageId, payments } = readOrders(file);
    const refused = payments.filter(({ endToEndId }) => endToEndId !== null && random.chance(0.08));
    const paid = payments.filter((each) => !refused.includes(each));
    books.pay(paid, day);
    for (const payment of paid) if (random.chance(0.05)) this.#comingBack.push({ books, payment });
    this.ordered += payments.length;
    if (refused.length > 0) {
      const ids = refused.map(({ endToEndId }) => endToEndId ?? '');
      this.files.push({ kind: 'pain.002', content: rejection(messageId, ids, day) });
    }
    return `${paid.length} paid, ${refused.length} refused`;
  }

  /** The day on which the bank works: the one that it has begun, until that is closed. */
  dayAt(now: number): string {
    return this.#day ?? dayOf(now);
  }
}

export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
