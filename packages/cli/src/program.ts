import { Command, Option } from 'commander';
import { GROUPS } from './commands/index.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import type { Io } from './io.ts';
import { Kit } from './kit.ts';
import { FORMATS } from './output/printer.ts';
import { VERSION } from './version.ts';

/** Flags of every command that take a value, for who looks for the command's name before it is known. */
const TAKE_VALUE = new Set([
  '-o',
  '--output',
  '--fields',
  '--profile',
  '--base-url',
  '--idempotency-key',
  '--timeout',
]);

/** The words of a command line that can be names of commands. */
export function wordsOf(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === '--') break;
    if (TAKE_VALUE.has(word)) i++;
    else if (!word.startsWith('-')) words.push(word);
  }
  return words;
}

/**
 * The command tree. Groups whose names do not stand among the words keep nothing but their name and a few words of help,
 * so that a start loads only what it runs.
 */
export async function buildProgram(io: Io, words: readonly string[] | 'all'): Promise<Command> {
  const program = new Command('firmquote');
  program
    .description('Live rates, firm quotes, trades and their settlement, on the command line.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => (io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : 100),
      getErrHelpWidth: () => (io.stderr.isTTY === true ? (io.stderr.columns ?? 80) : 100),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // What is wrong is said in one place, as text or as JSON: run.ts.
      outputError: () => undefined,
    })
    .configureHelp({
      sortOptions: false,
      sortSubcommands: false,
      subcommandTerm: (command) => termOf(command),
    })
    .showSuggestionAfterError(true)
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand('help [command...]', 'Print help for a command');
  addGlobals(program);
  const kit = new Kit(io, (more) => buildProgram(io, more));
  for (const { name, summary, section, load, isHidden } of GROUPS) {
    program.commandsGroup(section);
    const group = program
      .command(name, { hidden: isHidden === true })
      .summary(summary)
      .description(summary);
    if (words === 'all' || words.includes(name)) (await load())(group, kit);
  }
  program.addHelpText('after', () => after());
  return program;
}

function termOf(command: Command): string {
  const args = command.registeredArguments.map((each) => {
    const name = `${each.name()}${each.variadic ? '...' : ''}`;
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...args].join(' ');
}

function addGlobals(program: Command): void {
  program
    .optionsGroup('Options of every command:')
    .addOption(
      new Option(
        '-o, --output <format>',
        `${FORMATS.join(', ')}; default: table on a terminal, json elsewhere`,
      ),
    )
    .option('--fields <paths>', 'Only these members of the answer: quoteId,rate.value')
    .option('--profile <name>', 'Profile to use (FIRMQUOTE_PROFILE)')
    .option('--base-url <url>', 'Address of the service (FIRMQUOTE_BASE_URL)')
    .option('-y, --yes', 'Answer yes to every question')
    .option('--idempotency-key <key>', 'Key of the change; default: a new one, shown when it matters')
    .option('--timeout <duration>', 'How long a call may take with all its attempts; default 30s')
    .option('--dry-run', 'Print the request as a curl line without a secret, and send nothing')
    .option('--debug', 'Log requests and answers on stderr without secrets')
    .option('-q, --quiet', 'No progress and no hints')
    .option('--no-color', 'No colours (NO_COLOR)')
    .addOption(new Option('--map [format]', 'Print the tree of commands (tree or json)').preset('tree'));
}

function after(): string {
  const codes = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
  return `\nExit codes:\n${codes.join('\n')}\n\nStart with: firmquote login, or firmquote login --sandbox after npm start.`;
}
