import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A stretch of network between the service and its database, which can fail. */
export interface DatabaseProxy {
  /** The database's address by way of here. */
  readonly url: string;
  /** Ends every connection and hangs up on new ones. */
  cut(): void;
  /** Takes connections again. */
  mend(): void;
  /** Goes on taking everything, and hands nothing on any more: an end that neither side learns of. */
  freeze(): void;
  thaw(): void;
}

const ADDRESS = /^(?<scheme>postgres(?:ql)?:\/\/(?:[^@/]*@)?)(?<host>[^/?:]*)(?::(?<port>\d+))?(?<rest>.*)$/;

export async function startProxy(t: TestContext, databaseUrl: string): Promise<DatabaseProxy> {
  const { scheme, host = '', port = '5432', rest } = ADDRESS.exec(databaseUrl)?.groups ?? {};
  if (scheme === undefined) throw new Error('not an address of a database');
  const folder = decodeURIComponent(host);
  const target = folder.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host, port: Number.parseInt(port, 10) };
  const sockets = new Set<Socket>();
  let isCut = false;
  let isFrozen = false;
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    if (isFrozen) from.pause();
    from.on('data', (bytes) => to.write(bytes));
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const database = connect(target);
    join(client, database);
    join(database, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    cut();
    server.close();
  });
  return {
    url: `${scheme}127.0.0.1:${(server.address() as AddressInfo).port}${rest}`,
    cut,
    mend() {
      isCut = false;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
