import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pack } from '../../../scripts/pack.ts';
import { skipWithout } from '../../service/test/support/shell.ts';
import { VERSION } from '../src/version.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'firmquote-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('what npm gets is what is built, and it runs in an empty project', (t) => {
  if (skipWithout(t, 'npm', 'tar')) return;
  const client = pack('client', folder);
  const cli = pack('cli', folder);
  const [manifest, ...others] = ['package.json', 'LICENSE', 'README.md'];
  for (const { files } of [client, cli]) {
    for (const file of [manifest, ...others]) assert.ok(files.includes(file ?? ''), file);
    assert.deepEqual(
      files.filter((file) => /\.test\.|(?<!\.d)\.ts$|^src\//.test(file)),
      [],
    );
  }
  assert.deepEqual(cli.files.filter((file) => !/^dist\/[\w/-]+\.js$/.test(file)).sort(), [
    'LICENSE',
    'README.md',
    'dist/operations/table.json',
    'package.json',
  ]);

  // As `npm install` of the two tarballs leaves it, without the network.
  const project = join(folder, 'project');
  const modules = join(project, 'node_modules');
  for (const [name, { file }] of [['@firmquote/client', client] as const, ['firmquote', cli] as const]) {
    mkdirSync(join(modules, name), { recursive: true });
    execFileSync('tar', ['-xzf', file, '--strip-components=1', '-C', join(modules, name)]);
  }
  const { version, bin, dependencies } = JSON.parse(
    readFileSync(join(modules, 'firmquote/package.json'), 'utf8'),
  );
  assert.equal(version, VERSION);
  for (const name of Object.keys(dependencies).filter((each) => !each.startsWith('@firmquote/'))) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  const run = (...argv: string[]) =>
    execFileSync(process.execPath, [join(modules, 'firmquote', bin.firmquote), ...argv], {
      cwd: project,
      env: { HOME: project },
      encoding: 'utf8',
    });
  assert.equal(run('--version'), `${VERSION}\n`);
  const listed = run('call', '--list', '-o', 'ndjson').trimEnd().split('\n');
  assert.ok(listed.length > 200);
  const env = { HOME: project, FIRMQUOTE_BASE_URL: 'https://fx.example.com', FIRMQUOTE_TOKEN: 'x' };
  const line = execFileSync(
    process.execPath,
    [join(modules, 'firmquote', bin.firmquote), 'quotes', 'list', '--dry-run'],
    { cwd: project, env, encoding: 'utf8' },
  );
  assert.match(
    line,
    /^curl -sS 'https:\/\/fx\.example\.com\/v1\/customer\/quotes\?limit=\d+' -H "Authorization: Bearer \$FIRMQUOTE_TOKEN"\n$/,
  );
});
