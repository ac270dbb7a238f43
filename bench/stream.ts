import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/flags.ts';
import type { ReadOrder, ReadResult } from './stream-reader.ts';

/**
 * Price streams to many readers in a second process, beside a bare fan-out of the same bytes (see stream-server.ts),
 * measured in turns.
 */
const USAGE = 'npm run bench:stream [-- --seconds 5 --rounds 3 --readers 1000 --pairs 30]';
const PAIRS =
  'EURUSD,GBPUSD,AUDUSD,NZDUSD,USDCAD,USDCHF,USDSEK,USDNOK,USDDKK,USDPLN,USDSGD,USDMXN,USDZAR,USDHKD,USDILS,EURGBP,EURCHF,EURSEK,EURNOK,EURDKK,EURPLN,EURCAD,EURAUD,EURNZD,EURSGD,GBPCHF,GBPCAD,GBPAUD,GBPNZD,AUDNZD,AUDCAD,AUDCHF,CADCHF,NZDCAD,NZDCHF,GBPSEK,GBPNOK,GBPDKK,GBPPLN,GBPSGD'.split(
    ',',
  );
const WANTED = 0.8;
const MODES = ['bare', 'batched', 'service'] as const;
type Mode = (typeof MODES)[number];
type Measured = ReadResult & { readonly cpuSeconds: number; readonly rssMb: number };

const flags = readFlags({ usage: USAGE, values: ['seconds', 'rounds', 'readers', 'pairs'] });
const seconds = flags.number('seconds', 5, 1, 60);
const rounds = flags.number('rounds', 3, 1, 20);
const readers = flags.number('readers', 1_000, 1, 5_000);
const pairs = PAIRS.slice(0, flags.number('pairs', 30, 1, PAIRS.length)).join();

/** The next message of a child that has the member. Rejects when it ends before. */
async function message<T>(child: ChildProcess, member: string): Promise<T> {
  for (;;) {
    const [got] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`a process of the measurement ended with ${code}`);
      }),
    ])) as [unknown];
    if (typeof got === 'object' && got !== null && member in got) return got as T;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function measure(mode: Mode): Promise<Measured> {
  const server = fork(join(import.meta.dirname, 'stream-server.ts'), [mode, pairs]);
  let reader: ChildProcess | undefined;
  try {
    const { port } = await message<{ port: number }>(server, 'port');
    const order: ReadOrder = { port, readers, pairs, warmUpMs: 1_500, measureMs: seconds * 1_000 };
    reader = fork(join(import.meta.dirname, 'stream-reader.ts'), [JSON.stringify(order)]);
    const usage = message<{ cpuSeconds: number; rssMb: number }>(server, 'cpuSeconds');
    // Awaited below; until then a failure must not count as unhandled.
    usage.catch(() => undefined);
    reader.on('message', (said) => {
      if (said === 'begin') server.send('begin');
      if (said === 'end') server.send('report');
    });
    const { result } = await message<{ result: ReadResult }>(reader, 'result');
    return { ...result, ...(await usage) };
  } finally {
    await end(server);
    if (reader !== undefined) await end(reader);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const cpu = cpus();
console.log(
  `${cpu.length} × ${cpu[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
);
console.log(
  `${readers} readers × ${pairs.split(',').length} pairs, a tick of each every 260 ms, ${rounds} rounds of ${seconds} s after 1.5 s of warm-up, in turns\n`,
);
const measured: Record<Mode, Measured[]> = { bare: [], batched: [], service: [] };
for (let round = 0; round < rounds; round++) {
  for (const mode of MODES) measured[mode].push(await measure(mode));
}
console.log(
  '| fan-out | prices /s | p50 ms | p95 ms | p99 ms | CPU of a core | MiB | fewest, most of a reader | closed |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const mode of MODES) {
  const of = (pick: (each: Measured) => number) => median(measured[mode].map(pick));
  console.log(
    `| ${mode} | ${Math.round(of((m) => m.perSecond))} | ${of((m) => m.p50Ms)} | ${of((m) => m.p95Ms)} | ${of((m) => m.p99Ms)} | ${Math.round((of((m) => m.cpuSeconds) / seconds) * 100)} % | ${of((m) => m.rssMb)} | ${of((m) => m.fewest)}, ${of((m) => m.most)} | ${of((m) => m.closed)} |`,
  );
}
const ratioTo = (mode: Mode) =>
  median(measured.service.map((each, i) => each.perSecond / (measured[mode][i]?.perSecond ?? 1)));
console.log(
  `\nservice to bare ${ratioTo('bare').toFixed(2)}, to batched ${ratioTo('batched').toFixed(2)}; wanted ${WANTED.toFixed(2)}`,
);
const isComplete = Object.values(measured).every((all) => all.every((each) => each.closed === 0));
process.exitCode = isComplete && ratioTo('bare') >= WANTED ? 0 : 1;
