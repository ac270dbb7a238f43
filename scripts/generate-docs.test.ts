import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { PROBLEM_CODES } from '@firmquote/api/problems';
import { pages, stalePages } from './generate-docs.ts';
import { limits } from './reference/limits.ts';
import { tables } from './reference/tables.ts';

const SERVICE = join(import.meta.dirname, '../packages/service');
const SCRIPT = join(import.meta.dirname, 'generate-docs.ts');

function run(...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  return { status, stderr };
}

test('the generated pages are what the code says', () => {
  assert.deepEqual(run('--check'), { status: 0, stderr: '' });
});

test('a page that was changed, and one that is missing, is stale', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'firmquote-docs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const { name, text } of pages()) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  assert.deepEqual(stalePages(folder), []);
  const settings = join(folder, 'docs/reference/settings.md');
  writeFileSync(settings, readFileSync(settings, 'utf8').replace('# Settings', '# Preferences'));
  rmSync(join(folder, 'docs/reference/states.md'));
  const document = join(folder, 'packages/api/openapi.json');
  writeFileSync(
    document,
    readFileSync(document, 'utf8').replace('"operationId":"createQuote"', '"operationId":"quote"'),
  );
  const [changed, missing, api, ...others] = stalePages(folder);
  const name = 'docs/reference/settings.md';
  assert.deepEqual(changed, { name, difference: ['- # Preferences', '+ # Settings'] });
  assert.equal(missing?.name, 'docs/reference/states.md');
  assert.equal(api?.name, 'packages/api/openapi.json');
  assert.deepEqual(api.difference, ['- "operationId":"quote",', '+ "operationId":"createQuote",']);
  assert.match(missing?.difference.at(-1) ?? '', /^ {2}and \d+ lines more$/);
  assert.deepEqual(others, []);
});

test('every code stands in the table of problems once', () => {
  const text = pages().find(({ name }) => name.endsWith('/problems.md'))?.text ?? '';
  for (const code of PROBLEM_CODES) {
    assert.equal(text.split(`\n| \`${code}\` |`).length, 2, code);
  }
});

test('an unknown option is refused', () => {
  assert.deepEqual(run('--chek'), {
    status: 2,
    stderr: 'Unknown option --chek. The only option is --check.\n',
  });
});

test('every table and view of the schema is told with the room that owns it, and no other', () => {
  const schema = readFileSync(join(SERVICE, 'sql/schema.sql'), 'utf8');
  const made = [...schema.matchAll(/^create (?:(?:unlogged )?table|view) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  assert.deepEqual(Object.keys(tables()).sort(), made.sort());
  const unknown = Object.values(tables()).filter(({ owner }) => !existsSync(join(SERVICE, 'src', owner)));
  assert.deepEqual(unknown, []);
});

describe('a limit', () => {
  const reported = (...lines: string[]) => {
    const path = 'packages/service/src/quotes/a.ts';
    return limits([{ path, text: lines.join('\n') }]).map(({ what, value }) => `${what}: ${value}`);
  };

  for (const [declaration, value] of [
    ['const ROWS_MAX = 20_000;', '20,000'],
    ['export const WAIT_MS: number = 2 * HOUR_MS + 1_800_000;', '2.5 h'],
    ['const FILE_BYTES_MAX = 64 * 1024;', '64 KiB'],
    ['  tradeUsdMinor: 500_000_000n,', '5,000,000 USD'],
    ['export const RATE = { perMinute: 60, burst: 5 } as const;', '60 a minute, 5 at once'],
    ["  lock_timeout: '10000', // limit: {ms} Rows", '10 s'],
  ] as const) {
    test(declaration, () => {
      const line = declaration.includes('//') ? declaration : `${declaration} // limit: Rows`;
      assert.deepEqual(reported('const HOUR_MS = 3_600_000;', line), [`Rows: ${value}`]);
    });
  }

  test('has the first sentence above it where it says nothing itself', () => {
    const lines = [
      '/** Rows of a page (docs/interface.md#lists): many. And so on. */',
      'const MAX = 5; // limit',
    ];
    assert.deepEqual(reported(...lines), ['Rows of a page: 5']);
  });

  test('that cannot be told is a fault', () => {
    assert.throws(() => reported('const MAX = readMax(); // limit: Rows'), /quotes\/a\.ts:1/);
    assert.throws(() => reported('const MAX = 5; // limit'), /quotes\/a\.ts:1/);
  });
});
