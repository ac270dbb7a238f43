import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { type Figures, median, type Sample, type Side } from './measure.ts';
import type { LoadPath } from './operations.ts';
import type { Options } from './options.ts';

interface Goal {
  /** Of the floor. */
  readonly floor?: number;
  /** Times the peer. */
  readonly peer?: number;
}

const NAMES: Readonly<Record<LoadPath, string>> = {
  indicative: 'indicative quote',
  trade: 'firm quote + execute',
  'read-transaction': 'GET transaction',
  'read-quote': 'GET quote',
  'list-transactions': 'newest 50 transactions',
  quote: 'firm quote',
};
const GOALS: Readonly<Record<LoadPath, Goal>> = {
  indicative: { floor: 0.8 },
  trade: { floor: 0.25, peer: 2 },
  'read-transaction': { floor: 0.6 },
  'read-quote': { floor: 0.6 },
  'list-transactions': {},
  quote: { floor: 0.5, peer: 2 },
};
const PEERS: Partial<Record<LoadPath, { readonly side: Side; readonly name: string }>> = {
  trade: { side: 'pgbench', name: 'pgbench TPC-B' },
  quote: { side: 'insert', name: 'one INSERT each' },
};
const P99_GOALS_MS = { quote: 15, execute: 20 };
const FOOTPRINT_GOALS = { disk: 2_200, wal: 4_000, memoryMb: 300 };

/** What the machine is, and what was run. */
export function machineLines(options: Options, postgres: string, command: string): string[] {
  const cpu = cpus();
  const machine = `${cpu.length} × ${cpu[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return [
    `\`${command}\` on ${machine}, Node ${process.version}, PostgreSQL ${postgres} (durable), load and database on the same cores${writeBack()}.`,
    `${options.customers} customers, each with a client, token, accounts and spread of its own, behind ${options.history} older trades; ` +
      `${options.connections} connections, ${options.rounds} rounds of ${options.measureMs / 1_000} s after ${options.warmUpMs / 1_000} s of warm-up, ` +
      'everything of a line in turns; medians of the rounds, ratios round by round.',
  ];
}

/** When the kernel writes what lies in its memory decides what a commit waits for; nothing where it does not say. */
function writeBack(): string {
  try {
    const setting = (name: string) => readFileSync(`/proc/sys/vm/dirty_background_${name}`, 'latin1').trim();
    const bytes = setting('bytes');
    return `, vm.dirty_background_${bytes === '0' ? `ratio=${setting('ratio')}` : `bytes=${bytes}`}`;
  } catch {
    return '';
  }
}

/** Everything that was measured, as tables in Markdown. */
export function reportLines(figures: Figures, options: Options): string[] {
  return [
    ...throughput(figures),
    ...costs(figures),
    ...latencies(figures, options),
    ...footprints(figures, options),
    ...payments(figures),
    ...rows(figures),
  ];
}

const table = (title: string, heads: readonly string[], lines: readonly (readonly string[])[]) => [
  '',
  `## ${title}`,
  '',
  `| ${heads.join(' | ')} |`,
  `|${' --- |'.repeat(heads.length)}`,
  ...lines.map((cells) => `| ${cells.join(' | ')} |`),
];

const of = (samples: readonly Sample[], pick: (sample: Sample) => number | undefined) =>
  samples.length === 0 || samples.some((each) => pick(each) === undefined)
    ? undefined
    : median(samples.map((each) => pick(each) ?? 0));
const text = (value: number | undefined, digits = 0) => (value === undefined ? '' : value.toFixed(digits));

function throughput({ samples, pgbench }: Figures): string[] {
  const lines: string[][] = [];
  for (const [path, sides] of samples) {
    const floor = sides.get('floor') ?? [];
    const peer = PEERS[path];
    const ofPeer = (peer && sides.get(peer.side)) ?? [];
    for (const [side, customers] of [
      ['many', 'many'],
      ['one', 'one'],
    ] as const) {
      const own = sides.get(side);
      if (own === undefined) continue;
      const ratio = (others: readonly Sample[]) =>
        others.length === 0
          ? undefined
          : median(own.map(({ perSecond }, i) => perSecond / (others[i]?.perSecond || Number.NaN)));
      const goal = GOALS[path];
      lines.push([
        ...[NAMES[path], customers, text(of(own, (s) => s.perSecond))],
        ...[text(of(floor, (s) => s.perSecond)), text(ratio(floor), 2), text(goal.floor, 2)],
        peer === undefined
          ? ''
          : ofPeer.length === 0
            ? `${peer.name}: skipped`
            : `${peer.name} ${text(of(ofPeer, (s) => s.perSecond))}`,
        ...[text(ratio(ofPeer), 2), text(goal.peer, 2)],
        ...(['p50', 'p95', 'p99'] as const).map((q) =>
          text(
            of(own, (s) => s.latency?.[q]),
            1,
          ),
        ),
        String([...own, ...floor, ...ofPeer].reduce((sum, { errors }) => sum + errors, 0)),
      ]);
    }
  }
  const heads =
    'path, customers, service /s, floor /s, of the floor, wanted, peer /s, times the peer, wanted, p50 ms, p95 ms, p99 ms, errors';
  const errors = [...samples.values()].flatMap((sides) =>
    [...sides].flatMap(([side, all]) =>
      all.flatMap(({ firstError }) => (firstError ? [`First error of ${side}: ${firstError}`] : [])),
    ),
  );
  return [
    ...table('Throughput, closed loop', heads.split(', '), lines),
    ...errors.slice(0, 3),
    ...('skipped' in pgbench
      ? ['', `SKIPPED pgbench: ${pgbench.skipped}`]
      : ['', `pgbench ${pgbench.version}, 16 clients, prepared statements.`]),
  ];
}

const SIDE_NAMES: Readonly<Record<Side, string>> = {
  floor: 'the floor',
  insert: 'one INSERT each',
  pgbench: 'pgbench',
  many: 'service, many customers',
  one: 'service, one customer',
};

function costs({ samples }: Figures): string[] {
  const lines = [...samples].flatMap(([path, sides]) =>
    [...sides].map(([side, all]) => [
      ...[NAMES[path], SIDE_NAMES[side]],
      ...(['server', 'database', 'load'] as const).map((part) =>
        text(
          of(all, ({ cost }) => cost[part]),
          1,
        ),
      ),
    ]),
  );
  return table(
    'Processor time of an operation, µs',
    ['path', 'of', 'server', 'PostgreSQL', 'load generator'],
    lines,
  );
}

function latencies({ open }: Figures, { openMs }: Options): string[] {
  const lines = open.flatMap(({ path, arrivals, perSecond, latency, execution, errors }) => {
    const line = (name: string, { p50, p95, p99 }: typeof latency, wanted: number | undefined) => [
      ...[
        name,
        String(arrivals),
        text(perSecond),
        text(p50, 1),
        text(p95, 1),
        text(p99, 1),
        text(wanted),
        String(errors),
      ],
    ];
    if (execution === undefined) return [line(NAMES[path], latency, P99_GOALS_MS.quote)];
    return [line(NAMES[path], latency, undefined), line('its execution', execution, P99_GOALS_MS.execute)];
  });
  const heads = ['path', 'arrivals /s', 'answered /s', 'p50 ms', 'p95 ms', 'p99 ms', 'wanted p99', 'errors'];
  return [
    ...table(`Latency at half of the peak, open loop of ${openMs / 1_000} s`, heads, lines),
    ...open.flatMap(({ firstError }) => (firstError === undefined ? [] : [`First error: ${firstError}`])),
  ];
}

function footprints({ trades, memory }: Figures, options: Options): string[] {
  const isMeasured = trades.operations > 0;
  const lines = [
    ...(isMeasured
      ? [
          ['disk of a trade, tables and indexes, bytes', text(trades.diskOfEach), text(FOOTPRINT_GOALS.disk)],
          ['write-ahead log of a trade, bytes', text(trades.walOfEach), text(FOOTPRINT_GOALS.wal)],
        ]
      : []),
    [
      'resident memory of the service, right after the last load, MB',
      text(memory?.atEnd),
      text(FOOTPRINT_GOALS.memoryMb),
    ],
    [`the same ${options.restMs / 1_000} s later`, text(memory?.rested), text(FOOTPRINT_GOALS.memoryMb)],
    ['the most that it had, MB', text(memory?.most), ''],
  ];
  const byTable = table(
    'Bytes of a trade',
    ['table or index', 'bytes'],
    trades.byRelation.map(([name, bytes]) => [name, String(bytes)]),
  );
  return [
    ...table('Footprint', ['what', 'measured', 'wanted'], lines),
    ...(options.isByTable && isMeasured ? byTable : []),
  ];
}

function payments({ payments: paid }: Figures): string[] {
  if (paid === undefined) return [];
  const { payments: count, matchedSeconds, paidSeconds } = paid;
  const line = (name: string, seconds: number) => [
    name,
    String(count),
    text(seconds, 1),
    text(count / seconds),
  ];
  return table(
    'Bank',
    ['what', 'payments', 's', '/s'],
    [
      line('a camt.054 imported, matched by reference and funded', matchedSeconds),
      line('payment file ordered, written and sent; its debits imported, settled', paidSeconds),
    ],
  );
}

function rows(figures: Figures): string[] {
  const { answered, found } = figures;
  const verdict = isRight(figures) ? 'right' : 'WRONG';
  return [
    '',
    `Answered for ${answered.quotes} quotes and ${answered.transactions} transactions; the database holds ${found.quotes} and ${found.transactions}, with ${found.entries} journal entries; ${found.off} sums of the books are wrong: ${verdict}.`,
  ];
}

function isRight({ answered, found }: Figures): boolean {
  return (
    found.quotes === answered.quotes &&
    found.transactions === answered.transactions &&
    found.entries === answered.transactions &&
    found.off === 0
  );
}

/** That every counted answer was right and the database holds what was answered for, whatever the figures are. */
export function isSound(figures: Figures): boolean {
  const samples = [...figures.samples.values()].flatMap((sides) => [...sides.values()].flat());
  const all = [...samples, ...figures.open];
  return isRight(figures) && all.every(({ errors, operations }) => errors === 0 && operations > 0);
}

/** The lines of the tables of a report, each with the title of its table. */
export function cellsOf(report: string): { readonly table: string; readonly cells: readonly string[] }[] {
  let title = '';
  let isBody = false;
  return report.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) title = line.slice(3);
    const isRow = line.startsWith('|');
    const wasBody = isBody;
    isBody = isRow && (wasBody || line.startsWith('| --- |'));
    return isRow && wasBody
      ? [
          {
            table: title,
            cells: line
              .slice(1, -1)
              .split('|')
              .map((cell) => cell.trim()),
          },
        ]
      : [];
  });
}
