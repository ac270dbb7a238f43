import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { withToken } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { type Environment, startService, temporaryFolder } from '../support/process.ts';
import { skipWithout } from '../support/shell.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const OPERATIONS = join(ROOT, 'docs/operations/network.md');

/** What "Behind a balancer" gives to paste: what starts an instance, and what is done once it serves. */
function documented(): { start: string; use: string } {
  const [, section = ''] = readFileSync(OPERATIONS, 'utf8').split('## Behind a balancer\n');
  const [start = '', use = ''] = [...section.matchAll(/^```sh\b.*\n([\s\S]*?)^```$/gm)].map(
    ([, text]) => text ?? '',
  );
  return { start, use };
}

/** Hands on nothing to an instance whose `/readyz` does not answer 200, as the documents have a balancer do. */
async function startBalancer(t: TestContext, instance: () => string | undefined): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const target = instance();
    const ready = target !== undefined && (await withToken(target, '').call('GET', '/readyz')).status === 200;
    if (!ready) {
      outgoing.writeHead(503).end('no server is available');
      return;
    }
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress };
    const onward = request(`${target}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an instance with pushed prices starts behind a balancer from the documents alone', async (t) => {
  if (skipWithout(t, 'bash', 'curl', 'sed', 'openssl')) return;
  const { url } = await createTestDatabase();
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'database.url'), `${url}\n`);
  const { start, use } = documented();
  const [settings = '', last] = start.split('npm start\n');
  assert.equal(last, '', 'the start is the last of the lines');
  const shell = (script: string, environment: Environment = {}) =>
    promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
    });
  const { stdout: exported } = await shell(`${settings}\nenv`);
  const environment: Record<string, string> = {};
  for (const [, name = '', value = ''] of exported.matchAll(/^((?:FIRMQUOTE|DATABASE)_\w+)=(.*)$/gm)) {
    environment[name] = value
      .replace(/10\.0\.0\.\d+/, '127.0.0.1')
      .replace(/^(key|database\.url)$/, (file) => join(folder, file));
  }
  assert.equal(environment.FIRMQUOTE_SOURCES, 'push');
  // The test also runs on Saturdays, and on a server that is fast instead of safe.
  Object.assign(environment, { FIRMQUOTE_MARKET_HOURS: 'always', FIRMQUOTE_UNSAFE_DATABASE: 'warn' });

  let target: string | undefined;
  const balancer = await startBalancer(t, () => target);
  const before = await withToken(balancer, '').call('GET', '/readyz/prices');
  assert.equal(before.text, 'no server is available');
  target = (await startService(t, join(folder, 'data'), environment)).baseUrl;
  const without = await withToken(balancer, '').expect(503, 'GET', '/readyz/prices');
  assert.equal(without.body.checks.prices.ok, false);

  const npm = `npm() { shift 4; '${process.execPath}' '${ROOT}/packages/service/src/operator.ts' "$@"; }`;
  const pasted = use.replace('https://fx.example.com', balancer);
  assert.notEqual(pasted, use);
  const { stdout, stderr } = await shell(`${npm}\n${pasted}`, environment);
  assert.doesNotMatch(stderr, /^[^{]/m, 'but for the warning of the unsafe database');
  const [pushed, ready] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(pushed.accepted, 1);
  assert.deepEqual([ready.ready, ready.checks.prices.detail], [true, '1 of 1 pairs have a current price']);
});
