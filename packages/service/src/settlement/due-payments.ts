import type { Queryable } from '../database/pool.ts';

/** Payments in one run. What is over goes into the next one. */
export const PAYMENTS_MAX = 5_000;

/** Something that is to be paid: a payout or a refund of a trade, or a withdrawal, with the account that it goes to. */
export interface DuePayment {
  readonly customer_id: string;
  /** One of the two. */
  readonly transaction_id: string | null;
  readonly withdrawal_id: string | null;
  readonly reference: string;
  readonly client_reference: string | null;
  readonly purpose: 'payout' | 'refund' | 'withdrawal';
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
  /** JSON of the customer's address. */
  readonly postal_address: string | null;
  /** Whether the customer wants several payouts of a day in one payment. */
  readonly netting: boolean;
  /** The customer is suspended, and no operator has ordered the payment. */
  readonly held_back: boolean;
}

const ACCOUNT = `s.id as destination_id, s.account_holder, s.bank_name, s.bank_country, s.bic, s.iban, s.account_number,
  s.routing_number, c.postal_address, coalesce((c.settings ->> 'paymentNetting')::boolean, false) as netting`;
const HELD_BACK = `c.status = 'suspended' as held_back`;

const NOT_IN_A_RUN = (purpose: string, attempt: string) => `not exists (
  select from payment_items i where i.customer_id = t.customer_id and i.transaction_id = t.id
    and i.purpose = '${purpose}' and i.attempt = ${attempt} and i.live)`;

/**
 * What is to be paid in a currency and is in no run: payouts with this value date or an earlier one, refunds and
 * withdrawals.
 * @param lock holds the trades until the transaction ends, in key order, so that none fails or is paid meanwhile
 */
export async function duePayments(
  connection: Queryable,
  currency: string,
  valueDate: string,
  lock: boolean,
): Promise<DuePayment[]> {
  const hold = lock ? 'for share of t' : '';
  const { rows: payouts } = await connection.query<DuePayment>(
    `select t.customer_id, t.id as transaction_id, null as withdrawal_id, t.reference, t.client_reference, 'payout' as purpose,
            t.payout_attempts as attempt, t.buy_minor as amount_minor, ${ACCOUNT}, ${HELD_BACK}
     from transactions t
     join customers c on c.id = t.customer_id
     left join settlement_instructions s on s.customer_id = t.customer_id and s.id = t.destination_id
     where t.status = 'settling' and t.payout_status = 'sent' and t.buy_currency = $1 and t.value_date <= $2
       and ${NOT_IN_A_RUN('payout', 't.payout_attempts')}
     order by t.customer_id, t.id limit $3 ${hold}`,
    [currency, valueDate, PAYMENTS_MAX],
  );
  const { rows: refunds } = await connection.query<DuePayment>(
    `select t.customer_id, t.id as transaction_id, null as withdrawal_id, t.reference, t.client_reference, 'refund' as purpose,
            coalesce((t.refund ->> 'attempt')::int, 1) as attempt,
            -- Amounts always carry the currency's minor units, so the digits are the minor amount.
            replace(t.refund ->> 'amount', '.', '')::numeric as amount_minor, ${ACCOUNT}, ${HELD_BACK}
     from transactions t
     join customers c on c.id = t.customer_id
     left join settlement_instructions s
       on s.customer_id = t.customer_id and s.currency = t.sell_currency and s.status = 'active'
     where t.refund ->> 'status' = 'pending' and t.refund ->> 'currency' = $1
       and ${NOT_IN_A_RUN('refund', `coalesce((t.refund ->> 'attempt')::int, 1)`)}
     order by t.customer_id, t.id limit $2 ${hold}`,
    [currency, PAYMENTS_MAX],
  );
  const { rows: withdrawals } = await connection.query<DuePayment>(
    `select w.customer_id, null as transaction_id, w.id as withdrawal_id, w.reference, w.client_reference,
            'withdrawal' as purpose, 1 as attempt, w.amount_minor, ${ACCOUNT},
            c.status = 'suspended' and w.requested_as = 'customer' as held_back
     from balance_withdrawals w
     join customers c on c.id = w.customer_id
     left join settlement_instructions s on s.customer_id = w.customer_id and s.id = w.destination_id
     where w.status = 'pending' and w.currency = $1
       and not exists (select from payment_items i where i.withdrawal_id = w.id and i.live)
     order by w.customer_id, w.id limit $2 ${lock ? 'for share of w' : ''}`,
    [currency, PAYMENTS_MAX],
  );
  return [...payouts, ...refunds, ...withdrawals].slice(0, PAYMENTS_MAX);
}

/** The trade or the withdrawal that something is paid for. */
export function subjectOf(due: DuePayment): string {
  return due.transaction_id ?? due.withdrawal_id ?? '';
}

/** How often something of a trade or a withdrawal has been instructed before, cancelled runs included; by their ids. */
export async function earlierInstructions(
  connection: Queryable,
  due: readonly DuePayment[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await connection.query<{ subject: string; instructed: number }>(
    `select i.transaction_id as subject, count(*)::int as instructed
     from payment_items i
     where (i.customer_id, i.transaction_id) in (select * from unnest($1::uuid[], $2::uuid[]))
     group by i.transaction_id
     union all
     select i.withdrawal_id, count(*)::int from payment_items i where i.withdrawal_id = any ($3::uuid[])
     group by i.withdrawal_id`,
    [
      due.map((each) => each.customer_id),
      due.map((each) => each.transaction_id),
      due.map((each) => each.withdrawal_id),
    ],
  );
  return new Map(rows.map((row) => [row.subject, row.instructed]));
}
