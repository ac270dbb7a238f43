import type { Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import type { KeyKind } from './deposit-keys.ts';
import { OPEN_TRADES_MAX } from './receivables.ts';

/** Something by which an open deposit may be clear now. Of a trade it has the customer and the currency. */
export type MatchChange = Omit<CamelRow<'match_changes'>, 'dueAt'>;

export async function dueChanges(connection: Queryable, rowsMax: number): Promise<MatchChange[]> {
  const { rows } = await connection.query<MatchChange>({
    name: 'due_match_changes',
    text: `select id, kind, customer_id as "customerId", currency, key from match_changes where due_at <= now()
           order by id limit $1`,
    values: [rowsMax],
  });
  return rows;
}

export async function forgetChanges(connection: Queryable, changes: readonly MatchChange[]): Promise<void> {
  await connection.query('delete from match_changes where id = any ($1::bigint[])', [
    changes.map((each) => each.id),
  ]);
}

/** Open deposits whose texts name one of the references. */
export async function namedDeposits(
  connection: Queryable,
  references: readonly string[],
  rowsMax: number,
): Promise<string[]> {
  if (references.length === 0) return [];
  const { rows } = await connection.query<{ id: string }>({
    name: 'named_deposits',
    text: `select distinct k.deposit_id as id from unnest($1::text[]) as r (reference)
           cross join lateral (
             select deposit_id from deposit_keys where kind = 'reference' and key = r.reference limit $2) k`,
    values: [references, rowsMax],
  });
  return rows.map((row) => row.id);
}

/** What a customer's open trades in a currency await, and the open deposits that are just one of these amounts. */
export async function awaitedDeposits(
  connection: Queryable,
  customerId: string,
  currency: string,
  rowsMax: number,
): Promise<{ ids: string[]; openMinors: bigint[] }> {
  const { rows } = await connection.query<{ minor: string; ids: string[] | null }>({
    name: 'awaited_deposits',
    text: `with awaited as (
             select sell_minor - received_minor - shortfall_minor as minor from transactions
             where customer_id = $1 and sell_currency = $2 and status in ('awaiting_funds', 'partially_funded', 'overdue')
             order by value_date, id limit $3)
           select a.minor, (
             select array_agg(k.deposit_id) from (
               select deposit_id from deposit_keys
               where kind = 'owner' and key = $1::text and currency = $2 and amount_minor = a.minor
               order by deposit_id limit $4) k) as ids
           from awaited a`,
    values: [customerId, currency, OPEN_TRADES_MAX + 1, rowsMax],
  });
  const ids = rows.flatMap((row) => row.ids ?? []);
  return { ids: [...new Set(ids)], openMinors: rows.map((row) => BigInt(row.minor)) };
}

type WalkKind = Walk['kind'];

/** Deposits that are looked at page by page because of a change that concerns all of them. */
export type Walk = Omit<CamelRow<'match_walks'>, 'again'>;

/** Begins a walk, or has one that is under way followed by another. */
export async function beginWalk(
  connection: Queryable,
  walk: Pick<Walk, 'kind' | 'key' | 'currency'>,
): Promise<void> {
  await connection.query(
    `insert into match_walks (kind, key, currency) values ($1, $2, $3)
     on conflict (kind, key, currency) do update set again = true`,
    [walk.kind, walk.key, walk.currency],
  );
}

export async function openWalks(connection: Queryable, rowsMax: number): Promise<Walk[]> {
  const { rows } = await connection.query<Walk>({
    name: 'open_match_walks',
    text: `select kind, key, currency, after_minor as "afterMinor", after_id as "afterId" from match_walks
           order by kind, key, currency limit $1`,
    values: [rowsMax],
  });
  return rows;
}

interface Place {
  readonly id: string;
  readonly minor: string;
}

const KEY_OF: Readonly<Record<Exclude<WalkKind, 'all'>, KeyKind>> = {
  group: 'owner',
  owner: 'owner',
  account: 'account',
  remitter: 'remitter',
  held: 'held',
};

/** The next page of a walk. @param between smallest and largest amount that comes into question */
export async function pageOf(
  connection: Queryable,
  { kind, key, currency, afterMinor, afterId }: Walk,
  between: readonly [bigint, bigint] | undefined,
  rowsMax: number,
): Promise<Place[]> {
  if (kind === 'all') {
    const { rows } = await connection.query<Place>(
      `select id, amount_minor as minor from deposits where status = 'unmatched' and version = 1 and id > $1
       order by id limit $2`,
      [afterId, rowsMax],
    );
    return rows;
  }
  const isOne = currency !== '';
  const { rows } = await connection.query<Place>(
    `select deposit_id as id, amount_minor as minor from deposit_keys
     where kind = $1 and key = $2 and ${isOne ? 'currency = $3 and' : '$3::text is not null and'}
       ${isOne ? '(amount_minor, deposit_id) > ($4::numeric, $5::uuid)' : 'deposit_id > $5::uuid and $4::numeric is not null'}
       and ($6::numeric is null or amount_minor between $6 and $7)
     order by ${isOne ? 'amount_minor, deposit_id' : 'deposit_id'} limit $8`,
    [
      KEY_OF[kind],
      key,
      currency,
      afterMinor,
      afterId,
      between?.[0].toString() ?? null,
      between?.[1].toString() ?? null,
      rowsMax,
    ],
  );
  return rows;
}

/** The walk goes on after a place, or ends; then it begins anew when it was asked for meanwhile. */
export async function moveWalk(connection: Queryable, walk: Walk, place: Place | undefined): Promise<void> {
  const id = [walk.kind, walk.key, walk.currency];
  if (place !== undefined) {
    await connection.query(
      'update match_walks set after_minor = $4, after_id = $5 where kind = $1 and key = $2 and currency = $3',
      [...id, place.minor, place.id],
    );
    return;
  }
  await connection.query(
    `with ended as (
       delete from match_walks where kind = $1 and key = $2 and currency = $3 and not again returning 1
     )
     update match_walks set again = false, after_minor = default, after_id = default
     where kind = $1 and key = $2 and currency = $3 and again and not exists (select from ended)`,
    id,
  );
}
