// Installs the FIX gateway's library, which the service itself does not need: for `fix:` sources, their tests and demo.
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ROOT, setUpExtra } from './setup.mjs';

const FOLDER = 'packages/fix-gateway/';

/** Returns the exit code: 0, or what went wrong. */
export function setUpFix() {
  return setUpExtra(join(ROOT, FOLDER));
}

/** Whether the settings name a FIX session, or the program is one of the gateway's own. */
export function needsFix(environment, program = '') {
  const sources = (environment.FIRMQUOTE_SOURCES ?? '').split(',');
  return program.startsWith(FOLDER) || sources.some((part) => part.trim().startsWith('fix:'));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  process.exitCode = await setUpFix();
}
