import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { QUOTE_BODY, readCredentials, sandboxApis } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { startService, temporaryFolder } from '../support/process.ts';
import { executePath } from '../support/traffic.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

/** As OTLP has it in JSON. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

interface Collector {
  readonly url: string;
  readonly bodies: string[];
  readonly keys: Set<unknown>;
  spans(): OtlpSpan[];
}

/** Takes what an OpenTelemetry collector takes. */
async function startCollector(t: TestContext): Promise<Collector> {
  const bodies: string[] = [];
  const keys = new Set<unknown>();
  const server = createServer(async (request, response) => {
    keys.add(request.headers['api-key']);
    assert.equal(request.url, '/v1/traces');
    bodies.push(await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const spans = () =>
    bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: { spans: OtlpSpan[] }[] }) =>
        resource.scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, keys, spans };
}

function attributeOf(span: OtlpSpan | undefined, key: string): string | number | undefined {
  const value = span?.attributes.find((attribute) => attribute.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const TRADES = 8;

test('a trace goes from the request to its statements, through the batch that it shares', async (t) => {
  const collector = await startCollector(t);
  const { url } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), {
    DATABASE_URL: url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=sesame',
    FIRMQUOTE_ACCESS_LOG: 'all',
  });
  const { customer } = await sandboxApis(service);
  const quotes = await Promise.all(
    Array.from({ length: TRADES }, () => customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY)),
  );
  const headers = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-00`, 'X-Request-Id': 'mine' };
  await Promise.all(
    quotes.map((quote, index) =>
      customer.expect(201, 'POST', executePath(quote), undefined, index === 0 ? headers : {}),
    ),
  );
  const refused = await customer.call('GET', '/v1/customer/transactions/txn_nothing');
  assert.equal(refused.status, 404);
  const { code, stdout } = await service.end('SIGTERM');
  assert.equal(code, 0);

  const spans = collector.spans();
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const executions = spans.filter(({ name }) => name === 'POST /v1/customer/quotes/:quoteId/execute');
  assert.equal(executions.length, TRADES);
  const mine = executions.find((span) => attributeOf(span, 'firmquote.request_id') === 'mine');
  assert.deepEqual([mine?.traceId, mine?.parentSpanId], [TRACE_ID, SPAN_ID]);
  assert.equal(attributeOf(mine, 'http.response.status_code'), 201);
  const batches = spans.filter(({ name }) => name === 'batch commit_executions');
  assert.ok(batches.length > 0 && batches.length < TRADES, 'requests share batches');
  const carried = batches.reduce((sum, span) => sum + Number(attributeOf(span, 'firmquote.batch_items')), 0);
  assert.equal(carried, TRADES);
  for (const execution of executions) {
    const wait = spans.find(
      ({ parentSpanId, name }) => parentSpanId === execution.spanId && name === 'in batch commit_executions',
    );
    const batch = batches.find(
      ({ parentSpanId, links }) =>
        parentSpanId === wait?.spanId || links.some(({ spanId }) => spanId === wait?.spanId),
    );
    assert.ok(batch !== undefined, 'the batch that carried it is found from the request');
    if (batch.parentSpanId !== wait?.spanId) {
      assert.deepEqual(
        wait?.links.map(({ spanId }) => spanId),
        [batch.spanId],
        'and from the request the batch',
      );
    }
    const statement = spans.find(({ parentSpanId }) => parentSpanId === batch.spanId);
    assert.match(String(attributeOf(statement, 'db.query.text')), /commit_executions/);
  }
  for (const span of spans.filter(({ name }) => !name.startsWith('sweep '))) {
    const isRoot = span.parentSpanId === undefined || span.parentSpanId === SPAN_ID;
    if (isRoot) assert.match(span.name, /^(GET|POST|PUT) \//, 'only requests and sweeps begin a trace');
    else assert.ok(byId.has(span.parentSpanId), `the parent of ${span.name} was sent`);
  }
  const missing = spans.find((span) => attributeOf(span, 'error.type') === 'transaction_not_found');
  assert.equal(attributeOf(missing, 'http.response.status_code'), 404);

  // The log names the trace, the caller's or ours.
  const lines = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  assert.equal(lines.find(({ requestId }) => requestId === 'mine').traceId, TRACE_ID);
  const logged = lines.find(({ code: problem }) => problem === 'transaction_not_found');
  assert.equal(logged.traceId, missing?.traceId);

  const credentials = readCredentials(service.dataDir);
  const sent = collector.bodies.join('\n');
  for (const secret of [
    credentials.customer.clientSecret,
    credentials.operator.clientSecret,
    'Bearer ',
    'DE89',
  ]) {
    assert.ok(!sent.includes(secret), 'no secret, token or account is in a trace');
  }
  assert.deepEqual([...collector.keys], ['sesame']);
});
