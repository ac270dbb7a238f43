import type { BankEntry, BookedEntry, HouseAccount, Movement } from '@firmquote/sandbox-bank';
import type { Connection, Queryable } from '../../database/pool.ts';
import type { Row } from '../../database/rows.ts';
import { isoInstant } from '../../platform/clock.ts';
import { newUuid } from '../../platform/ids.ts';

/** The bank's accounts for the house's, opened where there are none yet. @returns ids, in the order given */
export async function openAccounts(
  connection: Connection,
  accounts: readonly HouseAccount[],
  now: number,
): Promise<string[]> {
  const find = async () => {
    const { rows } = await connection.query<
      Pick<Row<'sandbox_bank_accounts'>, 'id' | 'account' | 'currency'>
    >({
      name: 'sandbox_find_bank_accounts',
      text: `select id, account, currency from sandbox_bank_accounts
             where (account, currency) in (select * from unnest($1::text[], $2::text[]))`,
      values: [accounts.map((each) => each.account), accounts.map((each) => each.currency)],
    });
    return new Map(rows.map((row) => [`${row.currency} ${row.account}`, row.id]));
  };
  const keyOf = (each: HouseAccount) => `${each.currency} ${each.account}`;
  let found = await find();
  const missing = accounts.filter((each) => !found.has(keyOf(each)));
  if (missing.length > 0) {
    // In one order everywhere, so that two that open the same accounts do not lock each other out.
    const sorted = [...missing].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    await connection.query(
      `insert into sandbox_bank_accounts (id, currency, account, is_iban, holder, bic)
       select n.id, n.currency, n.account, n.is_iban, n.holder, n.bic
       from json_populate_recordset(null::sandbox_bank_accounts, $1) n
       on conflict (account, currency) do nothing`,
      [JSON.stringify(sorted.map(({ isIban, ...each }) => ({ ...each, is_iban: isIban, id: newUuid(now) })))],
    );
    found = await find();
  }
  return accounts.map((each) => {
    const id = found.get(keyOf(each));
    if (id === undefined) throw new Error(`the bank has no account ${keyOf(each)}`);
    return id;
  });
}

export interface BookedMovement extends Movement {
  readonly accountId: string;
  readonly valueDate: string;
}

export interface Booked {
  readonly id: bigint;
  readonly source: string;
}

/** Books what was not booked before, in the order given. */
export async function insertEntries(
  connection: Connection,
  movements: readonly BookedMovement[],
  at: { readonly day: string; readonly now: number; readonly fileId: string },
): Promise<Booked[]> {
  const { rows } = await connection.query<Pick<Row<'sandbox_bank_entries'>, 'id' | 'source'>>({
    name: 'sandbox_insert_bank_entries',
    text: `insert into sandbox_bank_entries (account_id, source, direction, kind, amount_minor, end_to_end_id, uetr,
             payment_information_id, remittance_text, counterparty_name, counterparty_account, original_id, return_reason,
             booking_date, value_date, booked_at, notification_id)
           select n.account_id, n.source, n.direction, n.kind, n.amount_minor, n.end_to_end_id, n.uetr,
             n.payment_information_id, n.remittance_text, n.counterparty_name, n.counterparty_account, n.original_id,
             n.return_reason, $2, n.value_date, $3, $4
           from json_populate_recordset(null::sandbox_bank_entries, $1) n
           on conflict (source) do nothing returning id, source`,
    values: [
      JSON.stringify(
        movements.map((each) => ({
          account_id: each.accountId,
          source: each.source,
          direction: each.direction,
          kind: each.kind,
          amount_minor: each.amountMinor.toString(),
          end_to_end_id: each.endToEndId,
          uetr: each.uetr,
          payment_information_id: each.paymentInformationId,
          remittance_text: each.remittanceText,
          counterparty_name: each.counterpartyName,
          counterparty_account: each.counterpartyAccount,
          original_id: each.originalId?.toString() ?? null,
          return_reason: each.returnReason,
          value_date: each.valueDate,
        })),
      ),
      at.day,
      isoInstant(at.now),
      at.fileId,
    ],
  });
  return rows.map((row) => ({ id: BigInt(row.id), source: row.source }));
}

type EntryRow = Omit<
  Row<'sandbox_bank_entries'>,
  'account_id' | 'source' | 'booked_at' | 'notification_id' | 'statement_id'
>;

function entryOf(row: EntryRow): BankEntry {
  return {
    id: BigInt(row.id),
    direction: row.direction,
    kind: row.kind,
    amountMinor: BigInt(row.amount_minor),
    endToEndId: row.end_to_end_id,
    uetr: row.uetr,
    paymentInformationId: row.payment_information_id,
    remittanceText: row.remittance_text,
    counterpartyName: row.counterparty_name,
    counterpartyAccount: row.counterparty_account,
    originalId: row.original_id === null ? null : BigInt(row.original_id),
    returnReason: row.return_reason,
    bookingDate: row.booking_date,
    valueDate: row.value_date,
  };
}

/** The first of these sources that has been booked. */
export async function findBySource(
  connection: Queryable,
  sources: readonly string[],
): Promise<BookedEntry | undefined> {
  const { rows } = await connection.query<EntryRow & AccountRow>(
    `select e.*, a.currency, a.account, a.is_iban, a.holder, a.bic
     from sandbox_bank_entries e join sandbox_bank_accounts a on a.id = e.account_id
     where e.source = any ($1) order by array_position($1, e.source) limit 1`,
    [sources],
  );
  return rows[0] && { ...entryOf(rows[0]), account: accountOf(rows[0]) };
}

export async function findEntry(connection: Queryable, id: bigint): Promise<BookedEntry | undefined> {
  const { rows } = await connection.query<EntryRow & AccountRow>(
    `select e.*, a.currency, a.account, a.is_iban, a.holder, a.bic
     from sandbox_bank_entries e join sandbox_bank_accounts a on a.id = e.account_id where e.id = $1`,
    [id.toString()],
  );
  return rows[0] && { ...entryOf(rows[0]), account: accountOf(rows[0]) };
}

/** The bank's reference that a deposit has come with. */
export async function depositReference(
  connection: Queryable,
  depositId: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'deposits'>, 'bank_reference'>>(
    'select bank_reference from deposits where id = $1',
    [depositId],
  );
  return rows[0]?.bank_reference;
}

type AccountRow = Pick<Row<'sandbox_bank_accounts'>, 'currency' | 'account' | 'is_iban' | 'holder' | 'bic'>;

function accountOf(row: AccountRow): HouseAccount {
  const { currency, account, holder, bic } = row;
  return { currency, account, isIban: row.is_iban, holder, bic };
}

/** An account with entries that no statement has yet, held until the transaction ends. */
export interface OpenAccount extends HouseAccount {
  readonly id: string;
  readonly statements: number;
  readonly closingMinor: bigint;
}

/** Accounts with entries of the day that are in no statement. */
export async function lockOpenAccounts(connection: Connection, day: string): Promise<OpenAccount[]> {
  const { rows } = await connection.query<
    AccountRow & { id: string; statements: number; closing_minor: string }
  >(
    `select a.* from sandbox_bank_accounts a
     where exists (
       select from sandbox_bank_entries e
       where e.account_id = a.id and e.statement_id is null and e.booking_date = $1
     ) order by a.currency, a.account for no key update of a`,
    [day],
  );
  return rows.map((row) => ({
    ...accountOf(row),
    id: row.id,
    statements: row.statements,
    closingMinor: BigInt(row.closing_minor),
  }));
}

export async function openEntries(
  connection: Connection,
  accountId: string,
  day: string,
  rowsMax: number,
): Promise<BankEntry[]> {
  const { rows } = await connection.query<EntryRow>(
    `select * from sandbox_bank_entries
     where account_id = $1 and statement_id is null and booking_date = $2 order by id limit $3`,
    [accountId, day, rowsMax],
  );
  return rows.map(entryOf);
}

/** The earliest day with entries that are in no statement. */
export async function earliestOpenDay(connection: Queryable): Promise<string | undefined> {
  const { rows } = await connection.query<{ day: string | null }>({
    name: 'sandbox_earliest_open_day',
    text: 'select min(booking_date) as day from sandbox_bank_entries where statement_id is null',
  });
  return rows[0]?.day ?? undefined;
}

export interface NewStatement {
  readonly id: string;
  readonly accountId: string;
  readonly number: number;
  readonly day: string;
  readonly openingMinor: bigint;
  readonly closingMinor: bigint;
  readonly fileId: string;
  readonly entries: readonly BankEntry[];
}

export async function insertStatement(connection: Connection, statement: NewStatement): Promise<void> {
  const { id, accountId, number, day, openingMinor, closingMinor, fileId, entries } = statement;
  await connection.query(
    `insert into sandbox_bank_statements (id, account_id, number, day, opening_minor, closing_minor, file_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, accountId, number, day, openingMinor.toString(), closingMinor.toString(), fileId],
  );
  await connection.query('update sandbox_bank_entries set statement_id = $1 where id = any ($2::bigint[])', [
    id,
    entries.map((each) => each.id.toString()),
  ]);
  await connection.query(
    'update sandbox_bank_accounts set statements = $2, closing_minor = $3 where id = $1',
    [accountId, number, closingMinor.toString()],
  );
}

interface AccountBalance extends HouseAccount {
  readonly balanceMinor: bigint;
  readonly statements: number;
  readonly lastStatementDay: string | null;
}

export async function accountBalances(connection: Queryable): Promise<AccountBalance[]> {
  const { rows } = await connection.query<
    AccountRow & { balance_minor: string; statements: number; day: string | null }
  >(
    `select a.*, a.closing_minor + coalesce((
       select sum(case e.direction when 'credit' then e.amount_minor else -e.amount_minor end)
       from sandbox_bank_entries e where e.account_id = a.id and e.statement_id is null), 0) as balance_minor,
       (select s.day from sandbox_bank_statements s where s.account_id = a.id and s.number = a.statements) as day
     from sandbox_bank_accounts a order by a.currency, a.account`,
  );
  return rows.map((row) => ({
    ...accountOf(row),
    balanceMinor: BigInt(row.balance_minor),
    statements: row.statements,
    lastStatementDay: row.day,
  }));
}
