import type { JournalEntryKind } from '@firmquote/api/operations/ledger';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { NIL_UUID, uuidFloor } from '../platform/ids.ts';
import type { Posting } from './journal.ts';

/** Reads of journal and balances. Amounts in minor units, debits positive; instants epoch milliseconds. */

export interface BalanceRow {
  readonly customerId: string;
  readonly account: string;
  readonly currency: string;
  readonly balance: bigint;
}

export interface EntryRow {
  readonly customerId: string;
  readonly id: string;
  readonly kind: JournalEntryKind;
  readonly at: number;
  readonly transactionId: string | null;
  readonly depositId: string | null;
  readonly withdrawalId: string | null;
  readonly postings: readonly (Omit<Posting, 'account'> & { readonly account: string })[];
}

type RawEntry = Omit<Row<'journal_entries'>, 'amounts'> & {
  readonly amounts: string[];
};

/** Columns of an entry; the arrays as the driver parses them. */
const ENTRY_COLUMNS =
  'e.customer_id, e.id, e.kind, e.at, e.transaction_id, e.deposit_id, e.withdrawal_id, e.accounts, e.currencies, e.amounts::text[] as amounts';

function entryFromRow(row: RawEntry): EntryRow {
  return {
    customerId: row.customer_id,
    id: row.id,
    kind: row.kind,
    at: row.at,
    transactionId: row.transaction_id,
    depositId: row.deposit_id,
    withdrawalId: row.withdrawal_id,
    postings: row.accounts.map((account, i) => ({
      account,
      currency: row.currencies[i] ?? '',
      amount: BigInt(row.amounts[i] ?? ''),
    })),
  };
}

export interface EntryFilter {
  readonly customerId?: string | undefined;
  readonly kind?: JournalEntryKind | undefined;
  /** Of the customer. */
  readonly transactionId?: string | undefined;
  readonly depositId?: string | undefined;
  readonly withdrawalId?: string | undefined;
  /** From inclusive, to exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * Ids of a trade's entries: the one that books it has the instant of the trade in its id, and no index of its own to be written to with
 * each trade; what came later has one.
 */
const entriesOfTransaction = (customer: string, trade: string) => `
  select x.id from journal_entries x
  where x.customer_id = ${customer} and x.transaction_id = ${trade} and x.kind <> 'trade_executed'
  union all
  select x.id from transactions t cross join journal_entries x
  where t.customer_id = ${customer} and t.id = ${trade}
    and x.customer_id = ${customer} and x.transaction_id = ${trade} and x.kind = 'trade_executed'
    and x.id >= uuid_floor(t.created_at) and x.id < uuid_floor(t.created_at + interval '1 millisecond')`;

/** Newest first, after the entry `before`. */
export async function listEntries(
  database: Queryable,
  filter: EntryFilter,
  before: string | undefined,
  rowsMax: number,
): Promise<EntryRow[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['true'];
  if (filter.customerId !== undefined) conditions.push(`e.customer_id = ${bind(filter.customerId)}::uuid`);
  if (filter.kind !== undefined) conditions.push(`e.kind = ${bind(filter.kind)}`);
  if (filter.transactionId !== undefined) {
    const [customer, trade] = [bind(filter.customerId), bind(filter.transactionId)];
    conditions.push(`e.id in (${entriesOfTransaction(`${customer}::uuid`, `${trade}::uuid`)})`);
  }
  if (filter.depositId !== undefined) conditions.push(`e.deposit_id = ${bind(filter.depositId)}::uuid`);
  if (filter.withdrawalId !== undefined)
    conditions.push(`e.withdrawal_id = ${bind(filter.withdrawalId)}::uuid`);
  if (filter.from !== undefined) conditions.push(`e.id >= ${bind(uuidFloor(filter.from))}::uuid`);
  if (filter.to !== undefined) conditions.push(`e.id < ${bind(uuidFloor(filter.to))}::uuid`);
  if (before !== undefined) conditions.push(`e.id < ${bind(before)}::uuid`);
  const { rows } = await database.query<RawEntry>(
    `select ${ENTRY_COLUMNS} from journal_entries e where ${conditions.join(' and ')}
     order by e.id desc limit ${bind(rowsMax)}`,
    values,
  );
  return rows.map(entryFromRow);
}

export async function findEntry(database: Queryable, id: string): Promise<EntryRow | undefined> {
  const { rows } = await database.query<RawEntry>(
    `select ${ENTRY_COLUMNS} from journal_entries e where e.id = $1`,
    [id],
  );
  return rows[0] && entryFromRow(rows[0]);
}

/** In the order of time, after the entry with this id. */
export async function nextEntries(database: Queryable, after: string, rowsMax: number): Promise<EntryRow[]> {
  const { rows } = await database.query<RawEntry>({
    name: 'next_entries',
    text: `select ${ENTRY_COLUMNS} from journal_entries e where e.id > $1 order by e.id limit $2`,
    values: [after, rowsMax],
  });
  return rows.map(entryFromRow);
}

/** Balances of owners, accounts and currencies after the given one, in this order, zero ones too. */
export async function nextBalances(
  database: Queryable,
  after: Pick<BalanceRow, 'customerId' | 'account' | 'currency'> | undefined,
  rowsMax: number,
): Promise<BalanceRow[]> {
  const { rows } = await database.query<
    Pick<Row<'balances'>, 'customer_id' | 'account' | 'currency' | 'balance'>
  >(
    `select customer_id, account, currency, balance from balances
     where $1::uuid is null or (customer_id, account, currency) > ($1::uuid, $2, $3)
     order by customer_id, account, currency limit $4`,
    [after?.customerId ?? null, after?.account ?? '', after?.currency ?? '', rowsMax],
  );
  return rows.map((row) => ({
    customerId: row.customer_id,
    account: row.account,
    currency: row.currency,
    balance: BigInt(row.balance),
  }));
}

export interface TrialFilter {
  readonly customerId?: string | undefined;
  readonly currency?: string | undefined;
}

export interface TrialRow {
  readonly account: string;
  readonly currency: string;
  readonly balance: bigint;
}

/** Balances by account and currency, summed over customers: as they are, or as they were before an instant. */
export async function trialBalances(
  database: Queryable,
  filter: TrialFilter,
  before: number | undefined,
): Promise<TrialRow[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const source = balancesAt(before, bind, (row, _, currency) => [
    ...(filter.customerId === undefined ? [] : [`${row}.customer_id = ${bind(filter.customerId)}::uuid`]),
    ...(filter.currency === undefined ? [] : [`${currency} = ${bind(filter.currency)}`]),
  ]);
  const { rows } = await database.query<Pick<Row<'balances'>, 'account' | 'currency' | 'balance'>>(
    `select account, currency, sum(balance) as balance from (${source}) s
     group by account, currency order by currency, account`,
    values,
  );
  return rows.map((row) => ({ ...row, balance: BigInt(row.balance) }));
}

/** What each has on an account in a currency, in the order of their ids, after one of them; nobody who has nothing there. */
export async function ownerBalances(
  database: Queryable,
  of: Pick<BalanceRow, 'account' | 'currency'>,
  before: number | undefined,
  after: string | undefined,
  rowsMax: number,
): Promise<Pick<BalanceRow, 'customerId' | 'balance'>[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const source = balancesAt(before, bind, (row, account, currency) => [
    ...(after === undefined ? [] : [`${row}.customer_id > ${bind(after)}::uuid`]),
    `${account} = ${bind(of.account)}`,
    `${currency} = ${bind(of.currency)}`,
  ]);
  const { rows } = await database.query<Pick<Row<'balances'>, 'customer_id' | 'balance'>>(
    `select customer_id, sum(balance) as balance from (${source}) s
     group by customer_id having sum(balance) <> 0 order by customer_id limit ${bind(rowsMax)}`,
    values,
  );
  return rows.map((row) => ({ customerId: row.customer_id, balance: BigInt(row.balance) }));
}

/** Conditions on the owner in a row, and on the account and the currency beside it. */
type Conditions = (row: string, account: string, currency: string) => readonly string[];

/** Balances as they are; or the last closing balances before the instant, and the entries between the two. */
function balancesAt(
  before: number | undefined,
  bind: (value: unknown) => string,
  conditions: Conditions,
): string {
  const where = (...of: Parameters<Conditions>) => ['true', ...conditions(...of)].join(' and ');
  if (before === undefined)
    return `select customer_id, account, currency, balance from balances b where ${where('b', 'b.account', 'b.currency')}`;
  // UTC day of the instant: what is closed must have ended before it.
  const day = bind(isoInstant(before).slice(0, 10));
  const closed = lastClosedBefore(day);
  return `
    select b.customer_id, b.account, b.currency, d.balance from balances b
    cross join lateral (
      select balance from ledger_days d
      where d.customer_id = b.customer_id and d.account = b.account and d.currency = b.currency and d.day <= ${closed}
      order by d.day desc limit 1
    ) d
    where ${where('b', 'b.account', 'b.currency')}
    union all
    select e.customer_id, p.account, p.currency, p.amount
    from journal_entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
    where e.id >= ${firstOpenId(closed)} and e.id < ${bind(uuidFloor(before))}::uuid and ${where('e', 'p.account', 'p.currency')}`;
}

/** The last closed day before a day; null when none is closed (which `least` would pass over). */
export function lastClosedBefore(day: string, through = 'closed_through'): string {
  return `(select case when ${through} >= ${day}::date then ${day}::date - 1 else ${through} end from ledger_closing)`;
}

/** Smallest id after the closed days; of the whole journal when none is closed. */
export function firstOpenId(closed: string): string {
  return `coalesce(uuid_floor((${closed} + 1)::timestamptz), '${NIL_UUID}')`;
}

export interface AccountKey {
  readonly customerId: string;
  readonly account: string;
  readonly currency: string;
}

/** The balance of one account before an instant: the last closing balance and the entries since, never all of them. */
export async function balanceBefore(database: Queryable, key: AccountKey, before: number): Promise<bigint> {
  const day = isoInstant(before).slice(0, 10);
  const closed = lastClosedBefore('$5');
  const { rows } = await database.query<{ balance: string }>(
    `select coalesce((
       select balance from ledger_days d
       where d.customer_id = $1 and d.account = $2 and d.currency = $3 and d.day <= ${closed}
       order by d.day desc limit 1
     ), 0) + coalesce((
       select sum(p.amount)
       from journal_entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
       where e.customer_id = $1 and e.id >= ${firstOpenId(closed)} and e.id < $4::uuid
         and p.account = $2 and p.currency = $3
     ), 0) as balance`,
    [key.customerId, key.account, key.currency, uuidFloor(before), day],
  );
  return BigInt(rows[0]?.balance ?? '0');
}

/** In the order of time, after an id and up to another one. */
export async function entriesBetween(
  database: Queryable,
  after: string,
  through: string,
  rowsMax: number,
): Promise<EntryRow[]> {
  const { rows } = await database.query<RawEntry>({
    name: 'entries_between',
    text: `select ${ENTRY_COLUMNS} from journal_entries e where e.id > $1 and e.id <= $2 order by e.id, e.customer_id limit $3`,
    values: [after, through, rowsMax],
  });
  return rows.map(entryFromRow);
}

export async function countEntries(database: Queryable, after: string, through: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
    name: 'count_entries',
    text: 'select count(*)::int as count from journal_entries where id > $1 and id <= $2',
    values: [after, through],
  });
  return rows[0]?.count ?? 0;
}

/** Those with one of the ids, in their order. */
export async function readEntries(database: Queryable, ids: readonly string[]): Promise<EntryRow[]> {
  const { rows } = await database.query<RawEntry>(
    `select ${ENTRY_COLUMNS} from journal_entries e where e.id = any ($1::uuid[]) order by e.id, e.customer_id`,
    [ids],
  );
  return rows.map(entryFromRow);
}
