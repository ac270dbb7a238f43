import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROBLEM_CODES } from '../packages/service/src/problems/registry.ts';
import { pages, stalePages } from './generate-docs.ts';

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
  for (const { name, text } of pages()) writeFileSync(join(folder, name), text);
  assert.deepEqual(stalePages(folder), []);
  appendFileSync(join(folder, 'settings.md'), '\n');
  rmSync(join(folder, 'problems.md'));
  assert.deepEqual(stalePages(folder), ['settings.md', 'problems.md']);
});

test('every code stands in the table of problems once', () => {
  const text = pages().find(({ name }) => name === 'problems.md')?.text ?? '';
  for (const code of PROBLEM_CODES) {
    assert.equal(text.split(`\n| \`${code}\` |`).length, 2, code);
  }
});

test('an unknown option is refused', () => {
  assert.deepEqual(run('--chek'), { status: 2, stderr: 'Unknown option --chek; there is --check.\n' });
});
