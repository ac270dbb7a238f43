// Installs the project's dependencies when they are missing or stale. Runs before `npm start`, `npm test` and
// `npm run bench`, hence on whatever Node the machine has, and without any dependency.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { takeSetupLock } from './setup-lock.mjs';
import { isCurrentNodeEnough, ownNodeIn, repair, runNpm } from './setup-npm.mjs';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const MARKER = '.firmquote-setup';
/** npm's own record of a finished installation; it is written after the packages' scripts have run. */
const NPM_RECORD = '.package-lock.json';
const OUTPUT_LINES_IN_ERROR = 30;

/** The project itself. */
const PROJECT = { what: 'Dependencies', isReady: hasNode, repair };
/** A package with a lock file of its own, installed when it is needed. */
const EXTRA = { what: 'Its dependencies', isReady: () => true, repair: () => 0 };

/**
 * Makes sure that `node_modules` is what the lock file says. Returns the exit code: 0, or what went wrong.
 * Two calls in the same checkout take turns. An interrupted installation is never taken for a whole one: the marker
 * goes first and comes last.
 */
export function setUp(root = ROOT) {
  return setUpFolder(root, PROJECT);
}

/** The same for a package that is not one of the project's workspaces. */
export function setUpExtra(folder) {
  return setUpFolder(folder, EXTRA);
}

async function setUpFolder(root, kind) {
  const expected = fingerprint(root);
  if (isFresh(root, expected, kind)) return 0;
  const lock = await takeSetupLock(root);
  const interrupt = { signal: undefined, child: undefined };
  const forget = onSignals((signal) => {
    interrupt.signal = signal;
    interrupt.child?.kill(signal);
  });
  try {
    if (isFresh(root, expected, kind)) return 0;
    const code = await installAndRepair(root, kind, lock, interrupt);
    if (interrupt.signal !== undefined) {
      console.error('\nSet-up was interrupted; the next start repeats it.');
      return interrupt.signal === 'SIGINT' ? 130 : interrupt.signal === 'SIGTERM' ? 143 : 129;
    }
    if (code === 0) writeFileSync(join(root, 'node_modules', MARKER), expected);
    return code;
  } finally {
    forget();
    lock.release();
  }
}

async function installAndRepair(root, kind, lock, interrupt) {
  if (!matchesLockFile(root)) {
    const code = await install(root, kind, lock, interrupt);
    if (code !== 0 || interrupt.signal !== undefined) return code;
  }
  return kind.repair(root);
}

/** Dependencies and platform; a changed script or description in a package.json is no reason to install. */
function fingerprint(root) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of manifests(root)) {
    const { scripts, description, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
    hash.update(JSON.stringify(rest));
  }
  return `${hash.digest('hex')} ${process.platform}-${process.arch}\n`;
}

function manifests(root) {
  const packages = join(root, 'packages');
  const folders = existsSync(packages) ? readdirSync(packages).sort() : [];
  const files = folders
    .map((name) => join(packages, name, 'package.json'))
    // One with a lock file of its own is no part of this installation.
    .filter((file) => existsSync(file) && !existsSync(join(dirname(file), 'package-lock.json')));
  return [join(root, 'package.json'), ...files];
}

function isFresh(root, expected, kind) {
  const marker = join(root, 'node_modules', MARKER);
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== expected) return false;
  return existsSync(join(root, 'node_modules', NPM_RECORD)) && kind.isReady(root);
}

function hasNode(root) {
  return existsSync(ownNodeIn(root)) || isCurrentNodeEnough();
}

/** Whether what npm has installed, by whichever command, is what the lock file wants on this platform. */
function matchesLockFile(root) {
  const record = join(root, 'node_modules', NPM_RECORD);
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted).every(([path, want]) => {
    if (!path.includes('node_modules/')) return true;
    const have = installed[path];
    if (have === undefined) return want.optional === true && !isForThisPlatform(want);
    return have.version === want.version && have.integrity === want.integrity && existsSync(join(root, path));
  });
}

function isForThisPlatform({ os, cpu, libc }) {
  // npm chooses by C library too; which one this is cannot be told cheaply, and there is a package for either.
  if (libc !== undefined) return false;
  const allows = (list, value) => list === undefined || [list].flat().includes(value);
  return allows(os, process.platform) && allows(cpu, process.arch);
}

async function install(root, { what }, lock, interrupt) {
  const started = Date.now();
  const place = root === ROOT ? '' : ` of ${relative(ROOT, root)}`;
  console.log(`Installing dependencies${place} (npm ci) ...`);
  for (const name of [MARKER, NPM_RECORD]) rmSync(join(root, 'node_modules', name), { force: true });
  // devDependencies too: NODE_ENV=production or `omit` in the user's settings would leave a tree that never matches.
  const options = [
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { code, output } = await runNpm(root, ['ci', ...options, '--no-progress'], lock, interrupt);
  if (interrupt.signal !== undefined) return 1;
  if (code !== 0) {
    console.error(output.trim().split('\n').slice(-OUTPUT_LINES_IN_ERROR).join('\n'));
    console.error(`${what} could not be installed: npm ci ended with exit code ${code}.`);
    return code;
  }
  if (!matchesLockFile(root)) {
    console.error(
      'npm ci succeeded, but node_modules does not match package-lock.json; see "npm config list".',
    );
    return 1;
  }
  console.log(`Dependencies installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  return 0;
}

function onSignals(handle) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const listeners = signals.map((signal) => [signal, () => handle(signal)]);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  process.exitCode = await setUp();
}
