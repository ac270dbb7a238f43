import type { StatementEntry, StatementEvent, TransactionDetails } from '@firmquote/bank-formats';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Effect } from '../approvals/effects.ts';
import type { Queryable } from '../database/pool.ts';
import { payersOf } from '../deposits/room.ts';
import { typeId } from '../platform/ids.ts';
import { wordsOf } from './book-credits.ts';
import { isKnownOwn } from './own-account-store.ts';
import { type OwnAccount, ownAccountOf, ownAccounts } from './own-accounts.ts';

const SHOWN_ACCOUNTS = 20; // limit: Accounts of a statement file that an approval shows
const SHOWN_CREDITS = 100; // limit: Credits of a statement file that an approval shows
const NAMED_AT_ONCE = 500; // limit: Credits of a statement file that are looked up in one statement

/** What a file reports of an account. */
interface AccountSum {
  readonly account: string;
  readonly currency: string;
  isOwn: boolean;
  from: string | null;
  to: string | null;
  opening: string | null;
  closing: string | null;
  readonly credit: { count: number; minor: bigint };
  readonly debit: { count: number; minor: bigint };
}

interface Credit {
  readonly account: string;
  readonly entry: StatementEntry;
  readonly details: TransactionDetails;
}

/** What entries come to. */
interface Moved {
  readonly customerId: string | undefined;
  readonly currency: string;
  readonly minor: bigint;
}

/** What a file would bring, in constant memory however large it is. Nothing is written. */
export class FileSummary {
  readonly #own: readonly OwnAccount[];
  readonly #accounts = new Map<string, AccountSum>();
  readonly #credits: Credit[] = [];
  /** Credits of which nobody knows yet whom they name; undefined where nobody asks. */
  readonly #unnamed: Credit[] | undefined;
  readonly #moved = new Map<string, Moved>();
  #account = '';
  statements = 0;
  entries = 0;
  paymentStatuses = 0;

  private constructor(own: readonly OwnAccount[], byCustomer: boolean) {
    this.#own = own;
    this.#unnamed = byCustomer ? [] : undefined;
  }

  /** @param byCustomer whether what it moves is asked for each customer, which reads more */
  static async of(
    connection: Queryable,
    pieces: AsyncIterable<readonly StatementEvent[]>,
    byCustomer = false,
  ): Promise<FileSummary> {
    const summary = new FileSummary(await ownAccounts(connection), byCustomer);
    for await (const events of pieces) {
      for (const event of events) summary.#addEvent(event);
      if ((summary.#unnamed?.length ?? 0) >= NAMED_AT_ONCE) await summary.#nameCustomers(connection);
    }
    await summary.#nameCustomers(connection);
    return summary;
  }

  /** What credits bring counts for the customer that they name, when it is one. */
  async #nameCustomers(connection: Queryable): Promise<void> {
    const credits = this.#unnamed?.splice(0) ?? [];
    if (credits.length === 0) return;
    const named = await payersOf(connection, credits.map(paymentOf));
    for (const [at, { entry, details }] of credits.entries()) {
      const [customerId, ...others] = named[at] ?? [];
      if (customerId === undefined || others.length > 0) continue;
      this.#addMoved(undefined, entry.currency, -details.amountMinor);
      this.#addMoved(customerId, entry.currency, details.amountMinor);
    }
  }

  #addMoved(customerId: string | undefined, currency: string, minor: bigint): void {
    const key = `${customerId} ${currency}`;
    const before = this.#moved.get(key)?.minor ?? 0n;
    this.#moved.set(key, { customerId, currency, minor: before + minor });
  }

  #addEvent(event: StatementEvent): void {
    if (event.type === 'begin') this.#account = event.statement.account;
    else if (event.type === 'payment_status') this.paymentStatuses += 1;
    else if (event.type === 'entry') this.#addEntry(event.entry);
    else if (event.type === 'end') {
      const { currency, from, to, opening, closing } = event.statement;
      const sum = this.#sumOf(currency);
      const amount = (balance: typeof opening) =>
        balance === null ? null : `${signed(balance.minor, balance.currency)} ${balance.currency}`;
      sum.from ??= from;
      sum.to = to ?? sum.to;
      sum.opening ??= amount(opening);
      sum.closing = amount(closing) ?? sum.closing;
      this.statements += 1;
    } else this.statements += 1;
  }

  #sumOf(currency: string): AccountSum {
    const key = `${this.#account} ${currency}`;
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const own = ownAccountOf(this.#own, this.#account, currency);
    const sum: AccountSum = {
      account: this.#account,
      currency,
      isOwn: own !== undefined,
      ...{ from: null, to: null, opening: null, closing: null },
      credit: { count: 0, minor: 0n },
      debit: { count: 0, minor: 0n },
    };
    this.#accounts.set(key, sum);
    return sum;
  }

  #addEntry(entry: StatementEntry): void {
    this.entries += 1;
    const sum = this.#sumOf(entry.currency)[entry.direction];
    sum.count += 1;
    sum.minor += entry.amountMinor;
    this.#addMoved(undefined, entry.currency, entry.amountMinor);
    if (entry.direction === 'debit') return;
    for (const details of entry.details) {
      const credit = { account: this.#account, entry, details };
      if (this.#credits.length < SHOWN_CREDITS) this.#credits.push(credit);
      this.#unnamed?.push(credit);
    }
  }

  /** What all entries come to, in each currency, for customers and for nobody known. Credits fund, and debits say that we have paid. */
  get moved(): readonly Moved[] {
    return [...this.#moved.values()].filter(({ minor }) => minor > 0n);
  }

  /** For a second person: what there is, and whose trades and balances the credits name. */
  async effects(connection: Queryable): Promise<Effect[]> {
    const { statements, entries, paymentStatuses } = this;
    const named = await payersOf(connection, this.#credits.map(paymentOf));
    const shown = [...this.#accounts.values()].slice(0, SHOWN_ACCOUNTS);
    for (const sum of shown) sum.isOwn ||= await isKnownOwn(connection, sum.account);
    return [
      ...Object.entries({ statements, entries, paymentStatuses }).map(
        ([name, after]): Effect => ({ at: `/${name}`, before: null, after }),
      ),
      ...shown.map((sum, at): Effect => ({ at: `/accounts/${at}`, before: null, after: accountView(sum) })),
      ...this.#credits.map(
        (credit, at): Effect => ({
          at: `/credits/${at}`,
          before: null,
          after: creditView(credit, named[at] ?? []),
        }),
      ),
    ];
  }
}

function paymentOf({ account, details }: Credit) {
  return { ...wordsOf({ ...details, account }), remitterAccount: details.counterpartyAccount };
}

function accountView({ account, currency, isOwn, from, to, opening, closing, credit, debit }: AccountSum) {
  const sum = ({ count, minor }: AccountSum['credit']) => ({ count, amount: signed(minor, currency) });
  return { account, currency, isOwn, from, to, opening, closing, credits: sum(credit), debits: sum(debit) };
}

function creditView({ account, entry, details }: Credit, customers: readonly string[]) {
  return {
    account,
    amount: signed(details.amountMinor, entry.currency),
    currency: entry.currency,
    bookingDate: entry.bookingDate,
    bankReference: details.detailReference ?? entry.bankReference,
    remitter: details.counterpartyName,
    remitterAccount: details.counterpartyAccount,
    text: wordsOf({ ...details, account }).remittanceText,
    customers: customers.map((id) => typeId('cus', id)),
  };
}

function signed(minor: bigint, code: string): string {
  const currency = knownCurrency(code);
  return `${minor < 0n ? '-' : ''}${formatAmount(minor < 0n ? -minor : minor, currency)}`;
}
