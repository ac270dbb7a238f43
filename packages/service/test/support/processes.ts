import { Agent, request } from 'node:http';
import type { TestContext } from 'node:test';
import type { ApiAnswer } from './api.ts';
import type { ServiceProcess } from './process.ts';

/** Calls over one connection, which stays with one process of a service. */
export interface Connection {
  /** Which one it is. */
  readonly process: number;
  /** `token` none is without. */
  call(method: string, path: string, token?: string, body?: unknown): Promise<ApiAnswer>;
}

const CONNECTIONS_MAX = 50;

/** A connection to each of so many processes, in their order. */
export async function connectToEach(
  t: TestContext,
  { baseUrl }: Pick<ServiceProcess, 'baseUrl'>,
  count: number,
): Promise<readonly Connection[]> {
  const found = new Map<number, Connection>();
  for (let tried = 0; found.size < count; tried++) {
    if (tried === CONNECTIONS_MAX) throw new Error(`only ${[...found.keys()].join()} answered`);
    const connection = await connectToOne(t, baseUrl);
    if (!found.has(connection.process)) found.set(connection.process, connection);
  }
  return [...found.values()].sort((a, b) => a.process - b.process);
}

async function connectToOne(t: TestContext, baseUrl: string): Promise<Connection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const call: Connection['call'] = (method, path, token, body) => {
    const headers: Record<string, string> = {};
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    return new Promise((resolve, reject) => {
      const sent = request(`${baseUrl}${path}`, { method, headers, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('error', reject);
        response.on('end', () => {
          const type = response.headers['content-type'] ?? '';
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(response.headers as Record<string, string>),
            text,
            body: type.includes('json') && text !== '' ? JSON.parse(text) : undefined,
          });
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  };
  // Of each family, whoever is asked comes first in its answer.
  const { text } = await call('GET', '/metrics');
  return {
    process: Number.parseInt(/^process_cpu_user_seconds_total\{process="(\d+)"/m.exec(text)?.[1] ?? '0', 10),
    call,
  };
}

/** Process id of each process of the service by its number, of those that were started last. */
export function pidsOf(service: ServiceProcess): ReadonlyMap<number, number> {
  const pids = new Map<number, number>();
  for (const [, started = '', pid = ''] of service.stdout().matchAll(/"started":(\d+),"pid":(\d+)/g)) {
    pids.set(Number.parseInt(started, 10), Number.parseInt(pid, 10));
  }
  return pids;
}
