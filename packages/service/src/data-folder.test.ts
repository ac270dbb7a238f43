import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from './config.ts';
import { requireDataFolder } from './data-folder.ts';

test('the files of the service itself are not taken for bank statements', (t) => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fq-settings-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const data = join(folder, 'data');
  mkdirSync(join(data, 'postgres', 'base'), { recursive: true });
  mkdirSync(join(data, 'statements'));
  writeFileSync(join(data, 'sandbox.json'), '{}');
  symlinkSync(data, join(folder, 'link'));
  const start = (statements: string, more: Record<string, string> = {}) =>
    requireDataFolder(
      loadConfig({ FIRMQUOTE_DATA_DIR: data, FIRMQUOTE_STATEMENT_FOLDER: statements, ...more }),
    );
  for (const own of [
    data,
    `${data}/`,
    join(folder, 'link'),
    join(data, 'postgres'),
    join(data, 'postgres', 'base'),
    join(folder, 'link', 'postgres'),
    join(data, 'fix'),
  ]) {
    assert.throws(() => start(own), {
      name: 'ConfigError',
      message:
        /^FIRMQUOTE_STATEMENT_FOLDER must not be FIRMQUOTE_DATA_DIR, or its database or FIX sessions: /,
    });
  }
  start(join(data, 'statements'));
  start(join(folder, 'elsewhere'));
});
