import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readFlags } from '../scripts/flags.ts';
import { footprint, Growth } from './bytes.ts';
import type { LoadPath } from './operations.ts';
import { SHORT } from './options.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * What a trade (firm quote and execution) takes of the disk and of the write-ahead log, by table, index and kind of record, and then a quote
 * that comes to nothing, until its end is written down. Bytes are the same on a busy machine. Images of whole pages, which follow
 * checkpoints and not trades, are told apart, and nothing is vacuumed meanwhile.
 */

const USAGE = 'npm run bench:bytes [-- --trades 20000 --customers 1000]';
const CONNECTIONS = 64;
const LIMIT_MS = 600_000;
/** Trades of each customer before: accounts are there, and pages have been written since the checkpoint. */
const BEFORE = 2;
const LINES = 60;

interface Load {
  readonly callersFile: string;
  readonly path: LoadPath;
  readonly most: number;
  /** Tells its keys from those of other loads. */
  readonly number: number;
}

async function send(stage: Stage, load: Load): Promise<number> {
  const { errors, firstError, total } = await stage.programs.load({
    ...{ port: stage.service.port, connections: CONNECTIONS, warmUpMs: 0, measureMs: LIMIT_MS, ...load },
  });
  if (errors > 0) throw new Error(`${load.path}: failed: ${firstError}`);
  return total;
}

/** Until no quote is open. */
async function ended(pool: pg.Pool): Promise<void> {
  for (const from = performance.now(); performance.now() - from < LIMIT_MS; await sleep(1_000)) {
    const { rows } = await pool.query<{ open: string | null }>(
      'select sum(quotes)::text as open from house_open_quotes',
    );
    if ((rows[0]?.open ?? '0') === '0') return;
  }
  throw new Error('quotes are still open');
}

async function measure(stage: Stage, load: Load): Promise<void> {
  const { pool } = stage;
  const [before, from] = [await footprint(pool), await placeInLog(pool)];
  const made = await send(stage, load);
  await ended(pool);
  const [after, to] = [await footprint(pool), await placeInLog(pool)];
  const growth = new Growth();
  growth.add(before, after, made);
  console.log(
    `${made} × ${load.path}: ${growth.diskOfEach.toFixed(0)} bytes of disk and ${growth.walOfEach.toFixed(0)} of the log each`,
  );
  console.table(growth.byRelation.map(([name, bytes]) => ({ name, bytes })));
  console.table((await pool.query(RECORDS, [from, to, made])).rows);
}

async function placeInLog(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ at: string }>('select pg_current_wal_insert_lsn()::text as at');
  return rows[0]?.at ?? '';
}

/** Records by table or index, with their kind; what one holds of several pages is shared between these. */
const RECORDS = `
  select coalesce(c.oid::regclass::text, b.relfilenode::text) || ' ' || b.record_type as what,
    round(count(*) / $3::numeric, 2)::text as records, round(sum(b.record_length::numeric / b.blocks) / $3, 0)::text as bytes,
    round(sum(b.block_fpi_length) / $3::numeric, 0)::text as images
  from (select *, count(*) over (partition by start_lsn) as blocks from pg_get_wal_block_info($1, $2, true)) b
  left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
  group by 1 order by sum(b.record_length::numeric / b.blocks) desc limit ${LINES}`;

async function main(): Promise<void> {
  const flags = readFlags({ usage: USAGE, values: ['trades', 'customers'] });
  const trades = flags.number('trades', 20_000, 100, 10_000_000);
  const customers = flags.number('customers', 1_000, 1, 5_000);
  const stage = await openStage({ ...SHORT, customers }, (line) => console.error(line));
  try {
    const { pool } = stage;
    await pool.query('create extension pg_walinspect');
    await pool.query('alter system set autovacuum = off');
    await pool.query('select pg_reload_conf()');
    const callersFile = await stage.callers(customers);
    const before = { callersFile, path: 'trade', most: customers * BEFORE } as const;
    await send(stage, { ...before, number: 1 });
    await pool.query('checkpoint');
    await send(stage, { ...before, number: 2 });
    await measure(stage, { callersFile, path: 'trade', most: trades, number: 3 });
    await measure(stage, { callersFile, path: 'quote', most: trades, number: 4 });
  } finally {
    await stage.close();
  }
}

await main();
