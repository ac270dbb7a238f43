// Builds packages as npm gets them, and packs them: npm run packages -- <folder> [fx] [bank-formats] [client] [cli]
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** Those that npm gets; the others are run from the sources. */
export const PACKAGES: readonly string[] = ['fx', 'bank-formats', 'client', 'cli'];

export interface Packed {
  /** The tarball. */
  readonly file: string;
  /** What it holds. */
  readonly files: readonly string[];
}

/** Type declarations and JavaScript in `dist`, instead of the sources that the workspace runs. */
export function pack(name: string, folder: string): Packed {
  const source = join(ROOT, 'packages', name);
  const stage = mkdtempSync(join(tmpdir(), 'firmquote-pack-'));
  try {
    const dist = join(stage, 'dist');
    run(process.execPath, [TSC, '-p', join(source, 'tsconfig.json'), '--outDir', dist], ROOT);
    for (const file of globSync('**/*.json', { cwd: join(source, 'src') })) {
      mkdirSync(dirname(join(dist, file)), { recursive: true });
      cpSync(join(source, 'src', file), join(dist, file));
    }
    cpSync(join(source, 'README.md'), join(stage, 'README.md'));
    cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
    const text = readFileSync(join(source, 'package.json'), 'utf8');
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published(JSON.parse(text)), null, 2)}\n`);
    mkdirSync(resolve(folder), { recursive: true });
    const npm = ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(folder)];
    const [packed] = JSON.parse(run('npm', npm, stage)) as {
      readonly filename: string;
      readonly files: readonly { readonly path: string }[];
    }[];
    if (packed === undefined) throw new Error('npm has packed nothing');
    return { file: join(resolve(folder), packed.filename), files: packed.files.map(({ path }) => path) };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Entries lead to what was built. */
function published({ exports, ...rest }: { readonly exports?: Readonly<Record<string, string>> }): object {
  if (exports === undefined) return rest;
  const entries = Object.entries(exports).map(([entry, file]) => {
    const built = file.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1');
    return [entry, built === file ? file : { types: `${built}.d.ts`, default: `${built}.js` }];
  });
  return { ...rest, exports: Object.fromEntries(entries) };
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}

if (process.argv[1] === import.meta.filename) {
  const [folder, ...names] = process.argv.slice(2);
  const wrong = names.find((name) => !PACKAGES.includes(name));
  if (folder === undefined || wrong !== undefined) {
    console.error(`Usage: npm run packages -- <folder> [${PACKAGES.join('] [')}]`);
    process.exitCode = 2;
  } else for (const name of names.length === 0 ? PACKAGES : names) console.log(pack(name, folder).file);
}
