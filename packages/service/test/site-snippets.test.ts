import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { allPages } from '@firmquote/site';
import { DOCS, ROOT } from '@firmquote/site/site-map';
import { type Block, blocksOf, type Language } from '@firmquote/site/snippet-blocks';
import { temporaryFolder } from './support/process.ts';
import { startTestService, type TestService } from './support/service.ts';
import { skipWithout, withoutWaiting } from './support/shell.ts';

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
const LIMIT_MS = 30_000;
const NEW_MS = 60_000;
const PAUSE_MS = 100;

const run = promisify(execFile);
let service: TestService;
let folder: string;
const ended = new AbortController();

before(async (t) => {
  service = await startTestService();
  folder = temporaryFolder(t as TestContext);
  writeFileSync(join(folder, 'sandbox.json'), JSON.stringify(service.sandbox, null, 2));
  const { customer, audience } = service.sandbox;
  Object.assign(process.env, {
    FIRMQUOTE_BASE_URL: service.baseUrl,
    FIRMQUOTE_AUDIENCE: audience,
    FIRMQUOTE_CLIENT_ID: customer.clientId,
    FIRMQUOTE_CLIENT_SECRET: customer.clientSecret,
  });
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

async function runShell(t: TestContext, blocks: readonly Block[]): Promise<void> {
  if (skipWithout(t, 'bash', 'curl', 'sed', 'grep')) return;
  const program = blocks
    .map(({ code }) => `${withoutWaiting(code)}\nprintf '${MARK}'\n`)
    .join('')
    .replaceAll('data/sandbox.json', join(folder, 'sandbox.json'));
  const { stdout, stderr } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', program], {
    cwd: ROOT,
    env: { PATH: process.env.PATH },
  });
  assert.equal(stderr, '');
  const printed = stdout.split(MARK);
  for (const [index, { shown, line }] of blocks.entries()) {
    if (shown === undefined) continue;
    const answer = printed[index]?.match(/\{[\s\S]*$/)?.[0] ?? '';
    const last = answer.trim().split('\n').at(-1) ?? '';
    assertShown(JSON.parse(shown), JSON.parse(last), `line ${line}`);
  }
}

/** What is shown is there, of the same kind; words of the interface are the same. */
function assertShown(shown: unknown, real: unknown, where: string): void {
  if (shown === null) return;
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
    if (/^[a-z_.]+$/.test(String(shown))) assert.equal(real, shown, where);
  }
}

describe('TypeScript of the pages', () => {
  const stories = PAGES.flatMap(({ file, blocks }) => {
    const all = story(blocks, 'ts', file === QUICKSTART);
    return all.length === 0 ? [] : [{ file, text: moduleOf(all) }];
  });
  const programs = join(ROOT, 'packages/site/dist/snippets');
  const pathOf = (file: string) => join(programs, `${file.replaceAll('/', '-').replace('.md', '')}.ts`);

  before(() => {
    rmSync(programs, { recursive: true, force: true });
    mkdirSync(programs, { recursive: true });
    for (const { file, text } of stories) writeFileSync(pathOf(file), text);
    const options = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'], exclude: [] };
    const own = { compilerOptions: { noUnusedLocals: false, lib: ['es2024', 'esnext.disposable', 'dom'] } };
    writeFileSync(join(programs, 'tsconfig.json'), JSON.stringify({ ...options, ...own }));
  });

  test('has the types that it takes', async () => {
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '-p', programs], {
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

/** Each import once. */
function moduleOf(blocks: readonly Block[]): string {
  const seen = new Set<string>();
  const lines = blocks.flatMap(({ code }) => code.split('\n'));
  return lines
    .filter((line) => !line.startsWith('import ') || (!seen.has(line) && seen.add(line)))
    .join('\n');
}

test('blocks that are not run are few, and say why', () => {
  const left = PAGES.flatMap(({ file, blocks }) =>
    blocks.filter(({ reason }) => reason !== undefined).map(({ line }) => `${file}:${line}`),
  );
  const all = PAGES.flatMap(({ blocks }) => blocks).length;
  const isOperators = (place: string) =>
    !/^(guide\/|README|sandbox|streaming|interface|evidence)/.test(place);
  assert.deepEqual(
    left.filter((place) => !isOperators(place)),
    [],
    'of integrators every block is run',
  );
  assert.ok(left.length <= 22, `${left.length} of ${all} blocks are not run: ${left.join(', ')}`);
});
