import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, test } from 'node:test';

/** What the documents say by name must be there. */

const ROOT = resolve(import.meta.dirname, '..');
const DOCUMENTS = globSync(['{ARCHITECTURE,CONTRIBUTING}.md', 'docs/**/*.md'], { cwd: ROOT }).sort();
/** Where a path in a document may start from. */
const BASES = ['.', 'packages/service/src', 'packages/fx/src'];
const CODE_FENCE = /^```[\s\S]*?^```$/gm;
/** In backquotes: a path with a folder, or a file with one of the endings that source files have. */
const PATH = /`([\w.-]+(?:\/[\w.-]+)*\/?)`/g;
const LOOKS_LIKE_PATH = /^\.?\w[\w.-]*\/|\w\.(?:ts|mjs|sql|json|md)$/;
/** Not of this repository: packages, media types, pairs, files that are made when the service runs. */
const ELSEWHERE = new Set([
  'application/json',
  'application/problem+json',
  'sandbox.json',
  'EUR/USD',
  'postmaster.pid',
  'node_modules/node/bin/node',
  'node_modules/.cache',
]);

function textOf(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8').replaceAll(CODE_FENCE, '');
}

function find(path: string): string | undefined {
  return BASES.map((base) => join(ROOT, base, path)).find((candidate) => existsSync(candidate));
}

describe('files that the documents name exist', () => {
  for (const document of DOCUMENTS) {
    test(document, () => {
      const missing = [...textOf(document).matchAll(PATH)]
        .map((match) => match[1] ?? '')
        .filter((path) => LOOKS_LIKE_PATH.test(path) && !ELSEWHERE.has(path) && !path.includes('NNNN'))
        // A file's name alone stands for the file of that name in each room.
        .filter((path) => path.includes('/') || !/^[a-z-]+\.ts$/.test(path))
        .filter((path) => find(path) === undefined);
      assert.deepEqual(missing, []);
    });

    test(`${document}: its links lead somewhere`, () => {
      const links = [...textOf(document).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(
        (match) => match[1] ?? '',
      );
      const broken = links
        .filter((link) => !/^https?:/.test(link))
        .filter((link) => !existsSync(join(ROOT, dirname(document), link)));
      assert.deepEqual(broken, []);
    });
  }
});

test('every limit in ARCHITECTURE.md stands in the file that it names', () => {
  const section = /^## Limits$([\s\S]*?)^## /m.exec(textOf('ARCHITECTURE.md'))?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && line.includes('.ts`'));
  assert.ok(rows.length > 20);
  for (const row of rows) {
    const where = row.slice(2, -2).split(' | ')[2] ?? '';
    for (const place of where.split(', ')) {
      const [file, ...names] = [...place.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
      const path = file === undefined ? undefined : find(file);
      assert.ok(path !== undefined && names.length > 0, row);
      const text = readFileSync(path, 'utf8');
      for (const name of names) assert.match(text, new RegExp(`\\b${name}\\b`), `${file} has no ${name}`);
    }
  }
});
