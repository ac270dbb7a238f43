// Installs what integrators' kits and the tests of `ops` need and the service does not, each from a lock file of its own.
//   node scripts/setup-kits.mjs               all of them
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ROOT, setUpExtra } from './setup.mjs';

export const KITS = [
  'packages/language-clients',
  'packages/bruno',
  'packages/browser',
  'packages/openapi-tools',
  'ops',
];

/** The kit that a program of the project is part of. */
export function kitOf(program = '') {
  return KITS.find((folder) => program.startsWith(`${folder}/`));
}

/** Returns the exit code: 0, or what went wrong. */
export function setUpKit(folder) {
  return setUpExtra(join(ROOT, folder));
}

export async function setUpKits() {
  for (const folder of KITS) {
    const code = await setUpKit(folder);
    if (code !== 0) return code;
  }
  return 0;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  process.exitCode = await setUpKits();
}
