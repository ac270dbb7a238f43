import type { Command } from 'commander';
import { SCRIPTS } from '../completion-scripts.ts';
import { Profiles } from '../config/profiles.ts';
import { usage } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Kit, Register } from '../kit.ts';

const HELP = `
  bash    firmquote completion bash > ~/.local/share/bash-completion/completions/firmquote
  zsh     firmquote completion zsh > "\${fpath[1]}/_firmquote"
  fish    firmquote completion fish > ~/.config/fish/completions/firmquote.fish
  pwsh    firmquote completion pwsh | Out-String | Invoke-Expression`;

export const completion: Register = (group, kit) => {
  group
    .argument('<shell>', 'bash, zsh, fish or pwsh')
    .addHelpText('after', HELP)
    .action(
      kit.run(async (cli, [name]) => {
        const script = SCRIPTS[String(name)];
        if (script === undefined)
          throw usage(`“${String(name)}” is not a supported shell.`, 'Shells: bash, zsh, fish, pwsh.');
        await cli.print.raw(script);
      }),
    );
};

/** What the shells' scripts expect behind the suggestions: no names of files instead of them. */
const NO_FILES = ':4';
const FILES = ':0';
/** Flags whose value is a file. */
const FILE_FLAGS = new Set([
  '--input',
  '--save',
  '--secret-file',
  '--key-file',
  '--secret-to',
  '--sandbox',
  '--keys',
  '--since',
]);

/** `firmquote complete -- rates g`: a line for each suggestion, and how the shell is to take them. */
export const complete: Register = (group, kit) => {
  group
    .argument('[words...]')
    .allowUnknownOption()
    .action(
      kit.run(async (cli, [words]) => {
        const { lines, directive } = await suggestions(cli.io, kit, words as string[]);
        await cli.print.raw(`${[...lines, directive].join('\n')}\n`);
      }),
    );
};

interface Suggestions {
  readonly lines: readonly string[];
  readonly directive: string;
}

async function suggestions(io: Io, kit: Kit, words: readonly string[]): Promise<Suggestions> {
  const current = words.at(-1) ?? '';
  const [, flag, value = ''] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (flag === undefined) return suggestionsFor(io, kit, words);
  // Other shells than bash want the whole word again.
  const { lines, directive } = await suggestionsFor(io, kit, [...words.slice(0, -1), flag, value]);
  return { lines: lines.map((line) => `${flag}=${line}`), directive };
}

async function suggestionsFor(io: Io, kit: Kit, words: readonly string[]): Promise<Suggestions> {
  const current = words.at(-1) ?? '';
  // bash takes --status=open apart.
  const before = words.slice(0, -1).filter((word) => word !== '=');
  const program = await kit.program(before.filter((word) => !word.startsWith('-')));
  const { command, position } = walk(program, before);
  const last = before.at(-1) ?? '';
  const option = optionOf(program, command, last);
  if (option !== undefined && takesValue(option)) {
    if (FILE_FLAGS.has(last)) return { lines: [], directive: FILES };
    return matching(await valuesOf(io, last, option.description), current);
  }
  if (current.startsWith('-')) {
    const options = [...command.options, ...(command === program ? [] : program.options)].filter(
      ({ hidden }) => !hidden,
    );
    return matching(
      options.map(({ long, description }) => [long ?? '', description] as const),
      current,
    );
  }
  const commands = command.commands
    .filter((each) => !isHidden(each) || command.name() === 'call')
    .map((each) => [each.name(), each.summary() || each.description()] as const);
  const argument = command.registeredArguments[Math.min(position, command.registeredArguments.length - 1)];
  if (commands.length === 0 && argument?.name() === 'file') return { lines: [], directive: FILES };
  const words_ = commands.length > 0 ? commands : choicesIn(argument?.description ?? '');
  return matching(words_, current);
}

/** The command that the words lead to, and how many arguments of it stand there already. */
function walk(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly position: number } {
  let command = program;
  let position = 0;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word.startsWith('-')) {
      const option = optionOf(program, command, word);
      if (option !== undefined && takesValue(option)) i++;
      continue;
    }
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) position += 1;
    else [command, position] = [next, 0];
  }
  return { command, position };
}

function optionOf(program: Command, command: Command, word: string) {
  return [...command.options, ...program.options].find(
    ({ long, short }) => word !== '' && (long === word || short === word),
  );
}

function takesValue({
  required,
  optional,
}: {
  readonly required: boolean;
  readonly optional: boolean;
}): boolean {
  return required || optional;
}

function isHidden(command: Command): boolean {
  return (command as unknown as { readonly _hidden?: boolean })._hidden === true;
}

async function valuesOf(
  io: Io,
  flag: string,
  description: string,
): Promise<readonly (readonly [string, string])[]> {
  if (flag === '--profile' || flag === '--operator') {
    const { profiles } = await new Profiles(io).read();
    return Object.entries(profiles).map(([name, { baseUrl }]) => [name, baseUrl] as const);
  }
  return choicesIn(description);
}

/** Words that a description lists: `one of open, expired`, `bash, zsh, fish or pwsh`. */
function choicesIn(description: string): readonly (readonly [string, string])[] {
  const listed = /(?:one of )?((?:[\w.-]+, )+[\w.-]+(?: or [\w.-]+)?)/.exec(description)?.[1] ?? '';
  return listed
    .split(/, | or /)
    .filter(Boolean)
    .map((word) => [word, ''] as const);
}

function matching(words: readonly (readonly [string, string])[], current: string): Suggestions {
  const lines = words
    .filter(([word]) => word !== '' && word.startsWith(current))
    .map(([word, text]) => `${word}\t${text.split('\n')[0]}`);
  return { lines, directive: NO_FILES };
}
