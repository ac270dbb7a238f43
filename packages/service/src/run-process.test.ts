import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAME_STOP_MS } from './run-process.ts';

const PROGRAM = `
  import { createLogger } from './platform/logger.ts';
  import { stopOnSignals } from './run-process.ts';
  const say = (line) => process.stdout.write(line + '\\n');
  stopOnSignals(createLogger('silent'), (reason) => say('stop ' + reason), () => say('at once'));
  setInterval(() => undefined, 60_000);
  say('up');`;

test('who signals each process of a group asks for one stop; a signal later means at once', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  assert.equal(await next(), 'up');
  child.kill('SIGTERM');
  assert.equal(await next(), 'stop SIGTERM');
  // From whoever started it, which was signalled too and hands it on.
  child.kill('SIGTERM');
  await sleep(SAME_STOP_MS);
  assert.equal(child.exitCode, null, 'it goes on stopping');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.equal(await next(), 'at once');
  assert.deepEqual(await ended, [130, null]);
});
