import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { FixSessionSettings } from '../../service/src/market/fix/protocol.ts';

export const CONNECT_LIMIT_MS = 10_000; // limit: Time to connect to a venue
const KEEP_ALIVE_MS = 15_000;

/** A connection to the venue; with TLS its certificate has been verified. Rejects with the system's reason. */
export function dial(settings: FixSessionSettings, signal: AbortSignal): Promise<Socket> {
  const { host, port, tls } = settings;
  return new Promise((resolve, reject) => {
    const socket =
      tls === undefined
        ? connectTcp({ host, port })
        : connectTls({
            host,
            port,
            minVersion: 'TLSv1.2',
            // An address is no server name (RFC 6066); the certificate is then compared with the address itself.
            ...(isIP(tls.serverName ?? host) === 0 ? { servername: tls.serverName ?? host } : {}),
            ...(tls.ca === undefined ? {} : { ca: readFileSync(tls.ca) }),
            ...(tls.cert === undefined ? {} : { cert: readFileSync(tls.cert) }),
            ...(tls.key === undefined ? {} : { key: readFileSync(tls.key) }),
          });
    const fail = (error: Error): void => {
      socket.destroy();
      settle();
      reject(error);
    };
    const onAbort = (): void => fail(new Error('stopped'));
    const limit = setTimeout(() => {
      fail(new Error(`no connection to ${host}:${port} within ${CONNECT_LIMIT_MS / 1000} s`));
    }, CONNECT_LIMIT_MS);
    const settle = (): void => {
      clearTimeout(limit);
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('error', fail);
    };
    socket.once('error', fail);
    signal.addEventListener('abort', onAbort);
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      settle();
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      // The session hears of errors through the library; this one is for what comes after it.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}
