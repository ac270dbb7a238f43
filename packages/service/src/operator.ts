import { ConfigError, loadConfig } from './config.ts';
import { SequenceResetError } from './market/fix/reset-sequence-file.ts';
import { NotProvedError, readArguments } from './operator-commands.ts';
import { HELP } from './operator-help.ts';
import { runProgram } from './platform/command-line.ts';
import { Problem } from './problems/problem.ts';

await runProgram({
  help: HELP,
  read: readArguments,
  run: (command) => command(loadConfig(process.env)),
  refusals: [ConfigError, NotProvedError, Problem, SequenceResetError],
});
