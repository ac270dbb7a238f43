import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { environmentOf, instructionsOf } from './containerfile.ts';
import { fromKit, ROOT, skipWithoutKit } from './kit.ts';
import { unknownSettings } from './settings.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const containerfile = read('ops/container/Containerfile');
const instructions = instructionsOf(containerfile);
const last = (name: string) => instructions.findLast((each) => each.name === name)?.text ?? '';

test('the image has bases that can be pinned, runs as nobody in particular, and its first process is Node', () => {
  const bases = instructions.filter(({ name }) => name === 'ARG').map(({ text }) => text);
  const froms = instructions.filter(({ name }) => name === 'FROM').map(({ text }) => text);
  assert.deepEqual(froms, [`\${BUILD_IMAGE} AS build`, `\${RUN_IMAGE}`]);
  for (const name of ['BUILD_IMAGE', 'RUN_IMAGE']) {
    const base = bases.find((each) => each.startsWith(`${name}=`));
    assert.match(base ?? '', /=docker\.io\/library\/[a-z]+:(?!latest)[\w.-]+$/);
  }
  assert.match(last('USER'), /^[1-9]\d{4}:[1-9]\d{4}$/);
  assert.ok(!instructions.some(({ name }) => name === 'ADD'));
  const [program, file] = JSON.parse(last('ENTRYPOINT'));
  assert.equal(program, '/app/node_modules/node/bin/node');
  assert.ok(existsSync(join(ROOT, file.replace('/app/', ''))));
  assert.ok(Array.isArray(JSON.parse(last('CMD'))));
  assert.equal(JSON.parse(last('HEALTHCHECK').replace(/^.* CMD /, ''))[0], program);
  assert.match(last('HEALTHCHECK'), /\/healthz'/);
});

test('its variables are settings, and its data folder is a volume', () => {
  const environment = environmentOf(instructions);
  assert.deepEqual(unknownSettings(Object.keys(environment)), []);
  assert.equal(last('VOLUME'), environment.FIRMQUOTE_DATA_DIR);
  assert.equal(last('EXPOSE'), environment.FIRMQUOTE_PORT);
});

test('pages that are made of sources are made before the tree is read-only', () => {
  const unit = read('ops/systemd/firmquote.service');
  for (const [from, text] of Object.entries({ containerfile, unit })) {
    for (const command of ['npm run docs', 'node scripts/build-console.mjs'])
      assert.ok(text.includes(command), `${from}: ${command}`);
  }
});

test('nothing that is not in the repository gets into it', () => {
  const left = new Set(read('.dockerignore').split('\n'));
  const isLeft = (path: string) => left.has(path) || left.has(`**/${path}`);
  const ignored = read('.gitignore').split('\n').filter(Boolean);
  assert.deepEqual(
    ignored.map((line) => line.replace(/\/$/, '')).filter((path) => !isLeft(path)),
    [],
  );
  assert.ok(isLeft('.git'));
});

test('it is asked for programs by the names that npm run has', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env: { PATH: '/nowhere' } });
  const entry = join(ROOT, 'ops/container/entry.mjs');
  const help = run(entry, 'restore', '--help');
  assert.deepEqual([help.status, help.stderr], [0, '']);
  assert.match(help.stdout, /^Usage: npm run backup -- <folder>/);
  const unknown = run(entry, 'typecheck');
  assert.equal(unknown.status, 2);
  assert.match(
    unknown.stderr,
    /^firmquote: There is no program typecheck\. Programs: start, .*operator, .*backup/,
  );
  const wrong = run(entry, 'backup', '--verify');
  assert.deepEqual([wrong.status, wrong.stderr], [2, 'firmquote: Name one folder. See --help.\n']);
});

const skipWithoutNamespaces =
  spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0
    ? false
    : 'needs namespaces of processes, and the right to make one';

test('as the first process it ends at a signal before a program listens to it', {
  skip: skipWithoutNamespaces,
}, async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const address = `postgres://u@127.0.0.1:${(silent.address() as AddressInfo).port}/x`;
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    const args = ['--pid', '--fork', '--kill-child', process.execPath, join(ROOT, 'ops/container/entry.mjs')];
    const outer = spawn('unshare', [...args, 'migrate'], {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, DATABASE_URL: address, DATABASE_OWNER_URL: address },
    });
    t.after(() => outer.kill('SIGKILL'));
    const [connection] = await once(silent, 'connection');
    const [first = ''] = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').split(' ');
    process.kill(Number(first), signal);
    assert.deepEqual(await once(outer, 'close'), [code, null], signal);
    connection.destroy();
  }
});

interface Linter {
  readonly validate: (text: string) => readonly { readonly message: string }[];
}

test('a linter has nothing to say', { skip: skipWithoutKit('dockerfile-utils') }, async () => {
  const { validate } = await fromKit<Linter>('dockerfile-utils/lib/main.js');
  assert.deepEqual(validate(containerfile), []);
  assert.notDeepEqual(validate(containerfile.replace('WORKDIR /app', 'WORKDIR app')), [], 'it would');
});
