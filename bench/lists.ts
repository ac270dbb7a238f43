import { readFlags } from '../scripts/flags.ts';
import type { Latency, LoadResult } from './load.ts';
import { SHORT } from './options.ts';
import { memoryMb, Programs } from './processes.ts';
import { openStage } from './stage.ts';

/**
 * What trades wait for while others read lists: trades that arrive at random instants, first alone, then beside readers who ask for
 * their newest 50 transactions as fast as they are answered. Both have a process of their own.
 */

const USAGE =
  'npm run bench:lists [-- --rate 150 --readers 64 --rounds 3 --seconds 6 --customers 100 --history 20000]';
const CONNECTIONS = 64;
const WARM_UP_MS = 1_000;

const flags = readFlags({
  usage: USAGE,
  values: ['rate', 'readers', 'rounds', 'seconds', 'customers', 'history'],
});
const rate = flags.number('rate', 150, 1, 10_000);
const readers = flags.number('readers', 64, 1, 512);
const rounds = flags.number('rounds', 3, 1, 20);
const measureMs = flags.number('seconds', 6, 1, 60) * 1_000;
const customers = flags.number('customers', 100, 1, 5_000);
const history = flags.number('history', 20_000, 1, 1_000_000);

const quantiles = ({ p50, p95, p99 }: Latency) => [p50, p95, p99].map((ms) => ms.toFixed(1)).join(' | ');

function succeeded(result: LoadResult): LoadResult {
  if (result.errors > 0) throw new Error(`${result.errors} errors: ${result.firstError}`);
  return result;
}

const stage = await openStage({ ...SHORT, customers, history }, (line) => console.error(line));
const reading = new Programs();
try {
  const { port, pid } = stage.service;
  const callersFile = await stage.callers(customers);
  const order = { port, callersFile, warmUpMs: WARM_UP_MS, measureMs };
  let number = 1;
  const trades = async () =>
    succeeded(
      await stage.programs.load({
        ...{ ...order, path: 'trade', number: number++, connections: CONNECTIONS, arrivals: rate },
      }),
    );
  const lists = async () =>
    succeeded(
      await reading.load({ ...order, path: 'list-transactions', number: number++, connections: readers }),
    );
  console.log(`${rate} trades a second of ${customers} customers; ${readers} readers of lists.\n`);
  console.log(
    '| trades | p50 ms | p95 | p99 | their execution: p50 ms | p95 | p99 | lists /s | p50 ms | p95 | p99 | memory MB |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  const tell = (what: string, traded: LoadResult, listed: string) =>
    console.log(
      `| ${what} | ${quantiles(traded.latency)} | ${quantiles(traded.execution)} | ${listed} | ${memoryMb(pid)?.now.toFixed(0) ?? ''} |`,
    );
  for (let round = 0; round < rounds; round++) {
    tell('alone', await trades(), ' |  |  | ');
    const [traded, listed] = await Promise.all([trades(), lists()]);
    tell('beside readers', traded, `${listed.perSecond.toFixed(0)} | ${quantiles(listed.latency)}`);
  }
} finally {
  await reading.stop();
  await stage.close();
}
