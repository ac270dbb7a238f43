import { EXCLUSIONS, type Exclusion } from '@firmquote/api/operations/settlement-runs';
import type { Connection, Queryable } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { exclusionOf, OF_ACCOUNTS } from './exclusions.ts';
import type { PaymentTarget, Purpose } from './payment-states.ts';

/** Payments in one run. What is over goes into the next one. */
export const PAYMENTS_MAX = 5_000; // limit: Payments in a settlement run
/** What is left out of a run is told one by one up to here. */
const EXCLUDED_MAX = 200; // limit: Payments left out that a preview of a run lists
/** Pages that are read to fill one run; more than one only when a page has payees whose names no bank can write. */
const PAGES_MAX = 50;

/** Something that is to be paid: a payout or a refund of a trade, a withdrawal, or a deposit that goes back, with the account that it goes to. */
export interface DuePayment {
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
  readonly account_holder: string | null;
  readonly bank_name: string | null;
  readonly bank_country: string | null;
  readonly bic: string | null;
  readonly iban: string | null;
  readonly account_number: string | null;
  readonly routing_number: string | null;
  readonly lei: string | null;
  /** JSON of the customer's address. */
  readonly postal_address: string | null;
  /** Whether the customer wants several payouts of a day in one payment. */
  readonly netting: boolean;
  /** Why no run takes it, as far as the database can tell. */
  readonly exclusion: Exclusion | null;
}

/**
 * @param heldBack whether the customer is suspended and no operator has ordered the payment
 * @param isMissing whether the money behind it is in no statement of the bank
 */
const ACCOUNT = (
  heldBack: string,
  isMissing: string,
) => `s.id as destination_id, s.account_holder, s.bank_name, s.bank_country, s.bic, s.iban,
  s.account_number, s.routing_number, s.lei, c.postal_address, coalesce((c.settings ->> 'paymentNetting')::boolean, false) as netting,
  case when ${heldBack} then 'customer_suspended' when ${isMissing} then 'not_in_statement' when s.id is null then 'no_account'
    when s.status <> 'active' then 'instruction_retired' when s.usable_from is not null then 'account_waits'
    when s.iban is null and s.bic is null and s.routing_number is null then 'bank_unknown' end as exclusion`;
const OF_TRADE = ACCOUNT(
  `c.status = 'suspended'`,
  `(rests_on_missing_money(t.customer_id, t.id)
    or (t.pre_funded and balance_rests_on_missing_money(t.customer_id, t.sell_currency)))`,
);
const OF_WITHDRAWAL = ACCOUNT(
  `c.status = 'suspended' and w.requested_as = 'customer'`,
  'balance_rests_on_missing_money(w.customer_id, w.currency)',
);

const NOT_IN_A_RUN = (purpose: string, attempt: string) => `not exists (
  select from payment_items i where i.customer_id = t.customer_id and i.transaction_id = t.id
    and i.purpose = '${purpose}' and i.attempt = ${attempt} and i.live)`;

const REFUND_ATTEMPT = `coalesce((t.refund ->> 'attempt')::int, 1)`;

/** Each begins with `and`, or is nothing. */
interface Conditions {
  readonly ofCurrency: (column: string) => string;
  readonly byDate: (column: string) => string;
}

/**
 * What is to be paid and is in no run, by kind; what the caller asks for comes in as conditions. An account is looked up as it
 * was named when the payment was promised; only a refund, which was promised to none, goes to the present one.
 */
const KINDS: Readonly<Record<Purpose, (conditions: Conditions) => string>> = {
  payout: ({ ofCurrency, byDate }) => `
    select t.customer_id, t.id, t.id as transaction_id, null::uuid as withdrawal_id, null::uuid as return_id, t.reference, t.client_reference,
           'payout' as purpose, t.payout_attempts as attempt, t.buy_minor as amount_minor, ${OF_TRADE}
    from transactions t
    join customers c on c.id = t.customer_id
    left join settlement_instructions s on s.customer_id = t.customer_id and s.id = t.destination_id
    where t.status = 'settling' and t.payout_status = 'sent'${ofCurrency('t.buy_currency')}
      ${byDate('t.value_date')} and ${NOT_IN_A_RUN('payout', 't.payout_attempts')}`,
  refund: ({ ofCurrency }) => `
    select t.customer_id, t.id, t.id as transaction_id, null::uuid as withdrawal_id, null::uuid as return_id, t.reference, t.client_reference,
           'refund' as purpose, ${REFUND_ATTEMPT} as attempt,
           -- Amounts always carry the currency's minor units, so the digits are the minor amount.
           replace(t.refund ->> 'amount', '.', '')::numeric as amount_minor, ${OF_TRADE}
    from transactions t
    join customers c on c.id = t.customer_id
    left join settlement_instructions s
      on s.customer_id = t.customer_id and s.currency = t.sell_currency and s.status = 'active'
    where t.refund ->> 'status' = 'pending'${ofCurrency("t.refund ->> 'currency'")}
      and ${NOT_IN_A_RUN('refund', REFUND_ATTEMPT)}`,
  withdrawal: ({ ofCurrency }) => `
    select w.customer_id, w.id, null::uuid as transaction_id, w.id as withdrawal_id, null::uuid as return_id, w.reference, w.client_reference,
           'withdrawal' as purpose, 1 as attempt, w.amount_minor, ${OF_WITHDRAWAL}
    from balance_withdrawals w
    join customers c on c.id = w.customer_id
    left join settlement_instructions s on s.customer_id = w.customer_id and s.id = w.destination_id
    where w.status = 'pending'${ofCurrency('w.currency')}
      and not exists (select from payment_items i where i.withdrawal_id = w.id and i.live)`,
  // It belongs to no customer, and goes to the account that it came from or that an operator has given.
  deposit_return: ({ ofCurrency }) => `
    select '${HOUSE_ID}'::uuid as customer_id, r.id, null::uuid as transaction_id, null::uuid as withdrawal_id, r.id as return_id,
           r.reference, null::text as client_reference, 'deposit_return' as purpose, 1 as attempt, r.amount_minor,
           r.id as destination_id, r.account_holder, null::text as bank_name, null::text as bank_country, r.bic, r.iban,
           r.account_number, r.routing_number, null::text as lei, null::json as postal_address, false as netting,
           case when exists (select from entry_details e where e.deposit_id = r.deposit_id and e.missing_since is not null) then 'not_in_statement'
             when r.iban is null and r.bic is null and r.routing_number is null then 'bank_unknown' end as exclusion
    from deposit_returns r
    where r.status = 'pending'${ofCurrency('r.currency')}
      and not exists (select from payment_items i where i.return_id = r.id and i.live)`,
};

const ORDER: readonly Purpose[] = ['payout', 'refund', 'withdrawal', 'deposit_return'];

interface PageOf {
  readonly currency: string | null;
  readonly valueDate: string | null;
  /** What a run leaves out for these reasons; null: what it takes. */
  readonly exclusions: readonly Exclusion[] | null;
  readonly after?: DuePayment | undefined;
  /** Only these, by the ids of what they are for. */
  readonly ids?: readonly string[];
  /** Not these. */
  readonly except?: readonly string[];
  readonly rowsMax: number;
}

/**
 * Only what is asked for is a condition, and each way of asking has a statement of its own: these are the longest statements
 * here, and with a condition that may be none they would be planned anew each time.
 */
function statementOf(kind: Purpose, page: PageOf) {
  const { currency, valueDate, exclusions, after, ids, except } = page;
  const asked: string[] = [kind];
  const values: unknown[] = [];
  const when = (name: string, value: unknown, condition: (parameter: string) => string): string => {
    if (value === null || value === undefined) return '';
    asked.push(name);
    return ` and ${condition(`$${values.push(value)}`)}`;
  };
  const due = KINDS[kind]({
    ofCurrency: (column) => when('currency', currency, (code) => `${column} = ${code}`),
    byDate: (column) => when('date', valueDate, (date) => `${column} <= ${date}`),
  });
  const conditions = [
    when('excluded', exclusions, (reasons) => `d.exclusion = any (${reasons}::text[])`) ||
      ' and d.exclusion is null',
    when('after', after?.customer_id, (customer) => {
      const id = `$${values.push(after === undefined ? null : subjectOf(after))}`;
      return `(d.customer_id, d.id) > (${customer}::uuid, ${id}::uuid)`;
    }),
    when('ids', ids, (known) => `d.id = any (${known}::uuid[])`),
    when('except', except, (known) => `d.id <> all (${known}::uuid[])`),
  ];
  const text = `select d.* from (${due}) d where true${conditions.join('')} order by d.customer_id, d.id
    limit $${values.push(page.rowsMax)}`;
  return { name: `due_${asked.join('_')}`, text, values };
}

async function readPage(connection: Queryable, kind: Purpose, page: PageOf): Promise<DuePayment[]> {
  const { rows } = await connection.query<DuePayment>(statementOf(kind, page));
  return rows;
}

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
    let after: DuePayment | undefined;
    for (let isLast = false; !isLast && due.length <= paymentsMax; ) {
      if (pages === PAGES_MAX) hasUnread = true;
      if (hasUnread) break;
      pages += 1;
      const rowsMax = paymentsMax + 1 - due.length;
      const rows = await readPage(connection, kind, {
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
      after = rows.at(-1);
      isLast = rows.length < rowsMax;
    }
  }
  for (const kind of ORDER) {
    const rowsMax = EXCLUDED_MAX - excluded.length;
    if (rowsMax <= 0) break;
    const rows = await readPage(connection, kind, { currency, valueDate, exclusions: EXCLUSIONS, rowsMax });
    for (const row of rows) excluded.push({ due: row, reason: exclusionOf(row) ?? 'no_account' });
  }
  const hasMore = hasUnread || due.length > paymentsMax;
  return { due: due.slice(0, paymentsMax), excluded: excluded.slice(0, EXCLUDED_MAX), hasMore };
}

/**
 * Holds what is due until the transaction ends, so that none of it fails, is paid or is taken meanwhile. In the order in which
 * everybody locks: trades by key, then withdrawals by key, then returns of deposits.
 * @returns what is still due of it
 */
export async function holdDue(
  connection: Connection,
  due: readonly DuePayment[],
  currency: string,
  valueDate: string,
): Promise<DuePayment[]> {
  await holdSubjects(
    connection,
    due.map((each) => ({ customerId: each.customer_id, subjectId: subjectOf(each), purpose: each.purpose })),
  );
  const held: DuePayment[] = [];
  for (const kind of ORDER) {
    const ids = due.filter((each) => each.purpose === kind).map(subjectOf);
    if (ids.length === 0) continue;
    const page = { currency, valueDate, exclusions: null, ids, rowsMax: ids.length };
    held.push(...(await readPage(connection, kind, page)));
  }
  return held.filter((each) => exclusionOf(each) === undefined);
}

/** Holds what payments are for until the transaction ends, in the order in which everybody locks. */
export async function holdSubjects(
  connection: Connection,
  subjects: readonly Pick<PaymentTarget, 'customerId' | 'subjectId' | 'purpose'>[],
): Promise<void> {
  const trades = subjects.filter((each) => each.purpose === 'payout' || each.purpose === 'refund');
  const withdrawals = subjects.filter((each) => each.purpose === 'withdrawal');
  const returns = subjects.filter((each) => each.purpose === 'deposit_return');
  if (trades.length > 0)
    await connection.query(
      `select from transactions t where (t.customer_id, t.id) in (select * from unnest($1::uuid[], $2::uuid[]))
       order by t.customer_id, t.id for share of t`,
      [trades.map((each) => each.customerId), trades.map((each) => each.subjectId)],
    );
  if (withdrawals.length > 0)
    await connection.query(
      'select from balance_withdrawals w where w.id = any ($1::uuid[]) order by w.customer_id, w.id for share of w',
      [withdrawals.map((each) => each.subjectId)],
    );
  if (returns.length > 0)
    await connection.query(
      'select from deposit_returns r where r.id = any ($1::uuid[]) order by r.id for share of r',
      [returns.map((each) => each.subjectId)],
    );
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
    const page = { currency: null, valueDate: null, exclusions: OF_ACCOUNTS, except };
    const rows = await readPage(connection, kind, { ...page, rowsMax: rowsMax - blocked.length });
    blocked.push(...rows);
  }
  return blocked;
}

/** Which of these trades and withdrawals have a payment that is due and in no run because of its account. */
export async function stillBlocked(
  connection: Queryable,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, Exclusion>> {
  const blocked = new Map<string, Exclusion>();
  if (subjectIds.length === 0) return blocked;
  for (const kind of ORDER) {
    const page = { currency: null, valueDate: null, exclusions: OF_ACCOUNTS, ids: subjectIds };
    for (const row of await readPage(connection, kind, { ...page, rowsMax: subjectIds.length })) {
      if (row.exclusion !== null) blocked.set(subjectOf(row), row.exclusion);
    }
  }
  return blocked;
}

/** The trade, the withdrawal or the return of a deposit that something is paid for. */
export function subjectOf(due: Pick<DuePayment, 'transaction_id' | 'withdrawal_id' | 'return_id'>): string {
  return due.transaction_id ?? due.withdrawal_id ?? due.return_id ?? '';
}
