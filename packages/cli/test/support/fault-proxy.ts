import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenFileEnds } from '../../../service/test/support/file-end.ts';

/** What stands between somebody and the service, and does what networks do. */
export interface FaultProxy {
  readonly url: string;
  /** Requests whose answer is lost: they arrive, are done, and the connection breaks. */
  drop: (method: string, path: string) => boolean;
  /** By how much the service's clock seems to be ahead, ms. */
  aheadMs: number;
  /** What came, as `POST /v1/…`. */
  readonly seen: string[];
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const proxy: FaultProxy = { url: '', drop: () => false, aheadMs: 0, seen: [] };
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    proxy.seen.push(`${method} ${url}`);
    const { host: _, connection: __, ...others } = headers;
    const onward = request(`${target}${url}`, { method, headers: others, agent: false }, (answer) => {
      if (proxy.drop(method, url)) {
        // The service has done it: its answer is here, and goes no further.
        answer.resume().on('end', () => incoming.socket.destroy());
        return;
      }
      const date = new Date(Date.parse(answer.headers.date ?? '') + proxy.aheadMs).toUTCString();
      outgoing.writeHead(answer.statusCode ?? 502, {
        ...answer.headers,
        ...(proxy.aheadMs === 0 ? {} : { date }),
      });
      answer.pipe(outgoing);
    });
    onward.on('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenFileEnds(async () => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
