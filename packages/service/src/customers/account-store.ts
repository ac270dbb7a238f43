import type { PostalAddress } from '@firmquote/bank-formats';
import type { Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/**
 * An account of a customer that bought currency is paid to. `bankCountry` is an ISO 3166-1 alpha-2 code, `lei` the legal entity
 * identifier of the holder (ISO 17442). A new account waits until `usableFrom`, which is null where it does not.
 */
export type SettlementInstruction = Omit<CamelRow<'settlement_instructions'>, 'masked'>;

/** An account of the house that customers pay into, as transactions show it in `funding.instructions`. */
export interface CollectionDetails {
  readonly accountHolder: string;
  readonly bankName: string | null;
  readonly bic: string | null;
  readonly accountNumber: string | null;
  readonly routingNumber: string | null;
  readonly iban: string | null;
  readonly rails: readonly string[];
}

interface HouseAccount extends CollectionDetails {
  /** For payment files; trades do not show it. */
  readonly holderAddress: PostalAddress | null;
  /** Legal entity identifier (ISO 17442), for payment files too. */
  readonly holderLei: string | null;
}

export interface CollectionAccount extends HouseAccount {
  readonly currency: string;
  readonly updatedAt: number;
  /** What takes its place when it has waited; null where nothing waits. */
  readonly next: (HouseAccount & { readonly usableFrom: number }) | null;
}

type InstructionRow = Omit<Row<'settlement_instructions'>, 'masked'>;

interface InstructionFilter {
  readonly currency: string | undefined;
  readonly status: SettlementInstruction['status'] | undefined;
}

/** Newest first; `before` is the id that the page begins after. */
export async function listInstructions(
  connection: Queryable,
  customerId: string,
  filter: InstructionFilter,
  before: string | undefined,
  rowsMax: number,
): Promise<SettlementInstruction[]> {
  const { rows } = await connection.query<InstructionRow>(
    `select * from settlement_instructions
     where customer_id = $1 and ($2::text is null or currency = $2) and ($3::text is null or status = $3)
       and ($4::uuid is null or id < $4)
     order by id desc limit $5`,
    [customerId, filter.currency ?? null, filter.status ?? null, before ?? null, rowsMax],
  );
  return rows.map(instructionOfRow);
}

/** Writes new active instructions of a customer; those that were active for their currencies are retired. */
export async function replaceInstructions(
  connection: Queryable,
  customerId: string,
  instructions: readonly SettlementInstruction[],
): Promise<void> {
  await connection.query(
    `update settlement_instructions set status = 'retired'
     where customer_id = $1 and currency = any ($2::text[]) and status = 'active'`,
    [customerId, instructions.map(({ currency }) => currency)],
  );
  const rows = instructions.map(
    (each): InstructionRow => ({
      customer_id: customerId,
      id: each.id,
      currency: each.currency,
      account_holder: each.accountHolder,
      bank_name: each.bankName,
      bank_country: each.bankCountry,
      bic: each.bic,
      iban: each.iban,
      account_number: each.accountNumber,
      routing_number: each.routingNumber,
      status: each.status,
      created_at: each.createdAt,
      lei: each.lei,
      usable_from: each.usableFrom,
    }),
  );
  await connection.query(
    `insert into settlement_instructions (customer_id, id, currency, account_holder, bank_name, bank_country, bic, iban,
       account_number, routing_number, status, created_at, lei, usable_from)
     select customer_id, id, currency, account_holder, bank_name, bank_country, bic, iban,
       account_number, routing_number, status, created_at, lei, usable_from
     from json_populate_recordset(null::settlement_instructions, $1)`,
    [
      JSON.stringify(
        rows.map((row) => ({
          ...row,
          created_at: isoInstant(row.created_at),
          usable_from: row.usable_from === null ? null : isoInstant(row.usable_from),
        })),
      ),
    ],
  );
}

/** @returns false when the customer has no such instruction; one that is retired already stays so */
export async function retireInstruction(
  connection: Queryable,
  customerId: string,
  id: string,
): Promise<boolean> {
  const result = await connection.query(
    `update settlement_instructions set status = 'retired' where customer_id = $1 and id = $2`,
    [customerId, id],
  );
  return result.rowCount === 1;
}

/** Lets money go to an account that waits. @returns the account; undefined when the customer has none with this id */
export async function releaseInstruction(
  connection: Queryable,
  customerId: string,
  id: string,
): Promise<SettlementInstruction | undefined> {
  const { rows } = await connection.query<InstructionRow>(
    `update settlement_instructions set usable_from = null where customer_id = $1 and id = $2 returning *`,
    [customerId, id],
  );
  return rows[0] && instructionOfRow(rows[0]);
}

/** Ends the waiting of accounts that have waited long enough: customers' and the house's. @returns how many */
export async function endWaits(connection: Queryable, now: number): Promise<number> {
  const { rowCount } = await connection.query(
    'update settlement_instructions set usable_from = null where usable_from <= $1',
    [isoInstant(now)],
  );
  return (rowCount ?? 0) + (await takeDueAccounts(connection, now));
}

/** The house's accounts that have waited long enough are in use. @returns how many */
export function takeDueAccounts(connection: Queryable, now: number): Promise<number> {
  return takeNextAccounts(connection, 'usable_from <= $1', now);
}

/** When the first account has waited long enough. */
export async function firstWaitEnds(connection: Queryable): Promise<number | undefined> {
  const { rows } = await connection.query<{ at: number | null }>(
    `select least((select min(usable_from) from settlement_instructions where usable_from is not null),
                  (select min(usable_from) from collection_accounts where usable_from is not null)) as at`,
  );
  return rows[0]?.at ?? undefined;
}

/** The account of a currency that waits takes the place of the other one before its time. */
export async function releaseNextAccount(
  connection: Queryable,
  currency: string,
  now: number,
): Promise<void> {
  await takeNextAccounts(connection, 'currency = $2', now, currency);
}

/** The next account is the account, in one step for all instances. @returns how many */
async function takeNextAccounts(
  connection: Queryable,
  which: 'usable_from <= $1' | 'currency = $2',
  now: number,
  currency?: string,
): Promise<number> {
  const { rowCount } = await connection.query(
    `update collection_accounts set details = next_details, holder_address = next_holder_address,
       holder_lei = next_holder_lei, updated_at = $1, next_details = null, next_holder_address = null, next_holder_lei = null, usable_from = null
     where usable_from is not null and ${which}`,
    [isoInstant(now), ...(currency === undefined ? [] : [currency])],
  );
  return rowCount ?? 0;
}

const HOUSE_COLUMNS =
  'currency, details, holder_address, holder_lei, updated_at, next_details, next_holder_address, next_holder_lei, usable_from';

/** Of all currencies, or of some; in the order of the currencies. */
export async function readCollectionRows(
  connection: Queryable,
  currencies?: readonly string[],
): Promise<Row<'collection_accounts'>[]> {
  const { rows } = await connection.query<Row<'collection_accounts'>>({
    name: 'collection_accounts',
    text: `select ${HOUSE_COLUMNS} from collection_accounts
           where $1::text[] is null or currency = any ($1) order by currency`,
    values: [currencies ?? null],
  });
  return rows;
}

/** @param locked whether nobody else may change them until the transaction ends */
export async function listCollectionAccounts(
  connection: Queryable,
  currencies?: readonly string[],
  locked = false,
): Promise<CollectionAccount[]> {
  if (locked) {
    await connection.query(
      'select from collection_accounts where currency = any ($1) order by currency for update',
      [currencies],
    );
  }
  const rows = await readCollectionRows(connection, currencies);
  return rows.map((row) => {
    const { currency, usable_from: usableFrom, updated_at: updatedAt } = row;
    const next =
      row.next_details === null || usableFrom === null
        ? null
        : {
            ...houseAccount(row.next_details, row.next_holder_address, row.next_holder_lei),
            usableFrom,
          };
    return { ...houseAccount(row.details, row.holder_address, row.holder_lei), currency, updatedAt, next };
  });
}

function houseAccount(details: string, holderAddress: string | null, holderLei: string | null): HouseAccount {
  return {
    ...(JSON.parse(details) as CollectionDetails),
    holderAddress: holderAddress === null ? null : (JSON.parse(holderAddress) as PostalAddress),
    holderLei,
  };
}

export async function collectionCurrencies(connection: Queryable): Promise<Set<string>> {
  const rows = await readCollectionRows(connection);
  return new Set(rows.map((row) => row.currency));
}

/** Writes the first accounts of their currencies. @returns currencies that have one already */
export async function insertCollectionAccounts(
  connection: Queryable,
  accounts: readonly CollectionAccount[],
): Promise<string[]> {
  const { rows } = await connection.query<{ currency: string }>(
    `insert into collection_accounts (${HOUSE_COLUMNS}) select ${HOUSE_COLUMNS}
     from json_populate_recordset(null::collection_accounts, $1)
     on conflict (currency) do nothing returning currency`,
    [collectionRows(accounts)],
  );
  const isNew = new Set(rows.map(({ currency }) => currency));
  return accounts.map(({ currency }) => currency).filter((currency) => !isNew.has(currency));
}

export async function updateCollectionAccounts(
  connection: Queryable,
  accounts: readonly CollectionAccount[],
): Promise<void> {
  await connection.query(
    `update collection_accounts c set details = n.details, holder_address = n.holder_address, holder_lei = n.holder_lei,
       updated_at = n.updated_at, next_details = n.next_details, next_holder_address = n.next_holder_address,
       next_holder_lei = n.next_holder_lei, usable_from = n.usable_from
     from json_populate_recordset(null::collection_accounts, $1) n where c.currency = n.currency`,
    [collectionRows(accounts)],
  );
}

function collectionRows(accounts: readonly CollectionAccount[]): string {
  const rows = accounts.map(({ currency, holderAddress, holderLei, updatedAt, next, ...details }) => {
    const row = { currency, details, holder_address: holderAddress, holder_lei: holderLei };
    const written = { ...row, updated_at: isoInstant(updatedAt) };
    if (next === null) return written;
    const { holderAddress: address, holderLei: lei, usableFrom, ...reported } = next;
    const waiting = { next_details: reported, next_holder_address: address, next_holder_lei: lei };
    return { ...written, ...waiting, usable_from: isoInstant(usableFrom) };
  });
  return JSON.stringify(rows);
}

function instructionOfRow(row: InstructionRow): SettlementInstruction {
  return {
    id: row.id,
    customerId: row.customer_id,
    currency: row.currency,
    accountHolder: row.account_holder,
    bankName: row.bank_name,
    bankCountry: row.bank_country,
    lei: row.lei,
    bic: row.bic,
    iban: row.iban,
    accountNumber: row.account_number,
    routingNumber: row.routing_number,
    status: row.status,
    usableFrom: row.usable_from,
    createdAt: row.created_at,
  };
}
