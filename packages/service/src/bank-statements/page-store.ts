import type { Connection } from '../database/pool.ts';
import type { Present, Row } from '../database/rows.ts';
import type { StatementFacts } from './statement-proof.ts';
import type { Listed } from './statement-sameness.ts';

/** Pages of one statement come within so many days; banks use its number again. */
const PAGES_DAYS = 31;

type PageRow = Pick<
  Row<'bank_statements'>,
  | 'id'
  | 'file_id'
  | 'position'
  | 'whole_opening_minor'
  | 'whole_opening_date'
  | 'whole_closing_minor'
  | 'whole_closing_date'
> &
  Present<Pick<Row<'bank_statements'>, 'page' | 'is_last_page'>> & {
    /** Sum of its booked entries. */
    readonly moved_minor: string;
  };

/** The pages of a statement that are here and have no balances between them, each once, in their order. */
export async function unbalancedPages(
  connection: Connection,
  account: string,
  facts: StatementFacts,
): Promise<PageRow[]> {
  const { rows } = await connection.query<PageRow>(
    `select distinct on (s.page) s.id, s.file_id, s.position, s.page, s.is_last_page, s.whole_opening_minor, s.whole_opening_date,
       s.whole_closing_minor, s.whole_closing_date, m.moved_minor
     from bank_statements s cross join lateral (
       select coalesce(sum(case b.direction when 'credit' then b.amount_minor else -b.amount_minor end), 0) as moved_minor
       from entry_listings l join bank_entries b on b.id = l.entry_id
       where l.file_id = s.file_id and l.statement_position = s.position and b.status = 'booked' offset 0
     ) m
     where s.account = $1 and s.currency = $2 and s.number = $3 and s.kind = 'statement' and s.page is not null
       and s.is_last_page is not null and s.opening_minor is null and s.closing_minor is null and s.corrected_by is null and s.withdrawn is null
       and ($4::date is null or abs(coalesce(s.period_to, s.period_from, $4::date) - $4::date) <= $5::int)
     order by s.page, s.id desc`,
    [account, facts.currency, facts.number?.toString(), facts.to ?? facts.from, PAGES_DAYS],
  );
  return rows;
}

/** Writes balances that were computed page by page. All pages close on `to`; the first opens on `from`, the others on `to`. */
export async function writePageBalances(
  connection: Connection,
  balances: readonly { readonly id: string; readonly opening: string; readonly closing: string }[],
  whole: {
    readonly from: string;
    readonly to: string;
    readonly firstId: string;
    readonly lastId: string;
  },
): Promise<void> {
  await connection.query(
    `update bank_statements s set opening_minor = n.opening, opening_currency = s.currency, closing_minor = n.closing,
       closing_currency = s.currency, closing_date = $3, period_to = $3,
       opening_date = case when n.id = $4 then $2::date else $3::date end, period_from = case when n.id = $4 then $2::date else $3::date end,
       opening_interim = n.id <> $4, closing_interim = n.id <> $5
     from json_to_recordset($1) as n (id uuid, opening numeric, closing numeric) where s.id = n.id`,
    [JSON.stringify(balances), whole.from, whole.to, whole.firstId, whole.lastId],
  );
}

/** The known details that the pages list, each with those by which they do. */
export async function listedByPages(connection: Connection, pages: readonly PageRow[]): Promise<Listed[]> {
  const { rows } = await connection.query<Listed>(
    `select distinct on (coalesce(e.same_part, e.same_as)) coalesce(e.same_part, e.same_as) as id, e.id as by,
       case when e.same_part is not null then e.same_as end as "sumId"
     from unnest($1::uuid[], $2::int[]) p (file_id, position)
     join entry_listings l on l.file_id = p.file_id and l.statement_position = p.position
     cross join lateral (
       select e.id, e.same_as, e.same_part from entry_details e where e.entry_id = l.entry_id offset 0
     ) e
     where e.same_as is not null order by coalesce(e.same_part, e.same_as), e.id`,
    [pages.map((each) => each.file_id), pages.map((each) => each.position)],
  );
  return rows;
}
