import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Api,
  type ApiAnswer,
  QUOTE_BODY,
  readCredentials,
  sandboxApis,
  withToken,
} from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  type End,
  type Environment,
  type ServiceProcess,
  startService,
  temporaryFolder,
} from '../support/process.ts';
import { executePath } from '../support/traffic.ts';

interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly service: string;
  readonly msg: string;
  readonly requestId?: string;
  readonly [member: string]: unknown;
}

/** Everything but what is printed for people must be JSON, a line each. */
function logOf({ stdout, stderr }: End): LogLine[] {
  assert.equal(stderr, '');
  const printed = stdout.indexOf('Console  ');
  const end = stdout.indexOf('echo\n\n', printed) + 'echo\n\n'.length;
  const lines = `${stdout.slice(0, printed)}${stdout.slice(end)}`.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as LogLine);
}

interface Observed {
  readonly service: ServiceProcess;
  readonly quote: ApiAnswer;
  readonly trade: ApiAnswer;
  readonly customer: Api;
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
/** As they stand in the database, and nowhere in what people read. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** A trade, and requests that fail in several ways. */
async function observe(service: ServiceProcess): Promise<Observed> {
  const { customer } = await sandboxApis(service);
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY, {
    'X-Request-Id': 'quote-of-mine',
    traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`,
  });
  assert.equal(quote.headers.get('X-Request-Id'), 'quote-of-mine');
  const trade = await customer.expect(201, 'POST', executePath(quote));
  const missing = await customer.expect(
    404,
    'GET',
    '/v1/customer/quotes/quote_00000000000000000000000000',
    undefined,
    {
      'X-Request-Id': 'missing-of-mine',
    },
  );
  assert.equal(missing.body.requestId, 'missing-of-mine');
  await customer.expect(404, 'GET', '/nowhere/42?client_secret=in-the-address');
  await withToken(service.baseUrl, 'eyJhbGciOiJub25lIn0.e30.').expect(
    401,
    'GET',
    '/v1/customer/transactions',
  );
  const { audience, customer: own } = readCredentials(service.dataDir);
  await withToken(service.baseUrl, '').expect(401, 'POST', '/oauth/token', {
    client_id: own.clientId,
    client_secret: 'a-guess-that-is-wrong',
    audience,
    grant_type: 'client_credentials',
  });
  return { service, quote, trade, customer };
}

test('every request is logged and counted when that is wanted, and nothing secret with it', async (t) => {
  const { url } = await createTestDatabase();
  const environment: Environment = {
    DATABASE_URL: url,
    FIRMQUOTE_ACCESS_LOG: 'all',
    FIRMQUOTE_LOG_LEVEL: 'debug',
  };
  const { service, quote, trade, customer } = await observe(
    await startService(t, temporaryFolder(t), environment),
  );

  const metrics = await withToken(service.baseUrl, '').expect(200, 'GET', '/metrics');
  assert.match(metrics.headers.get('Content-Type') ?? '', /^text\/plain/);
  const counted = (route: string, status: number, method: string) =>
    metrics.text.includes(
      `firmquote_http_requests_total{method="${method}",route="${route}",status="${status}"} 1\n`,
    );
  assert.ok(counted('/v1/customer/quotes', 201, 'POST'), metrics.text);
  assert.ok(counted('/v1/customer/quotes/:quoteId/execute', 201, 'POST'));
  assert.ok(counted('/v1/customer/quotes/:quoteId', 404, 'GET'));
  assert.ok(counted('none', 404, 'GET'));
  assert.match(
    metrics.text,
    /^firmquote_http_request_seconds_count\{method="POST",route="\/v1\/customer\/quotes"\} 1$/m,
  );
  for (const id of [
    quote.body.quoteId,
    trade.body.transactionId,
    trade.body.reference,
    'quote_0',
    '/nowhere',
  ]) {
    assert.ok(!metrics.text.includes(id), `${id} is no label`);
  }

  const { operator } = await sandboxApis(service);
  const customers = await operator.expect(200, 'GET', '/v1/operator/customers');
  assert.equal(customers.body.items.length, 1);
  const end = await service.end('SIGTERM');
  const log = logOf(end);
  for (const line of log) {
    assert.equal(line.service, 'firmquote');
    assert.match(line.time, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    assert.match(line.level, /^(debug|info|warn|error)$/);
    assert.equal(typeof line.msg, 'string');
  }
  const requests = log.filter((line) => line.msg === 'request');
  const own = requests.find((line) => line.requestId === 'quote-of-mine');
  assert.ok(own);
  const { time: _, ms, ...rest } = own;
  const credentials = readCredentials(service.dataDir);
  assert.deepEqual(rest, {
    level: 'info',
    service: 'firmquote',
    requestId: 'quote-of-mine',
    traceId: TRACE_ID,
    parentId: SPAN_ID,
    method: 'POST',
    path: '/v1/customer/quotes',
    route: '/v1/customer/quotes',
    status: 201,
    clientId: credentials.customer.clientId,
    customerId: customers.body.items[0].customerId,
    msg: 'request',
  });
  assert.equal(typeof ms, 'number');
  assert.doesNotMatch(end.stdout, UUID);
  assert.equal(
    requests.filter(({ requestId, code }) => requestId === 'missing-of-mine' && code === 'quote_not_found')
      .length,
    1,
  );
  const executions = requests.filter((line) => line.route === '/v1/customer/quotes/:quoteId/execute');
  assert.deepEqual(
    executions.map(({ path, status, requestId }) => [path, status, requestId]),
    [[executePath(quote), 201, trade.headers.get('X-Request-Id')]],
  );
  assert.equal(
    new Set(requests.map(({ requestId }) => requestId)).size,
    requests.length,
    'each has its own id',
  );

  const secrets = [
    credentials.customer.clientSecret,
    credentials.operator.clientSecret,
    customer.token,
    'a-guess',
    'in-the-address',
    'eyJ',
  ];
  for (const secret of secrets)
    assert.ok(!end.stdout.includes(secret), `${secret.slice(0, 4)}… is in the log`);
});

test('by default only what failed is logged, and off is off', async (t) => {
  const { url } = await createTestDatabase();
  const folder = temporaryFolder(t);
  const first = await observe(await startService(t, folder, { DATABASE_URL: url }));
  const failed = logOf(await first.service.end('SIGTERM')).filter((line) => line.msg === 'request');
  assert.deepEqual(
    failed.map(({ status }) => status),
    [404, 404, 401, 401],
  );
  assert.equal(failed[0]?.requestId, 'missing-of-mine');
  const second = await observe(
    await startService(t, folder, { DATABASE_URL: url, FIRMQUOTE_ACCESS_LOG: 'off' }),
  );
  const none = logOf(await second.service.end('SIGTERM')).filter((line) => line.msg === 'request');
  assert.deepEqual(none, []);
});
