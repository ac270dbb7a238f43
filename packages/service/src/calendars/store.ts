import type { DayState } from '@firmquote/api/operations/calendars';
import type { TimeOfDay } from '@firmquote/fx';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** One day of a year as an operator set it. `reason` is the holiday's name where the day is closed. */
export interface CorrectedDay {
  readonly date: string;
  readonly state: DayState;
  readonly reason: string;
  /** Where it is known from: an announcement, a decree, the settlement system's own calendar. */
  readonly source: string;
}

/** Who orders a change, and which version they have seen. */
export interface OperatorChange {
  /** UUID of the person or OAuth client. */
  readonly clientId: string;
  readonly ifMatch: number | '*';
}

/** Version of what is built in: the first change of it is version 2. */
export const BUILT_IN_VERSION = 1;

/** Who changed something, why and when; epoch milliseconds. */
export interface Change {
  readonly version: number;
  readonly reason: string;
  /** UUID of the person or OAuth client. */
  readonly changedBy: string;
  readonly changedAt: number;
}

export interface CalendarYearVersion extends Change {
  /** UUIDs of the second operator and of the import; null for a year that one operator has set by hand. */
  readonly approvedBy: string | null;
  readonly importId: string | null;
  readonly complete: boolean;
  readonly days: readonly CorrectedDay[];
}

export interface CutOffVersion extends Change {
  readonly time: TimeOfDay;
  readonly zone: string;
  readonly source: string;
}

/** Everything that operators have changed, as of one moment. */
export interface StoredDateRules {
  readonly version: bigint;
  readonly years: readonly {
    readonly currency: string;
    readonly year: number;
    readonly complete: boolean;
    readonly days: readonly CorrectedDay[];
  }[];
  readonly cutOffs: readonly { readonly currency: string; readonly time: TimeOfDay; readonly zone: string }[];
}

/** For those who follow it: it changes with every change of calendars and cut-offs. */
export const DATE_RULES_VERSION_QUERY = 'select version from date_rules';

/** What is in force, or undefined while it still is the known version. One statement sees one state. */
export async function readDateRules(
  connection: Queryable,
  known?: bigint,
): Promise<StoredDateRules | undefined> {
  const { rows } = await connection.query<{
    version: string;
    years: StoredDateRules['years'];
    cut_offs: StoredDateRules['cutOffs'];
  }>({
    name: 'read_date_rules',
    text: `select d.version,
             (select coalesce(jsonb_agg(to_jsonb(y)), '[]') from (
                select distinct on (currency, year) currency, year, complete, days
                from calendar_years order by currency, year, version desc) y) as years,
             (select coalesce(jsonb_agg(to_jsonb(c)), '[]') from (
                select distinct on (currency) currency, time_of_day as time, zone
                from cut_offs order by currency, version desc) c) as cut_offs
           from date_rules d where d.version is distinct from $1::bigint`,
    values: [known === undefined ? null : String(known)],
  });
  const row = rows[0];
  return row && { version: BigInt(row.version), years: row.years, cutOffs: row.cut_offs };
}

/** Held until the transaction ends: changes of calendars and cut-offs go one after the other. */
export async function lockDateRules(connection: Connection): Promise<void> {
  await connection.query('select version from date_rules for update');
}

export async function bumpDateRules(connection: Connection): Promise<void> {
  await connection.query('update date_rules set version = version + 1');
}

export async function insertCalendarYear(
  connection: Connection,
  currency: string,
  year: number,
  version: CalendarYearVersion,
): Promise<void> {
  await connection.query(
    `insert into calendar_years (currency, year, version, complete, days, reason, changed_by, changed_at, approved_by,
       import_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      currency,
      year,
      version.version,
      version.complete,
      JSON.stringify(version.days),
      version.reason,
      version.changedBy,
      isoInstant(version.changedAt),
      version.approvedBy,
      version.importId,
    ],
  );
}

export async function insertCutOff(
  connection: Connection,
  currency: string,
  version: CutOffVersion,
): Promise<void> {
  await connection.query(
    `insert into cut_offs (currency, version, time_of_day, zone, reason, source, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      currency,
      version.version,
      version.time,
      version.zone,
      version.reason,
      version.source,
      version.changedBy,
      isoInstant(version.changedAt),
    ],
  );
}

type ChangeRow = Pick<Row<'calendar_years'>, 'version' | 'reason' | 'changed_by' | 'changed_at'>;
type YearRow = Omit<Row<'calendar_years'>, 'currency' | 'year' | 'days'> & {
  readonly days: CalendarYearVersion['days'];
};

const NEWEST = 2 ** 31 - 1;

/** Versions of a currency's year, newest first. */
export async function calendarYearVersions(
  connection: Queryable,
  currency: string,
  year: number,
  limit: number,
  before = NEWEST,
): Promise<CalendarYearVersion[]> {
  const { rows } = await connection.query<YearRow>(
    `select version, complete, days, reason, changed_by, changed_at, approved_by, import_id from calendar_years
     where currency = $1 and year = $2 and version < $3 order by version desc limit $4`,
    [currency, year, before, limit],
  );
  return rows.map((row) => ({
    ...changeOf(row),
    approvedBy: row.approved_by,
    importId: row.import_id,
    complete: row.complete,
    days: row.days,
  }));
}

/** Version and days in force of the years that operators have changed, by `currency year`. */
export async function newestYears(
  connection: Queryable,
  currencies: readonly string[],
  fromYear: number,
  toYear: number,
): Promise<Map<string, Pick<CalendarYearVersion, 'version' | 'days'>>> {
  const { rows } = await connection.query<
    Pick<YearRow, 'version' | 'days'> & { currency: string; year: number }
  >(
    `select distinct on (currency, year) currency, year, version, days from calendar_years
     where currency = any ($1) and year between $2 and $3 order by currency, year, version desc`,
    [currencies, fromYear, toYear],
  );
  return new Map(rows.map(({ currency, year, version, days }) => [`${currency} ${year}`, { version, days }]));
}

/** Versions of a currency's cut-off, newest first. */
export async function cutOffVersions(
  connection: Queryable,
  currency: string,
  limit: number,
  before = NEWEST,
): Promise<CutOffVersion[]> {
  const { rows } = await connection.query<
    ChangeRow & Pick<Row<'cut_offs'>, 'time_of_day' | 'zone' | 'source'>
  >(
    `select version, time_of_day, zone, source, reason, changed_by, changed_at from cut_offs
     where currency = $1 and version < $2 order by version desc limit $3`,
    [currency, before, limit],
  );
  return rows.map((row) => ({
    ...changeOf(row),
    time: row.time_of_day,
    zone: row.zone,
    source: row.source,
  }));
}

/** The cut-off in force of each currency that has one of an operator's. */
export async function cutOffsInForce(connection: Queryable): Promise<Map<string, CutOffVersion>> {
  const { rows } = await connection.query<
    ChangeRow & Pick<Row<'cut_offs'>, 'currency' | 'time_of_day' | 'zone' | 'source'>
  >('select distinct on (currency) * from cut_offs order by currency, version desc');
  return new Map(
    rows.map((row) => [
      row.currency,
      { ...changeOf(row), time: row.time_of_day, zone: row.zone, source: row.source },
    ]),
  );
}

/**
 * Trades that are neither settled nor cancelled and have one of the dates as their value date, by date. USD closes the
 * value dates of every pair, so for it every trade counts.
 */
export async function openTransactionsOn(
  connection: Queryable,
  currency: string,
  dates: readonly string[],
): Promise<Map<string, bigint>> {
  if (dates.length === 0) return new Map();
  const { rows } = await connection.query<{ value_date: string; trades: string }>({
    // By customer, because the index on value dates begins with it: no pass over all trades.
    text: `select t.value_date, count(*) as trades
           from customers c cross join lateral (
             select value_date from transactions
             where customer_id = c.id and value_date = any ($2::date[])
               and status not in ('settled', 'cancelled') and ($1 = 'USD' or $1 in (sell_currency, buy_currency))
           ) t group by t.value_date`,
    values: [currency, dates],
  });
  return new Map(rows.map((row) => [row.value_date, BigInt(row.trades)]));
}

function changeOf(row: ChangeRow): Change {
  return {
    version: row.version,
    reason: row.reason,
    changedBy: row.changed_by,
    changedAt: row.changed_at,
  };
}
