import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { allPages } from '@firmquote/site';
import { urlOfOperation } from '@firmquote/site/operation-pages';
import { DOCS, ROOT } from '@firmquote/site/site-map';
import { type Block, blocksOf, type Language } from '@firmquote/site/snippet-blocks';
import { whenFileEnds } from '../support/file-end.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { COMPILED, skipWithout, withoutWaiting } from '../support/shell.ts';

/** Every block of code in the documentation that can be run is run, page by page, as its reader would paste it. */

const PAGES = allPages()
  .filter(({ text }) => text === undefined)
  .map(({ file }) => ({ file, blocks: blocksOf(readFileSync(join(DOCS, file), 'utf8')) }));
const QUICKSTART = 'guide/quickstart.md';
/** What every other page takes for granted. */
const CONNECT = PAGES.find(({ file }) => file === QUICKSTART)?.blocks.filter(
  ({ section }) => section === 'Connect',
);
/** Between what two blocks print. */
const MARK = '\u001e';
const LIMIT_MS = 60_000;
const NOT_RUN_MAX = 30;
const DRILLED = 'a drill runs it';
const NEW_MS = 60_000;
const PAUSE_MS = 100;

const IN_CHECKOUT = readdirSync(ROOT);

const run = promisify(execFile);
let service: TestService;
let folder: string;
const ended = new AbortController();

before(async () => {
  service = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'fq-snippets-'));
  whenFileEnds(() => rmSync(folder, { recursive: true, force: true }));
  // What they import is the project's own.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'sandbox.json'), JSON.stringify(service.sandbox, null, 2));
  const command = join(ROOT, 'packages/cli/src/bin.ts');
  writeFileSync(join(folder, 'firmquote'), `#!/bin/sh\nexec '${process.execPath}' '${command}' -q "$@"\n`, {
    mode: 0o755,
  });
  const { customer, audience } = service.sandbox;
  Object.assign(process.env, {
    FIRMQUOTE_BASE_URL: service.baseUrl,
    FIRMQUOTE_AUDIENCE: audience,
    FIRMQUOTE_CLIENT_ID: customer.clientId,
    FIRMQUOTE_CLIENT_SECRET: customer.clientSecret,
  });
  const terms = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100.00' };
  const { quoteId } = (await service.call('POST', '/v1/customer/quotes', { body: terms })).body;
  await service.call('POST', `/v1/customer/quotes/${quoteId}/execute`);
  // It ends with the service.
  letTimePass().catch(() => undefined);
});

after(() => ended.abort());

/** While a new trade waits for the bank, which does one thing every five seconds of business time. */
async function letTimePass(): Promise<void> {
  const waiting = 'awaiting_funds,partially_funded,funded,settling';
  while (!ended.signal.aborted) {
    const list = await service.operate('GET', `/v1/operator/transactions?limit=1&status=${waiting}`);
    const { now } = (await service.operate('GET', '/v1/sandbox/clock')).body;
    const [newest] = list.body.items;
    const isNew = newest !== undefined && Date.parse(now) - Date.parse(newest.createdAt) < NEW_MS;
    if (isNew) await service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 3 });
    await setTimeout(PAUSE_MS, undefined, { ref: false });
  }
}

function story(blocks: readonly Block[], language: Language, isFirst: boolean): readonly Block[] {
  const own = blocks.filter((block) => block.language === language && block.reason === undefined);
  const before = isFirst ? [] : (CONNECT ?? []).filter((block) => block.language === language);
  return own.length === 0 ? [] : [...before, ...own];
}

describe('what the pages show is what happens', () => {
  for (const { file, blocks } of PAGES) {
    const inShell = story(blocks, 'sh', file === QUICKSTART);
    const inPython = story(blocks, 'python', file === QUICKSTART);
    if (inShell.length > 0) test(`${file}, in a shell`, { timeout: LIMIT_MS }, (t) => runShell(t, inShell));
    if (inPython.length > 0)
      test(`${file}, in Python`, { timeout: LIMIT_MS }, async (t) => {
        if (skipWithout(t, 'python3')) return;
        await run('python3', ['-c', inPython.map(({ code }) => code).join('\n')]);
      });
  }
});

describe('the lost execution in Python', () => {
  const PAGE = 'guide/idempotency.md';
  const [example] =
    PAGES.find(({ file }) => file === PAGE)?.blocks.filter(
      ({ section, language }) => section === 'A lost execution' && language === 'python',
    ) ?? [];
  const PROXY = [502, '<html>Bad gateway</html>'] as const;
  const problem = (status: number, code: string, retry: string) =>
    [status, JSON.stringify({ code, retry })] as const;
  const NO_ROUTE = [404, '{"message":"no Route matched with those values"}'] as const;
  const TOKEN = [200, '{"access_token":"t"}'] as const;
  const TRADE = [201, '{"transactionId":"txn_1"}'] as const;
  const LIMITED = problem(429, 'rate_limited', 'later');
  const UNKNOWN = 'outcome unknown: send it again later, with the same key';

  for (const [name, answers, outcome] of [
    ['a page of a proxy is no answer', [PROXY, TRADE], 'txn_1'],
    ['nor is what a gateway says that has lost its route', [PROXY, NO_ROUTE, TRADE], 'txn_1'],
    ['what is refused before it is looked at is no outcome', [PROXY, LIMITED, TRADE], 'txn_1'],
    ['not even the last time', [PROXY, problem(503, 'overloaded', 'later'), LIMITED], UNKNOWN],
    ['nor where the token has ended', [PROXY, PROXY, problem(401, 'token_expired', 'after_fix')], UNKNOWN],
    ['a refusal of the execution is one', [PROXY, problem(422, 'limit_exceeded', 'later')], 'limit_exceeded'],
  ] as const) {
    test(name, { timeout: LIMIT_MS }, async (t) => {
      if (skipWithout(t, 'python3')) return;
      assert.ok(example !== undefined);
      const given = [TOKEN, ...answers];
      const keys = new Set<unknown>();
      const server = createServer((request, response) => {
        const [status, body] = given.shift() ?? [500, ''];
        if (request.url !== '/oauth/token') keys.add(request.headers['idempotency-key']);
        // A gateway may name an instant.
        const pause = status === 429 ? '0' : status === 404 ? new Date().toUTCString() : undefined;
        response.writeHead(status, pause === undefined ? {} : { 'Retry-After': pause }).end(body);
      }).listen(0, '127.0.0.1');
      t.after(() => server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const connect = (CONNECT ?? []).filter(({ language }) => language === 'python');
      const program = [...connect.map(({ code }) => code), 'import uuid', 'first = {"quoteId": "quote_1"}'];
      const { stdout, stderr } = await run('python3', ['-c', [...program, example.code].join('\n')], {
        env: { ...process.env, FIRMQUOTE_BASE_URL: `http://127.0.0.1:${port}` },
      }).catch((error) => error);
      assert.equal(stdout.trim() || stderr.trim().split('RuntimeError: ').at(-1), outcome);
      assert.equal(given.length, 0, 'it asked as often as it may');
      assert.equal(keys.size, 1);
    });
  }
});

async function runShell(t: TestContext, blocks: readonly Block[]): Promise<void> {
  if (skipWithout(t, 'bash', 'curl', 'sed', 'grep')) return;
  const program = blocks.map(({ code }) => `${withoutWaiting(code)}\nprintf '${MARK}'\n`).join('');
  const { stdout, stderr } = await runIn(program);
  assert.equal(stderr, '');
  const printed = stdout.split(MARK);
  for (const [index, { shown, line }] of blocks.entries()) {
    if (shown === undefined) continue;
    assertShown(JSON.parse(shown), answerIn(printed[index] ?? ''), `line ${line}`);
  }
}

function runIn(program: string) {
  const text = program.replaceAll('data/sandbox.json', join(folder, 'sandbox.json'));
  return run('bash', ['--norc', '-euo', 'pipefail', '-c', text], {
    cwd: ROOT,
    env: {
      ...COMPILED,
      PATH: `${folder}:${process.env.PATH}`,
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_CACHE_HOME: join(folder, 'cache'),
    },
    maxBuffer: 16 * 1024 * 1024,
  });
}

/** The last answer of a block, on one line or on many. */
function answerIn(printed: string): unknown {
  const text = printed.slice(printed.search(/[[{]/)).trim();
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.split('\n').at(-1) ?? '');
  }
}

/** What is shown is there, of the same kind; words of the interface are the same. */
function assertShown(shown: unknown, real: unknown, where: string): void {
  if (shown === null) return;
  // The command line shows what a list holds, without what belongs to the page.
  if (Array.isArray(real) && typeof shown === 'object' && 'items' in shown) {
    assertShown(shown.items, real, where);
    return;
  }
  if (Array.isArray(shown)) {
    assert.ok(Array.isArray(real), where);
    if (shown.length > 0 && real.length > 0) assertShown(shown[0], real[0], `${where}[0]`);
  } else if (typeof shown === 'object') {
    assert.ok(typeof real === 'object' && real !== null, where);
    for (const [name, value] of Object.entries(shown)) {
      assert.ok(name in real, `${where}: there is no ${name} in ${JSON.stringify(real)}`);
      assertShown(value, (real as Record<string, unknown>)[name], `${where}.${name}`);
    }
  } else {
    assert.equal(typeof real, typeof shown, where);
    if (typeof shown === 'string' && /^[a-z_.]+$/.test(shown)) assert.equal(real, shown, where);
  }
}

describe('TypeScript of the pages', () => {
  const stories = PAGES.flatMap(({ file, blocks }) => {
    const all = story(blocks, 'ts', file === QUICKSTART);
    return all.length === 0 ? [] : [{ file, text: moduleOf(all) }];
  });
  const pathOf = (file: string) => join(folder, `${file.replaceAll('/', '-').replace('.md', '')}.ts`);

  before(() => {
    for (const { file, text } of stories) writeFileSync(pathOf(file), text);
    writeFileSync(join(folder, 'reference.ts'), referenceModule());
    const options = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'], exclude: [] };
    const own = { compilerOptions: { noUnusedLocals: false, lib: ['es2024', 'esnext.disposable', 'dom'] } };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...options, ...own }));
  });

  test('has the types that it takes', async () => {
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '-p', folder], {
      env: { PATH: `${join(process.execPath, '..')}:${process.env.PATH}` },
    }).catch(({ stdout }) => assert.fail(stdout));
  });

  for (const { file } of stories) {
    test(file, { timeout: LIMIT_MS }, async (t) => {
      t.mock.method(console, 'log', () => undefined);
      await import(pathToFileURL(pathOf(file)).href);
    });
  }
});

describe('what packages say of themselves is what happens', () => {
  const EXAMPLE = 'https://fx.example.com';
  const readme = (name: string) => blocksOf(readFileSync(join(ROOT, `packages/${name}/README.md`), 'utf8'));
  const here = (code: string) => {
    assert.ok(code.includes(EXAMPLE));
    return code.replaceAll(EXAMPLE, service.baseUrl).replace('cli_…', service.sandbox.customer.clientId);
  };

  /** What a block takes from the program around it, and from blocks before it. Loops without an end are left from inside. */
  const AROUND = `
    class Enough extends Error {}
    const enough = () => { throw new Enough(); };
    const readSecret = async () => process.env.FIRMQUOTE_CLIENT_SECRET ?? '';
    const lastSeen = undefined, workOff = enough, show = enough, stopDealing = enough;`;
  const BEFORE = `const firmquote = new Firmquote();
    const quote = await firmquote.quotes.create({ sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100.00' });`;
  const asModule = (code: string, isFirst: boolean) => {
    const lines = code.split('\n');
    const imports = lines.filter((line) => line.startsWith('import '));
    return [
      ...(isFirst ? [] : ["import { Firmquote } from '@firmquote/client';"]),
      ...imports,
      AROUND,
      `const program = async () => {${isFirst ? '' : BEFORE}`,
      ...lines.filter((line) => !line.startsWith('import ')),
      "return 'ended'; };",
      "export const end = await program().catch((error) => { if (error instanceof Enough) return 'left'; throw error; });",
    ].join('\n');
  };

  test('@firmquote/client', { timeout: LIMIT_MS }, async (t) => {
    t.mock.method(console, 'log', () => undefined);
    const [first, ...others] = readme('client').filter(({ language }) => language === 'ts');
    assert.ok(first !== undefined && others.length >= 4);
    const programs = [asModule(here(first.code), true), ...others.map(({ code }) => asModule(code, false))];
    const ends = await Promise.all(
      programs.map(async (text, at) => {
        const path = join(folder, `readme-${at}.ts`);
        writeFileSync(path, text);
        return (await import(pathToFileURL(path).href)).end;
      }),
    );
    assert.deepEqual(
      ends,
      [first, ...others].map(({ code }) => (/^for await/.test(code) ? 'left' : 'ended')),
    );
  });

  test('firmquote', { timeout: LIMIT_MS }, async (t) => {
    if (skipWithout(t, 'bash')) return;
    const [block, ...others] = readme('cli');
    assert.deepEqual(others, []);
    // Who installs it has it; that it can be installed is shown where it is packed.
    const [install, login, ...commands] = here(block?.code ?? '')
      .trim()
      .split('\n');
    assert.match(install ?? '', /^npm install --global firmquote$/);
    const { customer, audience } = service.sandbox;
    const signIn = `FIRMQUOTE_CLIENT_SECRET=${customer.clientSecret} ${login} --client-id ${customer.clientId} --audience ${audience}`;
    const { stdout } = await runIn([signIn, ...commands].join('\n'));
    assert.equal(JSON.parse(stdout).status, 'open');
  });
});

/** Each import once. */
function moduleOf(blocks: readonly Block[]): string {
  const seen = new Set<string>();
  const lines = blocks.flatMap(({ code }) => code.split('\n'));
  return lines
    .filter((line) => !line.startsWith('import ') || (!seen.has(line) && seen.add(line)))
    .join('\n');
}

test('no block leaves anything in the checkout', () => {
  assert.deepEqual(readdirSync(ROOT), IN_CHECKOUT);
});

test('blocks that are not run are few, and say why', () => {
  const all = PAGES.flatMap(({ file, blocks }) => blocks.map((block) => ({ file, ...block })));
  const left = all.filter(({ reason }) => reason !== undefined);
  const isGuide = /^(guide\/|README|sandbox|streaming|interface|evidence)/;
  assert.deepEqual(
    left.filter(({ file }) => isGuide.test(file)),
    [],
    'of the guides every block is run',
  );
  const nowhere = left.filter(({ reason }) => reason !== DRILLED);
  assert.ok(nowhere.length <= NOT_RUN_MAX, `${nowhere.length} of ${all.length} blocks are not run`);
  // What a drill runs it reads from the page.
  const folder = join(ROOT, 'ops/drills');
  const files = readdirSync(folder).map((name) => join(folder, name));
  files.push(
    ...['keys', '../process/archive-year'].map((name) => join(import.meta.dirname, `${name}.test.ts`)),
  );
  const drills = files.map((file) => readFileSync(file, 'utf8'));
  for (const { file } of left.filter(({ reason }) => reason === DRILLED)) {
    assert.ok(
      drills.some((text) => text.includes(`'docs/${file}'`)),
      file,
    );
  }
});

describe('requests of the reference', () => {
  const pages = allPages().flatMap(({ url, text }) => {
    const operation = OPERATIONS.find((each) => urlOfOperation(each) === url);
    return operation === undefined || text === undefined ? [] : [{ operation, blocks: blocksOf(text) }];
  });

  test('of customers and the sandbox are taken by the service', { timeout: LIMIT_MS }, async (t) => {
    if (skipWithout(t, 'bash', 'curl', 'sed', 'grep')) return;
    const own = pages.flatMap(({ operation, blocks }) => {
      const isOperators = /^\/(v1\/operator|auth)/.test(operation.path) || operation.tag === 'Operations';
      const isStream = operation.media === 'event-stream' || operation.answers[101] !== undefined;
      const block = blocks.find((each) => each.language === 'sh');
      return block === undefined || isOperators || isStream ? [] : [{ operation, code: block.code }];
    });
    assert.ok(own.length >= 40);
    const [connect] = CONNECT ?? [];
    const quote = `QUOTE=$(curl -sS "$BASE/v1/customer/quotes" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"sellCurrency":"USD","buyCurrency":"EUR","fixedSide":"sell","amount":"100000.00"}' | field quoteId)\n`;
    const trade = `TXN=$(curl -sS -X POST "$BASE/v1/customer/quotes/$QUOTE/execute" -H "Authorization: Bearer $TOKEN" | field transactionId)\n`;
    const others = `PAIR=EURUSD FROM=2026-01-01T00:00:00Z FILE_ID=bkf_x DEPOSIT_ID=dep_x WITHDRAWAL_ID=wdr_x WEBHOOK_ID=whk_x EVENT_ID=evt_x EVENT=deposit CLIENT_ID=cli_x SECRET_ID=key_x\n`;
    const program = own
      .map(({ code }) => `${code.includes('$QUOTE') ? quote : ''}${code}printf '${MARK}'\n`)
      .join('');
    const { stdout } = await runIn(`${connect?.code}${quote}${trade}${others}${program}`);
    for (const [index, { operation }] of own.entries()) {
      const answer = stdout.split(MARK)[index] ?? '';
      const [, code] = /"code":"([a-z_]+)","retry"/.exec(answer) ?? [];
      if (code === undefined) continue;
      const allowed = operation.problems ?? [];
      assert.ok((allowed as readonly string[]).includes(code), `${operation.id}: ${answer}`);
    }
  });

  test('have flags that the command line knows', () => {
    const table = readFileSync(join(ROOT, 'packages/cli/src/operations/table.json'), 'utf8');
    const known = new Map((JSON.parse(table) as CommandTable).map((each) => [each.id, each]));
    for (const { operation, blocks } of pages) {
      const command = blocks.find(({ code }) => code.startsWith('firmquote call '));
      if (command === undefined) continue;
      const described = JSON.stringify(known.get(operation.id) ?? assert.fail(operation.id));
      for (const [, flag = ''] of command.code.matchAll(/\s--([a-z-]+)/g)) {
        if (flag === 'input' || flag === 'if-match') continue;
        const name = flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
        assert.ok(described.includes(`"${name}"`), `${operation.id}: ${flag}`);
      }
    }
  });
});

/** As `packages/cli` keeps it. */
type CommandTable = readonly { readonly id: string }[];

/** Every snippet of the reference in a block of its own, to be type-checked. */
function referenceModule(): string {
  const codes = allPages().flatMap(({ url, text }) =>
    text !== undefined && url.includes('/api/')
      ? blocksOf(text).filter(({ language }) => language === 'ts')
      : [],
  );
  const names = new Set(
    OPERATIONS.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)),
  );
  const needed = OPERATIONS.flatMap(({ query }) =>
    Object.entries(query ?? {}).filter(([, { isRequired }]) => isRequired),
  );
  return [
    "import type { Firmquote } from '@firmquote/client';",
    "import type { FirmquoteOperator } from '@firmquote/client/operator';",
    "import type { FirmquoteSandbox } from '@firmquote/client/sandbox';",
    'declare const firmquote: Firmquote, operator: FirmquoteOperator, sandbox: FirmquoteSandbox;',
    'declare const file: never, etag: string;',
    ...[...new Set(['pair', 'currency', 'valueDate', ...names, ...needed.map(([name]) => name)])].map(
      (name) => `declare const ${name}: never;`,
    ),
    ...codes.map(({ code }) => `async () => {\n${code}};`),
  ].join('\n');
}
