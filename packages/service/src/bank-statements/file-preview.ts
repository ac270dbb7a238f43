import {
  PREVIEWED_PAYMENTS,
  PREVIEWED_STATEMENTS,
  type PreviewedPayment,
  type PreviewedStatement,
  type StatementFilePreview,
} from '@firmquote/api/operations/statement-preview';
import type {
  Balance,
  SetAside,
  StatementBegin,
  StatementEnd,
  StatementEntry,
  StatementEvent,
  TransactionDetails,
} from '@firmquote/bank-formats';
import type { Queryable } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { statementsTo } from './known-store.ts';
import { isKnownOwn } from './own-account-store.ts';
import { type OwnAccount, ownAccountOf } from './own-accounts.ts';
import { areTwins, isBalanced, type StatementFacts } from './statement-proof.ts';
import { amountText } from './view.ts';
import { factsOf } from './write-statements.ts';

/** What is looked at is in no file yet, and is no statement that there is. */
const NOWHERE = { id: '' };

interface Sum {
  count: number;
  minor: bigint;
}

/** What is booked, by currency. */
class Sums {
  readonly #sums = new Map<string, { readonly credit: Sum; readonly debit: Sum }>();

  add({ status, currency, direction, amountMinor }: StatementEntry): void {
    if (status !== 'booked') return;
    const sums = this.#sums.get(currency) ?? {
      credit: { count: 0, minor: 0n },
      debit: { count: 0, minor: 0n },
    };
    this.#sums.set(currency, sums);
    sums[direction].count += 1;
    sums[direction].minor += amountMinor;
  }

  get view(): StatementFilePreview['sums'] {
    return [...this.#sums].map(([currency, { credit, debit }]) => {
      const shown = ({ count, minor }: Sum) => ({ count, amount: amountText(minor, currency) });
      return { currency, credits: shown(credit), debits: shown(debit) };
    });
  }
}

interface Statement {
  readonly account: string;
  readonly begin: StatementBegin;
  readonly isOwn: boolean;
  readonly sums: Sums;
  entries: number;
  /** Of the first entry. */
  currency: string | undefined;
  /** None where the file is refused before it. */
  end?: StatementEnd;
  aside?: SetAside;
}

/** What a reader finds in a file, in constant memory however large it is. Nothing is written. */
export class FilePreview {
  readonly #own: readonly OwnAccount[];
  readonly #shown: Statement[] = [];
  readonly #payments: PreviewedPayment[] = [];
  readonly #sums = new Sums();
  #open: Statement | undefined;
  #statements = 0;
  #entries = 0;
  #statuses = 0;

  constructor(own: readonly OwnAccount[]) {
    this.#own = own;
  }

  add(events: readonly StatementEvent[]): void {
    for (const event of events) {
      if (event.type === 'begin') this.#open = this.#begin(event.statement);
      else if (event.type === 'entry') this.#addEntry(event.entry);
      else if (event.type === 'payment_status') this.#statuses += 1;
      else if (event.type === 'set_aside') this.#begin(event.statement).aside = event.statement;
      else if (this.#open !== undefined) this.#open.end = event.statement;
    }
  }

  #begin(begin: StatementBegin): Statement {
    const own = ownAccountOf(this.#own, begin.account, begin.currency);
    const account = own?.account ?? begin.account;
    const isOwn = own !== undefined;
    const statement = { account, begin, isOwn, sums: new Sums(), entries: 0, currency: undefined };
    this.#statements += 1;
    if (this.#shown.length < PREVIEWED_STATEMENTS) this.#shown.push(statement);
    return statement;
  }

  #addEntry(entry: StatementEntry): void {
    const open = this.#open;
    if (open === undefined) throw new Error('an entry came outside a statement');
    this.#entries += 1;
    open.entries += 1;
    open.currency ??= entry.currency;
    open.sums.add(entry);
    this.#sums.add(entry);
    for (const detail of entry.details.slice(0, PREVIEWED_PAYMENTS - this.#payments.length)) {
      this.#payments.push(paymentView(open.account, entry, detail));
    }
  }

  async view(connection: Queryable) {
    const firstStatements: PreviewedStatement[] = [];
    for (const each of this.#shown) firstStatements.push(await statementView(connection, each));
    return {
      statements: this.#statements,
      entries: this.#entries,
      paymentStatuses: this.#statuses,
      sums: this.#sums.view,
      firstStatements,
      firstPayments: this.#payments,
    };
  }
}

async function statementView(connection: Queryable, statement: Statement): Promise<PreviewedStatement> {
  const { account, begin, isOwn, end, aside } = statement;
  const facts = end && factsOf({ ...NOWHERE, begin }, NOWHERE, end);
  return {
    kind: begin.kind,
    line: begin.line,
    account,
    ownAccount: aside === undefined && (isOwn || (await isKnownOwn(connection, begin.account))),
    currency: end?.currency ?? begin.currency ?? statement.currency ?? null,
    reference: begin.reference,
    number: end?.number?.toString() ?? null,
    page: end?.page ?? null,
    from: end?.from ?? null,
    to: end?.to ?? null,
    opening: balanceView(end?.opening),
    closing: balanceView(end?.closing),
    entries: statement.entries,
    sums: statement.sums.view,
    setAside: aside === undefined ? null : { reason: aside.reason, entries: aside.entries },
    importedIn: facts === undefined ? null : await importedIn(connection, account, facts),
  };
}

async function importedIn(
  connection: Queryable,
  account: string,
  facts: StatementFacts,
): Promise<string | null> {
  if (!isBalanced(facts)) return null;
  const same = (await statementsTo(connection, account, facts)).find((each) => areTwins(each, facts));
  return same === undefined ? null : typeId('stf', same.fileId);
}

function balanceView(balance: Balance | null | undefined) {
  if (balance == null) return null;
  const { minor, currency, date } = balance;
  return { amount: amountText(minor, currency), currency, date };
}

function paymentView(account: string, entry: StatementEntry, detail: TransactionDetails): PreviewedPayment {
  const { line, direction, status, currency, bookingDate, valueDate, bankReference } = entry;
  const { kind, endToEndId, uetr, remittanceText } = detail;
  const { counterpartyName, counterpartyAccount, creditedAccount } = detail;
  return {
    ...{ line, account, direction, kind, status },
    amount: amountText(detail.amountMinor, currency),
    ...{ currency, bookingDate, valueDate, bankReference, endToEndId, uetr },
    structuredReferences: [...detail.structuredReferences],
    ...{ remittanceText, counterpartyName, counterpartyAccount, creditedAccount },
  };
}
