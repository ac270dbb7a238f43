import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@firmquote/embedded-postgres';
import type pg from 'pg';
import {
  detailsOfAccount,
  statementsOfAccount,
} from '../packages/service/src/bank-statements/listing-store.ts';
import { migrate } from '../packages/service/src/database/migrate.ts';
import { createPool, type Pool, type Queryable } from '../packages/service/src/database/pool.ts';
import type { DepositFilter } from '../packages/service/src/deposits/search-deposits.ts';
import { searchDeposits } from '../packages/service/src/deposits/search-store.ts';
import { countDeposits, countExceptions } from '../packages/service/src/exceptions/work-counts.ts';
import { readHousePositions } from '../packages/service/src/exposure/position-store.ts';
import { positionTotals } from '../packages/service/src/ledger/position-store.ts';
import { countWork, listForOperator } from '../packages/service/src/payments/search-store.ts';
import type { OperatorFilter } from '../packages/service/src/payments/search-transactions.ts';
import { readLadder } from '../packages/service/src/reports/trade-store.ts';
import { readFlags } from '../scripts/flags.ts';
import {
  CUSTOMERS,
  fill,
  KEPT,
  keeping,
  NOW,
  OF_SEARCHES,
  othersOf,
  tablesOf,
  WRITTEN,
  writing,
} from './history-data.ts';

/**
 * What reads of operators cost behind five years of history, in a PostgreSQL of its own that is removed afterwards: the time,
 * the pages that are read and the indexes that serve them; and what it costs there to keep the sums of the house. There are
 * a fifth as many entries of statements, and transactions if not said otherwise, as deposits; ten million deposits take
 * 15 GB, ten million transactions as much again.
 */
const USAGE = 'npm run bench:history [-- --deposits 10000000 --transactions 10000000 --folder /var/tmp]';
const ROWS_MAX = 50_000_000;
const ROUNDS = 5;
const PAGE = 51;

const flags = readFlags({ usage: USAGE, values: ['deposits', 'transactions', 'folder'] });
const deposits = flags.number('deposits', 1_000_000, 1_000, ROWS_MAX);
const others = othersOf(deposits);
const trades = flags.number('transactions', others, 100, ROWS_MAX);
const folder = flags.folder('folder', tmpdir());

const uuid = (n: number) => `00000000-0000-7000-8000-${(n % CUSTOMERS).toString(16).padStart(12, '0')}`;
const QUARTER = { from: Date.parse('2025-06-01T00:00:00Z'), to: Date.parse('2025-08-30T00:00:00Z') };
const middle = Math.floor(deposits / 2);
const trade = Math.floor(trades / 2);
const minorOf = (n: number) => 100n + ((BigInt(n) * 7919n) % 9_000_000n);

type Read = (database: Queryable) => Promise<unknown>;
const find =
  (filter: DepositFilter): Read =>
  (database) =>
    searchDeposits(database, filter, undefined, PAGE);
const list =
  (filter: OperatorFilter): Read =>
  (database) =>
    listForOperator(database, filter, undefined, PAGE);
const amount = { currencies: ['EUR'], minAmountMinor: minorOf(middle), maxAmountMinor: minorOf(middle) };
const days = { account: 'ACCOUNT3', from: '2025-06-10', to: '2025-06-11' };
const anyState = { direction: undefined, depositState: undefined, paymentState: undefined };

const READS: Readonly<Record<string, Read>> = {
  'deposits, newest': find({}),
  'deposits, unmatched': find({ status: ['unmatched'] }),
  'deposits, unmatched in a currency': find({ status: ['unmatched'], currencies: ['SEK'] }),
  'deposits of a currency': find({ currencies: ['SEK'] }),
  'deposits by amount': find(amount),
  'deposits by a range of amounts, 90 days': find({
    ...QUARTER,
    currencies: ['EUR'],
    minAmountMinor: 900_000n,
    maxAmountMinor: 900_100n,
  }),
  'deposits by bank reference': find({ bankReference: `B${middle}` }),
  'deposits by reference': find({ reference: `RF${`${trade}`.padStart(14, '0')}` }),
  "deposits by the remitter's account": find({ remitterAccount: `DE${'4711'.padStart(20, '0')}` }),
  'deposits of a customer': find({ customerId: uuid(4711) }),
  "deposits of a customer by the remitter's name": find({
    customerId: uuid(4711),
    remitter: 'remitter 94711',
  }),
  "deposits by the remitter's name, 90 days": find({ ...QUARTER, remitter: 'remitter 4711' }),
  'deposits by a text that none has, 90 days': find({ ...QUARTER, text: 'no such text' }),
  'deposits by text, booked in 3 days': find({
    bookedFrom: '2025-06-10',
    bookedTo: '2025-06-12',
    text: 'no such text',
  }),
  'deposits by text, valued in 3 days': find({
    valueDateFrom: '2025-06-10',
    valueDateTo: '2025-06-12',
    text: 'no such text',
  }),
  'deposits, counts': (database) => countDeposits(database, NOW),
  'exceptions, counts': (database) => countExceptions(database, NOW),
  'transactions, newest': list({}),
  'transactions that wait for funds': list({ status: ['awaiting_funds'] }),
  'transactions by reference': list({ reference: `RF${`${trade}`.padStart(14, '0')}` }),
  "transactions by the customer's reference": list({ clientReference: `C${trade}` }),
  'transactions of a customer': list({ customerId: uuid(4711) }),
  'transactions by amount, 90 days': list({
    ...{ currency: 'EUR', minAmountMinor: 900_000n, maxAmountMinor: 900_100n },
    ...{ tradeDateFrom: '2025-06-01', tradeDateTo: '2025-08-30' },
  }),
  'transactions, counts': (database) => countWork(database),
  'entries of an account, 2 days': (database) =>
    detailsOfAccount(database, { ...days, ...anyState }, undefined, PAGE),
  'statements of an account, 2 days': (database) => statementsOfAccount(database, days, undefined, PAGE),
  'positions of the house': (database) => positionTotals(database, undefined),
  'exposure of the house': (database) => readHousePositions(database, NOW),
  'settlement ladder': (database) => readLadder(database, {}),
};

interface Plan {
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** Names of the indexes of a plan, and of tables that are read as a whole. */
function waysOf(plan: Plan): string[] {
  const own =
    plan['Index Name'] ?? (plan['Node Type'] === 'Seq Scan' ? `all of ${plan['Relation Name']}` : undefined);
  return [...(own === undefined ? [] : [own]), ...(plan.Plans ?? []).flatMap(waysOf)];
}

async function measure(pool: Pool, read: Read): Promise<{ ms: number; pages: number; ways: string[] }> {
  const asked: { text: string; values: unknown[] }[] = [];
  const watched = {
    query: (config: pg.QueryConfig | string, values?: unknown[]) => {
      const text = typeof config === 'string' ? config : config.text;
      asked.push({ text, values: values ?? (typeof config === 'string' ? [] : (config.values ?? [])) });
      return pool.query(config as string, values);
    },
  } as unknown as Queryable;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    asked.length = 0;
    const began = performance.now();
    await read(watched);
    times.push(performance.now() - began);
  }
  let pages = 0;
  const ways = new Set<string>();
  for (const { text, values } of asked) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, buffers, format json) ${text}`,
      values,
    );
    const reported = rows[0]?.['QUERY PLAN'] ?? '[]';
    const [{ Plan: plan }] = (typeof reported === 'string' ? JSON.parse(reported) : reported) as [
      { Plan: Plan },
    ];
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    for (const way of waysOf(plan)) ways.add(way);
  }
  return { ms: times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0, pages, ways: [...ways] };
}

const dataDir = await mkdtemp(join(folder, 'fq-history-'));
await chmod(dataDir, 0o711);
const server = await startEmbeddedPostgres({ dataDir, durable: false });
try {
  const pool = createPool({
    connection: server.connectionString,
    max: 2,
    onError: (error) => console.error(error.message),
  });
  await migrate(pool);
  console.log(
    `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.version}`,
  );
  await fill(pool, tablesOf(deposits, trades));
  console.log('\n| | ms | pages | by |\n| --- | --- | --- | --- |');
  for (const [name, read] of Object.entries(READS)) {
    const { ms, pages, ways } = await measure(pool, read);
    console.log(`| ${name} | ${ms.toFixed(1)} | ${pages} | ${ways.join(', ')} |`);
  }
  const { rows } = await pool.query<{ name: string; megabytes: string; scans: string }>(
    `select indexrelname as name, pg_relation_size(indexrelid) / 1048576 as megabytes, idx_scan as scans
     from pg_stat_user_indexes where relname = 'deposits' order by 1`,
  );
  console.log(
    `\nIndexes of deposits: ${rows.map((row) => `${row.name} ${row.megabytes} MB, ${row.scans} scans`).join('; ')}`,
  );
  const [all, fewer] = [await writing(pool, deposits, undefined), await writing(pool, deposits, OF_SEARCHES)];
  console.log(`${WRITTEN} deposits: ${all.toFixed(0)} ms, without ${OF_SEARCHES}: ${fewer.toFixed(0)} ms`);
  const { kept, unkept, folded } = await keeping(pool);
  console.log(
    `${KEPT} trades booked and funded: ${kept.toFixed(0)} ms, without the sums of the house: ${unkept.toFixed(0)} ms; one folding: ${folded.toFixed(1)} ms`,
  );
  await pool.end();
} finally {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
