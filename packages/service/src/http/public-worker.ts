import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';

/**
 * The one message of a thread that prepares what anybody may read: what it loads and how long it takes is nothing to those who
 * are answered meanwhile.
 */
export async function answerOfWorker<T>(app: FastifyInstance, program: URL, workerData?: object): Promise<T> {
  const worker = new Worker(program, { workerData });
  running(app).add(worker);
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.once('message', (message: T) => resolve(withBuffers(message) as T));
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error(`${program.pathname} has ended without an answer`)));
    });
  } finally {
    running(app).delete(worker);
    void worker.terminate();
  }
}

const RUNNING = new WeakMap<FastifyInstance, Set<Worker>>();

/** Those of an application end with it. */
function running(app: FastifyInstance): Set<Worker> {
  const known = RUNNING.get(app);
  if (known !== undefined) return known;
  const workers = new Set<Worker>();
  RUNNING.set(app, workers);
  return workers;
}

export function endWorkersOnClose(app: FastifyInstance): void {
  app.addHook('onClose', async () => {
    await Promise.all([...running(app)].map((worker) => worker.terminate()));
  });
}

/** What crosses to another thread loses its class. */
function withBuffers(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map(withBuffers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withBuffers(each)]));
}
