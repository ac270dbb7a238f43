import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between browsers and a service that can be cut and healed. */
export interface Network {
  readonly url: string;
  /** Where the service listens, once it does. */
  leadsTo(url: string): void;
  /** `cut`: every connection breaks, and none comes about. `silent`: all are open, and nothing comes any more. */
  set(state: 'whole' | 'cut' | 'silent'): void;
  close(): void;
}

export async function openNetwork(): Promise<Network> {
  let port = 0;
  let state: 'whole' | 'cut' | 'silent' = 'whole';
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (data) => state === 'whole' && other.write(data));
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    leadsTo: (url) => {
      port = Number.parseInt(new URL(url).port, 10);
    },
    set: (next) => {
      // What was lost on the way is lost: a connection that was silent does not go on as if nothing had been.
      if (next === 'cut' || state === 'silent') destroyAll();
      state = next;
    },
    close: () => {
      destroyAll();
      server.close();
    },
  };
}
