import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { Home } from './support/command.ts';

const home = new Home();
const env = { FIRMQUOTE_BASE_URL: 'http://127.0.0.1:9', FIRMQUOTE_TOKEN: 'token' };

/** Answers with a file whose end never comes. @returns what breaks the connection */
function beginFile(): { readonly begun: Promise<void>; breakOff(): void } {
  const begun = Promise.withResolvers<void>();
  let breakOff = () => {};
  mock.method(globalThis, 'fetch', async (_: unknown, { signal }: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('at,amount\n'));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
        breakOff = () => controller.error(new TypeError('terminated'));
      },
      pull: () => begun.resolve(),
    });
    return new Response(body, { headers: { 'content-type': 'text/csv' } });
  });
  return { begun: begun.promise, breakOff: () => breakOff() };
}

const line = ['transactions', 'statement', '--from', '2026-03-01', '--csv'];
const file = join(home.folder, 'statement.csv');

for (const [where, more] of [
  ['to stdout', []],
  ['to a file', ['--save', file]],
] as const) {
  test(`Ctrl-C while a file comes ${where} is no failure to report`, async () => {
    const { begun } = beginFile();
    const listeners: (() => void)[] = [];
    const ended = home.run([...line, ...more], { env, onListener: (listener) => listeners.push(listener) });
    await begun;
    listeners.at(-1)?.();
    const { code, stderr } = await ended;
    assert.equal(code, 130, stderr);
    assert.match(stderr, /^Interrupted/);
    assert.ok(!existsSync(file), 'half of it stays behind');
  });

  test(`a connection that breaks while a file comes ${where} is told as that`, async () => {
    const { begun, breakOff } = beginFile();
    const ended = home.run([...line, ...more, '-o', 'json'], { env });
    await begun;
    breakOff();
    const { code, stderr } = await ended;
    assert.equal(code, 8, stderr);
    assert.equal(JSON.parse(stderr).code, 'connection_lost');
    assert.ok(!existsSync(file), 'half of it stays behind');
  });
}
