import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { QUOTE_BODY } from './support/api.ts';
import { ownerOf } from './support/database.ts';
import { until } from './support/process.ts';
import { startTestService, type TestService } from './support/service.ts';

const REFERENCE = join(import.meta.dirname, '../../../docs/reference');
const QUOTES = '/v1/customer/quotes';
/** `name{label="value",…} 1.5` */
const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/;

interface Scrape {
  /** Kind of each family, by its name. */
  readonly kinds: ReadonlyMap<string, string>;
  /** By name and labels, as they stand in the text. */
  readonly values: ReadonlyMap<string, number>;
}

let service: TestService;

async function scrape(): Promise<Scrape> {
  const { text } = await service.call('GET', '/metrics', { token: null });
  const kinds = new Map<string, string>();
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, family, kind] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (family !== undefined && kind !== undefined) kinds.set(family, kind);
    else if (line !== '' && !line.startsWith('#')) {
      const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? assert.fail(line);
      values.set(labels === '' ? name : `${name}{${labels}}`, Number(value));
    }
  }
  return { kinds, values };
}

async function quote(): Promise<string> {
  const { status, body, text } = await service.call('POST', QUOTES, { body: QUOTE_BODY });
  assert.equal(status, 201, text);
  return body.quoteId;
}

/** How much more each of these is after the work than before it. */
async function moved(names: readonly string[], work: () => Promise<unknown>): Promise<number[]> {
  const { values: first } = await scrape();
  await work();
  const { values: last } = await scrape();
  return names.map((name) => (last.get(name) ?? 0) - (first.get(name) ?? 0));
}

before(async () => {
  service = await startTestService();
});

describe('what has happened is counted', () => {
  test('quotes by what became of them, and trades', async () => {
    const names = [
      'firmquote_quotes_total{outcome="created"}',
      'firmquote_quotes_total{outcome="known"}',
      'firmquote_quotes_ended_total{status="executed"}',
      'firmquote_quotes_ended_total{status="cancelled"}',
      'firmquote_quotes_ended_total{status="withdrawn"}',
      'firmquote_trades_total{pair="EURUSD"}',
      'firmquote_executions_total{outcome="created"}',
      'firmquote_executions_total{outcome="known"}',
      'firmquote_executions_total{outcome="quote_cancelled"}',
    ];
    const differences = await moved(names, async () => {
      const headers = { 'Idempotency-Key': 'a-quote-of-mine' };
      const keyed = await service.call('POST', QUOTES, { body: QUOTE_BODY, headers });
      await service.call('POST', QUOTES, { body: QUOTE_BODY, headers });
      const execution = { headers: { 'Idempotency-Key': 'an-execution-of-mine' } };
      const path = `${QUOTES}/${keyed.body.quoteId}/execute`;
      assert.equal((await service.call('POST', path, execution)).status, 201);
      assert.equal((await service.call('POST', path, execution)).status, 201);
      const cancelled = await quote();
      assert.equal((await service.call('POST', `${QUOTES}/${cancelled}/cancel`)).status, 200);
      assert.equal((await service.call('POST', `${QUOTES}/${cancelled}/execute`)).status, 409);
      await quote();
      const { customerId } = (await service.operate('GET', '/v1/operator/customers')).body.items[0];
      const customer = `/v1/operator/customers/${customerId}`;
      const reason = { reason: 'a look at their papers' };
      assert.equal((await service.operate('POST', `${customer}/suspend`, reason)).status, 200);
      assert.equal((await service.operate('POST', `${customer}/resume`, {})).status, 200);
    });
    assert.deepEqual(
      differences,
      [3, 1, 1, 1, 1, 1, 1, 1, 1],
      'created, known, executed, cancelled, withdrawn; the trade; executed, replayed, refused',
    );
  });

  test('refusals by code, those of tokens too', async () => {
    const names = [
      'firmquote_refusals_total{code="quote_not_found",status="404"}',
      'firmquote_refusals_total{code="token_missing",status="401"}',
      'firmquote_refusals_total{code="invalid_client",status="401"}',
      'firmquote_refusals_total{code="validation_failed",status="400"}',
    ];
    const differences = await moved(names, async () => {
      await service.call('GET', `${QUOTES}/quote_x`);
      await service.call('GET', QUOTES, { token: null });
      const { audience, customer } = service.sandbox;
      const credentials = { client_id: customer.clientId, client_secret: 'wrong', audience };
      const body = { ...credentials, grant_type: 'client_credentials' };
      await service.call('POST', '/oauth/token', { body, token: null });
      await service.call('POST', QUOTES, { body: { ...QUOTE_BODY, amount: 1 } });
    });
    assert.deepEqual(differences, [1, 1, 1, 1]);
  });

  test('runs of sweeps, and those that failed', async () => {
    const runs = 'firmquote_sweep_runs_total{sweep="expire_quotes"}';
    const failures = 'firmquote_sweep_failures_total{sweep="expire_quotes"}';
    const clock = { advanceSeconds: 1 };
    const [more = 0, none] = await moved([runs, failures], async () => {
      assert.equal((await service.operate('POST', '/v1/sandbox/clock', clock)).status, 200);
    });
    assert.ok(more > 0);
    assert.equal(none, 0);
    await ownerOf(service.pool).query('alter function due_quotes rename to due_quotes_gone');
    const [failed = 0] = await moved([failures], () => service.operate('POST', '/v1/sandbox/clock', clock));
    await ownerOf(service.pool).query('alter function due_quotes_gone rename to due_quotes');
    assert.ok(failed > 0);
  });
});

test('what is before the desk is measured', async () => {
  const deposit = { bankReference: 'M-1', amount: '12.34', currency: 'USD', remitterName: 'Nobody known' };
  assert.equal((await service.operate('POST', '/v1/operator/deposits', deposit)).status, 201);
  let { values } = await scrape();
  // Sweeps may have all connections for a moment.
  await until('a connection is idle', async () => {
    ({ values } = await scrape());
    return (values.get('firmquote_database_connections{state="idle"}') ?? 0) > 0;
  });
  const age = values.get('firmquote_price_age_seconds{pair="EURUSD"}');
  assert.ok(age !== undefined && age >= 0 && age < 60, String(age));
  assert.equal(values.get('firmquote_database_connections{state="most"}'), 10);
  assert.equal(values.get('firmquote_database_waiting'), 0);
  const idle = values.get('firmquote_sweep_idle_seconds{sweep="expire_quotes"}');
  assert.ok(idle !== undefined && idle < 60);
  // Read at most every ten seconds, whoever asks.
  const waiting = values.get('firmquote_deposits_waiting{status="unmatched"}');
  assert.ok(waiting === 0 || waiting === 1, String(waiting));
  assert.ok((values.get('firmquote_transactions_waiting{work="settling"}') ?? -1) >= 0);
});

test('counters are counters by their name, their kind and what they do', async () => {
  const first = await scrape();
  await quote();
  const last = await scrape();
  for (const [family, kind] of last.kinds) {
    // The library has a gauge of its own that is named so.
    if (!family.startsWith('firmquote_')) continue;
    assert.equal(family.endsWith('_total'), kind === 'counter', `${family} is a ${kind}`);
  }
  for (const [name, value] of first.values) {
    const family = name.replace(/\{.*$/, '');
    if (!family.startsWith('firmquote_')) continue;
    const isCounted = family.endsWith('_total') || /_(bucket|count|sum)$/.test(family);
    if (isCounted) assert.ok((last.values.get(name) ?? -1) >= value, `${name} never goes down`);
  }
});

/** What the first column of a page of the reference names. */
function documented(page: string, not: readonly string[]): string[] {
  const text = readFileSync(join(REFERENCE, page), 'utf8');
  return [...text.matchAll(/^\| `(\w+)` \|/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !not.includes(name));
}

test('every family of ours is in the reference, and no other', async () => {
  const { kinds } = await scrape();
  const ours = [...kinds.keys()].filter((family) => family.startsWith('firmquote_'));
  // Only with the embedded database.
  assert.deepEqual(documented('metrics.md', ['firmquote_disk_bytes']), ours.sort());
});

test('every sweep that runs is in the reference, and no other', async () => {
  assert.equal((await service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 1 })).status, 200);
  const { values } = await scrape();
  const names = [...values.keys()].flatMap(
    (name) => /_sweep_idle_seconds\{sweep="(\w+)"/.exec(name)?.[1] ?? [],
  );
  // With the embedded database, and with a folder to watch.
  assert.deepEqual(documented('sweeps.md', ['watch_disk', 'import_statement_folder']), names.sort());
});
