import type { Connection } from '../../database/pool.ts';
import type { TransactionRow } from '../../transactions/record.ts';
import type { TransactionId } from '../../transactions/store.ts';

/** What the bank looks at of a trade when it pays out for it. */
export interface PayoutTransaction extends TransactionRow {
  /** Where the money goes. */
  readonly payee_name: string | null;
  readonly payee_account: string | null;
  /** How many payments of settlement runs there have been for it. */
  readonly instructed: number;
  /** The payment of a settlement run that the present attempt is in. */
  readonly payment_id: string | null;
  readonly payment_end_to_end_id: string | null;
  readonly payment_uetr: string | null;
  readonly payment_minor: string | null;
}

/** The trades, held until the transaction ends; without those that somebody else holds, unless they are waited for. */
export async function lockPayoutTransactions(
  connection: Connection,
  ids: readonly TransactionId[],
  skipLocked = true,
): Promise<PayoutTransaction[]> {
  const { rows } = await connection.query<PayoutTransaction>({
    name: skipLocked ? 'sandbox_lock_payouts_skip' : 'sandbox_lock_payouts',
    text: `select t.*, s.account_holder as payee_name, coalesce(s.iban, s.account_number) as payee_account,
             (select count(*)::int from payment_items c
              where c.customer_id = t.customer_id and c.transaction_id = t.id) as instructed,
             p.id as payment_id, p.end_to_end_id as payment_end_to_end_id, p.uetr as payment_uetr,
             p.amount_minor as payment_minor
           from transactions t
           left join settlement_instructions s on s.customer_id = t.customer_id and s.id = t.destination_id
           left join payment_items i on i.customer_id = t.customer_id and i.transaction_id = t.id
             and i.purpose = 'payout' and i.attempt = t.payout_attempts and i.live
           left join payments p on p.id = i.payment_id
           where (t.customer_id, t.id) in (select * from unnest($1::uuid[], $2::uuid[]))
           order by t.customer_id, t.id for update of t ${skipLocked ? 'skip locked' : ''}`,
    values: [ids.map((each) => each.customerId), ids.map((each) => each.id)],
  });
  return rows;
}
