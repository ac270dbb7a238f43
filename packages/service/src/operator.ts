import { ConfigError, loadConfig } from './config.ts';
import { SequenceResetError } from './market/fix/reset-sequence-file.ts';
import { readArguments } from './operator-commands.ts';
import { HELP } from './operator-help.ts';
import { UsageError } from './operator-options.ts';
import { Problem } from './problems/problem.ts';

try {
  const command = readArguments(process.argv.slice(2));
  if (command === undefined) process.stdout.write(HELP);
  else await command(loadConfig(process.env));
} catch (error) {
  const isWrongUse = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`firmquote: ${message}${isWrongUse ? ' See --help.' : ''}\n`);
  process.exitCode =
    isWrongUse ||
    error instanceof ConfigError ||
    error instanceof Problem ||
    error instanceof SequenceResetError
      ? 2
      : 1;
}
