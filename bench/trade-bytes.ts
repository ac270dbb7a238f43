import type pg from 'pg';
import { footprint, Growth } from './bytes.ts';
import { SHORT } from './options.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * `npm run bench:bytes [-- trades customers]`
 *
 * What a trade (firm quote and execution) takes of the disk and of the write-ahead log, by table, index and kind of record. Bytes are
 * the same on a busy machine. Images of whole pages, which follow checkpoints and not trades, are told apart, and nothing is vacuumed
 * meanwhile.
 */

const CONNECTIONS = 64;
const LIMIT_MS = 600_000;
/** Trades of each customer before: accounts are there, and pages have been written since the checkpoint. */
const BEFORE = 2;
const LINES = 60;

const numberAt = (place: number, fallback: number) =>
  process.argv[place] === undefined ? fallback : Number.parseInt(process.argv[place], 10);

async function trade(stage: Stage, callersFile: string, most: number, number: number): Promise<number> {
  const { errors, firstError, total } = await stage.programs.load({
    ...{ port: stage.service.port, callersFile, connections: CONNECTIONS, path: 'trade', number },
    ...{ warmUpMs: 0, measureMs: LIMIT_MS, most },
  });
  if (errors > 0) throw new Error(`trades failed: ${firstError}`);
  return total;
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
  const trades = numberAt(2, 20_000);
  const customers = numberAt(3, 1_000);
  const stage = await openStage({ ...SHORT, customers }, (line) => console.error(line));
  try {
    const { pool } = stage;
    await pool.query('create extension pg_walinspect');
    await pool.query('alter system set autovacuum = off');
    await pool.query('select pg_reload_conf()');
    const callersFile = await stage.callers(customers);
    await trade(stage, callersFile, customers * BEFORE, 1);
    await pool.query('checkpoint');
    await trade(stage, callersFile, customers * BEFORE, 2);
    const [before, from] = [await footprint(pool), await placeInLog(pool)];
    const made = await trade(stage, callersFile, trades, 3);
    const [after, to] = [await footprint(pool), await placeInLog(pool)];
    const growth = new Growth();
    growth.add(before, after, made);
    console.log(
      `${made} trades: ${growth.diskOfEach.toFixed(0)} bytes of disk and ${growth.walOfEach.toFixed(0)} of the log each`,
    );
    console.table(growth.byRelation.map(([name, bytes]) => ({ name, bytes })));
    console.table((await pool.query(RECORDS, [from, to, made])).rows);
  } finally {
    await stage.close();
  }
}

await main();
