import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { build } from 'esbuild';
import { buildClient } from '../../../scripts/pack-client.ts';
import { startTestService } from '../../service/test/support/service.ts';

/**
 * The built client on other runtimes than the project's own, against a real service. They come from npm, half a gigabyte of them, and
 * so are installed only on request: `npm ci --prefix packages/client/runtimes --ignore-scripts`.
 */

const RUNTIMES = join(import.meta.dirname, '../runtimes/node_modules');
const INSTALL = 'npm ci --prefix packages/client/runtimes --ignore-scripts';

const PROGRAMS: readonly (readonly [name: string, pattern: string, args: readonly string[]])[] = [
  ['Node 22', 'node-linux-*/bin/node', []],
  ['Bun', '@oven/bun-*/bin/bun', []],
  ['Deno', '@deno/*/deno', ['run', '--allow-net', '--no-remote']],
];

/** `workerd`, the runtime of Cloudflare's workers: it runs no programs, but answers requests. */
const WORKERD = '@cloudflare/workerd-*/bin/workerd';
const WORKERD_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [
      (name = "main", worker = (
        modules = [(name = "worker.js", esModule = embed "worker.js")],
        compatibilityDate = "2026-11-01", globalOutbound = "net")),
      (name = "net", network = (allow = ["local"])),
    ],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);`;

const folder = mkdtempSync(join(tmpdir(), 'firmquote-runtimes-'));
const find = (pattern: string) => globSync(join(RUNTIMES, pattern))[0];
const installed = PROGRAMS.map(([name, pattern, args]) => ({ name, args, path: find(pattern) }));
const workerd = find(WORKERD);
const isAny = workerd !== undefined || installed.some(({ path }) => path !== undefined);
const TRADED = '1000.00,EURUSD,NotFoundError,true';

before(async () => {
  if (!isAny) return;
  buildClient(folder);
  const { baseUrl, sandbox } = await startTestService();
  const { audience, customer } = sandbox;
  const options = { baseUrl, audience, clientId: customer.clientId, clientSecret: customer.clientSecret };
  writeFileSync(
    join(folder, 'trade.mjs'),
    `import { Firmquote, OutcomeUnknownError } from './dist/index.js';
     export async function trade() {
     const firmquote = new Firmquote(${JSON.stringify(options)});
     const quote = await firmquote.quotes.create({ sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' });
     const transaction = await firmquote.quotes.execute(quote);
     let price;
     for await (const update of firmquote.prices.stream({ pairs: ['EURUSD'] })) {
       if (update.event !== 'price') continue;
       price = update.data.pair;
       break;
     }
     const error = await firmquote.quotes.get('quote_01jngx7z5d2m8r4v6t9k3b1c0a').catch((each) => each);
     return [transaction.sellAmount, price, error.name, firmquote.quotes.secondsLeft(quote) > 0].join();
     }`,
  );
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { trade } from './trade.mjs';
     console.log(await trade());`,
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the client trades on', () => {
  for (const { name, path, args } of installed) {
    test(name, { skip: path === undefined && `${name} is not installed: ${INSTALL}` }, async () => {
      const program = spawn(path ?? '', [...args, 'main.mjs'], {
        cwd: folder,
        env: { HOME: folder, NO_COLOR: '1' },
      });
      let said = '';
      for (const stream of [program.stdout, program.stderr])
        stream.on('data', (piece) => {
          said += piece;
        });
      await new Promise((done) => program.once('close', done));
      assert.equal(said.trim(), TRADED);
    });
  }

  test('workerd', { skip: workerd === undefined && `workerd is not installed: ${INSTALL}` }, async (t) => {
    const worker = `import { trade } from './trade.mjs';
      export default { fetch: async () => new Response(await trade().catch((error) => error.stack)) };`;
    const stdin = { contents: worker, resolveDir: folder };
    await build({
      ...{ stdin, bundle: true, format: 'esm', platform: 'browser', logLevel: 'silent' },
      outfile: join(folder, 'worker.js'),
    });
    writeFileSync(join(folder, 'config.capnp'), WORKERD_CONFIG);
    const program = spawn(workerd ?? '', ['serve', 'config.capnp', '--control-fd=3'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    t.after(() => program.kill());
    const [reported] = await once(program.stdio[3] as Readable, 'data');
    const { port } = JSON.parse(String(reported)) as { port: number };
    assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), TRADED);
  });
});
