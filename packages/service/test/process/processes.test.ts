import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Api, QUOTE_BODY, sandboxApis } from '../support/api.ts';
import { countOf } from '../support/audit.ts';
import { createTestDatabase } from '../support/database.ts';
import { isStream, openStream } from '../support/event-stream.ts';
import { priceOf, STREAM } from '../support/price-stream.ts';
import { runProgram, type ServiceProcess, startService, temporaryFolder, until } from '../support/process.ts';
import { type Connection, connectToEach, pidsOf } from '../support/processes.ts';
import { exchange } from '../support/raw-http.ts';
import { executePath } from '../support/traffic.ts';

/** One service in several processes: FIRMQUOTE_PROCESSES. */

const QUOTES = '/v1/customer/quotes';
const PRICES = '/v1/operator/prices?pair=EURUSD';
const MARKET = '/v1/sandbox/market';
const SECOND_MS = 1_000;

interface Desk {
  readonly service: ServiceProcess;
  readonly customer: Api;
  readonly operator: Api;
  readonly each: readonly Connection[];
}

async function startDesk(t: TestContext, count: number, url: string): Promise<Desk> {
  const environment = { DATABASE_URL: url, FIRMQUOTE_PROCESSES: String(count) };
  const service = await startService(t, temporaryFolder(t), environment);
  const apis = await sandboxApis(service);
  return { service, ...apis, each: await connectToEach(t, service, count) };
}

async function succeed(status: number, answer: ReturnType<Connection['call']>) {
  const { status: got, text, body } = await answer;
  assert.equal(got, status, text);
  return body;
}

const isReady = async ({ call }: Connection) => (await call('GET', '/readyz')).status === 200;
const samplesOf = (text: string, name: string, process: number) =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(`process="${process}"`));

test('several processes are one service: prices, settings, quotes and figures', async (t) => {
  const { url, pool } = await createTestDatabase();
  const desk = await startDesk(t, 3, url);
  const { customer, operator, each } = desk;
  const [first, second, third] = each as [Connection, Connection, Connection];

  await t.test('prices of one instant are equal in all', async () => {
    const seen = new Map<string, Map<number, string>>();
    const isSharedByAll = () => [...seen.values()].some((prices) => prices.size === each.length);
    await until('a price that all of them had', async () => {
      await Promise.all(
        each.map(async ({ process, call }) => {
          const body = await succeed(200, call('GET', PRICES, operator.token));
          const [{ asOf, bid, ask }] = body.items;
          const prices = seen.get(asOf) ?? new Map();
          seen.set(asOf, prices.set(process, `${bid}/${ask}`));
        }),
      );
      return isSharedByAll();
    });
    for (const [asOf, prices] of seen) assert.equal(new Set(prices.values()).size, 1, asOf);
  });

  await t.test(
    'a price that stands still, a stream of it and a quote at it, each of another process',
    async () => {
      await succeed(
        200,
        first.call('POST', MARKET, operator.token, { pair: 'EURUSD', bid: '1.10000', ask: '1.10010' }),
      );
      const frozen = await Promise.all(
        each.map(({ call }) => succeed(200, call('GET', PRICES, operator.token))),
      );
      assert.equal(new Set(frozen.map(({ items }) => JSON.stringify(items[0].bid + items[0].asOf))).size, 1);
      const { token } = customer;
      const stream = await openStream(`${desk.service.baseUrl}${STREAM}?pairs=EURUSD`, {
        Authorization: `Bearer ${token}`,
      });
      assert.ok(isStream(stream));
      const { data } = await stream.next('EURUSD', priceOf('EURUSD'));
      stream.close();
      for (const { call } of each) {
        const quote = await succeed(201, call('POST', QUOTES, token, QUOTE_BODY));
        assert.equal(quote.rate.value, data.ask);
      }
      await succeed(200, third.call('POST', MARKET, operator.token, { pair: 'EURUSD', live: true }));
      const { items } = await succeed(200, second.call('GET', PRICES, operator.token));
      assert.notEqual(items[0].bid, '1.10000');
    },
  );

  await t.test('a halt that one was told of is in force in all when it is answered', async () => {
    const order = { scope: 'all', reason: 'test' };
    await succeed(200, second.call('POST', '/v1/operator/market/halt', operator.token, order));
    for (const { call } of each) {
      const body = await succeed(409, call('POST', QUOTES, customer.token, QUOTE_BODY));
      assert.deepEqual([body.code, body.reason], ['market_closed', 'halt']);
    }
    await succeed(200, third.call('POST', '/v1/operator/market/resume', operator.token, order));
    for (const { call } of each) await succeed(201, call('POST', QUOTES, customer.token, QUOTE_BODY));
  });

  await t.test('the clock that one moves is moved in all, and prices are of then', async () => {
    for (const mover of each) {
      await succeed(200, mover.call('POST', '/v1/sandbox/clock', operator.token, { advanceSeconds: 60 }));
      for (const { call } of each) {
        const { offsetMs } = await succeed(200, call('GET', '/v1/sandbox/clock', operator.token));
        assert.equal(offsetMs, mover.process * 60 * SECOND_MS);
        await succeed(201, call('POST', QUOTES, customer.token, QUOTE_BODY));
      }
    }
    await succeed(200, first.call('POST', '/v1/sandbox/clock', operator.token, { real: true }));
  });

  await t.test('a price that was pushed to one is dealt on in all', async () => {
    const shown = async ({ call }: Connection) =>
      (await succeed(200, call('GET', '/v1/operator/prices?pair=ILSRON', operator.token))).items[0];
    const { bid, ask } = await shown(first);
    const pushed = { prices: [{ pair: 'ILSRON', bid, ask }] };
    const { accepted } = await succeed(
      200,
      third.call('POST', '/v1/operator/prices', operator.token, pushed),
    );
    assert.equal(accepted, 1);
    for (const connection of each)
      await until('the pushed price', async () => (await shown(connection)).source === 'push');
  });

  await t.test('quotes of one are executed by the others, once', async () => {
    const before = await countOf(pool, 'transactions');
    const quotes = await Promise.all(
      each.map(({ call }) => call('POST', QUOTES, customer.token, QUOTE_BODY)),
    );
    const trades = await Promise.all(
      quotes.flatMap((quote) => each.map(({ call }) => call('POST', executePath(quote), customer.token))),
    );
    const done = trades.filter(({ status }) => status === 201);
    assert.equal(new Set(done.map(({ body }) => body.transactionId)).size, quotes.length);
    const again = trades.filter(({ status }) => status !== 201);
    for (const { status, body } of again)
      assert.deepEqual([status, body.code], [409, 'quote_already_executed']);
    assert.equal((await countOf(pool, 'transactions')) - before, quotes.length);
  });

  await t.test('one scrape has the figures of all, each with its process', async () => {
    for (const { call } of each) {
      const { text } = await call('GET', '/metrics');
      for (const { process } of each)
        assert.equal(samplesOf(text, 'firmquote_source_ticks_total', process).length, process === 1 ? 2 : 1);
      assert.equal(text.match(/^# TYPE firmquote_http_requests_total counter$/gm)?.length, 1);
    }
    const { count } = (await pool.query('select count(*)::int from instance_heartbeats')).rows[0] as never;
    assert.equal(count, each.length, 'each has told of itself');
  });
});

test('a process that is killed is replaced; with the one that has the sources go its prices', async (t) => {
  const { url, pool } = await createTestDatabase();
  const desk = await startDesk(t, 2, url);
  const { service, customer, each } = desk;
  const [first, second] = each as [Connection, Connection];
  const signal = (process: number, name: NodeJS.Signals) =>
    globalThis.process.kill(pidsOf(service).get(process) ?? 0, name);

  const quote = await second.call('POST', QUOTES, customer.token, QUOTE_BODY);
  assert.equal(quote.status, 201, quote.text);
  const { transactionId } = await succeed(201, second.call('POST', executePath(quote), customer.token));
  const answersOf = async (process: number) =>
    samplesOf((await first.call('GET', '/metrics')).text, 'firmquote_http_requests_total', process).join(
      '\n',
    );
  assert.match(await answersOf(2), /execute/);
  // One of two goes to the process that stands still, and waits.
  signal(2, 'SIGSTOP');
  let answered = 0;
  const asked = [1, 2].map(async () => {
    const { status } = await exchange(
      service.baseUrl,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    answered++;
    return status;
  });
  await until('one is answered', () => answered > 0);
  await succeed(200, first.call('GET', '/healthz'));
  assert.equal(answered, 1);
  signal(2, 'SIGKILL');
  assert.deepEqual(await Promise.all(asked), [200, 200]);
  await until('it is missed', async () => !(await isReady(first)));
  const { body } = await first.call('GET', '/readyz');
  assert.equal(body.checks.accepting.detail, 'process 2: it does not answer');
  await succeed(201, first.call('POST', QUOTES, customer.token, QUOTE_BODY));
  await until('it is back', () => isReady(first));
  const [, again] = (await connectToEach(t, service, 2)) as [Connection, Connection];
  await succeed(200, again.call('GET', `/v1/customer/transactions/${transactionId}`, customer.token));
  await succeed(201, again.call('POST', QUOTES, customer.token, QUOTE_BODY));
  assert.equal(await countOf(pool, 'transactions'), 1);
  assert.doesNotMatch(await answersOf(2), /execute/, 'it counts from its start');
  assert.match(await answersOf(1), /route="\/v1\/customer\/quotes"/, 'the other one goes on counting');

  signal(1, 'SIGKILL');
  await until('it is missed', async () => !(await isReady(again)));
  let refused = 0;
  await until('it is back', async () => {
    if (await isReady(again)) return true;
    const answer = await again.call('POST', QUOTES, customer.token, QUOTE_BODY);
    if (answer.status === 201) return isReady(again);
    assert.equal(answer.body.code, 'price_unavailable', answer.text);
    refused++;
    return false;
  });
  assert.ok(refused > 0);
  await succeed(201, again.call('POST', QUOTES, customer.token, QUOTE_BODY));

  const { code, stdout, stderr } = await service.end('SIGTERM');
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  const reported = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const stopped = reported.filter(({ msg }) => msg === 'stopped').map(({ process }) => process);
  assert.deepEqual(stopped.sort(), [1, 2, undefined]);
});

test('of a start that fails one process says why, with its code', async (t) => {
  const { url } = await createTestDatabase();
  const end = await runProgram(t, {
    DATABASE_URL: url,
    FIRMQUOTE_DATA_DIR: temporaryFolder(t),
    FIRMQUOTE_PROCESSES: '2',
    FIRMQUOTE_SOURCES: 'websocket:/nowhere.json',
  });
  assert.equal(end.code, 2, end.stdout);
  assert.match(end.stderr, /^firmquote: FIRMQUOTE_SOURCES: [^\n]*\n$/);
});

test('a parent that is killed leaves nobody behind', async (t) => {
  const { url } = await createTestDatabase();
  const { service } = await startDesk(t, 2, url);
  const pids = [...pidsOf(service).values()];
  assert.equal((await service.end('SIGKILL')).signal, 'SIGKILL');
  for (const pid of pids) await until(`the end of ${pid}`, () => !isThere(pid));
});

/** One that has ended may wait for somebody to notice, who is not always there. */
function isThere(pid: number): boolean {
  const status = `/proc/${pid}/stat`;
  if (existsSync('/proc/self/stat')) {
    try {
      return !/\) Z /.test(readFileSync(status, 'utf8'));
    } catch {
      return false;
    }
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a secret that a process cannot get is told in one line, as where there is one process', async (t) => {
  const { url } = await createTestDatabase();
  const vault = join(temporaryFolder(t), 'vault');
  // It is sealed once the parent has read the address.
  writeFileSync(vault, `#!/bin/sh\n[ -e "$0.sealed" ] && exit 3\n: > "$0.sealed"\nprintf %s '${url}'\n`, {
    mode: 0o755,
  });
  const { code, stderr } = await runProgram(t, { DATABASE_URL_COMMAND: vault, FIRMQUOTE_PROCESSES: '2' });
  assert.deepEqual(
    [code, stderr],
    [1, 'firmquote: DATABASE_URL_COMMAND: the command ended with exit code 3.\n'],
  );
});
