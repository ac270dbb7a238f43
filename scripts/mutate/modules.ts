import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path/posix';

/** The project's modules, and who imports whom. Paths are relative to its root. */
export class Modules {
  readonly #texts = new Map<string, string>();
  readonly #imports = new Map<string, readonly string[]>();

  constructor(root: string) {
    const files = globSync('packages/{fx,service}/{src,test}/**/*.ts', { cwd: root });
    for (const file of files) this.#texts.set(file, readFileSync(join(root, file), 'utf8'));
    for (const [file, text] of this.#texts) this.#imports.set(file, importsOf(file, text));
  }

  get files(): readonly string[] {
    return [...this.#texts.keys()].sort();
  }

  textOf(file: string): string {
    const text = this.#texts.get(file);
    if (text === undefined) throw new Error(`there is no ${file}`);
    return text;
  }

  /**
   * Test files that reach one of the given ones, those first that may notice most: of its folder, of its room, then of
   * others, near ones first.
   */
  testsOf(targets: readonly string[]): string[] {
    const wanted = new Set(targets);
    const rooms = new Set(targets.map(roomOf));
    const folders = new Set(targets.map(folderOf));
    const rated: { test: string; rate: number }[] = [];
    for (const test of this.files.filter(isTest)) {
      const distance = this.#distance(test, wanted);
      if (distance === undefined) continue;
      const near = folders.has(folderOf(test)) ? 0 : rooms.has(roomOf(test)) ? 1 : 2;
      rated.push({ test, rate: near * 1_000 + distance });
    }
    return rated.sort((a, b) => a.rate - b.rate || (a.test < b.test ? -1 : 1)).map(({ test }) => test);
  }

  #distance(from: string, wanted: ReadonlySet<string>): number | undefined {
    const seen = new Set([from]);
    let ring = [from];
    for (let distance = 0; ring.length > 0; distance++) {
      if (ring.some((file) => wanted.has(file))) return distance;
      ring = ring.flatMap((file) => this.#imports.get(file) ?? []).filter((file) => !seen.has(file));
      for (const file of ring) seen.add(file);
    }
    return undefined;
  }
}

export const isTest = (file: string) => file.endsWith('.test.ts');
/** Code that is shipped, in which there may be mutants. */
export const isProduct = (file: string) =>
  file.includes('/src/') && !isTest(file) && !file.includes('test-s') && !file.includes('/testing');

/** `fx`, or the name of a room of the service. */
export function roomOf(file: string): string {
  const [, unit = '', , room = ''] = file.split('/');
  return unit === 'fx' ? 'fx' : room.endsWith('.ts') ? 'service' : room;
}

const folderOf = (file: string) => file.slice(0, file.lastIndexOf('/'));

/** Paths that the module needs when it runs: what is imported for its types alone is gone by then. */
function importsOf(file: string, text: string): string[] {
  const code = stripTypeScriptTypes(text, { mode: 'strip' });
  const found = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g);
  return [...found].flatMap(([, name = '']) => {
    if (name === '@firmquote/fx') return ['packages/fx/src/index.ts'];
    return name.startsWith('.') ? [join(folderOf(file), name)] : [];
  });
}
