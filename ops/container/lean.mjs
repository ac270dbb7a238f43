// Takes out of an image what the service does not run on. What is left over is the same for the same checkout.
import { globSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { KITS } from '../../scripts/setup-kits.mjs';
import { repair } from '../../scripts/setup-npm.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
process.chdir(ROOT);

const remove = (paths) => {
  for (const path of paths) rmSync(join(ROOT, path), { recursive: true, force: true });
};
// Tests, measuring, and kits with lock files of their own.
remove(['bench', 'soak', 'examples', 'bruno', '.ci', 'ops/test', 'ops/drills', 'node_modules/.cache']);
remove(globSync(['packages/*/test', 'packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts']));
remove(KITS.filter((folder) => folder.startsWith('packages/')));
// Of the packaged Node the program and its licence.
for (const folder of globSync('node_modules/node-*-*')) {
  const kept = new Set(['bin', 'LICENSE', 'package.json']);
  remove(readdirSync(folder).flatMap((name) => (kept.has(name) ? [] : [join(folder, name)])));
}
// npm takes away with a prune what it did not bring itself: Node's place, and links of PostgreSQL's libraries.
process.exitCode = repair(ROOT);
