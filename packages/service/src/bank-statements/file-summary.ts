import type { StatementEntry, StatementEvent, TransactionDetails } from '@firmquote/bank-formats';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Effect } from '../approvals/effects.ts';
import type { Queryable } from '../database/pool.ts';
import { payersOf } from '../deposits/room.ts';
import { typeId } from '../platform/ids.ts';
import { wordsOf } from './book-credits.ts';
import { isKnownOwn, type OwnAccount, ownAccountOf, ownAccounts } from './own-accounts.ts';

const SHOWN_ACCOUNTS = 20; // limit: Accounts of a statement file that an approval shows
const SHOWN_CREDITS = 100; // limit: Credits of a statement file that an approval shows

/** What of an account a file tells. */
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

/** What a file would bring, in constant memory however large it is. Nothing is written. */
export class FileSummary {
  readonly #own: readonly OwnAccount[];
  readonly #accounts = new Map<string, AccountSum>();
  readonly #credits: Credit[] = [];
  #account = '';
  statements = 0;
  bookings = 0;
  paymentStatuses = 0;

  private constructor(own: readonly OwnAccount[]) {
    this.#own = own;
  }

  static async of(
    connection: Queryable,
    pieces: AsyncIterable<readonly StatementEvent[]>,
  ): Promise<FileSummary> {
    const summary = new FileSummary(await ownAccounts(connection));
    for await (const events of pieces) for (const event of events) summary.#take(event);
    return summary;
  }

  #take(event: StatementEvent): void {
    if (event.type === 'begin') this.#account = event.statement.account;
    else if (event.type === 'payment_status') this.paymentStatuses += 1;
    else if (event.type === 'entry') this.#add(event.entry);
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

  #add(entry: StatementEntry): void {
    this.bookings += 1;
    const sum = this.#sumOf(entry.currency)[entry.direction];
    sum.count += 1;
    sum.minor += entry.amountMinor;
    if (entry.direction === 'debit') return;
    for (const details of entry.details) {
      if (this.#credits.length < SHOWN_CREDITS)
        this.#credits.push({ account: this.#account, entry, details });
    }
  }

  /** What all entries come to, in each currency. Credits fund, and debits say that we have paid. */
  get moved(): readonly { readonly currency: string; readonly minor: bigint }[] {
    return [...this.#accounts.values()].map(({ currency, credit, debit }) => ({
      currency,
      minor: credit.minor + debit.minor,
    }));
  }

  /** For a second person: what there is, and whose trades and balances the credits name. */
  async effects(connection: Queryable): Promise<Effect[]> {
    const { statements, bookings, paymentStatuses } = this;
    const named = await payersOf(
      connection,
      this.#credits.map(({ account, details }) => ({
        ...wordsOf({ ...details, account }),
        remitterAccount: details.counterpartyAccount,
      })),
    );
    const shown = [...this.#accounts.values()].slice(0, SHOWN_ACCOUNTS);
    for (const sum of shown) sum.isOwn ||= await isKnownOwn(connection, sum.account);
    return [
      ...Object.entries({ statements, entries: bookings, paymentStatuses }).map(
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
