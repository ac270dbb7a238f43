import { execFile, execFileSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const { NODE_COMPILE_CACHE } = process.env;
/** For programs of ours that get no other variables: what one has compiled the next ones take over, a third of the work. */
export const COMPILED: Readonly<Record<string, string>> =
  NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** Skips the test, with the reason, where one of the programs is missing. */
export function skipWithout(t: TestContext, ...programs: string[]): boolean {
  for (const program of programs) {
    try {
      execFileSync('/bin/sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    } catch {
      t.skip(`there is no ${program} here`);
      return true;
    }
  }
  return false;
}

/** The lines with business time moved instead of waited for: the bank does one thing every five seconds. */
export function withoutWaiting(lines: string): string {
  const move = `curl -sS "$BASE/v1/sandbox/clock" -H "Authorization: Bearer $OPERATOR" -H 'Content-Type: application/json' -d '{"advanceSeconds":6}' > /dev/null\n`;
  return lines.replaceAll(/sleep (\d+)(; |$)/gm, (_, seconds: string) =>
    move.repeat(Number.parseInt(seconds, 10) / 6),
  );
}

/** What lines print when they are pasted into a shell of somebody who stops at the first mistake. */
export function paste(lines: string, options: { readonly cwd?: string; readonly strict?: boolean } = {}) {
  const flags = options.strict === false ? [] : ['-euo', 'pipefail'];
  return promisify(execFile)('bash', ['--norc', ...flags, '-c', lines], {
    env: { PATH: process.env.PATH },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
}
