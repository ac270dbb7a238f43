import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { COMPILED } from '../../../service/test/support/shell.ts';

export const BIN = join(import.meta.dirname, '../../src/bin.ts');
export const COLUMNS = 100;
const ROWS = 40;
/** limit: How long something may take to appear on the screen. */
const APPEARS_MS = 30_000;

/** A command in a terminal of its own: a pseudo-terminal that `script` (util-linux) makes. */
export interface Terminal {
  /** Waits until the screen shows it. */
  shows(what: RegExp): Promise<void>;
  type(keys: string): void;
  /** Waits for its end. */
  ended(): Promise<number>;
  /** What stands on the screen. */
  screen(): string;
  /** All that was written, with what moves the cursor. */
  raw(): string;
}

/** Whether there is a terminal to be had; otherwise the test is skipped, with the reason. */
export function skipWithoutTerminal(t: TestContext): boolean {
  try {
    if (/util-linux/.test(execFileSync('script', ['--version'], { encoding: 'utf8' }))) return false;
  } catch {
    // There is none, or another one.
  }
  t.skip('there is no script of util-linux here, which makes a terminal');
  return true;
}

export function openTerminal(
  t: TestContext,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Terminal {
  const quoted = [process.execPath, BIN, ...argv]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(' ');
  const child: ChildProcess = spawn(
    'script',
    ['-qefc', `stty cols ${COLUMNS} rows ${ROWS}; exec ${quoted}`, '/dev/null'],
    {
      env: {
        ...COMPILED,
        PATH: process.env.PATH ?? '',
        SHELL: '/bin/sh',
        TERM: 'xterm',
        NO_COLOR: '1',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let text = '';
  const waiting = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    for (const look of waiting) look();
  });
  const end = once(child, 'close').then(([code]) => code as number);
  t.after(async () => {
    child.kill('SIGKILL');
    await end;
  });
  return {
    shows(what) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = () => what.test(screenOf(text)) && resolve();
      const timer = setTimeout(
        () => reject(new Error(`${what} did not appear:\n${screenOf(text)}`)),
        APPEARS_MS,
      );
      waiting.add(look);
      void end.then(() => reject(new Error(`it ended before ${what} appeared:\n${screenOf(text)}`)));
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(look);
      });
    },
    type: (keys) => void child.stdin?.write(keys),
    ended: () => end,
    screen: () => screenOf(text),
    raw: () => text,
  };
}

const ESCAPE = String.fromCodePoint(27);
const PIECE = new RegExp(`${ESCAPE}\\[(\\d*)([A-Z])|\\r|\\n|[^${ESCAPE}\\r\\n]+`, 'g');

/** What the writing comes to on a screen that is tall enough: lines, line ends, and the few moves that the command makes. */
function screenOf(text: string): string {
  const lines = [''];
  let [row, column] = [0, 0];
  for (const [piece, count = '', move] of text.matchAll(PIECE)) {
    if (move === 'A') row = Math.max(0, row - Number.parseInt(count || '1', 10));
    else if (move === 'K') lines[row] = (lines[row] ?? '').slice(0, column);
    else if (move === 'J') lines.splice(row, Number.POSITIVE_INFINITY, (lines[row] ?? '').slice(0, column));
    else if (piece === '\r') column = 0;
    else if (piece === '\n') {
      row += 1;
      lines[row] ??= '';
    } else if (move === undefined) {
      const line = (lines[row] ?? '').padEnd(column);
      lines[row] = line.slice(0, column) + piece + line.slice(column + piece.length);
      column += piece.length;
    }
  }
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}
