import { type Command, CommanderError } from 'commander';
import { GROUPS } from './commands/index.ts';
import { CliError, Finished } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { buildProgram, wordsOf } from './program.ts';
import { report } from './report.ts';
import { refuseSecrets } from './secret-arguments.ts';

/** Whoever names a command that is not there gets a list of what is, where that fits into a line. */
const LISTED_MAX = 8;

/** Runs one command line. Resolves with the exit code, whatever happens. */
export async function run(given: readonly string[], io: Io): Promise<number> {
  const argv = helpInFull(given);
  let program: Command | undefined;
  try {
    refuseSecrets(argv);
    const words = wordsOf(argv);
    const map = mapOf(argv);
    program = await buildProgram(io, map === undefined ? words : 'all');
    if (map !== undefined) {
      const { printMap } = await import('./map.ts');
      await printMap(program, io, map);
      return EXIT.ok;
    }
    if (argv.length === 0) {
      program.outputHelp();
      return EXIT.ok;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof Finished) return error.exitCode;
    if (error instanceof CommanderError) return endOfCommander(error, program, argv, io);
    return report(error, helpFor(argv), argv, io);
  }
}

/** `help transactions wait` is `transactions wait --help`: the library looks at the first name alone, and shows the help of the group. */
function helpInFull(argv: readonly string[]): readonly string[] {
  const [first, ...names] = wordsOf(argv);
  if (first !== 'help' || names.length < 2) return argv;
  const at = argv.indexOf(first);
  return [...argv.slice(0, at), ...argv.slice(at + 1), '--help'];
}

/** For whoever has mistyped. */
function helpFor(argv: readonly string[]): string {
  const group = GROUPS.find(({ name }) => name === wordsOf(argv)[0])?.name;
  return `See firmquote ${group === undefined ? '' : `${group} `}--help.`;
}

function mapOf(argv: readonly string[]): string | undefined {
  const found = argv.find((word) => word === '--map' || word.startsWith('--map='));
  return found === undefined ? undefined : (found.split('=')[1] ?? 'tree');
}

/** What a group has; empty where the line names no group, or one of many commands. */
function commandsFor(argv: readonly string[], program: Command | undefined): string {
  const [first] = wordsOf(argv);
  const names = program?.commands.find((each) => each.name() === first)?.commands.map((each) => each.name());
  return names === undefined || names.length > LISTED_MAX ? '' : `Commands: ${names.join(', ')}.`;
}

async function endOfCommander(
  error: CommanderError,
  program: Command | undefined,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  // Help and version are errors to commander, with code 0; a group without a command has printed its help.
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === 'commander.help') return EXIT.usage;
  const [first = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const text = `${first.charAt(0).toUpperCase()}${first.slice(1)}${/[.?!]$/.test(first) ? '' : '.'}`;
  const isUnknown = error.code === 'commander.unknownCommand';
  const suggested = more.join(' ').replace(/^\(|\)$/g, '');
  const hint = suggested === '' && isUnknown ? commandsFor(argv, program) : suggested;
  const help = helpFor(argv);
  return report(
    new CliError(EXIT.usage, 'usage', text, [hint, help].filter(Boolean).join(' ')),
    help,
    argv,
    io,
  );
}
