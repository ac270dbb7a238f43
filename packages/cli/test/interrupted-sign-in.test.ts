import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMPILED } from '../../service/test/support/shell.ts';
import { Home } from './support/command.ts';
import { BIN } from './support/terminal.ts';

const home = new Home();

test('Ctrl-C while a token is asked for leaves no lock that the next command waits for', async (t) => {
  const asked = Promise.withResolvers<void>();
  // It never answers.
  const server = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const child = spawn(process.execPath, [BIN, 'rates', 'get', 'EURUSD'], {
    env: {
      ...COMPILED,
      ...{ PATH: process.env.PATH ?? '', HOME: home.folder },
      FIRMQUOTE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ...{ FIRMQUOTE_CLIENT_ID: 'cli_1', FIRMQUOTE_CLIENT_SECRET: 'secret-of-nobody' },
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  await asked.promise;
  const lock = join(home.folder, '.cache', 'firmquote', 'tokens.json.lock');
  assert.ok(existsSync(lock));
  child.kill('SIGINT');
  await ended;
  assert.ok(!existsSync(lock));
});
