import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { COMPILED } from '../../service/test/support/shell.ts';
import { BIN } from './support/terminal.ts';

/** Whoever has no home: a container as somebody whom the machine does not know, a job that was given an empty `HOME`. */

const folder = mkdtempSync(join(tmpdir(), 'firmquote-homeless-'));
const server = createServer((asked, answer) => {
  const isSandbox = asked.url?.startsWith('/v1/sandbox/');
  const token = { access_token: 'e30.e30.e30', token_type: 'Bearer', expires_in: 86_400 };
  answer.writeHead(isSandbox ? 401 : 200, { 'content-type': 'application/json' });
  answer.end(JSON.stringify(isSandbox ? { code: 'token_missing', retry: 'after_fix' } : token));
});
let baseUrl = '';
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the system says of somebody whom it does not know. */
const UNKNOWN = `data:text/javascript,${encodeURIComponent(
  `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
  os.homedir = () => { throw new Error('uv_os_homedir returned ENOENT'); }; syncBuiltinESMExports();`,
)}`;

async function run(node: readonly string[], env: Readonly<Record<string, string>>, argv: readonly string[]) {
  const credentials = {
    ...{ FIRMQUOTE_BASE_URL: baseUrl, FIRMQUOTE_CLIENT_ID: 'cli_1' },
    FIRMQUOTE_CLIENT_SECRET: 'secret-of-nobody',
  };
  const child = spawn(process.execPath, [...node, BIN, ...argv], {
    cwd: folder,
    env: { ...COMPILED, PATH: process.env.PATH ?? '', ...credentials, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

describe('nothing is left in the folder where the command runs', () => {
  for (const [name, node, env] of [
    ['with an empty HOME', [], { HOME: '' }],
    ['with a HOME that is relative', [], { HOME: 'somewhere' }],
    ['with a home that nobody knows', ['--import', UNKNOWN], {}],
  ] as const) {
    test(name, async () => {
      const login = await run(node, env, ['login']);
      assert.equal(login.code, 1, login.stderr);
      assert.match(login.stderr, /^error: There is no home folder to keep this in\./);
      assert.match(login.stderr, /\nnext: Set HOME or XDG_CONFIG_HOME /);
      const asked = await run(node, env, ['api', 'GET', '/v1/customer/limits']);
      assert.equal(asked.code, 0, asked.stderr);
      assert.equal(JSON.parse(asked.stdout).token_type, 'Bearer');
      assert.deepEqual(readdirSync(folder), []);
    });
  }
});
