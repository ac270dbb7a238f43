import type { Command } from 'commander';
import { usage } from './errors.ts';
import { type Io, write } from './io.ts';

/** A command as data: what documents, completions and other programs are made from. */
export interface MappedCommand {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly variadic: boolean;
    readonly description: string;
  }[];
  readonly options: readonly {
    readonly flags: string;
    readonly description: string;
    readonly default?: unknown;
  }[];
  readonly commands: readonly MappedCommand[];
}

/** Without what is hidden: completions, and the operations below `call`, which `call --list` shows. */
export function mapCommand(command: Command, prefix = ''): MappedCommand {
  const path = prefix === '' ? command.name() : `${prefix} ${command.name()}`;
  const isShown = (each: Command) => (each as unknown as { readonly _hidden?: boolean })._hidden !== true;
  return {
    path,
    summary: command.summary() || (command.description().split('\n')[0] ?? ''),
    description: command.description(),
    arguments: command.registeredArguments.map((each) => ({
      name: each.name(),
      required: each.required,
      variadic: each.variadic,
      description: each.description,
    })),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, description, defaultValue }) => ({
        flags,
        description,
        ...(defaultValue === undefined || flags.includes('--no-') ? {} : { default: defaultValue }),
      })),
    commands: command.commands.filter(isShown).map((each) => mapCommand(each, path)),
  };
}

export async function printMap(program: Command, io: Io, format: string): Promise<void> {
  const mapped = mapCommand(program);
  if (format === 'json') return write(io.stdout, `${JSON.stringify(mapped, null, 2)}\n`);
  if (format !== 'tree') throw usage(`--map must be tree or json, not “${format}”.`);
  await write(io.stdout, treeOf(mapped, ''));
}

function treeOf({ path, summary, arguments: args, commands }: MappedCommand, indent: string): string {
  const words = args.map(({ name, required, variadic }) =>
    required ? `<${name}${variadic ? '...' : ''}>` : `[${name}${variadic ? '...' : ''}]`,
  );
  const name = [path.split(' ').at(-1) ?? '', ...words].join(' ');
  const line = `${`${indent}${name}`.padEnd(44)} ${summary}`.trimEnd();
  return `${line}\n${commands.map((each) => treeOf(each, `${indent}  `)).join('')}`;
}
