import pg from 'pg';
import { keptDifferences } from '../packages/service/src/ledger/kept-row-store.ts';
import { EXPIRY_GRACE_MS } from '../packages/service/src/quotes/expiry-grace.ts';
import type { Books } from './bank.ts';
import type { Client } from './client.ts';
import { amountText } from './files.ts';
import type { Report } from './report.ts';
import type { Acknowledged, Trader } from './traders.ts';

/** Rules whose exceptions a statement finds, whatever happened before. */
export const RULES: readonly (readonly [name: string, sql: string])[] = [
  [
    'a quote is executed exactly when it has one transaction, on the same terms',
    `select q.id as quote, q.status, t.id as transaction from current_quotes q
     full join transactions t on t.customer_id = q.customer_id and t.quote_id = q.id
     where (q.status = 'executed') is distinct from (t.id is not null) or q.transaction_id is distinct from t.id
       or (t.id is not null and (q.sell_minor, q.buy_minor) is distinct from (t.sell_minor, t.buy_minor))`,
  ],
  [
    'a transaction has one journal entry of its execution',
    `select t.id as transaction, j.entries from transactions t full join (
       select transaction_id, count(*) as entries from journal_entries where kind = 'trade_executed' group by 1
     ) j on j.transaction_id = t.id where t.id is null or j.entries is distinct from 1`,
  ],
  [
    'books balanced: owner by owner, the balances add up to nothing',
    'select customer_id, currency, sum(balance) from balances group by 1, 2 having sum(balance) <> 0',
  ],
  [
    'books balanced: the balances are the sums of the journal',
    `select customer_id, account, currency, b.balance, p.amount from balances b full join (
       select customer_id, account, currency, sum(amount) as amount from journal_postings group by 1, 2, 3
     ) p using (customer_id, account, currency) where coalesce(b.balance, 0) <> coalesce(p.amount, 0)`,
  ],
  [
    'received = matched + returned + in exceptions, for every deposit',
    `select d.id, d.status, d.amount_minor, d.allocated_minor, d.excess_minor, d.returned_minor from deposits d
     where d.allocated_minor + d.excess_minor + d.returned_minor <> d.amount_minor and d.status <> 'ignored'
       and not exists (select from reconciliation_exceptions e where e.deposit_id = d.id and e.status = 'open')`,
  ],
  [
    'received = matched + returned + in exceptions, in the ledger',
    `select currency, waiting, ledger from (
       select currency, sum(amount_minor - allocated_minor - excess_minor - returned_minor) as waiting,
         (select -coalesce(sum(balance), 0) from balances b where b.account = 'suspense' and b.currency = d.currency) as ledger
       from deposits d group by currency) s where waiting <> ledger`,
  ],
  [
    'a trade has received what deposits gave it',
    `select t.id, t.received_minor, coalesce(a.minor, 0) as given from transactions t left join (
       select transaction_id, sum(allocated_minor) as minor from deposit_allocations group by 1
     ) a on a.transaction_id = t.id where not t.pre_funded and t.received_minor <> coalesce(a.minor, 0)`,
  ],
  [
    'open positions of customers are the sums of their open trades',
    `select u.customer_id, u.open_usd_minor, sum(t.usd_minor) from customer_usage u
     left join transactions t on t.customer_id = u.customer_id and t.status not in ('settled', 'cancelled')
     group by 1, 2 having coalesce(sum(t.usd_minor), 0) <> u.open_usd_minor`,
  ],
  [
    'a feed of events has no gap and ends where its customer says',
    // After thirty days events go, the oldest first: whoever is older may have lost the first ones, or all. By the clock of business, which
    // was set back after customers were made: the first quote is older than they are then.
    `select u.customer_id, u.last_event_sequence, min(e.sequence), max(e.sequence), count(e.sequence) from customer_usage u
     join customers c on c.id = u.customer_id left join feed_events e on e.customer_id = u.customer_id
     group by u.customer_id, u.last_event_sequence, c.created_at
     having count(e.sequence) <> coalesce(max(e.sequence) - min(e.sequence) + 1, 0)
         or max(e.sequence) <> u.last_event_sequence
         or coalesce(min(e.sequence), u.last_event_sequence + 1) > 1
            and least(c.created_at, (select min(created_at) from quotes))
              > (select coalesce(max(at), '-infinity') from events) - interval '30 days'`,
  ],
  [
    'no execution that arrived in time was refused as expired',
    // Who stands still with an execution that came in time finds a quote that others have written down as expired, when none was to come.
    `select k.key, k.operation, k.received_at, q.expires_at, q.status, q.closed_at from idempotency_keys k
     join current_quotes q on q.customer_id = k.customer_id and k.operation = 'execute:' || q.id
     where k.outcome = 'quote_expired' and k.received_at < q.expires_at
       and (q.status <> 'expired' or q.closed_at < q.expires_at + interval '${EXPIRY_GRACE_MS} ms')`,
  ],
  [
    'what is paid out of a trade is paid once',
    `select transaction_id, kind, count(*) from (
       select transaction_id, case when kind in ('payout_sent', 'payout_returned') then 'payout' else 'refund' end as kind,
         case when kind in ('payout_sent', 'refund_paid') then 1 else -1 end as sign
       from journal_entries where kind in ('payout_sent', 'payout_returned', 'refund_paid', 'refund_returned')
     ) p group by 1, 2 having sum(sign) not in (0, 1)`,
  ],
  [
    'what goes back to a remitter is paid once',
    `select deposit_id, states, paid, minor from (
       select r.deposit_id, string_agg(r.status, ' ') as states,
         coalesce(sum(r.amount_minor) filter (where r.status = 'paid'), 0) as minor,
         (select coalesce(sum(p.amount), 0) from journal_postings p
          where p.deposit_id = r.deposit_id and p.account = 'returns_payable'
            and p.kind in ('return_paid', 'return_undone')) as paid
       from deposit_returns r group by 1) sums where paid <> minor`,
  ],
];

const TOLD_MAX = 50;

export interface Truth {
  readonly traders: readonly Trader[];
  readonly books: ReadonlyMap<string, Books>;
  readonly paidIn: ReadonlyMap<string, readonly bigint[]>;
  readonly operator: Client;
}

/** Holds what the service has stored against what it has told, and against what the bank has. */
export async function check(databaseUrl: string, truth: Truth, report: Report): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const [name, sql] of RULES) report.rule(name, (await client.query(sql)).rows);
    report.rule('kept rows are what they are sums of', await keptDifferences(client as never, TOLD_MAX));
    await checkTrades(client, truth.traders, report);
    await checkDeposits(client, truth, report);
  } finally {
    await client.end();
  }
  await checkBank(truth, report);
}

interface Stored {
  readonly id: string;
  readonly quote_id: string;
  readonly reference: string;
  readonly sell_minor: string;
  readonly buy_minor: string;
}

/** Everything that was acknowledged is there, and nothing else but what nobody was told of. */
async function checkTrades(client: pg.Client, traders: readonly Trader[], report: Report): Promise<void> {
  const { rows } = await client.query<Stored>(
    'select id, quote_id, reference, sell_minor, buy_minor from transactions',
  );
  const stored = new Map(rows.map((row) => [row.reference, row]));
  const reported = traders.flatMap(({ acknowledged }) => acknowledged);
  const isKept = (trade: Acknowledged): boolean => {
    const row = stored.get(trade.reference);
    return (
      row !== undefined &&
      BigInt(row.sell_minor) === BigInt(trade.sellAmount.replace('.', '')) &&
      BigInt(row.buy_minor) === BigInt(trade.buyAmount.replace('.', ''))
    );
  };
  report.figure('trades acknowledged', reported.length);
  report.figure('trades stored', rows.length);
  report.rule(
    'every acknowledged trade is stored, as it was told',
    reported.filter((trade) => !isKept(trade)),
  );
  const references = new Set(reported.map(({ reference }) => reference));
  report.rule(
    'every stored trade was acknowledged: each caller asked until it knew',
    rows.filter(({ reference }) => !references.has(reference)),
  );
  const byQuote = Map.groupBy(rows, (row) => row.quote_id);
  report.rule(
    'no quote has two trades',
    [...byQuote].filter(([, all]) => all.length > 1),
  );
}

/** What customers have paid is there as often as they have paid it. */
async function checkDeposits(client: pg.Client, { paidIn, books }: Truth, report: Report): Promise<void> {
  // A sum whose payments were told later has made room for them.
  const { rows } = await client.query<{ currency: string; amount_minor: string }>(
    `select currency, amount_minor from deposits where booked_as is distinct from 'same_entry'`,
  );
  const differences: string[] = [];
  let sums = 0;
  for (const [currency, paid] of paidIn) {
    // Payments that are missing, less deposits that nobody has made.
    const counts = new Map<bigint, number>();
    const add = (minor: bigint, more: number) => counts.set(minor, (counts.get(minor) ?? 0) + more);
    for (const minor of paid) add(minor, 1);
    for (const row of rows) if (row.currency === currency) add(BigInt(row.amount_minor), -1);
    // A sum that the bank told of without saying what is in it may stay one deposit.
    for (const { reported, sign, amountMinor, payments } of books.get(currency)?.entries ?? []) {
      if (reported !== 'bare' || sign !== 1 || (counts.get(amountMinor) ?? 0) >= 0) continue;
      add(amountMinor, 1);
      for (const payment of payments) add(payment.amountMinor, -1);
      sums++;
    }
    for (const [minor, left] of counts) {
      if (left === 0) continue;
      const what = left > 0 ? `${left} paid and missing` : `${-left} too many`;
      differences.push(`${currency} ${amountText(minor)}: ${what}`);
    }
  }
  report.figure('deposits', rows.length);
  report.figure('deposits that stayed a sum, told without details first', sums);
  report.rule('every payment of a customer is one deposit', differences);
}

/** The bank's own books, what the service takes them to be, and its ledger. */
async function checkBank({ books, operator }: Truth, report: Report): Promise<void> {
  const { body } = await operator.settled({ method: 'GET', path: '/v1/operator/ledger/bank-reconciliation' });
  const differences: string[] = [];
  const unexplained: string[] = [];
  const apart: string[] = [];
  for (const [currency, { balanceMinor }] of books) {
    const found = body.currencies.find((each: { currency: string }) => each.currency === currency);
    const bank = `${balanceMinor < 0n ? '-' : ''}${amountText(balanceMinor)}`;
    if (found?.bank !== bank)
      differences.push(`${currency}: the bank has ${bank}, the service says ${found?.bank}`);
    if (found?.unexplained !== '0.00') unexplained.push(`${currency}: ${found?.unexplained}`);
    const minor = (text: string) => BigInt(text.replace('.', ''));
    const items = (found?.items ?? []).reduce(
      (sum: bigint, each: { amount: string }) => sum + minor(each.amount),
      0n,
    );
    if (found !== undefined && minor(found.bank) - minor(found.ledger) !== items)
      apart.push(`${currency}: bank ${found.bank}, ledger ${found.ledger}, items ${amountText(items)}`);
    for (const each of found?.items ?? []) report.figure(`bank items ${currency} ${each.kind}`, each.count);
  }
  report.rule('the bank of the service is the bank', differences);
  report.rule('nothing is unexplained', unexplained);
  report.rule('bank = ledger + the items that are listed', apart);
}
