import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type FastifyInstance, fastify } from 'fastify';
import { temporaryFolder } from '../../test/support/process.ts';
import { answerOfWorker, endWorkersOnClose } from './public-worker.ts';

function program(t: TestContext, script: string): URL {
  const path = join(temporaryFolder(t), 'program.mjs');
  writeFileSync(path, script);
  return pathToFileURL(path);
}

function application(t: TestContext): FastifyInstance {
  const app = fastify();
  endWorkersOnClose(app);
  t.after(() => app.close());
  return app;
}

test('a program that prepares documents lets requests go first, and threads that it starts do too', async (t) => {
  const script = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { getPriority } from 'node:os';
    const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
    process.send(threads.map((thread) => getPriority(thread)), () => process.disconnect());
  `;
  const priorities = await answerOfWorker<number[]>(application(t), program(t, script));
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  const lower = Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW);
  assert.deepEqual([...new Set(priorities)], [lower]);
});

test('a program that ends without an answer is told of, and one under way ends with its application', async (t) => {
  const app = application(t);
  await assert.rejects(answerOfWorker(app, program(t, 'process.exit(3)')), /has ended without an answer/);
  const waits = answerOfWorker(
    app,
    program(t, 'process.on("disconnect", () => undefined); setInterval(() => {}, 1e6);'),
  );
  const told = assert.rejects(waits, /has ended without an answer/);
  await app.close();
  await told;
});
