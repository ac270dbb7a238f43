import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';

/**
 * The one message of a program that prepares what anybody may read: what it loads and how long it takes is nothing to those who
 * are answered meanwhile, and what it takes of memory, hundreds of megabytes, goes with it. Of a thread that would stay with the
 * process.
 * Buffers of the answer are parts of the message, which is kept with them.
 * @param data what the program gets as JSON; it gets no settings and no secrets
 */
export async function answerOfWorker<T>(app: FastifyInstance, program: URL, data: object = {}): Promise<T> {
  const worker = fork(program, [JSON.stringify(data)], {
    ...{ env: {}, execArgv: [], serialization: 'advanced' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  running(app).add(worker);
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
