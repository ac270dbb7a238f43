#!/usr/bin/env node
import { homedir } from 'node:os';
import process from 'node:process';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { VERSION } from './version.ts';

/** Listeners of Ctrl-C: while there is one, the command goes on. */
const listeners: (() => void)[] = [];

/** Empty where there is none: a container may run as somebody whom the machine does not know. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  home: homeFolder(),
  platform: process.platform,
  now: () => Date.now(),
  onInterrupt(listener) {
    listeners.push(listener);
    return () => {
      const at = listeners.indexOf(listener);
      if (at !== -1) listeners.splice(at, 1);
    };
  },
};

function interrupt(): void {
  const last = listeners.at(-1);
  if (last === undefined) {
    process.stderr.write('\nInterrupted.\n');
    process.exit(EXIT.interrupted);
  }
  last();
}

async function main(): Promise<void> {
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  // The reader has gone (`| head`): there is nobody to tell, and nothing went wrong.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.unexpected),
  );
  // Who does not read what goes wrong learns it from the exit code.
  process.stderr.on('error', () => undefined);
  const argv = process.argv.slice(2);
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  const { run } = await import('./run.ts');
  process.exitCode = await run(argv, io);
  // Connections that are kept for the next request keep nobody waiting.
  listeners.length = 0;
  await drained();
  process.exit();
}

/** What was written may still be in a pipe's buffer. */
async function drained(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writableLength > 0) await new Promise((done) => stream.write('', done));
  }
}

await main();
