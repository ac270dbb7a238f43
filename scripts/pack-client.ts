// Builds @firmquote/client as npm has it: JavaScript and declarations, with a package.json that leads to them.
//   node scripts/pack-client.ts FOLDER      leaves the package in FOLDER; `npm publish FOLDER --provenance` publishes it
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const CLIENT = join(ROOT, 'packages/client');

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** Here the other packages import the sources; what is published leads to what was made of them. */
export function publishedManifest(): Manifest {
  const manifest = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8')) as Manifest;
  const exports = Object.entries(manifest.exports).map(([name, source]) => {
    const built = source.replace('./src/', './dist/').replace(/\.ts$/, '');
    return [name, built === source ? source : { types: `${built}.d.ts`, default: `${built}.js` }];
  });
  const { devDependencies: _, ...rest } = manifest;
  return { ...rest, exports: Object.fromEntries(exports) };
}

/** @param folder is made, or written over */
export function buildClient(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', CLIENT, '--outDir', join(folder, 'dist')];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the client cannot be built:\n${stdout}`);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(), undefined, 2)}\n`);
  cpSync(join(CLIENT, 'README.md'), join(folder, 'README.md'));
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error('Usage: node scripts/pack-client.ts FOLDER');
    process.exitCode = 2;
  } else buildClient(resolve(folder));
}
