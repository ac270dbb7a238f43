import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { dashboards } from './dashboards.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ALERTS = join(ROOT, 'ops/prometheus/alerts.yml');
const rules = readFileSync(ALERTS, 'utf8');
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

/** How every series of a healthy instance looks, and what is different when the alarm rings; values are one each minute. */
const HEALTHY: Readonly<Record<string, string>> = {
  'up{job="firmquote"}': '1x600',
  firmquote_pricing_ready: '1x600',
  firmquote_market_open: '1x600',
  'firmquote_pairs{state="fresh"}': '40x600',
  'firmquote_pairs{state="stale"}': '0x600',
  firmquote_pairs_awaiting_acceptance: '0x600',
  'firmquote_source_running{source="feed"}': '1x600',
  firmquote_price_sources_set_aside: '0x600',
  'firmquote_market_halts{scope="all"}': '0x600',
  'firmquote_market_halts{scope="customer"}': '1x600',
  'firmquote_refusals_total{code="validation_failed"}': '0+60x600',
  'firmquote_http_requests_total{status="201"}': '0+6000x600',
  'firmquote_http_request_seconds_bucket{method="POST",route="/v1/customer/quotes",le="0.05"}': '0+3000x600',
  'firmquote_http_request_seconds_bucket{method="POST",route="/v1/customer/quotes",le="1"}': '0+3000x600',
  'firmquote_http_request_seconds_bucket{method="POST",route="/v1/customer/quotes",le="+Inf"}': '0+3000x600',
  firmquote_database_waiting: '1x600',
  'firmquote_sweep_failures_total{sweep="expire_quotes"}': '2x600',
  'firmquote_sweep_idle_seconds{sweep="expire_quotes"}': '1x600',
  'firmquote_sweep_every_seconds{sweep="expire_quotes"}': '1x600',
  // An hourly one, just before it runs again.
  'firmquote_sweep_idle_seconds{sweep="archive_audit"}': '3590x600',
  'firmquote_sweep_every_seconds{sweep="archive_audit"}': '3600x600',
  firmquote_webhook_lag_seconds: '1x600',
  'firmquote_transactions_waiting{work="settlement_failed"}': '0x600',
  'firmquote_transactions_waiting{work="awaiting_funds"}': '900x600',
  'firmquote_exceptions_open{type="excess"}': '0x600',
  'firmquote_exceptions_open{type="report_failed"}': '0x600',
  'firmquote_approvals_pending{kind="unwind"}': '0x600',
  'firmquote_calendar_days_left{currency="EUR"}': '400x600',
  'firmquote_disk_bytes{state="free"}': '90000000000x600',
  'firmquote_disk_bytes{state="warning"}': '2000000000x600',
  'firmquote_connections_refused_total{reason="rate"}': '0+1x600',
  'firmquote_log_faults_total{log="audit"}': '0x600',
  firmquote_unsafe_database: '0x600',
  firmquote_books_off: '0x600',
  'firmquote_token_requests_total{outcome="invalid_client"}': '0+2x600',
  'firmquote_executions_total{outcome="created"}': '0+90x600',
  'firmquote_executions_total{outcome="quote_expired"}': '0+60x600',
};

/** For each alarm what makes it ring. */
const RINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  FirmquoteDown: { 'up{job="firmquote"}': '0x600' },
  FirmquoteCannotPrice: { firmquote_pricing_ready: '0x600' },
  FirmquotePairsWithoutPrice: { 'firmquote_pairs{state="stale"}': '3x600' },
  FirmquotePriceNeedsAcceptance: { firmquote_pairs_awaiting_acceptance: '1x600' },
  FirmquoteSourceDown: { 'firmquote_source_running{source="feed"}': '0x600' },
  FirmquoteSourceSetAside: { firmquote_price_sources_set_aside: '1x600' },
  FirmquoteMarketHalted: { 'firmquote_market_halts{scope="all"}': '1x600' },
  // One is enough.
  FirmquoteFaults: { 'firmquote_refusals_total{code="internal_error"}': '0x67 1x533' },
  FirmquoteLogFault: { 'firmquote_log_faults_total{log="audit"}': '0+1x600' },
  FirmquoteBooksOff: { firmquote_books_off: '2x600' },
  FirmquoteUnsafeDatabase: { firmquote_unsafe_database: '1x600' },
  FirmquoteUnavailable: { 'firmquote_refusals_total{code="maintenance"}': '0+100x600' },
  FirmquoteSlow: {
    'firmquote_http_request_seconds_bucket{method="POST",route="/v1/customer/quotes",le="0.05"}':
      '0+2800x600',
  },
  FirmquoteWaitsForDatabase: { firmquote_database_waiting: '40x600' },
  FirmquoteSweepFails: { 'firmquote_sweep_failures_total{sweep="expire_quotes"}': '2+1x600' },
  FirmquoteSweepStandsStill: { 'firmquote_sweep_idle_seconds{sweep="expire_quotes"}': '0+60x600' },
  FirmquoteWebhooksLate: { firmquote_webhook_lag_seconds: '300x600' },
  FirmquotePayoutsFailed: { 'firmquote_transactions_waiting{work="settlement_failed"}': '1x600' },
  FirmquoteExceptionsWait: { 'firmquote_exceptions_open{type="excess"}': '1x600' },
  FirmquoteReportMissing: { 'firmquote_exceptions_open{type="report_failed"}': '0x10 1x590' },
  FirmquoteApprovalsWait: { 'firmquote_approvals_pending{kind="unwind"}': '1x600' },
  FirmquoteKeyOverdue: { 'firmquote_key_rotation_due_seconds{purpose="tokens"}': '-90000x600' },
  FirmquoteCalendarEnds: { 'firmquote_calendar_days_left{currency="EUR"}': '30x600' },
  FirmquoteDiskFull: { 'firmquote_disk_bytes{state="free"}': '1000000000x600' },
  FirmquoteConnectionsRefused: { 'firmquote_connections_refused_total{reason="rate"}': '0+120x600' },
  FirmquoteSecretsGuessed: { 'firmquote_token_requests_total{outcome="invalid_client"}': '0+60x600' },
  FirmquoteTradesRefused: { 'firmquote_executions_total{outcome="limit_exceeded"}': '0+90x600' },
};

/** Of Friday's close every price is old, and that is no fault. */
const WEEKEND: Readonly<Record<string, string>> = {
  firmquote_market_open: '0x600',
  'firmquote_pairs{state="fresh"}': '0x600',
  'firmquote_pairs{state="stale"}': '40x600',
};

const promtool = spawnSync('promtool', ['--version']).status === 0;
const skip = promtool ? false : 'promtool is not installed (apt-get install prometheus)';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fq-monitoring-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function ran(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

/** Alarms that wait for longer than an hour. */
const PATIENT: readonly string[] = ['FirmquoteExceptionsWait', 'FirmquoteApprovalsWait'];

/** A test of promtool: YAML, of which JSON is a part. */
function ruleTest(series: Readonly<Record<string, string>>, rings: readonly string[]): object {
  const withInstance = (name: string) =>
    name.includes('{') ? name.replace('{', '{instance="a",') : `${name}{instance="a"}`;
  return {
    interval: '1m',
    external_labels: { firmquote: 'https://fx.example.com' },
    input_series: Object.entries(series).map(([name, values]) => ({ series: withInstance(name), values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: rings.length === 0 || PATIENT.some((name) => rings.includes(name)) ? '5h' : '70m',
        exp_samples: rings.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

test('each alarm has its section among the runbooks, and the other way round', () => {
  const sections = readFileSync(join(ROOT, 'docs/runbooks.md'), 'utf8').matchAll(/^## (\w+)$/gm);
  assert.deepEqual(
    [...sections].map(([, name]) => name),
    alerts,
  );
  for (const name of alerts) {
    assert.ok(rules.includes(`/docs/runbooks#${name.toLowerCase()}"`), `${name} links to its section`);
  }
});

/** What alarms say of a moment that has passed. */
const PAST: Readonly<Record<string, readonly [value: string, labels: object, summary: string]>> = {
  FirmquoteKeyOverdue: [
    '-90000x300',
    { purpose: 'tokens' },
    'The key for tokens should have been replaced 1d 1h 0m 0s ago.',
  ],
  FirmquoteCalendarEnds: ['-3x300', { currency: 'EUR' }, 'The settlement calendar of EUR has ended.'],
};

test('what an alarm tells of what is overdue is counted upwards', () => {
  const told = [...rules.matchAll(/expr: >-\n(.*?)\n +for:.*?summary: "(.*?)"/gs)];
  assert.equal(told.length, alerts.length);
  for (const [, expr = '', summary = ''] of told)
    assert.ok(!(summary.includes('$value') && /<=? *-/.test(expr)), summary);
});

test('alarms and dashboards ask for what the service tells', () => {
  const reference = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8');
  const known = new Set([...reference.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name));
  const asked = [rules, ...dashboards().values()].join('\n').matchAll(/\bfirmquote_(?!desk)\w+/g);
  for (const [name] of asked) {
    assert.ok(known.has(name) || known.has(name.replace(/_(bucket|sum|count)$/, '')), `${name} is no metric`);
  }
});

test('the dashboards are those that scripts/dashboards.ts makes', () => {
  for (const [name, content] of dashboards()) {
    const file = `ops/grafana/dashboards/${name}`;
    const there = readFileSync(join(ROOT, file), 'utf8');
    assert.ok(there === content, `${file} is stale: node scripts/dashboards.ts`);
  }
});

describe('in the hands of promtool', { skip }, () => {
  before(() => {
    for (const name of ['alerts.yml', 'prometheus.yml']) {
      copyFileSync(join(ROOT, 'ops/prometheus', name), join(folder, name));
    }
  });

  test('alarms and configuration are right', () => {
    ran('check', 'rules', 'alerts.yml');
    ran('check', 'config', 'prometheus.yml');
  });

  test('each alarm rings for its reason and no other does; none rings when all is well', () => {
    assert.deepEqual(Object.keys(RINGS), alerts);
    const tests = [
      ruleTest(HEALTHY, []),
      ruleTest({ ...HEALTHY, ...WEEKEND }, []),
      ...Object.entries(RINGS).map(([name, different]) => ruleTest({ ...HEALTHY, ...different }, [name])),
    ];
    const file = { rule_files: ['alerts.yml'], evaluation_interval: '1m', tests };
    writeFileSync(join(folder, 'test.yml'), JSON.stringify(file));
    ran('test', 'rules', 'test.yml');
  });

  test('no alarm tells a time below zero', () => {
    const tests = Object.entries(PAST).map(([alertname, [values, labels, summary]]) => {
      const [[series = ''] = []] = Object.entries(RINGS[alertname] ?? {});
      const run = `https://fx.example.com/docs/runbooks#${alertname.toLowerCase()}`;
      const exp_annotations = { summary, runbook_url: run };
      const exp_alerts = [{ exp_labels: { severity: 'ticket', ...labels }, exp_annotations }];
      return {
        ...ruleTest({ [series]: values }, []),
        promql_expr_test: [],
        alert_rule_test: [{ eval_time: '3h', alertname, exp_alerts }],
      };
    });
    const file = { rule_files: ['alerts.yml'], evaluation_interval: '1m', tests };
    writeFileSync(join(folder, 'past.yml'), JSON.stringify(file));
    ran('test', 'rules', 'past.yml');
  });
});
