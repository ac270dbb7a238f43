// What `npm test` leaves out: known faults of packages, the tests of integrators' kits, whose tools are large, the drills of
// the service, a long story of the simulator, and a second run of what reaches a database, on PostgreSQL 15, the oldest version
// that the service supports. Drills of `ops` run by name.
import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Binaries } from '@firmquote/embedded-postgres';
import { DRILLS } from './drills.ts';
import { auditPackages } from './npm-audit.ts';
import { KITS, setUpKits } from './setup-kits.mjs';
import { openRunFolder, openThrowaway } from './test-database.ts';

const MAJOR = 15;
/** Where the packages of Debian and Ubuntu put it. */
const DIRECTORY = `/usr/lib/postgresql/${MAJOR}`;
const APT_LIMIT_MS = 240_000;
const ROOT = resolve(import.meta.dirname, '..');
/** Whose packages run in production. */
const LOCK_FILES = ['.', 'packages/fix-gateway'];
const SERVICE_TESTS = ['packages/service/'];

/**
 * `npm test` plays short stories. The seed is one whose story is known to hold, so that a change is judged by what it changes:
 * other seeds, for longer, are `npm run simulate`'s.
 */
const STORY = ['--seed', '501', '--steps', '10000', '--seconds', '300', '--shrink', '120'];

const words = process.argv.slice(2);

process.exitCode =
  (words.length > 0
    ? 0
    : auditAll() || (await runKits()) || (await verify(DRILLS)) || (await run('simulator/main.ts', STORY))) ||
  (await main());

function auditAll(): number {
  const audits = LOCK_FILES.map((folder) => ({ folder, ...auditPackages(join(ROOT, folder)) }));
  for (const { folder, unasked } of audits) {
    if (unasked !== undefined)
      console.log(`SKIPPED: known faults of the packages of ${folder}, since npm audit said: ${unasked}.`);
  }
  const grave = audits.flatMap((audit) => audit.grave);
  for (const line of grave) console.error(`A package has a known fault: ${line}`);
  return grave.length === 0 ? 0 : 1;
}

async function runKits(): Promise<number> {
  if ((await setUpKits()) !== 0) {
    console.log(
      "SKIPPED: the tests of integrators' kits and of ops, since their tools could not be installed.",
    );
    return 0;
  }
  return verify(KITS.map((folder) => (folder === 'ops' ? 'ops/test/' : `${folder}/`)));
}

async function main(): Promise<number> {
  const reason = isInstalled() ? undefined : install();
  if (reason !== undefined) {
    console.log(`SKIPPED: the tests on PostgreSQL ${MAJOR}, ${reason}.`);
    return 0;
  }
  return runTests({ directory: DIRECTORY, major: MAJOR, version: String(MAJOR) });
}

function isInstalled(): boolean {
  return ['initdb', 'postgres'].every((program) => existsSync(join(DIRECTORY, 'bin', program)));
}

/** Returns why it could not be installed. */
function install(): string | undefined {
  if (process.getuid?.() !== 0) return `since ${DIRECTORY} is missing and only root can install it`;
  if (apt('--version').status !== 0)
    return `since ${DIRECTORY} is missing and there is no apt-get to install it with`;
  const request = ['install', '-y', '--no-install-recommends', `postgresql-${MAJOR}`];
  let result = apt(...request);
  // The lists of packages are often missing from images.
  if (!isInstalled() && apt('update').status === 0) result = apt(...request);
  if (isInstalled()) return undefined;
  const lastLine =
    (result.error?.message ?? result.stderr).trim().split('\n').at(-1) || `exit code ${result.status}`;
  return `since ${DIRECTORY} is missing and apt-get could not install it (${lastLine})`;
}

function apt(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: APT_LIMIT_MS,
  });
}

async function runTests(binaries: Binaries): Promise<number> {
  const folder = openRunFolder();
  const database = await openThrowaway(folder.path, binaries).catch((error) => {
    folder.remove();
    throw error;
  });
  try {
    const paths = words.length > 0 ? words : SERVICE_TESTS;
    return await verify(['--on-database', ...paths], { DATABASE_URL: database.url });
  } finally {
    await database.close();
    folder.remove();
  }
}

/** Runs the tests whose path contains one of the words, and answers the exit code. */
function verify(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<number> {
  return run('scripts/verify.ts', ['--tests-only', ...args], environment);
}

async function run(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<number> {
  let child: ChildProcess | undefined;
  // Before there is a child: what came between the two would end this process alone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child?.kill(signal));
  child = spawn(process.execPath, [join(ROOT, program), ...args], {
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
  const [code, signal] = await once(child, 'exit');
  return signal === null ? code : 1;
}
