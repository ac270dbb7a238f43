import { Metrics } from '../../packages/service/src/operations/metrics.ts';
import { code, type Page, page, table } from './page.ts';

/** Asked by nobody: families are only registered here, and read by no scrape. */
const unread = (): never => {
  throw new Error('these metrics are not read');
};

function families() {
  const metrics = new Metrics();
  metrics.watchAdmission({} as never);
  metrics.watchCalendars(unread);
  metrics.watchDisk(unread, 0n);
  metrics.watchMarket(new Proxy({}, { get: () => ({}) }) as never);
  metrics.watchPricing({} as never);
  metrics.watchSources(unread);
  metrics.watchStreams({} as never);
  metrics.desk.watchLogs(new Map());
  metrics.desk.watchBooks();
  metrics.desk.watchSafety(false);
  metrics.desk.watchSweeps([]);
  metrics.desk.watchKeys({ tokens: { dueInMs: () => 0 }, evidence: { dueInMs: () => 0 } });
  metrics.desk.watchPool({} as never);
  metrics.desk.watchWork(unread);
  metrics.desk.watchWebhooks({ lagSeconds: unread, dispatcher: { serving: 0 } });
  const all = metrics.registry.getMetricsAsArray().filter(({ name }) => name.startsWith('firmquote_'));
  return all as unknown as readonly { name: string; help: string; labelNames: readonly string[] }[];
}

export function metricsPage(): Page {
  const rows = [...families()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, help, labelNames }) => [code(name), labelNames.map(code).join(', '), help]);
  return page('metrics.md', 'Metrics', 'the families that packages/service/src/operations registers', [
    'What `/metrics` reports in Prometheus’ form, beside the figures of Node. Names of counters end in `_total`; counters begin at 0 with',
    'the process, so add them up over the instances. [watching.md](../operations/watching.md#metrics) says what to look at.',
    '',
    ...table(['Metric', 'By', 'What it is'], rows),
  ]);
}
