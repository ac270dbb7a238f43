// Test files that share a process: what they load is loaded, and compiled, once. Each is a suite of the name of its file.
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endFile } from '../packages/service/test/support/file-end.ts';
import { TEST_LIMIT_MS } from './test-groups.ts';

/** One file after the other, each from its first line to its last clean-up. */
export async function runGroup(files: readonly string[]): Promise<void> {
  // What a file waits for may not keep a process alive by itself.
  const alive = setInterval(() => undefined, TEST_LIMIT_MS);
  for (const file of files) {
    await suite(file, { timeout: TEST_LIMIT_MS }, async () => {
      // Before those of the file itself, as in a process of its own; its failure is told behind them, since no other would run.
      let failure: { readonly error: unknown } | undefined;
      after(() => endFile().catch((error: unknown) => (failure = { error })));
      await import(pathToFileURL(file).href);
      after(() => {
        if (failure !== undefined) throw failure.error;
      });
    });
  }
  clearInterval(alive);
}
