import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Packages of this folder's own installation, which has a lock file of its own. */

export const ROOT = resolve(import.meta.dirname, '../..');
const MODULES = join(ROOT, 'ops/node_modules');

/** Why tests that need one of these packages are skipped, or false. */
export function skipWithoutKit(name: string): string | false {
  return existsSync(join(MODULES, name))
    ? false
    : `${name} is not installed: run node scripts/setup-kits.mjs`;
}

export function fromKit<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(join(MODULES, path)).href);
}
