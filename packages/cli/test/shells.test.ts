import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { COMPILED, skipWithout } from '../../service/test/support/shell.ts';
import { SCRIPTS } from '../src/completion-scripts.ts';
import { Home } from './support/command.ts';
import { BIN } from './support/terminal.ts';

const home = new Home();
const bin = join(home.folder, 'bin');
mkdirSync(bin);
// As an installed package has it: a command on the path.
writeFileSync(join(bin, 'firmquote'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
chmodSync(join(bin, 'firmquote'), 0o755);
const env = { ...COMPILED, PATH: `${bin}:${process.env.PATH}`, HOME: home.folder, NO_COLOR: '1' };
const bash = async (lines: string) =>
  (await promisify(execFile)('bash', ['--norc', '-c', lines], { env })).stdout.trim().split('\n');

describe('completion', () => {
  const LINES: readonly (readonly [words: readonly string[], suggestions: readonly string[]])[] = [
    [['whoa'], ['whoami']],
    [['transactions', 'w'], ['wait']],
    [['quotes', 'list', '--st'], ['--status']],
    [
      ['quotes', 'list', '--status', 'ex'],
      ['executed', 'expired'],
    ],
    [
      ['quotes', 'list', '--status', '=', 'ex'],
      ['executed', 'expired'],
    ],
    [['-o', 'nd'], ['ndjson']],
    [['call', 'getOwnD'], ['getOwnDeposit']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'pwsh'],
    ],
  ];

  test('bash loads the script and completes what was typed, and evaluates nothing of it', async (t) => {
    if (skipWithout(t, 'bash')) return;
    const evil = join(home.folder, 'evaluated');
    const cases = [
      ...LINES.map(([words]) => words),
      ['quotes', `$(touch ${evil})`, ''],
      ['quotes', `\`touch ${evil}\``, ''],
    ];
    const lines = cases.map((words) => {
      const quoted = ['firmquote', ...words].map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _firmquote; echo "\${COMPREPLY[*]}"`;
    });
    const shown = await bash(
      `source <(firmquote completion bash); source <(firmquote completion bash); ${lines.join('; ')}; ls ${home.folder}`,
    );
    assert.deepEqual(
      shown.slice(0, LINES.length),
      LINES.map(([, suggestions]) => suggestions.join(' ')),
    );
    assert.ok(!shown.includes('evaluated'));
  });

  /** What a line becomes, or what is shown for it, in shells that take `--status=open` as one word. */
  const WHOLE: readonly (readonly [line: string, becomes: string])[] = [
    ['whoa', 'whoami'],
    ['quotes list --st', 'quotes list --status'],
    ['quotes list --status exe', 'quotes list --status executed'],
    ['quotes list --status=exe', 'quotes list --status=executed'],
    [`statements import ${home.folder}/st`, `statements import ${home.folder}/statement.xml`],
    [`login --secret-file=${home.folder}/st`, `login --secret-file=${home.folder}/statement.xml`],
    [`quotes '$(touch ${home.folder}/evaluated)' can`, `quotes '$(touch ${home.folder}/evaluated)' cancel`],
  ];
  const assertNothingEvaluated = () => assert.ok(!existsSync(join(home.folder, 'evaluated')));

  test('zsh loads the script and completes what was typed, and evaluates nothing of it', async (t) => {
    if (skipWithout(t, 'zsh')) return;
    writeFileSync(join(home.folder, 'statement.xml'), '');
    // A key of its own completes and then says what the line has become: the shell is driven on a pseudo-terminal.
    const program = `zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1= RPS1=; autoload -Uz compinit; compinit -u -D; source <(firmquote completion zsh)"
      zpty -w shell 'said() { zle complete-word; print -r -- "<"{"$BUFFER"}">"; BUFFER=; zle reset-prompt }; zle -N said; bindkey "^T" said; print "RE"ADY'
      zpty -r shell out '*READY*'
      for line in "$@"; do
        zpty -w -n shell "firmquote $line"$'\x14'
        zpty -r shell out '*<{*}>*'
        print -r -- "$out"
      done`;
    const lines = WHOLE.map(([line]) => line);
    const { stdout } = await promisify(execFile)('zsh', ['-f', '-c', program, 'zsh', ...lines], {
      env: { ...env, TERM: 'dumb' },
    });
    assert.deepEqual(
      [...stdout.matchAll(/<\{(.*?) ?\}>/g)].map(([, line]) => line),
      WHOLE.map(([, becomes]) => `firmquote ${becomes}`),
    );
    assertNothingEvaluated();
  });

  test('fish loads the script and completes what was typed, and evaluates nothing of it', async (t) => {
    if (skipWithout(t, 'fish')) return;
    writeFileSync(join(home.folder, 'statement.xml'), '');
    const program =
      'firmquote completion fish | source; for line in $argv; complete -C "firmquote $line" | string split -f 1 \\t; end';
    const lines = WHOLE.map(([line]) => line);
    const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', program, ...lines], { env });
    const last = (line: string) => line.split(' ').at(-1);
    assert.deepEqual(
      stdout.trim().split('\n'),
      WHOLE.map(([, becomes]) => last(becomes)),
    );
    assertNothingEvaluated();
  });

  test('PowerShell takes the script', (t) => {
    if (skipWithout(t, 'pwsh')) return;
    execFileSync('pwsh', ['-NoProfile', '-Command', SCRIPTS.pwsh ?? '']);
  });

  test('profiles are completed, and files where files are wanted', async () => {
    const ask = async (...words: string[]) => (await home.run(['complete', '--', ...words])).stdout;
    assert.equal(await ask('statements', 'import', ''), ':0\n');
    assert.equal(await ask('login', '--secret-file', ''), ':0\n');
    assert.equal(await ask('whoami', '--profile', ''), ':4\n');
  });
});

test('a reader that has gone ends the command without a word', async (t) => {
  if (skipWithout(t, 'bash')) return;
  const errors = join(home.folder, 'errors');
  const shown = await bash(
    `firmquote call --list -o json 2>${errors} | head -n 1; echo "\${PIPESTATUS[0]} $(cat ${errors})"`,
  );
  assert.deepEqual(shown, ['[', '0']);
});

test('the version comes without the rest of the program, and help without the commands', () => {
  const env_ = { ...env, NODE_DEBUG: 'esm' };
  const loaded = (...argv: string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [BIN, ...argv], {
      env: env_,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const files = new Set(
      [...stderr.matchAll(/packages\/(?:cli|client)\/src\/[\w/-]+\.ts/g)].map(([file]) => file),
    );
    return { stdout, files: [...files].sort() };
  };
  const version = loaded('--version');
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  assert.ok(version.files.length <= 3, version.files.join(', '));
  const help = loaded('--help').files;
  assert.ok(help.includes('packages/cli/src/program.ts'));
  assert.deepEqual(
    help.filter((file) => /^packages\/client\/|\/commands\/(?!index)/.test(file)),
    [],
  );
  assert.deepEqual(
    loaded('quotes', '--help').files.filter((file) => /\/commands\/(?!index|trading)/.test(file)),
    [],
  );
});
