import type { Connection, Queryable } from '../database/pool.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';

interface PaymentItem {
  readonly customerId: string;
  readonly transactionId: string;
  readonly purpose: 'payout' | 'refund';
  readonly attempt: number;
}

export interface FoundPayment {
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly items: readonly PaymentItem[];
}

/** The payment with this UETR, else with this EndToEndId; one of a run that was cancelled counts too, should it be paid. */
export async function findPayment(
  connection: Queryable,
  uetr: string | undefined,
  endToEndId: string | undefined,
): Promise<FoundPayment | undefined> {
  const isUuid = uetr !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uetr);
  const { rows } = await connection.query<{ currency: string; amount_minor: string; items: string }>(
    `select p.currency, p.amount_minor, (
       select json_agg(json_build_object('customerId', i.customer_id, 'transactionId', i.transaction_id,
         'purpose', i.purpose, 'attempt', i.attempt) order by i.customer_id, i.transaction_id)
       from payment_items i where i.payment_id = p.id) as items
     from payments p where p.uetr = $1 or p.end_to_end_id = $2
     order by (p.uetr = $1) desc nulls last limit 1`,
    [isUuid ? uetr : null, endToEndId ?? null],
  );
  const [row] = rows;
  return (
    row && {
      currency: row.currency,
      amountMinor: BigInt(row.amount_minor),
      items: JSON.parse(row.items) as PaymentItem[],
    }
  );
}

/** Payouts of this amount that name one of the references, each as its present attempt. */
export async function payoutsByReference(
  connection: Queryable,
  references: readonly string[],
  { amountMinor, currency }: { readonly amountMinor: bigint; readonly currency: string },
): Promise<PaymentItem[]> {
  if (references.length === 0) return [];
  const { rows } = await connection.query<PaymentItem>(
    `select customer_id as "customerId", id as "transactionId", 'payout' as purpose, payout_attempts as attempt
     from transactions
     where reference = any ($1) and buy_currency = $2 and buy_minor = $3 and payout_attempts > 0
     order by customer_id, id limit 10`,
    [references, currency, amountMinor.toString()],
  );
  return rows;
}

/** The trades, in key order, held until the transaction ends. */
export async function lockTrades(
  connection: Connection,
  ids: readonly TransactionId[],
): Promise<TransactionRow[]> {
  const { rows } = await connection.query<TransactionRow>(
    `select t.* from transactions t
     where (t.customer_id, t.id) in (select * from unnest($1::uuid[], $2::uuid[]))
     order by t.customer_id, t.id for update of t`,
    [ids.map((each) => each.customerId), ids.map((each) => each.id)],
  );
  return rows;
}
