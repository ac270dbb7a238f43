import type { ItemKind } from '@firmquote/api/operations/bank-reconciliation';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

/** What statements say of one account of the house. Amounts in minor units. */
export type AccountRow = Pick<
  Row<'bank_statements'>,
  'account' | 'currency' | 'opening_minor' | 'opening_date' | 'closing_minor' | 'closing_date'
> & {
  readonly closing_number: string | null;
  /** Booked, and of a day that no statement with balances covers yet. */
  readonly since_minor: string;
  /** The same, but from before the first statement: it is in its opening balance. */
  readonly before_minor: string;
};

/** The accounts of the house that statements name, with what the first and the last ones say. */
export async function accountsOfHouse(
  connection: Queryable,
  currency: string | undefined,
): Promise<AccountRow[]> {
  const { rows } = await connection.query<AccountRow>(
    `with own as (
       select distinct account, currency from bank_statements where is_own and ($1::text is null or currency = $1)
     )
     select o.account, o.currency, f.opening_minor, f.opening_date, l.closing_minor, l.closing_date,
       l.number as closing_number, coalesce(b.since_minor, 0) as since_minor, coalesce(b.before_minor, 0) as before_minor
     from own o
     left join lateral (
       select s.opening_minor, s.opening_date from bank_statements s
       where s.kind = 'statement' and s.account = o.account and s.currency = o.currency and s.opening_minor is not null
         and s.closing_minor is not null
       order by s.period_to nulls last, s.opening_date, s.number nulls first, s.page nulls first, exists (
         select from bank_statements p where p.account = s.account and p.currency = s.currency and p.kind = 'statement'
           and p.period_to = s.period_to and p.closing_minor = s.opening_minor and p.opening_minor <> s.opening_minor
       ), s.id limit 1
     ) f on true
     left join lateral (
       select s.closing_minor, s.closing_date, s.number from bank_statements s
       where s.kind = 'statement' and s.account = o.account and s.currency = o.currency and s.opening_minor is not null
         and s.closing_minor is not null
       order by s.period_to desc nulls last, s.closing_date desc, s.number desc nulls last, s.page desc nulls last, exists (
         -- Of several of one day without numbers, the one that no other goes on from.
         select from bank_statements n where n.account = s.account and n.currency = s.currency and n.kind = 'statement'
           and n.period_to = s.period_to and n.opening_minor = s.closing_minor and n.closing_minor <> s.closing_minor
       ), s.id desc limit 1
     ) l on true
     left join lateral (
       select sum(m.minor) filter (where not m.is_before) as since_minor, sum(m.minor) filter (where m.is_before) as before_minor
       from (
         select case k.direction when 'credit' then e.amount_minor else -e.amount_minor end as minor,
           coalesce(k.booking_date < f.opening_date, false) as is_before
         from bank_entries k join entry_details e on e.entry_id = k.id
         where k.account = o.account and k.currency = o.currency and k.status = 'booked' and not k.in_statement
           and e.same_as is null and e.listed_by is null and e.missing_since is null
           and e.booked_as is distinct from 'never_booked'
       ) m
     ) b on true
     order by o.currency, o.account`,
    [currency ?? null],
  );
  return rows;
}

/** The ledger's money at banks, of all owners. */
export async function ledgerBankBalances(
  connection: Queryable,
  currency: string | undefined,
): Promise<Pick<Row<'balances'>, 'currency' | 'balance'>[]> {
  const { rows } = await connection.query<Pick<Row<'balances'>, 'currency' | 'balance'>>(
    `select currency, sum(balance) as balance from balances
     where account = 'bank' and ($1::text is null or currency = $1) group by currency order by currency`,
    [currency ?? null],
  );
  return rows;
}

/** What the bank and the ledger differ by of something that is paid: positive when the ledger has let it go and no bank has said so. */
export async function openItemMinor(
  connection: Queryable,
  currency: string,
  subjectId: string,
): Promise<bigint> {
  const { rows } = await connection.query<Pick<Row<'bank_open_items'>, 'amount_minor'>>(
    'select amount_minor from bank_open_items where currency = $1 and subject_id = $2',
    [currency, subjectId],
  );
  return BigInt(rows[0]?.amount_minor ?? '0');
}

/** Why the bank has more (or less) than the ledger. */
export interface ItemTotalRow {
  readonly kind: ItemKind;
  readonly currency: string;
  readonly items: number;
  readonly amount_minor: string;
}

export type ItemRow = Omit<Row<'bank_open_items'>, 'kind'> & {
  readonly kind: ItemKind;
  readonly subject: 'entry' | 'deposit' | 'transaction' | 'withdrawal' | 'journal_entry';
};

/** All of them, one by one; the kinds say what is missing on which side. */
const ITEMS = `
  select case i.kind
      when 'deposit' then case when i.amount_minor < 0 then 'deposit_not_told' else 'deposit_return_not_told' end
      when 'transaction' then case when i.amount_minor > 0 then 'payment_not_told' else 'payment_return_not_told' end
      when 'withdrawal' then case when i.amount_minor > 0 then 'payment_not_told' else 'payment_return_not_told' end
      else case when i.amount_minor < 0 then 'top_up_not_told' else 'other_not_told' end
    end as kind, i.currency, i.amount_minor, i.kind as subject, i.subject_id, i.customer_id, i.since
  from bank_open_items i
  union all
  select 'entry_not_booked', b.currency, case b.direction when 'credit' then e.amount_minor else -e.amount_minor end, 'entry', e.id,
    null, b.booking_date::timestamptz
  from entry_details e join bank_entries b on b.id = e.entry_id
  where e.payment_state in ('due', 'mismatch') or (e.payment_state = 'unknown' and e.deposit_state = 'none') or e.deposit_state = 'due'
  union all
  -- The bank does not have what it reported.
  select 'entry_not_in_statement', b.currency, case b.direction when 'credit' then -e.amount_minor else e.amount_minor end, 'entry', e.id,
    null, e.missing_since
  from entry_details e join bank_entries b on b.id = e.entry_id where e.missing_since is not null`;

/** Items, counted and added up by currency and kind. */
export async function itemTotals(
  connection: Queryable,
  currency: string | undefined,
): Promise<ItemTotalRow[]> {
  const { rows } = await connection.query<ItemTotalRow>(
    `select kind, currency, count(*)::int as items, sum(amount_minor) as amount_minor from (${ITEMS}) i
     where $1::text is null or currency = $1 group by kind, currency order by currency, kind`,
    [currency ?? null],
  );
  return rows;
}

type ItemPlace = readonly [since: string, subjectId: string, currency: string];

/** Oldest first. */
export async function listItems(
  connection: Queryable,
  filter: { readonly currency: string | undefined; readonly kinds: readonly ItemKind[] | undefined },
  after: ItemPlace | undefined,
  rowsMax: number,
): Promise<ItemRow[]> {
  const { rows } = await connection.query<ItemRow>(
    `select * from (${ITEMS}) i
     where ($1::text is null or currency = $1) and ($2::text[] is null or kind = any ($2))
       and ($3::timestamptz is null or (date_trunc('milliseconds', since), subject_id, currency) > ($3, $4::uuid, $5))
     order by date_trunc('milliseconds', since), subject_id, currency limit $6`,
    [filter.currency ?? null, filter.kinds ?? null, after?.[0], after?.[1], after?.[2], rowsMax],
  );
  return rows;
}
