import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { SERVICE_ROLE } from '@firmquote/embedded-postgres';

/** What the documents say by name must be there. */

const ROOT = resolve(import.meta.dirname, '..');
/** Of rooms whose ways are not obvious. */
const OF_ROOMS = globSync('packages/service/src/*/README.md', { cwd: ROOT }).sort();
const OF_PACKAGES = globSync('packages/*/README.md', { cwd: ROOT }).sort();
const DOCUMENTS = [
  ...globSync(['{ARCHITECTURE,CONTRIBUTING,SECURITY}.md', 'docs/**/*.md'], { cwd: ROOT }).sort(),
  ...OF_ROOMS,
];
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
  'data/sandbox.json',
  'EUR/USD',
  'postmaster.pid',
  'backup.json',
  'manifest.json',
  'node_modules/node/bin/node',
  'node_modules/.cache',
  'packages/site/dist',
  'packages/console/dist',
  'acme.json',
]);

function textOf(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8').replaceAll(CODE_FENCE, '');
}

/** What links to headings of a document are called, as GitHub makes them: of equal headings the second ends in -1. */
function anchorsOf(document: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of textOf(document).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let name = anchor;
    for (let n = 1; anchors.has(name); n += 1) name = `${anchor}-${n}`;
    anchors.add(name);
  }
  return anchors;
}

/** Of a path with an anchor or without one: whether it leads to something. */
function leads(path: string, anchor: string | undefined): boolean {
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || (path.endsWith('.md') && anchorsOf(path).has(anchor));
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
  }
});

describe('links lead somewhere', () => {
  for (const document of ['README.md', 'CHANGELOG.md', ...OF_PACKAGES, ...DOCUMENTS]) {
    test(document, () => {
      const links = [...textOf(document).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)];
      const broken = links
        .filter(([, path = '']) => !/^https?:/.test(path))
        .filter(([, path = '', anchor]) => {
          const target = path === '' ? document : join(dirname(document), path);
          return !leads(target, anchor);
        })
        .map(([link]) => link);
      assert.deepEqual(broken, []);
    });
  }
});

test('what the code says of documents is there, to the anchor', () => {
  const files = globSync(
    ['packages/*/{src,test}/**/*.{ts,sql}', '{scripts,bench,simulator,soak}/**/*.{ts,mjs}'],
    {
      cwd: ROOT,
    },
  );
  const broken: string[] = [];
  let found = 0;
  for (const file of files.filter((path) => !path.includes('node_modules'))) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    // What begins with a slash is an address of the service.
    for (const [name, path = '', anchor] of text.matchAll(
      /(?<!['`]\/)\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g,
    )) {
      found += 1;
      if (!leads(path, anchor)) broken.push(`${file}: ${name}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(found > 80, `${found} references`);
});

/** They are read by everybody, from beginning to end. What is worth more words has a page in docs. */
for (const [document, bytes] of [
  ['README.md', 7_000],
  ['ARCHITECTURE.md', 14_000],
  ['CONTRIBUTING.md', 4_000],
  ...OF_ROOMS.map((document) => [document, 3_000] as const),
] as const) {
  test(`${document} has up to ${bytes} bytes`, () => {
    const { size } = statSync(join(ROOT, document));
    assert.ok(size <= bytes, `${size} bytes`);
  });
}

test('the picture in ARCHITECTURE.md has every package and every folder of the service, and no other', () => {
  const picture = /^## The picture$[\s\S]*?^```$([\s\S]*?)^```$/m.exec(
    readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8'),
  )?.[1];
  const lines = (picture ?? '').split('\n');
  const folders = (path: string) =>
    readdirSync(join(ROOT, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  // One line may have several: packages/{one,another}
  const packages = lines.flatMap((line) => /^packages\/\{?([\w,-]+)/.exec(line)?.[1]?.split(',') ?? []);
  assert.deepEqual([...new Set(packages)].sort(), folders('packages'));
  const rooms = lines.flatMap(
    (line) => /^ {2}([a-z-]+(?: · [a-z-]+)*) {2,}/.exec(line)?.[1]?.split(' · ') ?? [],
  );
  assert.deepEqual(rooms.sort(), folders('packages/service/src'));
});

test('docs/ledger.md says of every kind of entry what it posts, and of no other', () => {
  const schema = readFileSync(join(ROOT, 'packages/service/sql/schema.sql'), 'utf8');
  const kinds = /constraint journal_entries_kind_check .*/.exec(schema)?.[0] ?? '';
  const posted = [...textOf('docs/ledger.md').matchAll(/^\| `(\w+)`[^|]*\| the /gm)].map(
    ([, kind = '']) => kind,
  );
  const known = new Set([...kinds.matchAll(/'(\w+)'/g)].map(([, kind = '']) => kind));
  assert.deepEqual([...new Set(posted)].sort(), [...known].sort());
});

for (const [document, schema] of [
  ['docs/guide/events.md', 'EventType'],
  ['docs/webhooks.md', 'OperatorEventType'],
] as const) {
  test(`${document} says of every type of event when it comes, and of no other`, () => {
    const { components } = JSON.parse(readFileSync(join(ROOT, 'packages/api/openapi.json'), 'utf8'));
    const told = [...textOf(document).matchAll(/^\| ((?:`\w+\.\w+`(?:, )?)+) \|/gm)].flatMap(
      ([, names = '']) => names.replaceAll('`', '').split(', '),
    );
    assert.deepEqual(told.sort(), [...components.schemas[schema].enum].sort());
  });
}

describe('what the documents name is there', () => {
  const reference = (page: string) => readFileSync(join(ROOT, 'docs/reference', page), 'utf8');
  const firstColumn = (page: string) =>
    new Set([...reference(page).matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name));
  /** What a pattern finds in documents, code in them included; decisions tell of their own time. */
  const named = (pattern: RegExp) =>
    ['README.md', ...DOCUMENTS]
      .filter((document) => !document.startsWith('docs/decisions/'))
      .flatMap((document) =>
        [...readFileSync(join(ROOT, document), 'utf8').matchAll(pattern)].map(
          ([, name = '']) => [name, `${document}: ${name}`] as const,
        ),
      );
  const unknown = (known: ReadonlySet<string>, pattern: RegExp) =>
    named(pattern)
      .filter(([name]) => !known.has(name))
      .map(([, where]) => where);

  test('settings', () => {
    const settings = firstColumn('settings.md');
    const known = new Set([...settings, ...[...settings].map((name) => `${name}_FILE`), 'FIRMQUOTE_TEST_']);
    // Those of the client and the command line are theirs.
    for (const file of globSync('packages/{client,cli}/src/**/*.ts', { cwd: ROOT })) {
      const text = readFileSync(join(ROOT, file), 'utf8');
      for (const [name] of text.matchAll(/\bFIRMQUOTE_[A-Z_]+/g)) known.add(name);
    }
    assert.deepEqual(unknown(known, /\b(FIRMQUOTE_[A-Z_]+)/g), []);
  });

  test('metrics', () => {
    const known = new Set([
      ...firstColumn('metrics.md'),
      'firmquote_source_',
      'firmquote_price_',
      SERVICE_ROLE,
    ]);
    assert.deepEqual(unknown(known, /`(firmquote_\w+)/g), []);
  });

  test('problem codes', () => {
    assert.deepEqual(unknown(firstColumn('problems.md'), /\b[45]\d\d\s`(\w+)`/g), []);
  });
});
