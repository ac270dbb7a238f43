import assert from 'node:assert/strict';
import { knownCurrency } from '@firmquote/fx';
import type { Pool } from '../../src/database/pool.ts';
import { HOUSE_ID } from '../../src/ledger/journal.ts';

/**
 * Received = matched + returned + in exceptions or set aside, for every deposit and in the ledger: what the deposits
 * say lies in suspense and in excess is what the balances say, and whatever lies in suspense is somebody's open work.
 */
export async function assertReconciled(pool: Pool): Promise<void> {
  const { rows: parts } = await pool.query(
    `select d.id from deposits d
     left join (select deposit_id, sum(allocated_minor) as allocated, sum(excess_minor) as excess
                from deposit_allocations group by deposit_id) a on a.deposit_id = d.id
     where d.allocated_minor <> coalesce(a.allocated, 0) or d.excess_minor <> coalesce(a.excess, 0)`,
  );
  assert.deepEqual(parts, [], 'a deposit is the sum of its parts');
  const { rows: trades } = await pool.query(
    `select t.id from transactions t
     left join (select transaction_id, sum(allocated_minor) as allocated, sum(excess_minor) as excess,
                       sum(shortfall_minor) as shortfall
                from deposit_allocations group by transaction_id) a on a.transaction_id = t.id
     where not t.pre_funded and (t.received_minor <> coalesce(a.allocated, 0) or (t.status <> 'cancelled' and t.excess_minor + (
         select coalesce(sum(p.amount), 0) from journal_postings p
         where p.transaction_id = t.id and p.account = 'customer_excess' and p.kind like 'refund%') <> coalesce(a.excess, 0))
       or t.shortfall_minor <> coalesce(a.shortfall, 0) or json_array_length(t.deposits) <>
         (select count(*) from deposit_allocations x where x.transaction_id = t.id))`,
  );
  assert.deepEqual(trades, [], 'a trade has received the parts that deposits gave it');
  const { rows: balances } = await pool.query(
    `select customer_id, currency, a.minor, p.minor as booked
     from (select a.customer_id, d.currency, sum(a.allocated_minor) as minor
           from deposit_allocations a join deposits d on d.id = a.deposit_id
           where a.transaction_id is null group by 1, 2) a
     full join (select customer_id, currency, -sum(amount) as minor from journal_postings
                where account = 'customer_balance' and kind like 'deposit%' group by 1, 2) p using (customer_id, currency)
     where coalesce(a.minor, 0) <> coalesce(p.minor, 0)`,
  );
  assert.deepEqual(balances, [], 'balances have what deposits gave them');
  const { rows: debts } = await pool.query(
    `select b.customer_id, b.currency, b.balance - coalesce(t.minor, 0) as owed, coalesce(p.minor, 0) as booked
     from balances b
     left join (select customer_id, sell_currency as currency, sum(sell_minor - received_minor - shortfall_minor) as minor
                from transactions where status in ('awaiting_funds', 'partially_funded', 'overdue') group by 1, 2) t
       using (customer_id, currency)
     left join (select customer_id, currency, sum(amount) as minor from journal_postings
                where account = 'customer_receivable' and kind in ('bank_entry_booked', 'close_out', 'debt_paid', 'debt_written_off',
                  'top_up_reversed')
                group by 1, 2) p using (customer_id, currency)
     where b.account = 'customer_receivable' and b.balance - coalesce(t.minor, 0) <> coalesce(p.minor, 0)`,
  );
  assert.deepEqual(debts, [], 'what customers owe is open trades, and what was booked as a debt');
  await assertDebtsTold(pool);
  const { rows: suspense } = await pool.query(
    `select currency, sum(amount_minor - allocated_minor - excess_minor - returned_minor) as deposits,
            (select -coalesce(sum(balance), 0) from balances b
             where b.customer_id = $1 and b.account = 'suspense' and b.currency = d.currency) as ledger
     from deposits d group by currency`,
    [HOUSE_ID],
  );
  for (const { currency, deposits, ledger } of suspense)
    assert.equal(ledger, deposits, `suspense ${currency}`);
  const { rows: banks } = await pool.query(
    // What is to go back has left the deposit, and not yet the bank.
    `select d.currency, sum(amount_minor - returned_minor) - (
              select coalesce(sum(balance), 0) from balances b where b.account = 'returns_payable' and b.currency = d.currency) as deposits,
            (select coalesce(sum(p.amount), 0) from journal_postings p
             where p.account = 'bank' and p.currency = d.currency and (p.kind like 'deposit%' or p.kind like 'return%')) as ledger
     from deposits d group by d.currency`,
  );
  for (const { currency, deposits, ledger } of banks) assert.equal(ledger, deposits, `bank ${currency}`);
  const { rows: work } = await pool.query(
    `select d.id, d.exception_type, e.type from deposits d
     left join reconciliation_exceptions e on e.deposit_id = d.id and e.status = 'open'
     where d.exception_type is distinct from e.type or d.exception_reason is distinct from e.reason
       or (e.id is null and d.status <> 'ignored'
           and d.allocated_minor + d.excess_minor + d.returned_minor <> d.amount_minor)`,
  );
  assert.deepEqual(
    work,
    [],
    'what lies in suspense is an open exception, and every exception is the deposit’s',
  );
  const { rows: history } = await pool.query(
    `select d.id from deposits d where d.version <> (select count(*) from deposit_history h where h.deposit_id = d.id)`,
  );
  assert.deepEqual(history, [], 'every version of a deposit is in its history');
}

/** What customers owe apart from open trades is what their events have told of it. */
async function assertDebtsTold(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ customer: string; currency: string; owed: string; told: string }>(
    `select customer_id as customer, currency, coalesce(owed, 0)::text as owed, coalesce(told, 0)::text as told
     from (select customer_id, currency, sum(amount) as owed from journal_postings
           where account = 'customer_receivable' and kind in ('bank_entry_booked', 'close_out', 'debt_paid', 'debt_written_off',
             'top_up_reversed') group by 1, 2) p
     full join (select customer_id, detail ->> 'currency' as currency,
                  sum(case type when 'balance.debt_booked' then 1 else -1 end * (detail ->> 'amount')::numeric) as told
                from feed_events where type like 'balance.debt%' group by 1, 2) e using (customer_id, currency)`,
  );
  const wrong = rows.filter(
    ({ currency, owed, told }) => BigInt(owed) !== toMinor(told, knownCurrency(currency).minorUnits),
  );
  assert.deepEqual(wrong, [], 'customers are told of what they owe');
}

const toMinor = (text: string, decimals: number): bigint => {
  const [whole = '', part = ''] = text.split('.');
  return BigInt(whole + part.padEnd(decimals, '0'));
};
