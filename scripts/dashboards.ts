// Makes the Grafana dashboards in ops/grafana/dashboards: node scripts/dashboards.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const FOLDER = resolve(import.meta.dirname, '../ops/grafana/dashboards');

type Unit = 'short' | 's' | 'currencyUSD' | 'percentunit' | 'bytes' | 'reqps' | 'd';

interface Panel {
  readonly title: string;
  /** PromQL, each with what its lines are called. */
  readonly lines: readonly (readonly [expression: string, legend: string])[];
  readonly unit?: Unit;
  /** A number of now instead of lines over time. */
  readonly isFigure?: boolean;
  readonly explains?: string;
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly rows: readonly (readonly [title: string, panels: readonly Panel[]])[];
}

/** Over all instances; counters begin anew with each process, which `rate` and `increase` know. */
const perSecond = (counter: string, by: string, filter = '') =>
  `sum by (${by}) (rate(firmquote_${counter}${filter}[$__rate_interval]))`;
/** What every instance reads from the database is the same on each. */
const level = (gauge: string, by: string) => `max by (${by}) (firmquote_${gauge})`;
const quantile = (q: number, histogram: string, by: string, filter = '') =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(firmquote_${histogram}_bucket${filter}[$__rate_interval])))`;

const POSTS = '{method="POST",route=~"/v1/customer/quotes(/:quoteId/execute|/indicative)?"}';

const DESK: Dashboard = {
  uid: 'firmquote-desk',
  title: 'Firmquote: the desk',
  rows: [
    [
      'Today',
      [
        {
          title: 'Traded, 24 h',
          lines: [['sum(increase(firmquote_traded_usd_total[24h]))', 'US dollars']],
          unit: 'currencyUSD',
          isFigure: true,
        },
        {
          title: 'Trades, 24 h',
          lines: [['sum(increase(firmquote_trades_total[24h]))', 'trades']],
          isFigure: true,
        },
        {
          title: 'Quotes that became trades, 24 h',
          lines: [
            [
              'sum(increase(firmquote_quotes_ended_total{status="executed"}[24h])) / sum(increase(firmquote_quotes_total{outcome="created"}[24h]))',
              'share',
            ],
          ],
          unit: 'percentunit',
          isFigure: true,
        },
        {
          title: 'Exceptions open',
          lines: [[`sum(${level('exceptions_open', 'type')})`, 'exceptions']],
          isFigure: true,
        },
        {
          title: 'Proposals waiting',
          lines: [[`sum(${level('approvals_pending', 'kind')}) or vector(0)`, 'proposals']],
          isFigure: true,
        },
        { title: 'Can quote', lines: [['min(firmquote_pricing_ready)', '1: yes']], isFigure: true },
      ],
    ],
    [
      'Business',
      [
        {
          title: 'Traded, by pair',
          lines: [['sum by (pair) (increase(firmquote_traded_usd_total[1h]))', '{{pair}}']],
          unit: 'currencyUSD',
          explains: 'Value of the trades of the last hour in US dollars.',
        },
        {
          title: 'Quotes, by outcome of the request',
          lines: [[perSecond('quotes_total', 'outcome'), '{{outcome}}']],
          unit: 'reqps',
        },
        {
          title: 'Quotes ended',
          lines: [[perSecond('quotes_ended_total', 'status'), '{{status}}']],
          unit: 'reqps',
        },
        {
          title: 'Executions, by outcome',
          lines: [[perSecond('executions_total', 'outcome'), '{{outcome}}']],
          unit: 'reqps',
        },
      ],
    ],
    [
      'Money under way',
      [
        {
          title: 'Trades, refunds and withdrawals waiting',
          lines: [[level('transactions_waiting', 'work'), '{{work}}']],
        },
        { title: 'Deposits waiting', lines: [[level('deposits_waiting', 'status'), '{{status}}']] },
        { title: 'Exceptions, by type', lines: [[`${level('exceptions_open', 'type')} > 0`, '{{type}}']] },
        { title: 'Proposals, by kind', lines: [[level('approvals_pending', 'kind'), '{{kind}}']] },
      ],
    ],
    [
      'Prices',
      [
        {
          title: 'Pairs, by their price',
          lines: [['sum by (instance, state) (firmquote_pairs)', '{{instance}} {{state}}']],
        },
        {
          title: 'Oldest prices',
          lines: [['topk(10, max by (pair) (firmquote_price_age_seconds))', '{{pair}}']],
          unit: 's',
        },
        {
          title: 'Sources',
          lines: [['min by (source) (firmquote_source_running)', '{{source}}']],
          explains: '1: running and connected; 0: not.',
        },
        {
          title: 'Ticks, by outcome',
          lines: [[perSecond('price_ticks_total', 'outcome'), '{{outcome}}']],
          unit: 'reqps',
        },
        { title: 'Halts', lines: [['max by (scope) (firmquote_market_halts)', '{{scope}}']] },
        {
          title: 'Calendars that end first',
          lines: [['bottomk(5, min by (currency) (firmquote_calendar_days_left))', '{{currency}}']],
          unit: 'd',
        },
      ],
    ],
  ],
};

const MACHINE: Dashboard = {
  uid: 'firmquote-machine',
  title: 'Firmquote: the machine',
  rows: [
    [
      'Requests',
      [
        {
          title: 'Requests, by status',
          lines: [[perSecond('http_requests_total', 'status'), '{{status}}']],
          unit: 'reqps',
        },
        {
          title: 'Time of quotes and executions',
          lines: [
            [quantile(0.5, 'http_request_seconds', 'route', POSTS), 'p50 {{route}}'],
            [quantile(0.99, 'http_request_seconds', 'route', POSTS), 'p99 {{route}}'],
          ],
          unit: 's',
        },
        {
          title: 'Slowest routes, p99',
          lines: [
            [`topk(8, ${quantile(0.99, 'http_request_seconds', 'method, route')})`, '{{method}} {{route}}'],
          ],
          unit: 's',
        },
        {
          title: 'Refusals, by code',
          lines: [[`topk(12, ${perSecond('refusals_total', 'code')})`, '{{code}}']],
          unit: 'reqps',
        },
        {
          title: 'Tokens',
          lines: [[perSecond('token_requests_total', 'outcome'), '{{outcome}}']],
          unit: 'reqps',
        },
        {
          title: 'Connections refused',
          lines: [[perSecond('connections_refused_total', 'reason'), '{{reason}}']],
          unit: 'reqps',
        },
      ],
    ],
    [
      'Database',
      [
        {
          title: 'Connections',
          lines: [['sum by (instance, state) (firmquote_database_connections)', '{{instance}} {{state}}']],
        },
        {
          title: 'Work waiting for a connection',
          lines: [['firmquote_database_waiting', '{{instance}}']],
        },
        {
          title: 'Batches: time with the commit, p99',
          lines: [[quantile(0.99, 'batch_seconds', 'statement'), '{{statement}}']],
          unit: 's',
        },
        {
          title: 'Batches: requests in one statement',
          lines: [
            [
              'sum by (statement) (rate(firmquote_batch_items_sum[$__rate_interval])) / sum by (statement) (rate(firmquote_batch_items_count[$__rate_interval]))',
              '{{statement}}',
            ],
          ],
        },
        {
          title: 'Disk of the embedded database',
          lines: [['firmquote_disk_bytes', '{{instance}} {{state}}']],
          unit: 'bytes',
        },
        {
          title: 'Unsafe database accepted',
          lines: [['max(firmquote_unsafe_database)', '1: yes']],
          isFigure: true,
        },
      ],
    ],
    [
      'Process',
      [
        {
          title: 'Processor',
          lines: [['rate(process_cpu_seconds_total{job="firmquote"}[$__rate_interval])', '{{instance}}']],
          explains: 'Cores.',
        },
        {
          title: 'Memory',
          lines: [['process_resident_memory_bytes{job="firmquote"}', '{{instance}}']],
          unit: 'bytes',
        },
        {
          title: 'Event loop, p99',
          lines: [['nodejs_eventloop_lag_p99_seconds{job="firmquote"}', '{{instance}}']],
          unit: 's',
        },
        {
          title: 'Price streams',
          lines: [['sum by (transport) (firmquote_price_streams_open)', '{{transport}}']],
        },
      ],
    ],
    [
      'Sweeps',
      [
        {
          title: 'Sweeps that are late',
          lines: [
            [
              'topk(5, clamp_min(firmquote_sweep_idle_seconds - firmquote_sweep_every_seconds, 0))',
              '{{instance}} {{sweep}}',
            ],
          ],
          unit: 's',
        },
        {
          title: 'Failures',
          lines: [
            ['sum by (sweep) (increase(firmquote_sweep_failures_total[$__rate_interval])) > 0', '{{sweep}}'],
          ],
        },
        {
          title: 'Moved',
          lines: [[`topk(10, ${perSecond('sweep_moved_total', 'sweep')})`, '{{sweep}}']],
          unit: 'reqps',
        },
        {
          title: 'Share of time',
          lines: [[`topk(10, ${perSecond('sweep_seconds_total', 'sweep')})`, '{{sweep}}']],
          unit: 'percentunit',
        },
      ],
    ],
  ],
};

const SOURCE = { type: 'prometheus', uid: '$source' };
/** Columns of Grafana's grid. */
const WIDTH = 24;

function panelOf(panel: Panel, id: number, at: { x: number; y: number; w: number; h: number }) {
  return {
    id,
    type: panel.isFigure ? 'stat' : 'timeseries',
    title: panel.title,
    ...(panel.explains === undefined ? {} : { description: panel.explains }),
    datasource: SOURCE,
    gridPos: at,
    fieldConfig: { defaults: { unit: panel.unit ?? 'short', min: 0 }, overrides: [] },
    options: panel.isFigure
      ? { reduceOptions: { calcs: ['lastNotNull'] } }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: panel.lines.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  };
}

function dashboardOf({ uid, title, rows }: Dashboard) {
  const panels: unknown[] = [];
  let y = 0;
  for (const [name, content] of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: name,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
    });
    y += 1;
    const areFigures = content.every(({ isFigure }) => isFigure);
    const perRow = areFigures ? content.length : 2;
    const [w, h] = [WIDTH / perRow, areFigures ? 4 : 8];
    for (const [index, panel] of content.entries()) {
      const x = (index % perRow) * w;
      panels.push(panelOf(panel, panels.length + 1, { x, y, w, h }));
      if (index % perRow === perRow - 1 || index === content.length - 1) y += h;
    }
  }
  return {
    uid,
    title,
    tags: ['firmquote'],
    timezone: 'utc',
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: { list: [{ name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    panels,
  };
}

/** File names and contents. */
export function dashboards(): ReadonlyMap<string, string> {
  return new Map(
    [DESK, MACHINE].map((each) => [
      `${each.uid}.json`,
      `${JSON.stringify(dashboardOf(each), undefined, 2)}\n`,
    ]),
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, content] of dashboards()) writeFileSync(join(FOLDER, name), content);
}
