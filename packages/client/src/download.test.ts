import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeService, networkError } from '../test/support/fake.ts';
import { Firmquote } from './client.ts';

const QUERY = { from: '2026-03-01', to: '2026-03-02', format: 'csv' } as const;

/** A file of which half comes. */
const half = (then: (controller: ReadableStreamDefaultController<Uint8Array>) => void) => {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls++;
      if (pulls === 1) controller.enqueue(new TextEncoder().encode('half'));
      else then(controller);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/csv' } });
};

test('a file that breaks off is a lost connection, however it is read', async () => {
  for (const read of ['text', 'bytes', 'stream'] as const) {
    const service = new FakeService();
    service.replies.push(half((controller) => controller.error(networkError('ECONNRESET'))));
    const file = await new Firmquote(service.options()).statements.get(QUERY);
    const reading = read === 'stream' ? new Response(file.stream()).text() : file[read]();
    await assert.rejects(Promise.resolve<unknown>(reading), {
      name: 'ConnectionError',
      code: 'connection_lost',
      retryable: true,
    });
  }
});

test('a file whose reading is stopped says so', async () => {
  const service = new FakeService();
  const end = new AbortController();
  service.replies.push(
    half((controller) => {
      end.abort();
      controller.error(new DOMException('stopped', 'AbortError'));
    }),
  );
  const file = await new Firmquote(service.options()).statements.get(QUERY, { signal: end.signal });
  await assert.rejects(file.text(), { name: 'CancelledError' });
});
