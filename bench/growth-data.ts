import type { Pool } from '../packages/service/src/database/pool.ts';
import { createDesk, type Desk } from '../packages/service/test/support/trading.ts';

/** Trades as the service writes them, and as many copies of them as are asked for. */

const CUSTOMERS = 20;
const AT_ONCE = 50;
/** Real trades that the copies are made of. */
export const SAMPLE = 4_000;
/** Business time between two batches, so that the sample lies over some hours. */
const STEP_MS = 120_000;

/** What a trade writes, in this order. */
const TABLES = ['quotes', 'transactions', 'journal_entries', 'events', 'idempotency_keys'] as const;

/** @returns business time that the sample took, ms */
export async function trade(pool: Pool): Promise<number> {
  const desks: Desk[] = [];
  for (let n = 0; n < CUSTOMERS; n++) desks.push(await createDesk(pool));
  const [first] = desks;
  if (first === undefined) throw new Error('there are no customers');
  const began = first.clock.now();
  for (let done = 0; done < SAMPLE; done += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, n) => {
        const desk = desks[(done + n) % CUSTOMERS] as Desk;
        await desk.execute(await desk.quote());
      }),
    );
    for (const desk of desks) desk.clock.advance(STEP_MS);
  }
  return first.clock.now() - began + STEP_MS;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Names that a copy shares with its original: who trades, and what many trades have in common. */
const SHARED: ReadonlySet<string> = new Set([
  'customer_id',
  'client_id',
  'price_id',
  'spread_id',
  'destination_id',
]);

/** A column of the nth copy. */
function copied({ name, type }: Column, spanMs: number): string {
  if (name === 'sequence' || name.endsWith('_sequence')) return `${name} + n * ${SAMPLE * 4}`;
  if (name === 'reference')
    return `'RF' || lpad((n::bigint * ${SAMPLE} + row_number() over (order by id))::text, 14, '0')`;
  if (name === 'key') return `${name} || '-' || n`;
  if (SHARED.has(name)) return name;
  if (type === 'uuid') return `later(${name}, n * ${spanMs}::bigint)`;
  if (type === 'timestamp with time zone') return `${name} + n * interval '${spanMs} milliseconds'`;
  return name;
}

/** Copies the sample until there are so many trades. Indexes are kept up as rows come, as in the course of years. */
export async function multiply(
  pool: Pool,
  trades: number,
  spanMs: number,
  reported: (text: string) => void,
): Promise<void> {
  const connection = await pool.connect();
  const run = (text: string) => connection.query({ text, query_timeout: 2 ** 31 - 1 } as { text: string });
  try {
    await run(
      'set session_replication_role = replica; set statement_timeout = 0; set synchronous_commit = off',
    );
    await run(`create function pg_temp.later(id uuid, ms bigint) returns uuid language sql immutable parallel safe as $$
      select (lpad(to_hex(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint + ms), 12, '0')
        || substr(replace(id::text, '-', ''), 13))::uuid $$`);
    const statements: string[] = [];
    for (const table of TABLES) {
      await run(`create temp table sample_${table} as select * from ${table}`);
      const { rows } = await connection.query<Column>(
        `select attname as name, format_type(atttypid, null) as type from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
        [table],
      );
      const columns = rows.map((column) => copied(column, spanMs).replace(/^later/, 'pg_temp.later'));
      statements.push(
        `insert into ${table} (${rows.map(({ name }) => name).join(', ')})
         select ${columns.join(', ')} from sample_${table}, (select $1::int as n) copy`,
      );
    }
    const copies = Math.ceil(trades / SAMPLE);
    const began = performance.now();
    for (let n = 1; n < copies; n++) {
      for (const text of statements)
        await connection.query({ text, values: [n], query_timeout: 2 ** 31 - 1 } as {
          text: string;
          values: unknown[];
        });
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      if (n % Math.ceil(copies / 10) === 0) reported(`${(n + 1) * SAMPLE} trades after ${seconds} s`);
    }
    for (const table of TABLES) await run(`vacuum analyze ${table}`);
  } finally {
    connection.release();
  }
}
