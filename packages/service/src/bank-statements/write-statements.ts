import type { DepositState, PaymentState } from '@firmquote/api/operations/statement-entries';
import type {
  PaymentStatus,
  SetAside,
  StatementBegin,
  StatementEnd,
  StatementEntry,
  StatementEvent,
  TransactionKind,
} from '@firmquote/bank-formats';
import type { Connection } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { takeStatuses } from './apply-statuses.ts';
import type { Accepted, NewFile } from './file-store.ts';
import { followDoubts, followListed, followMissing } from './follow-statement.ts';
import { joinPages } from './join-pages.ts';
import type { ReportedDays } from './listed-store.ts';
import { isKnownOwn } from './own-account-store.ts';
import { gatherStatements, type OwnAccount, ownAccountOf, ownAccounts } from './own-accounts.ts';
import { isBalanced, type StatementFacts } from './statement-proof.ts';
import { BATCH, StatementSameness } from './statement-sameness.ts';
import {
  insertEntries,
  insertListings,
  insertStatement,
  markInStatement,
  type NewEntry,
} from './statement-store.ts';
import { correctedBy, retireStatements, setCorrected } from './withdraw-store.ts';

const NO_END = {
  ...{ number: null, page: null, from: null, to: null },
  ...{ opening: null, closing: null, forward: [], totals: [] },
} as const;

interface OpenStatement {
  readonly id: string;
  readonly position: number;
  readonly begin: StatementBegin;
  readonly account: string;
  readonly isOwn: boolean;
  readonly sameness: StatementSameness;
  waiting: StatementEntry[];
  entries: number;
  firstDay: string | undefined;
  lastDay: string | undefined;
}

/**
 * Writes what a reader yields, as it comes, in the transaction of the import. The end of each statement decides which of its
 * payments were reported before (see `deduplicate-entries.ts`).
 */
export class StatementWriter {
  readonly #connection: Connection;
  readonly #file: NewFile;
  #accounts: readonly OwnAccount[] = [];
  #open: OpenStatement | undefined;
  #statements = 0;
  #position = 0;
  #newEntries = 0;
  #statuses = 0;
  #pendingStatuses: PaymentStatus[] = [];
  /** By account and currency. */
  readonly #days = new Map<string, ReportedDays>();

  constructor(connection: Connection, file: NewFile) {
    this.#connection = connection;
    this.#file = file;
  }

  async start(): Promise<void> {
    this.#accounts = await ownAccounts(this.#connection);
  }

  get counts(): Omit<Accepted, 'format'> {
    return {
      statements: this.#statements,
      entries: this.#position,
      newEntries: this.#newEntries,
      paymentStatuses: this.#statuses,
    };
  }

  /** Writes what still waits. */
  async end(): Promise<void> {
    await this.#flushStatuses();
    await followMissing(this.#connection, [...this.#days.values()], this.#file.receivedAt);
  }

  /** Remembers the days that a statement covers. */
  #noteDays(
    { account, isOwn, firstDay, lastDay }: OpenStatement,
    { currency, from, to }: StatementEnd,
  ): void {
    const days = [firstDay, lastDay, from, to].flatMap((each) => each ?? []).sort();
    const [first, last] = [days[0], days.at(-1)];
    if (!isOwn || first === undefined || last === undefined) return;
    const key = `${currency} ${account}`;
    const before = this.#days.get(key);
    this.#days.set(key, {
      account,
      currency,
      from: before === undefined || first < before.from ? first : before.from,
      to: before === undefined || last > before.to ? last : before.to,
    });
  }

  async #flushStatuses(): Promise<void> {
    const statuses = this.#pendingStatuses;
    this.#pendingStatuses = [];
    await takeStatuses(this.#connection, this.#file, statuses, this.#statuses);
    this.#statuses += statuses.length;
  }

  async write(events: readonly StatementEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type === 'begin') await this.#begin(event.statement);
      else if (event.type === 'end') await this.#end(event.statement);
      else if (event.type === 'set_aside') await this.#setAside(event.statement);
      else if (event.type === 'payment_status') {
        this.#pendingStatuses.push(event.payment);
        if (this.#pendingStatuses.length >= BATCH) await this.#flushStatuses();
      } else {
        const open = this.#opened();
        open.waiting.push(event.entry);
        if (open.waiting.length >= BATCH) await this.#flush(open);
      }
    }
  }

  async #begin(begin: StatementBegin): Promise<void> {
    const own = ownAccountOf(this.#accounts, begin.account, begin.currency);
    const id = newUuid(this.#file.receivedAt);
    const account = own?.account ?? begin.account;
    if (own !== undefined) await gatherStatements(this.#connection, this.#accounts, own);
    this.#open = {
      id,
      position: this.#statements,
      begin,
      account,
      isOwn: own !== undefined || (await isKnownOwn(this.#connection, begin.account)),
      sameness: new StatementSameness(this.#connection, account, id),
      waiting: [],
      entries: 0,
      firstDay: undefined,
      lastDay: undefined,
    };
  }

  async #end(end: StatementEnd): Promise<void> {
    const open = this.#opened();
    await this.#flush(open);
    const { id, position, account, isOwn, begin, entries } = open;
    const facts = factsOf(open, this.#file, end);
    await this.#correct(account, facts);
    const { same, listed } = await open.sameness.settle(facts, this.#file.receivedAt, (kept) =>
      this.#insert(open, kept),
    );
    const newEntries = entries - same;
    const fileId = this.#file.id;
    await insertStatement(this.#connection, {
      ...{ id, fileId, position, account, isOwn, begin, end, entries, newEntries },
    });
    if (isBalanced(facts)) {
      if (entries > 0) await markInStatement(this.#connection, fileId, position, end.closesWithout);
      await followListed(this.#connection, listed, this.#file.receivedAt);
      await followDoubts(this.#connection, account, this.#file.receivedAt);
    }
    const closed =
      end.whole === undefined
        ? undefined
        : await joinPages(this.#connection, account, facts, this.#file.receivedAt);
    this.#noteDays(open, { ...end, to: closed ?? end.to });
    this.#statements += 1;
    this.#newEntries += newEntries;
    this.#open = undefined;
  }

  /** A statement of the same number and day with other balances takes the place of the one before it. */
  async #correct(account: string, facts: StatementFacts): Promise<void> {
    if (facts.kind !== 'statement') return;
    const corrected = await correctedBy(this.#connection, account, facts);
    await retireStatements(this.#connection, corrected);
    await setCorrected(this.#connection, corrected, facts.id);
  }

  /** It is listed with its reason, and nothing of it is booked. */
  async #setAside(aside: SetAside): Promise<void> {
    await insertStatement(this.#connection, {
      id: newUuid(this.#file.receivedAt),
      fileId: this.#file.id,
      position: this.#statements,
      account: aside.account,
      isOwn: false,
      begin: aside,
      end: { ...NO_END, line: aside.line, currency: aside.currency },
      entries: 0,
      newEntries: 0,
      setAside: { reason: aside.reason, entries: aside.entries },
    });
    this.#statements += 1;
  }

  async #flush(open: OpenStatement): Promise<void> {
    const entries = open.waiting;
    open.waiting = [];
    if (entries.length === 0) return;
    const reported = entries.map((entry, index) => this.#newEntry(open, entry, this.#position + index));
    // Looked up before they are written, so that they do not find themselves.
    await this.#insert(open, await open.sameness.add(reported));
    this.#position += entries.length;
    open.entries += entries.length;
    const days = [...entries.map((each) => each.bookingDate), open.firstDay, open.lastDay]
      .flatMap((each) => each ?? [])
      .sort();
    [open.firstDay, open.lastDay] = [days[0], days.at(-1)];
  }

  async #insert({ position }: OpenStatement, entries: readonly NewEntry[]): Promise<void> {
    await insertEntries(this.#connection, entries);
    await insertListings(this.#connection, this.#file.id, position, entries);
  }

  #newEntry(open: OpenStatement, entry: StatementEntry, position: number): NewEntry {
    const { account, isOwn, id: statementId } = open;
    const details = entry.details.map((detail) => ({
      id: newUuid(this.#file.receivedAt),
      ...statesOf(entry, detail.kind, detail.amountMinor, isOwn),
    }));
    const id = newUuid(this.#file.receivedAt);
    return { id, statementId, account, entry, details, position };
  }

  #opened(): OpenStatement {
    if (this.#open === undefined) throw new Error('an entry came outside a statement');
    return this.#open;
  }
}

export function factsOf(
  { id, begin }: Pick<OpenStatement, 'id' | 'begin'>,
  file: Pick<NewFile, 'id'>,
  end: StatementEnd,
): StatementFacts {
  const { kind, reference } = begin;
  const { currency, number, page, from, to } = end;
  const [opening, closing] = [end.opening?.minor ?? null, end.closing?.minor ?? null];
  const isWhole = [end.opening, end.closing].every((each) => each !== null && each.isInterim !== true);
  const isPart = page !== null && !isWhole;
  return { id, fileId: file.id, kind, currency, number, page, reference, isPart, from, to, opening, closing };
}

/**
 * A payment that came in becomes a deposit. Money that went out, was returned or was taken back belongs to a payment of ours
 * or to an earlier deposit.
 */
function statesOf(
  { status, direction }: StatementEntry,
  kind: TransactionKind,
  amountMinor: bigint,
  isOwn: boolean,
): { depositState: DepositState; paymentState: PaymentState } {
  const due = isOwn ? 'due' : 'unknown_account';
  if (status !== 'booked' || amountMinor === 0n) return { depositState: 'none', paymentState: 'none' };
  return direction === 'credit' && kind === 'payment'
    ? { depositState: due, paymentState: 'none' }
    : { depositState: 'none', paymentState: due };
}
