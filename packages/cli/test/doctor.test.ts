import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Home } from './support/command.ts';

const home = new Home();

test('a service that is not ready fails, with what is wrong with it', async (t) => {
  const checks = { database: { ok: false, detail: 'no connection' }, clock: { ok: true, detail: '' } };
  const server = createServer(({ url = '' }, response) => {
    const isReadiness = url === '/readyz';
    response.writeHead(isReadiness ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ready: !isReadiness, status: 'ok', checks: isReadiness ? checks : {} }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { code, stdout } = await home.run(['doctor', '-o', 'json'], {
    env: {
      FIRMQUOTE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      FIRMQUOTE_TOKEN: 'token',
    },
  });
  const findings = JSON.parse(stdout) as readonly Readonly<Record<string, string>>[];
  const found = findings.find(({ check }) => check === 'ready');
  assert.deepEqual([found?.status, found?.detail], ['failed', 'database: no connection']);
  assert.equal(code, 8);
});
