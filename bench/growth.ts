import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeBackup, restoreBackup, startEmbeddedPostgres } from '@firmquote/embedded-postgres';
import { migrate } from '../packages/service/src/database/migrate.ts';
import { createPool, type Pool } from '../packages/service/src/database/pool.ts';
import { readFlags } from '../scripts/flags.ts';
import { footprint } from './bytes.ts';
import { multiply, SAMPLE, trade } from './growth-data.ts';

/**
 * What so many trades cost: disk, log, a backup, a dump, and putting them back. The first trades are made by the service's own
 * code, which says what a trade writes into the log; the others are copies of their rows, with indexes kept up. It takes 3 GB of
 * room for a million trades, three times (database, backup, what is restored), all of which is removed afterwards.
 */
const USAGE = 'npm run bench:growth [-- --trades 1000000 --folder /var/tmp]';
const TRADES_MAX = 20_000_000;
const ROOM_BYTES = 9_000; // of a trade, with its copies

const flags = readFlags({ usage: USAGE, values: ['trades', 'folder'] });
const trades = flags.number('trades', 1_000_000, SAMPLE, TRADES_MAX);
const folder = flags.folder('folder', tmpdir());

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const rows: string[][] = [];

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}

async function sizeOf(path: string): Promise<number> {
  const about = await stat(path);
  if (!about.isDirectory()) return about.size;
  const inside = await readdir(path);
  return (await Promise.all(inside.map((name) => sizeOf(join(path, name))))).reduce((a, b) => a + b, 0);
}

const poolOf = (connection: string) =>
  createPool({ connection, max: 24, onError: (error) => console.error(error.message) });

/** Rows of the table about the database itself. */
async function filled(pool: Pool): Promise<void> {
  await migrate(pool);
  const empty = await footprint(pool);
  const spanMs = await trade(pool);
  const sampled = await footprint(pool);
  const wal = (sampled.wal - empty.wal) / SAMPLE;
  await multiply(pool, trades, spanMs, console.log);
  const full = await footprint(pool);
  const sum = ({ relations }: typeof full, only?: RegExp) =>
    [...relations].reduce((total, [name, bytes]) => (only?.test(name) === false ? total : total + bytes), 0);
  const disk = sum(full) - sum(empty);
  const passing = sum(full, /^(events|idempotency_keys)/) - sum(empty, /^(events|idempotency_keys)/);
  rows.push(['Disk, all of it', megabytes(disk), `${Math.round(disk / trades)} bytes`]);
  rows.push([
    'Disk, without events and keys, which are kept for days',
    megabytes(disk - passing),
    `${Math.round((disk - passing) / trades)} bytes`,
  ]);
  rows.push([`Log, from ${SAMPLE} real trades`, megabytes(wal * trades), `${Math.round(wal)} bytes`]);
}

/** A dump, where the `pg_dump` of this machine is as new as the server. */
async function dumped(url: string, into: string): Promise<void> {
  const run = promisify(execFile);
  try {
    const [, ms] = await timed(() => run('pg_dump', ['--format', 'custom', '--file', into, url]));
    rows.push(['`pg_dump --format custom`', seconds(ms), megabytes(await sizeOf(into))]);
  } catch (error) {
    const why =
      /server version.*|ENOENT/.exec(error instanceof Error ? error.message : '')?.[0] ?? String(error);
    rows.push(['`pg_dump --format custom`', 'not measured', why.slice(0, 80)]);
  }
}

const work = await mkdtemp(join(folder, 'fq-growth-'));
await chmod(work, 0o711);
const dataDir = join(work, 'data');
let server = await startEmbeddedPostgres({ dataDir });
try {
  console.log(
    `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.version}, up to ${megabytes(trades * ROOM_BYTES)} of disk`,
  );
  const pool = poolOf(server.connectionString);
  await filled(pool);
  await pool.end();
  await dumped(server.connectionString, join(work, 'dump'));
  const backup = join(work, 'backup');
  const [made, backupMs] = await timed(() =>
    makeBackup({ dataDir, folder: backup, now: Date.now(), server: server.poolOptions }),
  );
  rows.push(['`npm run backup`', seconds(backupMs), megabytes(made.bytes)]);
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
  const restored = join(work, 'restored');
  const [, restoreMs] = await timed(() => restoreBackup(backup, { dataDir: restored, isChosen: true }));
  const [again, startMs] = await timed(() => startEmbeddedPostgres({ dataDir: restored }));
  server = again;
  const check = poolOf(server.connectionString);
  const { rows: found } = await check.query<{ count: string }>('select count(*) from transactions');
  await check.end();
  const count = Number.parseInt(found[0]?.count ?? '0', 10);
  if (count < trades) throw new Error(`${count} of ${trades} trades came back`);
  rows.push([
    '`npm run restore`, and the first start on it',
    `${seconds(restoreMs)} and ${seconds(startMs)}`,
    `${count.toLocaleString('en')} trades`,
  ]);
  console.log(`\n| ${trades.toLocaleString('en')} trades | | each |\n| --- | --- | --- |`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
} finally {
  await server.stop();
  await rm(work, { recursive: true, force: true });
}
