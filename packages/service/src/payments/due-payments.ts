import { EXCLUSIONS, type Exclusion } from '@firmquote/api/operations/settlement-runs';
import { lockBalances } from '../balances/balances.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { duePage, holdOthers, holdRolled } from './due-payment-store.ts';
import { exclusionOf, IN_DATABASE } from './exclusions.ts';
import type { PaymentTarget, Purpose } from './payment-states.ts';

/** Payments in one run. What is over goes into the next one. */
export const PAYMENTS_MAX = 5_000; // limit: Payments in a settlement run
/** What is left out of a run is listed one by one up to here. */
const EXCLUDED_MAX = 200; // limit: Payments left out that a preview of a run lists
/** Payments that are looked at together, whether they are left out. */
const DOUBTFUL_PAGE = 500;
/** Pages that are read to fill one run; more than one only when a page has payees whose names no bank can write. */
const PAGES_MAX = 50;

/** Something that is to be paid: a payout or a refund of a trade, a withdrawal, or a deposit that goes back, with the account that it goes to. */
export interface DuePayment
  extends Pick<
    Row<'settlement_instructions'>,
    'bank_name' | 'bank_country' | 'bic' | 'iban' | 'account_number' | 'routing_number' | 'lei'
  > {
  readonly customer_id: string;
  /** One of the three. */
  readonly transaction_id: string | null;
  readonly withdrawal_id: string | null;
  readonly return_id: string | null;
  readonly reference: string;
  readonly client_reference: string | null;
  readonly purpose: Purpose;
  readonly attempt: number;
  readonly amount_minor: string;
  /** Null when the customer has no account in the currency. */
  readonly destination_id: string | null;
  readonly account_holder: Row<'settlement_instructions'>['account_holder'] | null;
  /** JSON of the customer's address. */
  readonly postal_address: string | null;
  /** Whether the customer wants several payouts of a day in one payment. */
  readonly netting: boolean;
  /** Why no run takes it, as far as the database knows. */
  readonly exclusion: Exclusion | null;
}

/** In which order the kinds of payments are read. */
const ORDER: readonly Purpose[] = ['payout', 'refund', 'withdrawal', 'deposit_return'];

export interface DueForRun {
  /** At most as many as a run takes. */
  readonly due: readonly DuePayment[];
  /** Due, and in no run as it is: the first of them. */
  readonly excluded: readonly { readonly due: DuePayment; readonly reason: Exclusion }[];
  readonly hasMore: boolean;
}

/**
 * What a run takes in a currency: payouts with this value date or an earlier one, refunds and withdrawals that are in no run. What
 * no run can take uses up no room.
 */
export async function duePayments(
  connection: Queryable,
  currency: string,
  valueDate: string,
  paymentsMax: number,
): Promise<DueForRun> {
  const due: DuePayment[] = [];
  const excluded: { due: DuePayment; reason: Exclusion }[] = [];
  let pages = 0;
  let hasUnread = false;
  for (const kind of ORDER) {
    let after: Pick<PaymentTarget, 'customerId' | 'subjectId'> | undefined;
    for (let isLast = false; !isLast && due.length <= paymentsMax; ) {
      if (pages === PAGES_MAX) hasUnread = true;
      if (hasUnread) break;
      pages += 1;
      const rowsMax = paymentsMax + 1 - due.length;
      const rows = await duePage(connection, kind, {
        currency,
        valueDate,
        exclusions: null,
        after,
        rowsMax,
      });
      for (const row of rows) {
        const reason = exclusionOf(row);
        if (reason === undefined) due.push(row);
        else excluded.push({ due: row, reason });
      }
      const last = rows.at(-1);
      after = last && { customerId: last.customer_id, subjectId: subjectOf(last) };
      isLast = rows.length < rowsMax;
    }
  }
  for (const kind of ORDER) {
    const rowsMax = EXCLUDED_MAX - excluded.length;
    if (rowsMax <= 0) break;
    const rows = await duePage(connection, kind, { currency, valueDate, exclusions: EXCLUSIONS, rowsMax });
    for (const row of rows) excluded.push({ due: row, reason: exclusionOf(row) ?? 'no_account' });
  }
  const hasMore = hasUnread || due.length > paymentsMax;
  return { due: due.slice(0, paymentsMax), excluded: excluded.slice(0, EXCLUDED_MAX), hasMore };
}

/**
 * Holds what is due until the transaction ends, so that none of it fails, is paid or is taken meanwhile. In the order in which
 * everybody locks: trades by key, then the feeds of customers whose payouts are rolled, then withdrawals by key, then returns of deposits.
 * @returns what is still due of it
 */
export async function holdDue(
  connection: Connection,
  due: readonly DuePayment[],
  {
    currency,
    valueDate,
    executionDate,
  }: Readonly<Record<'currency' | 'valueDate' | 'executionDate', string>>,
): Promise<DuePayment[]> {
  const subjects = due.map((each) => ({
    customerId: each.customer_id,
    subjectId: subjectOf(each),
    purpose: each.purpose,
  }));
  const isLate = (date: string) => date < executionDate;
  await lockBalances(connection, await holdRolled(connection, subjects, isLate));
  await holdOthers(connection, subjects);
  const held: DuePayment[] = [];
  for (const kind of ORDER) {
    const ids = due.filter((each) => each.purpose === kind).map(subjectOf);
    if (ids.length === 0) continue;
    const page = { currency, valueDate, exclusions: null, ids, rowsMax: ids.length };
    held.push(...(await duePage(connection, kind, page)));
  }
  return held.filter((each) => exclusionOf(each) === undefined);
}

/**
 * What is due, in whatever currency and for whatever date, and in no run because of its account.
 * @param except trades and withdrawals that are known already
 */
export async function blockedPayments(
  connection: Queryable,
  rowsMax: number,
  except: readonly string[],
): Promise<DuePayment[]> {
  const blocked: DuePayment[] = [];
  for (const kind of ORDER) {
    const page = { currency: null, valueDate: null, exclusions: IN_DATABASE, except };
    const rows = await duePage(connection, kind, { ...page, rowsMax: rowsMax - blocked.length });
    blocked.push(...rows);
    blocked.push(...(await doubtfulPayments(connection, kind, rowsMax - blocked.length, except)));
  }
  return blocked;
}

/** What is due and left out for a reason that the database does not know. */
async function doubtfulPayments(
  connection: Queryable,
  kind: Purpose,
  rowsMax: number,
  except: readonly string[],
): Promise<DuePayment[]> {
  const found: DuePayment[] = [];
  let after: Pick<PaymentTarget, 'customerId' | 'subjectId'> | undefined;
  for (let pages = 0; pages < PAGES_MAX && found.length < rowsMax; pages++) {
    const page = { currency: null, valueDate: null, exclusions: null, isDoubtful: true, after, except };
    const rows = await duePage(connection, kind, { ...page, rowsMax: DOUBTFUL_PAGE });
    found.push(...rows.flatMap(leftOut));
    const last = rows.at(-1);
    if (last === undefined || rows.length < DOUBTFUL_PAGE) break;
    after = { customerId: last.customer_id, subjectId: subjectOf(last) };
  }
  return found.slice(0, rowsMax);
}

function leftOut(due: DuePayment): (DuePayment & { readonly exclusion: Exclusion })[] {
  const exclusion = exclusionOf(due);
  return exclusion === undefined ? [] : [{ ...due, exclusion }];
}

/** Which of these trades and withdrawals have a payment that is due and in no run because of its account. */
export async function stillBlocked(
  connection: Queryable,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, Exclusion>> {
  const blocked = new Map<string, Exclusion>();
  if (subjectIds.length === 0) return blocked;
  for (const kind of ORDER) {
    for (const exclusions of [IN_DATABASE, null]) {
      const page = { currency: null, valueDate: null, exclusions, ids: subjectIds };
      const rows = await duePage(connection, kind, { ...page, rowsMax: subjectIds.length });
      for (const row of rows.flatMap(leftOut)) blocked.set(subjectOf(row), row.exclusion);
    }
  }
  return blocked;
}

/** The trade, the withdrawal or the return of a deposit that something is paid for. */
export function subjectOf(due: Pick<DuePayment, 'transaction_id' | 'withdrawal_id' | 'return_id'>): string {
  return due.transaction_id ?? due.withdrawal_id ?? due.return_id ?? '';
}
