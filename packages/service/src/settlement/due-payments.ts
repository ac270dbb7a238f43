import type { Queryable } from '../database/pool.ts';

/** Payments in one run. What is over goes into the next one. */
export const PAYMENTS_MAX = 5_000;

/** Something that is to be paid: a payout or a refund of a trade, with the account that it goes to. */
export interface DuePayment {
  readonly customer_id: string;
  readonly transaction_id: string;
  readonly reference: string;
  readonly client_reference: string | null;
  readonly purpose: 'payout' | 'refund';
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
  /** Whether the customer wants several payouts of a day in one payment. */
  readonly netting: boolean;
}

const ACCOUNT = `s.id as destination_id, s.account_holder, s.bank_name, s.bank_country, s.bic, s.iban, s.account_number,
  s.routing_number, coalesce((c.settings ->> 'paymentNetting')::boolean, false) as netting`;

const NOT_IN_A_RUN = (purpose: string, attempt: string) => `not exists (
  select from payment_items i where i.customer_id = t.customer_id and i.transaction_id = t.id
    and i.purpose = '${purpose}' and i.attempt = ${attempt} and i.live)`;

/**
 * What is to be paid in a currency and is in no run: payouts with this value date or an earlier one, and refunds.
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
    `select t.customer_id, t.id as transaction_id, t.reference, t.client_reference, 'payout' as purpose,
            t.payout_attempts as attempt, t.buy_minor as amount_minor, ${ACCOUNT}
     from transactions t
     join customers c on c.id = t.customer_id
     left join settlement_instructions s on s.customer_id = t.customer_id and s.id = t.destination_id
     where t.status = 'settling' and t.payout_status = 'sent' and t.buy_currency = $1 and t.value_date <= $2
       and ${NOT_IN_A_RUN('payout', 't.payout_attempts')}
     order by t.customer_id, t.id limit $3 ${hold}`,
    [currency, valueDate, PAYMENTS_MAX],
  );
  const { rows: refunds } = await connection.query<DuePayment>(
    `select t.customer_id, t.id as transaction_id, t.reference, t.client_reference, 'refund' as purpose,
            coalesce((t.refund ->> 'attempt')::int, 1) as attempt,
            -- Amounts always carry the currency's minor units, so the digits are the minor amount.
            replace(t.refund ->> 'amount', '.', '')::numeric as amount_minor, ${ACCOUNT}
     from transactions t
     join customers c on c.id = t.customer_id
     left join settlement_instructions s
       on s.customer_id = t.customer_id and s.currency = t.sell_currency and s.status = 'active'
     where t.refund ->> 'status' = 'pending' and t.refund ->> 'currency' = $1
       and ${NOT_IN_A_RUN('refund', `coalesce((t.refund ->> 'attempt')::int, 1)`)}
     order by t.customer_id, t.id limit $2 ${hold}`,
    [currency, PAYMENTS_MAX],
  );
  return [...payouts, ...refunds].slice(0, PAYMENTS_MAX);
}

/** How often something of a trade has been instructed before, cancelled runs included. */
export async function earlierInstructions(
  connection: Queryable,
  due: readonly DuePayment[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await connection.query<{ transaction_id: string; instructed: number }>(
    `select i.transaction_id, count(*)::int as instructed
     from payment_items i
     where (i.customer_id, i.transaction_id) in (select * from unnest($1::uuid[], $2::uuid[]))
     group by i.transaction_id`,
    [due.map((each) => each.customer_id), due.map((each) => each.transaction_id)],
  );
  return new Map(rows.map((row) => [row.transaction_id, row.instructed]));
}
