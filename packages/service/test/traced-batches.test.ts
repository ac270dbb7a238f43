import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startTracing } from '@firmquote/telemetry';
import { type BegunRequest, REQUEST_CHANNEL } from '@firmquote/telemetry/channels';
import { Batcher } from '../src/database/batcher.ts';

/** Traces of batches that are carried out again in parts. */

interface Item {
  readonly id: number;
}

const BAD = 1;

test('a wait lasts until its answer, whatever fails before, and nobody is told that traces cannot be sent', async (t) => {
  const bodies: string[] = [];
  const collector = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  t.after(() => collector.close());
  await once(collector, 'listening');
  const troubles: string[] = [];
  const end = startTracing({
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
    headers: {},
    share: 1,
    resource: {},
    onTrouble: (message) => troubles.push(message),
  });
  const batcher = new Batcher<Item, number>({
    name: 'test',
    maxBatch: 10,
    maxInFlight: 1,
    maxQueue: 10,
    run: async (items) => {
      if (items.some(({ id }) => id === BAD)) throw new Error('one of them is bad');
      return items.map(({ id }) => id);
    },
  });
  const submit = (id: number) => {
    const request = { id: `${id}`, method: 'POST', headers: {}, routeOptions: {}, caller: undefined };
    const response = new ServerResponse({ method: 'POST' } as IncomingMessage);
    const begun: BegunRequest = { request: { ...request, problemCode: undefined }, response };
    return REQUEST_CHANNEL.runStores(begun, () => batcher.submit({ id }));
  };
  const answers = await Promise.allSettled([0, BAD, 2, 3].map(submit));
  const outcomes = ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'];
  assert.deepEqual(
    answers.map(({ status }) => status),
    outcomes,
  );
  await end();
  assert.deepEqual(troubles, []);
  const spans = JSON.parse(bodies.join('')).resourceSpans[0].scopeSpans[0].spans as {
    readonly name: string;
    readonly links: readonly unknown[];
  }[];
  const waits = spans.filter(({ name }) => name === 'in batch test');
  assert.equal(waits.length, outcomes.length);
  // The first of a batch is its parent.
  assert.ok(waits.some(({ links }) => links.length > 1));
});
