import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path/posix';
import { roomOf } from './rooms.ts';

/** Packages that are installed by themselves. */
const OUTSIDE = /^packages\/fix-gateway\//;

/** The project's modules, and who imports whom. Paths are relative to its root. */
export class Modules {
  readonly #texts = new Map<string, string>();
  readonly #imports = new Map<string, readonly string[]>();
  readonly #tests = new Map<string, { near: readonly string[]; far: readonly string[] }>();

  constructor(root: string) {
    const files = globSync('packages/*/{src,test}/**/*.ts', { cwd: root }).filter(
      (file) => !OUTSIDE.test(file),
    );
    for (const file of files) this.#texts.set(file, readFileSync(join(root, file), 'utf8'));
    for (const [file, text] of this.#texts) this.#imports.set(file, importsOf(file, text));
  }

  get files(): readonly string[] {
    return [...this.#texts.keys()].sort();
  }

  get tests(): readonly string[] {
    return this.files.filter(isTest);
  }

  textOf(file: string): string {
    const text = this.#texts.get(file);
    if (text === undefined) throw new Error(`there is no ${file}`);
    return text;
  }

  /** Test files that reach one of the given ones: those of its room, and those of others. */
  testsOf(targets: readonly string[]): { near: readonly string[]; far: readonly string[] } {
    const key = targets.join();
    const known = this.#tests.get(key);
    if (known !== undefined) return known;
    const wanted = new Set(targets);
    const rooms = new Set(targets.map(roomOf));
    const tests = this.files.filter(
      (file) => isTest(file) && !isOfProcesses(file) && this.#reaches(file, wanted),
    );
    const near = tests.filter((test) => rooms.has(roomOf(test)));
    // The domain is held by its own tests, which are quick and tell what is wrong.
    const isDomain = targets.every((file) => file.startsWith('packages/fx/'));
    const found = { near, far: isDomain ? [] : tests.filter((test) => !near.includes(test)) };
    this.#tests.set(key, found);
    return found;
  }

  /** Whether the module names the other one itself. */
  imports(file: string, target: string): boolean {
    return this.#imports.get(file)?.includes(target) === true;
  }

  #reaches(from: string, wanted: ReadonlySet<string>): boolean {
    const seen = new Set([from]);
    for (const file of seen) {
      if (wanted.has(file)) return true;
      for (const next of this.#imports.get(file) ?? []) seen.add(next);
    }
    return false;
  }
}

export const isTest = (file: string) => file.endsWith('.test.ts');
/** Tests that start, kill and restart whole services take longer than all others, and ask what others ask as well. */
const isOfProcesses = (file: string) => /\/test\/(process|drills)\//.test(file);
/** Code that is shipped, in which there may be mutants. */
export const isProduct = (file: string) =>
  file.includes('/src/') && !isTest(file) && !file.includes('test-s') && !file.includes('/testing');

const OWN = '@firmquote/';
const folderOf = (file: string) => file.slice(0, file.lastIndexOf('/'));

/** Paths that the module needs when it runs: what is imported for its types alone is gone by then. */
function importsOf(file: string, text: string): string[] {
  const code = stripTypeScriptTypes(text, { mode: 'strip' });
  const found = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g);
  return [...found].flatMap(([, name = '']) => {
    if (name.startsWith(OWN)) return [`packages/${name.slice(OWN.length)}/src/index.ts`];
    return name.startsWith('.') ? [join(folderOf(file), name)] : [];
  });
}
