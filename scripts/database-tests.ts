import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The one way to the server that a run of tests has. Who does not import it, directly or by others, knows no such server. */
const DATABASE = normalize('packages/service/test/support/database.ts');
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** The files that can reach the server of the run: what it is makes no difference to the others. */
export function onDatabase(root: string, files: readonly string[]): string[] {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    let found = imports.get(file);
    if (found === undefined) {
      const path = join(root, file);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      found = [...text.matchAll(IMPORT)].map(([, to = '']) => normalize(join(dirname(file), to)));
      imports.set(file, found);
    }
    return found;
  };
  return files.filter((file) => {
    const reached = new Set([normalize(file)]);
    // What is added on the way has its turn, too.
    for (const each of reached) for (const next of importsOf(each)) reached.add(next);
    return reached.has(DATABASE);
  });
}
