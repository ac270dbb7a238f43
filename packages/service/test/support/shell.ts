import { execFileSync } from 'node:child_process';
import type { TestContext } from 'node:test';

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
