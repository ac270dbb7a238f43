import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
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

const folder = mkdtempSync(join(tmpdir(), 'firmquote-runtimes-'));
const installed = PROGRAMS.map(([name, pattern, args]) => {
  const [file] = globSync(pattern, { cwd: RUNTIMES });
  return { name, args, path: file === undefined ? undefined : join(RUNTIMES, file) };
});
const isAny = installed.some(({ path }) => path !== undefined);

before(async () => {
  if (!isAny) return;
  buildClient(folder);
  const { baseUrl, sandbox } = await startTestService();
  const { audience, customer } = sandbox;
  const options = { baseUrl, audience, clientId: customer.clientId, clientSecret: customer.clientSecret };
  writeFileSync(
    join(folder, 'trade.mjs'),
    `import { Firmquote, OutcomeUnknownError } from './dist/index.js';
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
     console.log([transaction.sellAmount, price, error.name, firmquote.quotes.secondsLeft(quote) > 0].join());`,
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the client trades on', () => {
  for (const { name, path, args } of installed) {
    test(name, { skip: path === undefined && `${name} is not installed: ${INSTALL}` }, async () => {
      const program = spawn(path ?? '', [...args, 'trade.mjs'], {
        cwd: folder,
        env: { HOME: folder, NO_COLOR: '1' },
      });
      let said = '';
      for (const stream of [program.stdout, program.stderr])
        stream.on('data', (piece) => {
          said += piece;
        });
      await new Promise((done) => program.once('close', done));
      assert.equal(said.trim(), '1000.00,EURUSD,NotFoundError,true');
    });
  }
});
