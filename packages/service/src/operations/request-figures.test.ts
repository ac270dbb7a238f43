import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as prom from '@prometheus-io/client';
import fc from 'fast-check';
import { RequestFigures, TIME_BOUNDS } from './request-figures.ts';

const request = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  route: fc.constantFrom('/v1/customer/quotes', '/v1/customer/quotes/:quoteId', 'none'),
  status: fc.constantFrom(200, 201, 404),
  seconds: fc.oneof(fc.constantFrom(0, ...TIME_BOUNDS), fc.double({ min: 0, max: 4, noNaN: true })),
});

test('the same text as the library writes of the same requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 60 }), async (requests) => {
      const [own, theirs] = [new prom.Registry(), new prom.Registry()];
      const figures = new RequestFigures(own);
      const registers = [theirs];
      const count = new prom.Counter({
        name: 'firmquote_http_requests_total',
        help: 'Answered requests.',
        labelNames: ['method', 'route', 'status'],
        registers,
      });
      const time = new prom.Histogram({
        name: 'firmquote_http_request_seconds',
        help: 'Time from the request head to the end of the answer.',
        labelNames: ['method', 'route'],
        buckets: [...TIME_BOUNDS],
        registers,
      });
      for (const { method, route, status, seconds } of requests) {
        figures.answered(method, route, status, seconds);
        count.inc({ method, route, status: String(status) });
        time.observe({ method, route }, seconds);
      }
      // Lines of series in whatever order.
      const lines = async (registry: prom.Registry) => (await registry.metrics()).split('\n').sort();
      assert.deepEqual(await lines(own), await lines(theirs));
      assert.deepEqual(await lines(own), await lines(theirs), 'reading changes nothing');
      const json = await own.getMetricsAsJSON();
      assert.deepEqual(
        json.map(({ name, type }) => [name, type]),
        [
          ['firmquote_http_requests_total', 'counter'],
          ['firmquote_http_request_seconds', 'histogram'],
        ],
      );
    }),
  );
});

test('what was refused before anything was done is counted, and says nothing of how long work takes', async () => {
  const registry = new prom.Registry();
  const figures = new RequestFigures(registry);
  figures.answered('POST', '/v1/customer/quotes', 201, 0.3);
  figures.answered('POST', '/v1/customer/quotes', 503, undefined);
  const text = await registry.metrics();
  assert.match(text, /_requests_total\{method="POST",route="\/v1\/customer\/quotes",status="503"\} 1\n/);
  assert.match(text, /_seconds_count\{[^}]*\} 1\n/);
});
