import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Packed, pack } from './pack.ts';

/** The packages that others build on without the service, as npm has them. */

const ROOT = resolve(import.meta.dirname, '..');
const NAMES = ['fx', 'bank-formats'] as const;
const folder = mkdtempSync(join(tmpdir(), 'firmquote-pack-'));
const project = join(folder, 'project');
const packed = new Map<string, Packed>();

after(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

/** What a page shows, and the output that it ends with. */
function exampleOf(name: string): { readonly code: string; readonly output: string } {
  const readme = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [output = ''] = /(?:^\/\/ .*\n)+$/m.exec(code) ?? [];
  return { code, output: output.replaceAll(/^\/\/ /gm, '') };
}

before(() => {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  for (const name of NAMES) packed.set(name, pack(name, folder));
  // What they stand on is there already: nothing is asked of a registry.
  const others = ['temporal-polyfill', 'ibantools', 'saxes'].map((name) => join(ROOT, 'node_modules', name));
  const files = [...packed.values()].map(({ file }) => file);
  run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...files, ...others);
});

for (const name of NAMES) {
  describe(`@firmquote/${name}`, () => {
    test('has what is built, and neither sources nor tests', () => {
      const files = packed.get(name)?.files ?? [];
      for (const file of ['package.json', 'LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts'])
        assert.ok(files.includes(file), file);
      assert.deepEqual(
        files.filter((file) => /\.test\.|test-support|(?<!\.d)\.ts$|^src\//.test(file)),
        [],
      );
    });

    test('prints in an empty project what its page says', () => {
      const { code, output } = exampleOf(name);
      writeFileSync(join(project, `${name}.ts`), code);
      assert.equal(run(process.execPath, `${name}.ts`), output);
    });

    test('has types by which the example is checked', () => {
      const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
      const how = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
      run(process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), ...how, ...types, `${name}.ts`);
    });
  });
}
