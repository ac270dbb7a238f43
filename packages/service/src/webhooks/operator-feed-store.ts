import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { uuidFloor } from '../platform/ids.ts';

/** SQL of what operators are notified of. */

export type OperatorEventRow = Row<'operator_events'>;

/** The last place that was given to an event; 0 before the first. */
export async function lastPlace(connection: Queryable): Promise<bigint> {
  const { rows } = await connection.query<{ last: string }>(
    'select case when is_called then last_value else 0 end as last from operator_event_places',
  );
  return BigInt(rows[0]?.last ?? 0);
}

export async function readPlaces(
  connection: Queryable,
  {
    after,
    until,
    from,
    to,
    limit,
  }: {
    readonly after: bigint;
    readonly until?: bigint | undefined;
    readonly from?: number | undefined;
    readonly to?: number | undefined;
    readonly limit: number;
  },
): Promise<OperatorEventRow[]> {
  const { rows } = await connection.query<OperatorEventRow>(
    `select * from operator_events
     where place > $1 and ($2::bigint is null or place <= $2) and ($3::timestamptz is null or at >= $3)
       and ($4::timestamptz is null or at < $4)
     order by place limit $5`,
    [
      after.toString(),
      until?.toString() ?? null,
      from === undefined ? null : isoInstant(from),
      to === undefined ? null : isoInstant(to),
      limit,
    ],
  );
  return rows;
}

export async function findOperatorEvents(
  connection: Queryable,
  ids: readonly string[],
): Promise<OperatorEventRow[]> {
  const { rows } = await connection.query<OperatorEventRow>(
    'select * from operator_events where id = any ($1::uuid[]) and place is not null',
    [ids],
  );
  return rows;
}

/** Answers how many. */
export async function deleteOperatorEventsBefore(
  connection: Queryable,
  before: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await connection.query(
    `delete from operator_events where id in (
       select id from operator_events where id < $1 and place is not null order by id limit $2)`,
    [uuidFloor(before), rowsMax],
  );
  return rowCount ?? 0;
}

/** How something is, of which operators are notified when it changes. */
interface ConditionChange {
  readonly kind: string;
  readonly key: string;
  readonly state: string;
  readonly at: number;
  /** No change is announced so soon after the last one, milliseconds. */
  readonly hold: number;
}

/** Whether it was otherwise before, which only one caller hears. What is `up` and was never otherwise is no news. */
export async function changeCondition(
  connection: Connection,
  { kind, key, state, at, hold }: ConditionChange,
): Promise<boolean> {
  const { rowCount } = await connection.query({
    name: 'change_condition',
    text: `insert into operator_conditions as c (kind, key, state, changed_at)
           select $1, $2, $3, $4::timestamptz
           where $3 <> 'up' or exists (select from operator_conditions o where o.kind = $1 and o.key = $2 and o.state <> 'up')
           on conflict (kind, key) do update set state = excluded.state, changed_at = excluded.changed_at
           where c.state <> excluded.state and c.changed_at <= $5`,
    values: [kind, key, state, isoInstant(at), isoInstant(at - hold)],
  });
  return rowCount === 1;
}

/** For what is written here; what is caused in the database is announced there, by the same function. */
export async function insertOperatorEvent(
  connection: Connection,
  {
    type,
    at,
    resource,
    data,
  }: {
    readonly type: string;
    readonly at: number;
    readonly resource: string;
    readonly data: Readonly<Record<string, string>>;
  },
): Promise<void> {
  await connection.query('select notify_operators($1, $2, $3, $4)', [
    type,
    isoInstant(at),
    resource,
    JSON.stringify(data),
  ]);
}
