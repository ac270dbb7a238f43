import { homedir } from 'node:os';
import { PassThrough } from 'node:stream';
import type { Io } from '../../packages/cli/src/io.ts';
import { type MappedCommand, mapCommand } from '../../packages/cli/src/map.ts';
import { buildProgram } from '../../packages/cli/src/program.ts';
import { code, type Page, page, table } from './page.ts';

/** Nothing is run: the tree is all that is looked at. */
const NOWHERE: Io = {
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '.',
  home: homedir(),
  platform: 'linux',
  now: () => 0,
  onInterrupt: () => () => undefined,
};

/** Every command with its arguments and flags, as its help has them. */
export async function commandsPage(): Promise<Page> {
  const root = mapCommand(await buildProgram(NOWHERE, 'all'));
  return page('commands.md', 'Commands', 'the command tree in packages/cli/src/commands', [
    `What ${code('firmquote')} takes; [command-line.md](../command-line.md) says how to use it. Long lists of values are cut short here; ${code('--help')} has them whole.`,
    '',
    '## Options of every command',
    '',
    ...options(root),
    ...root.commands.flatMap(groupLines),
  ]);
}

function groupLines(group: MappedCommand): string[] {
  const leaves = group.commands.length === 0 ? [group] : group.commands;
  const own =
    group.commands.length > 0 && (group.options.length > 0 || group.arguments.length > 0) ? [group] : [];
  return [
    '',
    `## ${group.path.replace('firmquote ', '')}`,
    '',
    `${group.summary}.`,
    ...[...own, ...leaves].flatMap((each) => [
      '',
      `**${code(usageOf(each))}**${each === group ? '' : ` ${sentence(each.summary)}`}`,
      ...(each.options.length + each.arguments.filter(({ description }) => description !== '').length === 0
        ? []
        : ['', ...options(each)]),
    ]),
  ];
}

function usageOf({ path, arguments: args }: MappedCommand): string {
  const words = args.map(({ name, required, variadic }) => {
    const text = `${name}${variadic ? '...' : ''}`;
    return required ? `<${text}>` : `[${text}]`;
  });
  return [path, ...words].join(' ');
}

function sentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`;
}

function options({ options: flags, arguments: args }: MappedCommand): string[] {
  const rows = [
    ...args
      .filter(({ description }) => description !== '')
      .map(({ name, description }) => [code(name), description]),
    ...flags.map((each) => [code(each.flags), withDefault(each)]),
  ];
  return table(
    ['', ''],
    rows.map(([name = '', text = '']) => [name, cutShort(text).replaceAll('<', '&lt;')]),
  );
}

/** Values of an option that are shown of a long list. */
const SHOWN = 4;
const LONG_LIST = /(?<=\bone of )(?:[\w.:*-]+, ){12,}[\w.:*-]+/;

function cutShort(text: string): string {
  return text.replace(LONG_LIST, (list) => {
    const values = list.split(', ');
    return `${values.slice(0, SHOWN).join(', ')} and ${values.length - SHOWN} more`;
  });
}

function withDefault({ description, default: value }: MappedCommand['options'][number]): string {
  return value === undefined || /default/.test(description)
    ? description
    : `${description}; default ${String(value)}`;
}
