import { homedir } from 'node:os';
import { PassThrough } from 'node:stream';
import { GROUPS, OPERATE } from '../../packages/cli/src/commands/index.ts';
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

const SOURCE = 'the command tree in packages/cli/src/commands';
const CUT = `[command-line.md](../command-line.md) says how to use it. Long lists of values are cut short here; ${code('--help')} has them whole.`;

/** Every command with its arguments and flags, as its help has them; those that operate the service on a page of their own. */
export async function commandsPages(): Promise<Page[]> {
  const root = mapCommand(await buildProgram(NOWHERE, 'all'));
  const operate = new Set(GROUPS.flatMap(({ name, section }) => (section === OPERATE ? [name] : [])));
  const [operators = [], others = []] = [true, false].map((wanted) =>
    root.commands.filter(({ path }) => operate.has(path.replace('firmquote ', '')) === wanted),
  );
  return [
    page('commands.md', 'Commands', SOURCE, [
      `What ${code('firmquote')} takes; ${CUT} Those that operate the service are in [operator-commands.md](operator-commands.md).`,
      '',
      '## Options of every command',
      '',
      ...options(root),
      ...others.flatMap(groupLines),
    ]),
    page('operator-commands.md', 'Commands for operators', SOURCE, [
      `What ${code('firmquote')} takes to operate the service; ${CUT} Others are in [commands.md](commands.md), with the options of every command.`,
      ...operators.flatMap(groupLines),
    ]),
  ];
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
