import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildClient } from '../../../scripts/pack-client.ts';
import { FakeService, json, problem } from './support/fake.ts';
import { quoteOf, transactionOf } from './support/quotes.ts';

/** The package as npm has it. */

const ROOT = resolve(import.meta.dirname, '../../..');
const CORE_GZIP_BYTES_MAX = 12 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'firmquote-package-'));
const built = join(folder, 'package');
const project = join(folder, 'project');
let packed: { readonly filename: string; readonly files: readonly { readonly path: string }[] };

before(() => {
  buildClient(built);
  const [made] = JSON.parse(npm(built, 'pack', '--json', '--pack-destination', folder));
  packed = made;
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  npm(
    project,
    'install',
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    join(folder, packed.filename),
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

function npm(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Compressed size of an entry in one file, without what is only loaded when it is used. */
async function coreBytes(entry: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [join(built, entry)],
    ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'neutral' },
    plugins: [
      {
        name: 'later',
        setup: ({ onResolve }) =>
          onResolve({ filter: /./ }, ({ kind, path }) =>
            kind === 'dynamic-import' ? { path, external: true } : undefined,
          ),
      },
    ],
  });
  const [file, ...others] = outputFiles;
  assert.ok(file !== undefined && others.length === 0);
  return gzipSync(file.contents, { level: 9 }).length;
}

test('it holds what was built, its declarations and maps, and nothing else', () => {
  const paths = packed.files.map(({ path }) => path);
  const others = paths.filter((path) => !/^dist\/(generated\/)?[\w-]+\.(js|d\.ts)(\.map)?$/.test(path));
  assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'package.json']);
  assert.ok(!paths.some((path) => path.includes('test')));
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.devDependencies, undefined);
  assert.equal(manifest.publishConfig.provenance, true);
  assert.ok(manifest.repository.url.startsWith('git+https://'));
  for (const entry of Object.values(manifest.exports)) {
    const targets = typeof entry === 'string' ? [entry] : Object.values(entry as Record<string, string>);
    for (const target of targets) assert.ok(existsSync(join(built, target)), target);
  }
  for (const path of paths.filter((each) => each.endsWith('.js'))) {
    const text = readFileSync(join(built, path), 'utf8');
    assert.ok(!/from '(?!\.)|\bprocess\.(?!env)|require\(/.test(text), `${path} needs more than the web has`);
  }
});

test(`its core is smaller than ${CORE_GZIP_BYTES_MAX} bytes, compressed`, async () => {
  const bytes = await coreBytes('dist/index.js');
  assert.ok(bytes < CORE_GZIP_BYTES_MAX, `${bytes} bytes`);
});

test('it trades where there is nothing but the web', async () => {
  // For browsers esbuild resolves no module of Node: an import of one would be an error.
  const { outputFiles } = await build({
    entryPoints: [join(built, 'dist/index.js')],
    ...{ bundle: true, write: false, format: 'iife', globalName: 'client', platform: 'browser' },
  });
  const service = new FakeService();
  const { fetch } = service.options();
  service.replies.push(
    json(200, quoteOf(), { etag: '"1"' }),
    json(200, quoteOf(), { etag: '"1"' }),
    json(201, transactionOf()),
    problem('quote_not_found', 404, 'none'),
  );
  const { Headers, Response, URL, URLSearchParams, AbortController, AbortSignal, DOMException } = globalThis;
  const { crypto, performance, TextEncoder, TextDecoder, ReadableStream, btoa, atob } = globalThis;
  const context = createContext({
    ...{ fetch, Headers, Response, URL, URLSearchParams, AbortController, AbortSignal, DOMException },
    ...{
      crypto,
      performance,
      TextEncoder,
      TextDecoder,
      ReadableStream,
      btoa,
      atob,
      setTimeout,
      clearTimeout,
    },
  });
  runInContext(outputFiles[0]?.text ?? '', context);
  const traded = runInContext(
    `(async () => {
      const firmquote = new client.Firmquote({ baseUrl: 'https://fx.example.com', clientId: 'a', clientSecret: 'b' });
      const quote = await firmquote.quotes.get('quote_1');
      const transaction = await firmquote.quotes.execute(quote);
      const error = await firmquote.quotes.get('quote_2').catch((each) => each);
      return [transaction.transactionId, error instanceof client.NotFoundError, typeof process, typeof Buffer].join();
    })()`,
    context,
  );
  assert.equal(await traded, 'txn_1,true,undefined,undefined');
});

describe('in an empty project', () => {
  test('it trades', async () => {
    const server = createServer((request, response) => {
      const isToken = request.url === '/oauth/token';
      response.setHeader('content-type', 'application/json');
      response.end(
        isToken ? '{"access_token":"t","token_type":"Bearer","expires_in":86400}' : '{"quoteId":"quote_1"}',
      );
    });
    server.listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as { port: number };
    writeFileSync(
      join(project, 'trade.mjs'),
      `import { Firmquote } from '@firmquote/client';
       import { FirmquoteOperator } from '@firmquote/client/operator';
       import { FirmquoteSandbox } from '@firmquote/client/sandbox';
       import { verify } from '@firmquote/client/webhooks';
       import { checkAmounts } from '@firmquote/client/money';
       const options = { baseUrl: 'http://127.0.0.1:${port}', clientId: 'a', clientSecret: 'b' };
       const quote = await new Firmquote(options).quotes.get('quote_1');
       new FirmquoteSandbox(new FirmquoteOperator(options));
       process.stdout.write([quote.quoteId, typeof verify, typeof checkAmounts].join());`,
    );
    const { spawn } = await import('node:child_process');
    const program = spawn(process.execPath, ['trade.mjs'], { cwd: project });
    let said = '';
    for await (const piece of program.stdout) said += piece;
    server.close();
    assert.equal(said, 'quote_1,function,function');
  });

  for (const [module, moduleResolution] of [
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ] as const) {
    for (const lib of [['es2022'], ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable']]) {
      test(`its types resolve with ${moduleResolution} and ${lib.length > 1 ? 'the types of browsers' : "Node's types"}`, () => {
        writeFileSync(
          join(project, 'typed.ts'),
          `import { Firmquote, OutcomeUnknownError, type Quote } from '@firmquote/client';
           import { FirmquoteOperator, type CustomerLimits } from '@firmquote/client/operator';
           import { FirmquoteSandbox } from '@firmquote/client/sandbox';
           import { verify, type WebhookEvent } from '@firmquote/client/webhooks';
           import { checkAmounts } from '@firmquote/client/money';
           const quote: Quote = await new Firmquote().quotes.get('quote_1');
           const limits: CustomerLimits = await new FirmquoteOperator().getCustomerLimits('cus_1');
           const event: WebhookEvent = await verify('', {}, 'whsec_');
           // @ts-expect-error: an amount is no number
           new Firmquote().quotes.create({ sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: 1 });
           export const all = [quote.buyAmount, limits.currency, event.type, checkAmounts(quote).isRight, OutcomeUnknownError, FirmquoteSandbox];`,
        );
        const types = lib.length > 1 ? [] : ['node'];
        typeCheck('typed.ts', { module, moduleResolution, lib, types });
      });
    }
  }

  test('the programs of the README are typed as they stand', () => {
    const text = readFileSync(join(built, 'README.md'), 'utf8');
    const programs = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, program]) => program);
    assert.ok(programs.length >= 3);
    const around = `declare const lastSeen: string;
      declare function workOff(event: object): Promise<void>;
      declare function show(bid: string | null, ask: string | null): void;
      declare function stopDealing(): void;
      declare function readSecret(): Promise<string>;`;
    writeFileSync(join(project, 'readme.ts'), [around, ...programs, 'export {};'].join('\n'));
    typeCheck('readme.ts', {
      module: 'node16',
      moduleResolution: 'node16',
      lib: ['es2022'],
      types: ['node'],
    });
  });
});

function typeCheck(file: string, more: object): void {
  const compilerOptions = {
    ...{ target: 'es2022', strict: true, noEmit: true, exactOptionalPropertyTypes: true, ...more },
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
}
