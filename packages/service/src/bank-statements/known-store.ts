import type { DepositState, PaymentState } from '@firmquote/api/operations/statement-entries';
import type { CurrencyExchange } from '@firmquote/bank-formats';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { REFERENCE_DAYS } from './deduplicate-entries.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import type { StatementFacts } from './statement-proof.ts';

/** What known details are looked up by. */
export interface DetailKeys {
  readonly uetrs: readonly string[];
  readonly references: readonly string[];
  /** What payments were ordered in together (`PmtInfId`). */
  readonly blocks: readonly string[];
  readonly endToEnd: readonly { readonly id: string; readonly amountMinor: bigint }[];
  /** Of payments and of whole entries. */
  readonly days: readonly { readonly day: string; readonly amountMinor: bigint }[];
  /** First and last booking date of what is reported. */
  readonly from: string;
  readonly to: string;
}

/** Details that carry money, are a payment of a sum that does, or are in an entry of several payments, as the database has them. */
export interface StoredDetail {
  readonly fingerprint: Fingerprint;
  readonly statementId: string;
  readonly depositState: DepositState;
  readonly paymentState: PaymentState;
  /** The sum that carries the money of this payment, or the details that it repeats. */
  readonly sumId: string | null;
  readonly repeats: string | null;
}

type StoredRow = Pick<
  Row<'entry_details'>,
  | 'id'
  | 'entry_id'
  | 'number'
  | 'kind'
  | 'amount_minor'
  | 'booking_date'
  | 'end_to_end_id'
  | 'uetr'
  | 'instruction_id'
  | 'payment_information_id'
  | 'detail_reference'
  | 'structured_references'
  | 'remittance_text'
  | 'counterparty_name'
  | 'counterparty_account'
  | 'credited_account'
  | 'return_reason'
  | 'original_reference'
  | 'exchange'
  | 'deposit_state'
  | 'payment_state'
  | 'same_as'
  | 'same_reason'
> &
  Pick<
    Row<'bank_entries'>,
    'statement_id' | 'direction' | 'status' | 'currency' | 'booking_date' | 'bank_reference'
  > & { readonly entry_minor: string; readonly payments: number };

const STORED = `select e.*, b.statement_id, b.direction, b.status, b.currency, b.amount_minor as entry_minor, b.bank_reference,
    coalesce(b.payments, (select count(*)::int from entry_details p where p.entry_id = b.id)) as payments
  from bank_entries b join entry_details e on e.entry_id = b.id`;

/** Details of an account by what each says of itself; those that meet a condition, for which there are indexes. SQL. */
const byOwnKeys = (
  condition: string,
) => `select f.id from span, unnest($3::text[]) k (reference) cross join lateral (
      select e.id from entry_details e
      where e.known_reference = k.reference and e.known_reference is not null and ${condition}
        and (e.known_reference, e.account, e.booking_date) >= (k.reference, $1, span.first)
        and (e.known_reference, e.account, e.booking_date) <= (k.reference, $1, span.last) offset 0) f
    union
    select f.id from span, unnest($4::text[], $5::numeric[]) k (id, amount) cross join lateral (
      select e.id, e.booking_date from entry_details e
      where e.known_end_to_end = k.id and e.known_end_to_end is not null and ${condition}
        and (e.known_end_to_end, e.account, e.amount_minor) >= (k.id, $1, k.amount)
        and (e.known_end_to_end, e.account, e.amount_minor) <= (k.id, $1, k.amount) offset 0) f
    where f.booking_date between span.first and span.last
    union
    select f.id from unnest($6::date[], $7::numeric[]) k (day, amount) cross join lateral (
      select e.id from entry_details e
      where e.account = $1 and e.booking_date = k.day and e.amount_minor = k.amount and ${condition} offset 0) f`;

/**
 * One branch for each kind of key, with an index of its own, looked up key by key: a file may have any number of payments of
 * one day. `offset 0` keeps the planner from reading all of an account or day and joining that instead, which it prefers
 * while it does not know how many there are; row comparisons keep it from choosing another index.
 */
const FIND_KNOWN = `with span as (select $8::date - $10::int as first, $9::date + $10::int as last), found as (
    select f.id from unnest($2::text[]) k (uetr) cross join lateral (
      select e.id from entry_details e where e.uetr = k.uetr offset 0) f
    union
    ${byOwnKeys('e.same_as is null')}
    union
    ${byOwnKeys("e.same_reason = 'part_of_sum'")}
    union
    select f.id from span, unnest($3::text[]) k (reference) cross join lateral (
      select b.id from bank_entries b
      where b.known_reference = k.reference and b.known_reference is not null
        and (b.known_reference, b.account, b.booking_date) >= (k.reference, $1, span.first)
        and (b.known_reference, b.account, b.booking_date) <= (k.reference, $1, span.last) offset 0) b
    cross join lateral (select e.id from entry_details e where e.entry_id = b.id offset 0) f
    union
    select f.id from span, unnest($12::text[]) k (block) cross join lateral (
      select e.id from entry_details e
      where e.payment_information_id = k.block and e.payment_information_id is not null and e.same_as is null
        and (e.payment_information_id, e.account, e.booking_date) >= (k.block, $1, span.first)
        and (e.payment_information_id, e.account, e.booking_date) <= (k.block, $1, span.last) offset 0) f
    union
    select f.id from unnest($6::date[], $7::numeric[]) k (day, amount) cross join lateral (
      select b.id from bank_entries b
      where b.account = $1 and b.booking_date = k.day and b.amount_minor = k.amount and b.payments > 1 offset 0) b
    cross join lateral (select e.id from entry_details e where e.entry_id = b.id offset 0) f
  )
  select s.* from found f cross join lateral (${STORED} where e.id = f.id offset 0) s
  where s.account = $1 and (s.same_as is null or s.same_reason = 'part_of_sum' or s.payments > 1) and s.statement_id <> $11
    and s.booked_as is distinct from 'never_booked' and not exists (
      select from entry_details m where m.id = s.same_as and m.booked_as = 'never_booked')
  order by s.id`;

/** Details that carry money, are payments of a sum that does, or are in an entry of several payments, and share a key with what is reported, without those of the same statement. */
export async function findKnown(
  connection: Connection,
  account: string,
  statementId: string,
  keys: DetailKeys,
): Promise<StoredDetail[]> {
  const { rows } = await connection.query<StoredRow>({
    name: 'find_known_details_by_keys',
    text: FIND_KNOWN,
    values: [
      account,
      keys.uetrs,
      keys.references,
      keys.endToEnd.map((each) => each.id),
      keys.endToEnd.map((each) => each.amountMinor),
      keys.days.map((each) => each.day),
      keys.days.map((each) => each.amountMinor),
      keys.from,
      keys.to,
      REFERENCE_DAYS,
      statementId,
      keys.blocks,
    ],
  });
  return rows.map(storedOf);
}

/** Details of a statement that carry money and wait for their account to be registered, in its order. */
export async function waitingDetails(connection: Connection, statementId: string): Promise<Fingerprint[]> {
  const { rows } = await connection.query<StoredRow>(
    `select w.* from bank_statements s join entry_listings l on l.file_id = s.file_id and l.statement_position = s.position
     cross join lateral (
       ${STORED} where b.id = l.entry_id and e.same_as is null
         and (e.deposit_state = 'unknown_account' or e.payment_state = 'unknown_account') offset 0) w
     where s.id = $1 order by l.position, w.number`,
    [statementId],
  );
  return rows.map((row) => storedOf(row).fingerprint);
}

/** Details by their ids, held until the transaction ends. */
export async function lockDetails(connection: Connection, ids: readonly string[]): Promise<StoredDetail[]> {
  if (ids.length === 0) return [];
  await connection.query('select 1 from entry_details where id = any ($1::uuid[]) order by id for update', [
    ids,
  ]);
  const { rows } = await connection.query<StoredRow>(
    `${STORED} where e.id = any ($1::uuid[]) order by e.id`,
    [ids],
  );
  return rows.map(storedOf);
}

function storedOf(row: StoredRow): StoredDetail {
  const detail = {
    kind: row.kind,
    amountMinor: BigInt(row.amount_minor),
    endToEndId: row.end_to_end_id,
    uetr: row.uetr,
    instructionId: row.instruction_id,
    paymentInformationId: row.payment_information_id,
    detailReference: row.detail_reference,
    structuredReferences: row.structured_references,
    remittanceText: row.remittance_text,
    counterpartyName: row.counterparty_name,
    counterpartyAccount: row.counterparty_account,
    creditedAccount: row.credited_account,
    returnReason: row.return_reason,
    originalReference: row.original_reference,
    exchange: row.exchange === null ? null : (JSON.parse(row.exchange) as CurrencyExchange),
  };
  const entry = {
    direction: row.direction,
    status: row.status,
    currency: row.currency,
    amountMinor: BigInt(row.entry_minor),
    bookingDate: row.booking_date,
    bankReference: row.bank_reference,
  };
  const { id, entry_id: entryId, number, payments } = row;
  return {
    fingerprint: fingerprintOf(entry, detail, { id, entryId, number, payments }),
    statementId: row.statement_id,
    depositState: row.deposit_state,
    paymentState: row.payment_state,
    sumId: row.same_reason === 'part_of_sum' ? row.same_as : null,
    repeats: row.same_reason === 'part_of_sum' ? null : row.same_as,
  };
}

/**
 * The statements that report each payment besides its own: by details that are the same, and by those that list it.
 * @param withOwn its own too
 */
export async function reportsOf(
  connection: Connection,
  ids: readonly string[],
  withOwn = false,
): Promise<{ readonly detailId: string; readonly statementId: string }[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<
    Pick<Row<'entry_details'>, 'id'> & Pick<Row<'bank_entries'>, 'statement_id'>
  >({
    name: 'reports_of_details',
    text: `select c.same_as as id, b.statement_id from entry_details c join bank_entries b on b.id = c.entry_id
           where c.same_as = any ($1::uuid[])
           union
           select c.same_part, b.statement_id from entry_details c join bank_entries b on b.id = c.entry_id
           where c.same_part = any ($1::uuid[]) and c.same_part is not null
           union
           select e.id, b.statement_id from entry_details e join entry_details l on l.id = e.listed_by
           join bank_entries b on b.id = l.entry_id
           where e.id = any ($1::uuid[]) and e.listed_by is not null
           union
           select e.id, b.statement_id from entry_details e join bank_entries b on b.id = e.entry_id
           where $2 and e.id = any ($1::uuid[])`,
    values: [ids, withOwn],
  });
  return rows.map((row) => ({ detailId: row.id, statementId: row.statement_id }));
}

type FactsRow = Pick<
  Row<'bank_statements'>,
  | 'id'
  | 'file_id'
  | 'kind'
  | 'currency'
  | 'number'
  | 'page'
  | 'period_from'
  | 'period_to'
  | 'opening_minor'
  | 'closing_minor'
> & {
  readonly is_part: boolean;
};

const FACTS = `select id, file_id, kind, currency, number, page, period_from, period_to, opening_minor, closing_minor,
    page is not null and (opening_interim or closing_interim or opening_minor is null or closing_minor is null) as is_part
  from bank_statements`;

/** What statements say of themselves, by their ids. */
export async function statementFacts(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StatementFacts>> {
  if (ids.length === 0) return new Map();
  return factsOf((await connection.query<FactsRow>(`${FACTS} where id = any ($1::uuid[])`, [ids])).rows);
}

/** Statements with balances that end on these days and have these numbers. */
export async function numberedStatements(
  connection: Connection,
  account: string,
  { currency, from, to }: Pick<StatementFacts, 'currency' | 'from' | 'to'>,
  { first, last }: { readonly first: bigint; readonly last: bigint },
): Promise<readonly StatementFacts[]> {
  const { rows } = await connection.query<FactsRow>(
    `${FACTS} where account = $1 and currency = $2 and kind = 'statement' and opening_minor is not null and closing_minor is not null
       and period_to between $3 and $4 and number between $5 and $6`,
    [account, currency, from, to, first, last],
  );
  return [...factsOf(rows).values()];
}

/** Statements of an account with balances that end on a day. */
export async function statementsTo(
  connection: Queryable,
  account: string,
  { currency, to }: Pick<StatementFacts, 'currency' | 'to'>,
): Promise<readonly StatementFacts[]> {
  const { rows } = await connection.query<FactsRow>(
    `${FACTS} where account = $1 and currency = $2 and kind = 'statement' and opening_minor is not null and closing_minor is not null
       and period_to = $3`,
    [account, currency, to],
  );
  return [...factsOf(rows).values()];
}

function factsOf(rows: readonly FactsRow[]): ReadonlyMap<string, StatementFacts> {
  const minor = (text: string | null) => (text === null ? null : BigInt(text));
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        fileId: row.file_id,
        kind: row.kind,
        currency: row.currency,
        number: minor(row.number),
        page: row.page,
        isPart: row.is_part,
        from: row.period_from,
        to: row.period_to,
        opening: minor(row.opening_minor),
        closing: minor(row.closing_minor),
      },
    ]),
  );
}
