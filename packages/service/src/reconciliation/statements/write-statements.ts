import type { Connection } from '../../database/pool.ts';
import { newUuid } from '../../platform/ids.ts';
import { isKnownOwn, ownAccounts } from './account-store.ts';
import { takeStatuses } from './apply-statuses.ts';
import type {
  Booking,
  EntryKind,
  PaymentStatus,
  SetAside,
  StatementBegin,
  StatementEnd,
  StatementEvent,
} from './entry.ts';
import type { Accepted, NewFile } from './file-store.ts';
import { type OwnAccount, ownAccountOf } from './own-accounts.ts';
import { marksOf, recognise } from './recognise.ts';
import type { DepositState, PaymentState } from './record.ts';
import {
  findKnown,
  insertBookings,
  insertListings,
  insertStatement,
  type Listing,
  markInStatement,
  markTold,
  type NewBooking,
} from './statement-store.ts';

/** Bookings that are looked up and written at once. */
const BATCH = 500;

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
  /** Who tells: one of them never means the same booking twice. */
  readonly toldBy: string;
  waiting: Booking[];
  bookings: number;
  newBookings: number;
}

/**
 * Writes what a reader tells, in the transaction of the import. Statements of the end of the day never repeat each
 * other inside a file, so equal entries in one file are several; reports and notifications do, so each of them is
 * compared with all before it.
 */
export class StatementWriter {
  readonly #connection: Connection;
  readonly #file: NewFile;
  #accounts: readonly OwnAccount[] = [];
  #open: OpenStatement | undefined;
  #statements = 0;
  #position = 0;
  #newBookings = 0;
  #statuses = 0;
  #told: PaymentStatus[] = [];

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
      bookings: this.#position,
      newBookings: this.#newBookings,
      paymentStatuses: this.#statuses,
    };
  }

  /** Writes what still waits. */
  async end(): Promise<void> {
    await this.#flushStatuses();
  }

  async #flushStatuses(): Promise<void> {
    const statuses = this.#told;
    this.#told = [];
    await takeStatuses(this.#connection, this.#file, statuses, this.#statuses);
    this.#statuses += statuses.length;
  }

  async write(events: readonly StatementEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type === 'begin') await this.#begin(event.statement);
      else if (event.type === 'end') await this.#end(event.statement);
      else if (event.type === 'set_aside') await this.#setAside(event.statement);
      else if (event.type === 'payment_status') {
        this.#told.push(event.payment);
        if (this.#told.length >= BATCH) await this.#flushStatuses();
      } else {
        const open = this.#opened();
        open.waiting.push(event.booking);
        if (open.waiting.length >= BATCH) await this.#flush(open);
      }
    }
  }

  async #begin(begin: StatementBegin): Promise<void> {
    const own = ownAccountOf(this.#accounts, begin.account, begin.currency);
    const id = newUuid(this.#file.receivedAt);
    this.#open = {
      id,
      position: this.#statements,
      begin,
      account: own?.account ?? begin.account,
      isOwn: own !== undefined || (await isKnownOwn(this.#connection, begin.account)),
      toldBy: begin.kind === 'statement' ? this.#file.id : id,
      waiting: [],
      bookings: 0,
      newBookings: 0,
    };
  }

  async #end(end: StatementEnd): Promise<void> {
    const open = this.#opened();
    await this.#flush(open);
    const { id, position, account, isOwn, begin, bookings, newBookings } = open;
    const fileId = this.#file.id;
    await insertStatement(this.#connection, {
      ...{ id, fileId, position, account, isOwn, begin, end, bookings, newBookings },
    });
    if (begin.kind === 'statement' && end.opening !== null && end.closing !== null && bookings > 0) {
      await markInStatement(this.#connection, fileId, position, end.closesWithout);
    }
    this.#statements += 1;
    this.#open = undefined;
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
      bookings: 0,
      newBookings: 0,
      setAside: { reason: aside.reason, entries: aside.entries },
    });
    this.#statements += 1;
  }

  async #flush(open: OpenStatement): Promise<void> {
    const bookings = open.waiting;
    open.waiting = [];
    if (bookings.length === 0) return;
    const told = bookings.map(marksOf);
    const known = await findKnown(this.#connection, open.account, told, open.toldBy);
    const same = recognise(told, known);
    const fresh: NewBooking[] = [];
    const listings: Listing[] = [];
    const again: string[] = [];
    for (const [index, booking] of bookings.entries()) {
      const marks = told[index];
      const place = same[index];
      const before = place === undefined ? undefined : known[place];
      if (marks === undefined) throw new Error('a booking has no marks');
      const id = before?.id ?? newUuid(this.#file.receivedAt);
      if (before !== undefined) again.push(id);
      else fresh.push(this.#newBooking(open, id, booking, marks));
      listings.push({
        fileId: this.#file.id,
        position: this.#position,
        statementPosition: open.position,
        line: booking.line,
        bookingId: id,
        isNew: before === undefined,
      });
      this.#position += 1;
    }
    await insertBookings(this.#connection, fresh);
    await markTold(this.#connection, again, open.toldBy);
    await insertListings(this.#connection, listings);
    open.bookings += bookings.length;
    open.newBookings += fresh.length;
    this.#newBookings += fresh.length;
  }

  #newBooking(open: OpenStatement, id: string, booking: Booking, marks: NewBooking['marks']): NewBooking {
    const { account, isOwn, toldBy, id: statementId } = open;
    const entries = booking.details.map((detail) => ({
      id: newUuid(this.#file.receivedAt),
      ...statesOf(booking, detail.kind, detail.amountMinor, isOwn),
    }));
    return { id, statementId, account, booking, marks, toldBy, entries };
  }

  #opened(): OpenStatement {
    if (this.#open === undefined) throw new Error('an entry came outside a statement');
    return this.#open;
  }
}

/**
 * Money that came in by a payment is a deposit. What went out, and what comes back or is taken back by the bank, belongs
 * to a payment of ours or to a deposit of before.
 */
function statesOf(
  { status, direction }: Booking,
  kind: EntryKind,
  amountMinor: bigint,
  isOwn: boolean,
): { depositState: DepositState; paymentState: PaymentState } {
  const due = isOwn ? 'due' : 'unknown_account';
  if (status !== 'booked' || amountMinor === 0n) return { depositState: 'none', paymentState: 'none' };
  return direction === 'credit' && kind === 'payment'
    ? { depositState: due, paymentState: 'none' }
    : { depositState: 'none', paymentState: due };
}
