import type { Exclusion } from '@firmquote/api/operations/settlement-runs';
import type { Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { newUuid } from '../platform/ids.ts';
import { REFUND_ATTEMPT } from './due-payment-store.ts';
import type { DuePayment } from './due-payments.ts';
import { heldMoneyOfBalance, heldMoneyOfTrade } from './held-money-store.ts';
import type { PaymentTarget } from './payment-states.ts';
import {
  attemptsKey,
  type EarlierInstructions,
  type Identifiers,
  type PlannedPayment,
} from './plan-payments.ts';

/** What a run pays for each customer; undefined: what goes back to who sent it, and is nobody's. */
export async function paidByCustomer(
  connection: Queryable,
  runId: string,
): Promise<Map<string | undefined, bigint>> {
  const { rows } = await connection.query<{ id: string; sum: string }>(
    'select customer_id as id, sum(amount_minor) as sum from payments where run_id = $1 group by customer_id',
    [runId],
  );
  return new Map(rows.map(({ id, sum }) => [id === HOUSE_ID ? undefined : id, BigInt(sum)]));
}

/**
 * Identifiers belong to the attempts that are paid and not to the run: a payment that is made again because its run was
 * cancelled is the same to the bank, which so knows it should both files reach it. An attempt that failed is followed by
 * another one, which is another payment.
 */
export async function earlierInstructions(
  connection: Queryable,
  due: readonly DuePayment[],
): Promise<EarlierInstructions> {
  const { rows } = await connection.query<
    Pick<Row<'payments'>, 'end_to_end_id' | 'uetr' | 'live'> & {
      readonly subject: string;
      readonly items: string;
    }
  >(
    `with named as (
       select i.transaction_id as subject, i.payment_id from payment_items i
       where (i.customer_id, i.transaction_id) in (select * from unnest($1::uuid[], $2::uuid[]))
       union
       select i.withdrawal_id, i.payment_id from payment_items i where i.withdrawal_id = any ($3::uuid[])
       union
       select i.return_id, i.payment_id from payment_items i where i.return_id = any ($4::uuid[])
     )
     select n.subject, p.end_to_end_id, p.uetr, p.live, (
       select json_agg(json_build_object('transaction_id', i.transaction_id, 'withdrawal_id', i.withdrawal_id, 'return_id', i.return_id,
         'purpose', i.purpose, 'attempt', i.attempt))
       from payment_items i where i.payment_id = p.id)::text as items
     from named n join payments p on p.id = n.payment_id order by p.id`,
    [
      due.map((each) => each.customer_id),
      due.map((each) => each.transaction_id),
      due.map((each) => each.withdrawal_id),
      due.map((each) => each.return_id),
    ],
  );
  const ids = new Map<string, Set<string>>();
  const kept = new Map<string, Identifiers>();
  for (const row of rows) {
    const ofSubject = ids.get(row.subject) ?? new Set();
    ids.set(row.subject, ofSubject.add(row.end_to_end_id));
    if (row.live) continue;
    const { end_to_end_id: endToEndId, uetr } = row;
    kept.set(attemptsKey(JSON.parse(row.items) as DuePayment[]), { endToEndId, uetr });
  }
  return { numbers: new Map([...ids].map(([subject, each]) => [subject, each.size])), kept };
}

export async function insertPayments(
  connection: Queryable,
  runId: string,
  currency: string,
  planned: readonly (PlannedPayment & { readonly masked: string })[],
  now: number,
): Promise<void> {
  const payments = planned.map((each) => ({ ...each, id: newUuid(now) }));
  await connection.query(
    `insert into payments (id, run_id, customer_id, end_to_end_id, uetr, currency, amount_minor, scheme,
       destination_masked, adjustments, payee_name, payee_account)
     select p.id, $1, p.customer_id, p.end_to_end_id, p.uetr, $2, p.amount_minor, p.scheme, p.destination_masked,
       p.adjustments, p.payee_name, p.payee_account
     from json_populate_recordset(null::payments, $3) p`,
    [
      runId,
      currency,
      JSON.stringify(
        payments.map((each) => ({
          id: each.id,
          customer_id: each.customerId,
          end_to_end_id: each.payment.endToEndId,
          uetr: each.payment.uetr,
          amount_minor: each.amountMinor.toString(),
          scheme: each.payment.scheme,
          destination_masked: each.masked,
          adjustments: each.adjustments,
          payee_name: each.payment.creditor.name,
          payee_account: each.payment.creditor.iban ?? each.payment.creditor.accountNumber,
        })),
      ),
    ],
  );
  await connection.query(
    `insert into payment_items (customer_id, transaction_id, withdrawal_id, return_id, purpose, attempt, payment_id, amount_minor)
     select i.customer_id, i.transaction_id, i.withdrawal_id, i.return_id, i.purpose, i.attempt, i.payment_id, i.amount_minor
     from json_populate_recordset(null::payment_items, $1) i`,
    [
      JSON.stringify(
        payments.flatMap((payment) =>
          payment.items.map((each) => ({
            customer_id: each.customer_id,
            transaction_id: each.transaction_id,
            withdrawal_id: each.withdrawal_id,
            return_id: each.return_id,
            purpose: each.purpose,
            attempt: each.attempt,
            payment_id: payment.id,
            amount_minor: each.amount_minor,
          })),
        ),
      ),
    ],
  );
}

/** How far an item of a payment has come, by its trade or its withdrawal. An older attempt has failed, or it would be the last. */
const ITEM_STATE = `case
    when not i.live then 'cancelled'
    when i.purpose = 'withdrawal' then case w.status
      when 'pending' then 'sent' when 'paid' then 'paid' when 'cancelled' then 'ended'
      else w.failure end
    when i.purpose = 'deposit_return' then case d.status
      when 'pending' then 'sent' when 'paid' then 'paid' when 'cancelled' then 'ended' else d.failure end
    when i.purpose = 'payout' and t.payout_attempts = i.attempt then t.payout_status
    when i.purpose = 'refund' and ${REFUND_ATTEMPT} = i.attempt then
      case t.refund ->> 'status' when 'pending' then 'sent' when 'paid' then 'paid' else 'rejected' end
    when i.purpose = 'refund' then 'ended'
    else 'rejected'
  end`;

/** What items are for, as {@link ITEM_STATE} reads it. */
const SUBJECTS = `left join transactions t on t.customer_id = i.customer_id and t.id = i.transaction_id
  left join balance_withdrawals w on w.customer_id = i.customer_id and w.id = i.withdrawal_id
  left join deposit_returns d on d.id = i.return_id`;

type ItemState = 'sent' | 'paid' | 'rejected' | 'returned' | 'cancelled' | 'ended';

export type PaymentRow = Omit<Row<'payments'>, 'run_id' | 'live'> & {
  /** JSON: [{transaction_id, withdrawal_id, return_id, purpose, attempt, amount_minor, state}] */
  readonly items: string;
};

export async function listPayments(
  connection: Queryable,
  runId: string,
  after: string | undefined,
  rowsMax: number,
): Promise<PaymentRow[]> {
  const { rows } = await connection.query<PaymentRow>(
    `select p.*, (
       select json_agg(json_build_object('transaction_id', i.transaction_id, 'withdrawal_id', i.withdrawal_id, 'return_id', i.return_id, 'purpose', i.purpose, 'attempt', i.attempt,
         'amount_minor', i.amount_minor::text, 'state', ${ITEM_STATE}) order by i.transaction_id)
       from payment_items i ${SUBJECTS}
       where i.payment_id = p.id)::text as items
     from payments p where p.run_id = $1 and ($2::uuid is null or p.id > $2) order by p.id limit $3`,
    [runId, after ?? null, rowsMax],
  );
  return rows;
}

/**
 * How many items of a run are in a state, and whether the bank has said anything of them. What it says of the payment of a cancelled run
 * is of another file.
 */
export interface StateCount {
  readonly state: ItemState;
  readonly isReported: boolean;
  /** Why a run that is made now would not take them, though this one has them. */
  readonly held: Exclusion | null;
  readonly items: number;
}

/**
 * What may have come since the run was made: a suspension, a statement that lacks the money behind a payment, a bank that has taken it
 * back, or that nobody may pay to its account any more. A refund was promised to no account: it is held against the one that the file names.
 */
const HELD = `coalesce(
    case when c.status = 'suspended' and (i.transaction_id is not null or w.requested_as = 'customer') then 'customer_suspended' end,
    ${heldMoneyOfTrade({
      customer: 'i.customer_id',
      id: 'i.transaction_id',
      isPreFunded: 't.pre_funded',
      sellCurrency: 't.sell_currency',
    })},
    case when w.id is not null then ${heldMoneyOfBalance('i.customer_id', 'w.currency')} end,
    deposit_return_is_held(i.return_id),
    case when i.purpose in ('payout', 'withdrawal') and exists (
      select from settlement_instructions s where s.customer_id = i.customer_id
        and s.id = case when i.purpose = 'payout' then t.destination_id else w.destination_id end and s.status <> 'active')
      then 'instruction_retired'
    when i.purpose = 'refund' and p.payee_account is not null and not exists (
      select from settlement_instructions s where s.customer_id = i.customer_id and s.currency = p.currency
        and s.status = 'active' and coalesce(s.iban, s.account_number) = p.payee_account)
      then 'instruction_retired'
  end)`;

/** Customers of a run and their accounts, held from then on: what is not suspended or retired now is not before the commit. */
export async function holdPayeesOf(connection: Queryable, runId: string): Promise<void> {
  await connection.query(
    `select from customers where id in (
       select i.customer_id from payments p join payment_items i on i.payment_id = p.id where p.run_id = $1)
     order by id for share`,
    [runId],
  );
  await connection.query(
    `select from settlement_instructions s where s.status = 'active' and s.customer_id in (
       select i.customer_id from payments p join payment_items i on i.payment_id = p.id where p.run_id = $1)
       and s.currency = (select currency from settlement_runs where id = $1)
     order by s.customer_id, s.id for share`,
    [runId],
  );
}

export async function countStates(connection: Queryable, runId: string): Promise<StateCount[]> {
  const { rows } = await connection.query<StateCount>(
    `select ${ITEM_STATE} as state, p.bank_status is not null or exists (
       select from bank_notices n left join entry_details e on e.id = n.source_id
       where coalesce(e.payment_id, p.id) = p.id and n.customer_id = i.customer_id and n.transaction_id = coalesce(i.transaction_id, i.withdrawal_id, i.return_id)
         and n.purpose = i.purpose and n.attempt = i.attempt) as "isReported", ${HELD} as held, count(*)::int as items
     from payments p join payment_items i on i.payment_id = p.id
     left join customers c on c.id = i.customer_id
     ${SUBJECTS}
     where p.run_id = $1 group by 1, 2, 3`,
    [runId],
  );
  return rows;
}

/** What the payments of a run are for. They are written with the run and stay. */
export async function itemsOfRun(
  connection: Queryable,
  runId: string,
): Promise<Pick<PaymentTarget, 'customerId' | 'subjectId' | 'purpose'>[]> {
  const { rows } = await connection.query<
    Pick<CamelRow<'payment_items'>, 'customerId' | 'purpose'> & Pick<PaymentTarget, 'subjectId'>
  >(
    `select i.customer_id as "customerId", coalesce(i.transaction_id, i.withdrawal_id, i.return_id) as "subjectId", i.purpose
     from payments p join payment_items i on i.payment_id = p.id where p.run_id = $1`,
    [runId],
  );
  return rows;
}

/** The run, held from then on, that an attempt is in; undefined when it is in none that was not cancelled. */
export async function liveRunOf(
  connection: Queryable,
  { customerId, subjectId, purpose, attempt }: Omit<PaymentTarget, 'amountMinor'>,
): Promise<Pick<Row<'settlement_runs'>, 'id' | 'status'> | undefined> {
  const { rows } = await connection.query<Pick<Row<'settlement_runs'>, 'id' | 'status'>>(
    `select r.id, r.status from payment_items i
     join payments p on p.id = i.payment_id join settlement_runs r on r.id = p.run_id
     where i.customer_id = $1 and (i.transaction_id = $2 or i.withdrawal_id = $2 or i.return_id = $2) and i.purpose = $3 and i.attempt = $4
       and i.live for share of r`,
    [customerId, subjectId, purpose, attempt],
  );
  return rows[0];
}
