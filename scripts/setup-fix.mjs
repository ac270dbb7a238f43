// Installs the FIX gateway's library, which the service itself does not need: for `fix:` sources, their tests and demo.
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ROOT, setUpExtra } from './setup.mjs';

/** Returns the exit code: 0, or what went wrong. */
export function setUpFix() {
  return setUpExtra(join(ROOT, 'packages/fix-gateway'));
}

/** Whether the settings name a FIX session. */
export function needsFix(environment) {
  return (environment.FIRMQUOTE_SOURCES ?? '').split(',').some((part) => part.trim().startsWith('fix:'));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  process.exitCode = await setUpFix();
}
