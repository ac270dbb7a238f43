import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions, UsageError } from './command-line.ts';

const options = {
  format: { type: 'string' },
  check: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

test('what is there is read', () => {
  const { values, positionals } = readOptions({
    args: ['--format', 'csv', 'a', '-h'],
    options,
    allowPositionals: true,
  });
  assert.deepEqual([{ ...values }, positionals], [{ format: 'csv', help: true }, ['a']]);
  const after = readOptions({ args: ['--check', '--', '--format', '-x'], options, allowPositionals: true });
  assert.deepEqual([{ ...after.values }, after.positionals], [{ check: true }, ['--format', '-x']]);
});

test('what is not is refused in a sentence', () => {
  const refused = {
    '--format': '--format needs a value.',
    '--format -- x': '--format needs a value.',
    '--format --check': '--format needs a value.',
    '--check=yes': '--check takes no value.',
    '--help=yes': '--help takes no value.',
    '--chek': 'There is no option --chek.',
    '-x': 'There is no option -x.',
    'file.csv': 'file.csv is not expected here.',
  };
  for (const [typed, message] of Object.entries(refused)) {
    assert.throws(
      () => readOptions({ args: typed.split(' '), options }),
      (error) => error instanceof UsageError && error.message === message,
      typed,
    );
  }
});
