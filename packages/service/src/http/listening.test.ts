import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { listenAt } from './listening.ts';

/** As on machines where it is one address of each family; here both are of the one that every machine has. */
const LOCALHOST = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));

function isServed(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

test('localhost is one listener, that with our limits, whatever addresses it has', async (t) => {
  const answer = (host: string, { all }: dns.LookupOptions, done: (...found: unknown[]) => void) => {
    const found = host === 'localhost' ? LOCALHOST : [{ address: host, family: 4 }];
    if (all === true) done(null, found);
    else done(null, found[0]?.address, 4);
  };
  t.mock.method(dns, 'lookup', answer);
  t.mock.method(dns.promises, 'lookup', async () => LOCALHOST[0]);
  syncBuiltinESMExports();
  const app = fastify();
  t.after(() => app.close());
  await listenAt(app, { host: 'localhost', port: 0 });
  const { address, port } = app.server.address() as AddressInfo;
  assert.equal(address, '127.0.0.1');
  assert.equal(await isServed('127.0.0.1', port), true);
  assert.equal(await isServed('127.0.0.2', port), false);
});
