import type { Queryable } from '../database/pool.ts';
import { REFUND_ATTEMPT, REFUND_MINOR } from './due-payment-store.ts';

/** What is still to be paid besides payouts of trades, in minor units. */
interface PendingPayments {
  /** The day of the run that pays it; null when no run has taken it yet. */
  readonly execution_date: string | null;
  readonly currency: string;
  readonly payments: number;
  readonly to_pay: string;
}

const RUN_OF = (condition: string) => `left join lateral (
  select r.execution_date from payment_items i
  join payments p on p.id = i.payment_id
  join settlement_runs r on r.id = p.run_id
  where i.live and ${condition}
) run on true`;

/** Refunds of trades, withdrawals and deposits that go back, as long as the bank has not confirmed them, by day and currency. */
export async function pendingPayments(
  database: Queryable,
  currency: string | undefined,
): Promise<PendingPayments[]> {
  const { rows } = await database.query<PendingPayments>(
    `select execution_date, currency, count(*)::int as payments, sum(minor) as to_pay
     from (
       select run.execution_date, t.refund ->> 'currency' as currency, ${REFUND_MINOR} as minor
       from transactions t ${RUN_OF(`i.customer_id = t.customer_id and i.transaction_id = t.id and i.purpose = 'refund'
         and i.attempt = ${REFUND_ATTEMPT}`)}
       where t.refund ->> 'status' = 'pending'
       union all
       select run.execution_date, w.currency, w.amount_minor
       from balance_withdrawals w ${RUN_OF('i.withdrawal_id = w.id')}
       where w.status = 'pending'
       union all
       select run.execution_date, d.currency, d.amount_minor
       from deposit_returns d ${RUN_OF('i.return_id = d.id')}
       where d.status = 'pending'
     ) pending
     where $1::text is null or currency = $1
     group by execution_date, currency`,
    [currency ?? null],
  );
  return rows;
}
