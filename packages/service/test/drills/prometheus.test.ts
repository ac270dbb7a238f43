import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { QUOTE_BODY, sandboxApis } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { freePort, startService, temporaryFolder, until } from '../support/process.ts';
import { executePath } from '../support/traffic.ts';

const OPS = resolve(import.meta.dirname, '../../../../ops');
const installed = spawnSync('prometheus', ['--version']).status === 0;
const skip = installed ? false : 'Prometheus is not installed (apt-get install prometheus)';
const START_LIMIT_MS = 60_000;

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Figures that a service without a fault, a feed that moves or a full disk does not have. */
const MAY_BE_EMPTY =
  /Failures|Refusals|refused|Disk|Exceptions, by type|Proposals, by kind|Deposits waiting|Batches|Ticks|Slowest|Tokens|^Quotes|^Executions/;

test('Prometheus scrapes the service, and knows what dashboards and alarms ask for', { skip }, async (t) => {
  const { url } = await createTestDatabase();
  const folder = temporaryFolder(t);
  const service = await startService(t, folder, { DATABASE_URL: url });
  const rules = readFileSync(join(OPS, 'prometheus/alerts.yml'), 'utf8');
  const config = readFileSync(join(OPS, 'prometheus/prometheus.yml'), 'utf8')
    .replaceAll('15s', '1s')
    .replace('127.0.0.1:4000', new URL(service.baseUrl).host);
  writeFileSync(join(folder, 'alerts.yml'), rules);
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const port = await freePort();
  const prometheus = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(prometheus, 'exit');
  t.after(async () => {
    prometheus.kill('SIGKILL');
    await ended;
  });
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    return (await response.json()) as { status: string; error?: string; data: never };
  };
  const result = async (expression: string): Promise<{ value: [number, string] }[]> => {
    const { status, error, data } = await ask(`query?query=${encodeURIComponent(expression)}`);
    assert.equal(status, 'success', `${expression}: ${error}`);
    return (data as { result: { value: [number, string] }[] }).result;
  };

  const { customer } = await sandboxApis(service);
  const deadline = performance.now() + START_LIMIT_MS;
  // Counters need two scrapes before something can have moved.
  const trade = async () => {
    const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
    await customer.expect(201, 'POST', executePath(quote));
  };
  await trade();
  await until('a trade between two scrapes', async () => {
    assert.ok(performance.now() < deadline);
    await trade().catch(() => undefined);
    const [traded] = await result('sum(increase(firmquote_trades_total[1m]))').catch(() => []);
    return Number(traded?.value[1] ?? 0) > 0;
  });

  for (const path of globSync('grafana/dashboards/*.json', { cwd: OPS })) {
    const { panels } = JSON.parse(readFileSync(join(OPS, path), 'utf8')) as { panels: Panel[] };
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        const found = await result(expr.replaceAll('$__rate_interval', '1m'));
        assert.ok(found.length > 0 || MAY_BE_EMPTY.test(title), `${title} shows nothing: ${expr}`);
      }
    }
  }
  const { data } = await ask('rules');
  const loaded = (data as { groups: { rules: { health: string; lastError?: string }[] }[] }).groups[0]?.rules;
  assert.equal(loaded?.length, [...rules.matchAll(/- alert:/g)].length);
  await until('all alarms are evaluated', async () => {
    const { data: again } = await ask('rules');
    const { rules: now = [] } =
      (again as { groups: { rules: { health: string; lastError?: string }[] }[] }).groups[0] ?? {};
    for (const { health, lastError } of now) assert.notEqual(health, 'err', lastError);
    return now.every(({ health }) => health === 'ok');
  });
  const firing = await result('ALERTS{alertstate="firing"}');
  assert.deepEqual(firing, [], 'a fresh sandbox rings no alarm');
});
