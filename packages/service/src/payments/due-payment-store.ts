import type { Exclusion } from '@firmquote/api/operations/settlement-runs';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import type { DuePayment } from './due-payments.ts';
import { heldMoneyOfBalance, heldMoneyOfTrade } from './held-money-store.ts';
import type { PaymentTarget, Purpose } from './payment-states.ts';

/**
 * @param heldBack whether the customer is suspended and no operator has ordered the payment
 * @param heldMoney why the money behind it is not there for certain, or null
 */
const ACCOUNT = (
  heldBack: string,
  heldMoney: string,
) => `s.id as destination_id, s.account_holder, s.bank_name, s.bank_country, s.bic, s.iban,
  s.account_number, s.routing_number, s.lei, c.postal_address, coalesce((c.settings ->> 'paymentNetting')::boolean, false) as netting,
  coalesce(case when ${heldBack} then 'customer_suspended' end, ${heldMoney}, case when s.id is null then 'no_account'
    when s.status <> 'active' then 'instruction_retired' when s.usable_from is not null then 'account_waits'
    when s.iban is null and s.bic is null and s.routing_number is null then 'bank_unknown' end) as exclusion`;
const OF_TRADE = ACCOUNT(
  `c.status = 'suspended'`,
  heldMoneyOfTrade({
    customer: 't.customer_id',
    id: 't.id',
    isPreFunded: 't.pre_funded',
    sellCurrency: 't.sell_currency',
  }),
);
const OF_WITHDRAWAL = ACCOUNT(
  `c.status = 'suspended' and w.requested_as = 'customer'`,
  heldMoneyOfBalance('w.customer_id', 'w.currency'),
);

const NOT_IN_A_RUN = (purpose: string, attempt: string) => `not exists (
  select from payment_items i where i.customer_id = t.customer_id and i.transaction_id = t.id
    and i.purpose = '${purpose}' and i.attempt = ${attempt} and i.live)`;

/** Of the refund of trade `t`; SQL. */
export const REFUND_ATTEMPT = `coalesce((t.refund ->> 'attempt')::int, 1)`;
/** Amounts always carry the currency's minor units, so the digits are the minor amount. */
export const REFUND_MINOR = `replace(t.refund ->> 'amount', '.', '')::numeric`;

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
           ${REFUND_MINOR} as amount_minor, ${OF_TRADE}
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
           coalesce(deposit_return_is_held(r.id),
             case when r.iban is null and r.bic is null and r.routing_number is null then 'bank_unknown' end) as exclusion
    from deposit_returns r
    where r.status = 'pending'${ofCurrency('r.currency')}
      and not exists (select from payment_items i where i.return_id = r.id and i.live)`,
};

/** Every letter of ASCII can be written; a bank in the country of its IBAN contradicts nothing. */
const MAY_BE_LEFT_OUT = `octet_length(d.account_holder) <> length(d.account_holder)
  or left(d.iban, 2) <> d.bank_country or left(d.iban, 2) <> substr(d.bic, 5, 2)`;

/** Which payments of one kind a page has. */
interface PageOf {
  readonly currency: string | null;
  readonly valueDate: string | null;
  /** What a run leaves out for these reasons; null: what it takes. */
  readonly exclusions: readonly Exclusion[] | null;
  /** Of what a run takes, as far as the database knows, only what may be left out all the same. */
  readonly isDoubtful?: boolean;
  readonly after?: Pick<PaymentTarget, 'customerId' | 'subjectId'> | undefined;
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
  const { currency, valueDate, exclusions, after, ids, except, isDoubtful = false } = page;
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
    isDoubtful ? ` and (${MAY_BE_LEFT_OUT})` : '',
    when('after', after?.customerId, (customer) => {
      const id = `$${values.push(after?.subjectId)}`;
      return `(d.customer_id, d.id) > (${customer}::uuid, ${id}::uuid)`;
    }),
    when('ids', ids, (known) => `d.id = any (${known}::uuid[])`),
    when('except', except, (known) => `d.id <> all (${known}::uuid[])`),
  ];
  const text = `select d.* from (${due}) d where true${conditions.join('')} order by d.customer_id, d.id
    limit $${values.push(page.rowsMax)}`;
  return { name: `due_${asked.join('_')}${isDoubtful ? '_doubtful' : ''}`, text, values };
}

/** What is due of one kind, by customer and by what is paid. */
export async function duePage(connection: Queryable, kind: Purpose, page: PageOf): Promise<DuePayment[]> {
  const { rows } = await connection.query<DuePayment>(statementOf(kind, page));
  return rows;
}

type Subject = Pick<PaymentTarget, 'customerId' | 'subjectId' | 'purpose'>;

/** Holds what payments are for until the transaction ends, in the order in which everybody locks. */
export async function holdSubjects(connection: Connection, subjects: readonly Subject[]): Promise<void> {
  const trades = subjects.filter(isOfTrade);
  if (trades.length > 0) await connection.query(`${TRADES} for share of t`, keysOf(trades));
  await holdOthers(connection, subjects);
}

/**
 * The trades among them, of which payouts are to be rolled: whoever held them as others do could not change them while others
 * have them too.
 * @returns customers of payouts that are of such a value date
 */
export async function holdRolled(
  connection: Connection,
  subjects: readonly Subject[],
  isRolled: (valueDate: string) => boolean,
): Promise<string[]> {
  const trades = subjects.filter(isOfTrade);
  if (trades.length === 0) return [];
  const { rows } = await connection.query<Pick<Row<'transactions'>, 'id' | 'customer_id' | 'value_date'>>(
    `${TRADES} for update of t`,
    keysOf(trades),
  );
  const payouts = new Set(trades.filter(({ purpose }) => purpose === 'payout').map((each) => each.subjectId));
  const rolled = rows.filter((row) => payouts.has(row.id) && isRolled(row.value_date));
  return [...new Set(rolled.map((row) => row.customer_id))];
}

const TRADES = `select t.customer_id, t.id, t.value_date from transactions t
  where (t.customer_id, t.id) in (select * from unnest($1::uuid[], $2::uuid[])) order by t.customer_id, t.id`;

function isOfTrade({ purpose }: Subject): boolean {
  return purpose === 'payout' || purpose === 'refund';
}

function keysOf(trades: readonly Subject[]): unknown[] {
  return [trades.map((each) => each.customerId), trades.map((each) => each.subjectId)];
}

/** All but the trades. */
export async function holdOthers(connection: Connection, subjects: readonly Subject[]): Promise<void> {
  const withdrawals = subjects.filter((each) => each.purpose === 'withdrawal');
  const returns = subjects.filter((each) => each.purpose === 'deposit_return');
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
