import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { lowerPriority } from '../platform/lower-priority.ts';

/**
 * The one message of a program that prepares what anybody may read: what it takes of memory, hundreds of megabytes, goes with it. Of
 * a thread that would stay with the process. Its seconds of a processor are taken where requests and the database leave some.
 * Buffers of the answer are parts of the message, which is kept with them.
 * @param data what the program gets as JSON; it gets no settings and no secrets
 */
export async function answerOfWorker<T>(app: FastifyInstance, program: URL, data: object = {}): Promise<T> {
  const worker = fork(program, [JSON.stringify(data)], {
    ...{ env: {}, execArgv: [], serialization: 'advanced' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  running(app).add(worker);
  giveWay(worker);
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.once('message', (message) => resolve(message as T));
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error(`${program.pathname} has ended without an answer`)));
    });
  } finally {
    running(app).delete(worker);
    worker.kill();
  }
}

/**
 * To a tenth of a processor that others want: right after a start under load requests go first, and who asks for the
 * documentation still gets it within a minute. What the program starts has the same priority.
 */
function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, lowerPriority());
  } catch {
    // It has ended at once, or its priority may not be changed: its answer, or that there is none, says the rest.
  }
}

const RUNNING = new WeakMap<FastifyInstance, Set<ChildProcess>>();

/** Those of an application end with it. */
function running(app: FastifyInstance): Set<ChildProcess> {
  const known = RUNNING.get(app);
  if (known !== undefined) return known;
  const workers = new Set<ChildProcess>();
  RUNNING.set(app, workers);
  return workers;
}

export function endWorkersOnClose(app: FastifyInstance): void {
  app.addHook('onClose', async () => {
    await Promise.all(
      [...running(app)].map(async (worker) => {
        const ended = once(worker, 'exit');
        worker.kill();
        await ended;
      }),
    );
  });
}
