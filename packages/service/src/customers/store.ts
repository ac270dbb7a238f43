import type { PostalAddress } from '@firmquote/bank-formats';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { CustomerProfile, UsageRecord } from './profile.ts';
import { type CustomerRecord, effectiveQuotas, effectiveSettings, type LimitsRecord } from './records.ts';

type CustomerRow = Omit<Row<'customers'>, 'postal_address'> & {
  readonly settings: CustomerRecord['settings'];
};

type LimitsRow = Omit<Row<'customer_limits'>, 'customer_id' | 'updated_at'> & {
  readonly rates: LimitsRecord['rates'];
};

type UsageRow = Pick<Row<'customer_usage'>, 'limit_day'> & {
  readonly used_daily: string;
  readonly used_open: string;
};

/** Writes a customer with its limits and its empty usage. One commit when the connection is in a transaction. */
export async function insertCustomer(
  connection: Queryable,
  customer: CustomerRecord,
  limits: LimitsRecord,
): Promise<void> {
  await connection.query(
    `insert into customers (id, name, group_name, external_reference, status, status_reason, settings, version,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      customer.id,
      customer.name,
      customer.groupName,
      customer.externalReference,
      customer.status,
      customer.statusReason,
      JSON.stringify(customer.settings),
      customer.version,
      isoInstant(customer.createdAt),
      isoInstant(customer.updatedAt),
    ],
  );
  await connection.query(
    `insert into customer_limits (customer_id, daily_usd_minor, open_usd_minor, trade_usd_minor, max_open_quotes, rates,
       version, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [customer.id, ...limitValues(limits), limits.version, isoInstant(customer.createdAt)],
  );
  await connection.query('insert into customer_usage (customer_id) values ($1)', [customer.id]);
}

export async function findCustomer(connection: Queryable, id: string): Promise<CustomerRecord | undefined> {
  const { rows } = await connection.query<CustomerRow>('select * from customers where id = $1', [id]);
  return rows[0] && customerOfRow(rows[0]);
}

/** As {@link findCustomer}, and holds the row until the transaction ends. */
export async function lockCustomer(connection: Queryable, id: string): Promise<CustomerRecord | undefined> {
  const { rows } = await connection.query<CustomerRow>(
    'select * from customers where id = $1 for no key update',
    [id],
  );
  return rows[0] && customerOfRow(rows[0]);
}

/** Null when the customer has none, undefined when there is no such customer. */
export async function readPostalAddress(
  connection: Queryable,
  id: string,
): Promise<PostalAddress | null | undefined> {
  const { rows } = await connection.query<Pick<Row<'customers'>, 'postal_address'>>(
    'select postal_address from customers where id = $1',
    [id],
  );
  const [row] = rows;
  if (row === undefined || row.postal_address === null) return row && null;
  return JSON.parse(row.postal_address) as PostalAddress;
}

/** The customer stays as it is, with its version: the address is shown at a place of its own. */
export async function writePostalAddress(
  connection: Queryable,
  id: string,
  address: PostalAddress | null,
): Promise<void> {
  await connection.query('update customers set postal_address = $2 where id = $1', [
    id,
    address === null ? null : JSON.stringify(address),
  ]);
}

export async function writeCustomer(connection: Queryable, customer: CustomerRecord): Promise<void> {
  await connection.query(
    `update customers set name = $2, group_name = $3, external_reference = $4, status = $5, status_reason = $6,
       settings = $7, version = $8, updated_at = $9
     where id = $1`,
    [
      customer.id,
      customer.name,
      customer.groupName,
      customer.externalReference,
      customer.status,
      customer.statusReason,
      JSON.stringify(customer.settings),
      customer.version,
      isoInstant(customer.updatedAt),
    ],
  );
}

interface CustomerFilter {
  readonly status: CustomerRecord['status'] | undefined;
  readonly groupName: string | undefined;
  /** Part of the name or the operator's own reference. */
  readonly search: string | undefined;
}

/** Newest first; `before` is the id that the page begins after. Ids sort as the times at which they were made. */
export async function listCustomers(
  connection: Queryable,
  filter: CustomerFilter,
  before: string | undefined,
  rowsMax: number,
): Promise<CustomerRecord[]> {
  const { rows } = await connection.query<CustomerRow>(
    `select * from customers
     where ($1::text is null or status = $1) and ($2::text is null or group_name = $2)
       and ($3::uuid is null or id < $3)
       and ($5::text is null or strpos(lower(concat(name, chr(10), external_reference)), lower($5)) > 0)
     order by id desc limit $4`,
    [filter.status ?? null, filter.groupName ?? null, before ?? null, rowsMax, filter.search ?? null],
  );
  return rows.map(customerOfRow);
}

/** Those of the ids that are customers. */
export async function existingCustomers(connection: Queryable, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await connection.query<Pick<Row<'customers'>, 'id'>>(
    'select id from customers where id = any ($1::uuid[])',
    [ids],
  );
  return new Set(rows.map((row) => row.id));
}

export async function findLimits(
  connection: Queryable,
  customerId: string,
  lock = false,
): Promise<LimitsRecord | undefined> {
  const { rows } = await connection.query<LimitsRow>(
    `select * from customer_limits where customer_id = $1 ${lock ? 'for no key update' : ''}`,
    [customerId],
  );
  return rows[0] && limitsOfRow(rows[0]);
}

export async function writeLimits(
  connection: Queryable,
  customerId: string,
  limits: LimitsRecord,
  at: number,
): Promise<void> {
  await connection.query(
    `update customer_limits set daily_usd_minor = $2, open_usd_minor = $3, trade_usd_minor = $4, max_open_quotes = $5,
       rates = $6, version = $7, updated_at = $8
     where customer_id = $1`,
    [customerId, ...limitValues(limits), limits.version, isoInstant(at)],
  );
}

/** Limits and usage of one moment. */
export async function findUsage(
  connection: Queryable,
  customerId: string,
): Promise<{ limits: LimitsRecord; usage: UsageRecord } | undefined> {
  const { rows } = await connection.query<LimitsRow & UsageRow>(
    `select l.*, u.limit_day, u.daily_usd_minor as used_daily, u.open_usd_minor as used_open
     from customer_limits l join customer_usage u on u.customer_id = l.customer_id
     where l.customer_id = $1`,
    [customerId],
  );
  const row = rows[0];
  return (
    row && {
      limits: limitsOfRow(row),
      usage: usageOfRow(row),
    }
  );
}

/** The volume of later days counts no more: the clock of the sandbox was moved back. */
export async function forgetLaterDays(connection: Queryable, tradeDate: string): Promise<void> {
  await connection.query(
    'update customer_usage set limit_day = null, daily_usd_minor = 0 where limit_day > $1',
    [tradeDate],
  );
}

/** How many customers what the house changes is for. */
export async function countActiveCustomers(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    "select count(*)::integer as count from customers where status = 'active'",
  );
  return rows[0]?.count ?? 0;
}

type ProfileRow = CustomerRow & LimitsRow & UsageRow & { payout_currencies: string[] };

/** The profiles of several customers in one statement, undefined for those that do not exist. */
export async function loadProfiles(
  connection: Queryable,
  ids: readonly string[],
): Promise<(CustomerProfile | undefined)[]> {
  const { rows } = await connection.query<ProfileRow>({
    name: 'load_profiles',
    text: `select c.*, l.daily_usd_minor, l.open_usd_minor, l.trade_usd_minor, l.max_open_quotes, l.rates,
             u.limit_day, u.daily_usd_minor as used_daily, u.open_usd_minor as used_open,
             array(select s.currency from settlement_instructions s
                   where s.customer_id = c.id and s.status = 'active') as payout_currencies
           from customers c
           join customer_limits l on l.customer_id = c.id
           join customer_usage u on u.customer_id = c.id
           where c.id = any ($1::uuid[])`,
    values: [ids],
  });
  const byId = new Map(rows.map((row) => [row.id, profileOfRow(row)]));
  return ids.map((id) => byId.get(id));
}

function profileOfRow(row: ProfileRow): CustomerProfile {
  const { rates, version: _, ...limits } = limitsOfRow(row);
  const quotas = effectiveQuotas(rates);
  return {
    id: row.id,
    name: row.name,
    groupName: row.group_name ?? undefined,
    status: row.status,
    settings: effectiveSettings(row.settings),
    limits: { ...limits, quotas },
    quotas,
    payoutCurrencies: new Set(row.payout_currencies),
    usage: usageOfRow(row),
  };
}

function customerOfRow(row: CustomerRow): CustomerRecord {
  return {
    id: row.id,
    name: row.name,
    groupName: row.group_name,
    externalReference: row.external_reference,
    status: row.status,
    statusReason: row.status_reason,
    settings: row.settings,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function limitsOfRow(row: LimitsRow): LimitsRecord {
  return {
    dailyUsdMinor: BigInt(row.daily_usd_minor),
    openUsdMinor: BigInt(row.open_usd_minor),
    tradeUsdMinor: BigInt(row.trade_usd_minor),
    maxOpenQuotes: row.max_open_quotes,
    rates: row.rates,
    version: row.version,
  };
}

function usageOfRow(row: UsageRow): UsageRecord {
  return {
    limitDay: row.limit_day,
    dailyUsdMinor: BigInt(row.used_daily),
    openUsdMinor: BigInt(row.used_open),
  };
}

function limitValues(limits: LimitsRecord): unknown[] {
  return [
    limits.dailyUsdMinor,
    limits.openUsdMinor,
    limits.tradeUsdMinor,
    limits.maxOpenQuotes,
    JSON.stringify(limits.rates),
  ];
}
