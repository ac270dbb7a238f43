import type { Command } from 'commander';
import { Cli, type GlobalOptions } from './cli.ts';
import type { Io } from './io.ts';
import { callOperation } from './operations/call.ts';
import { addFlags, type Values } from './operations/flags.ts';
import { operationOf } from './operations/table.ts';
import type { View } from './output/printer.ts';

/** What a command is handed: what it was told, and the means to do it. */
export type Handler = (cli: Cli, args: readonly unknown[], options: Values) => Promise<void>;

/** A file of `commands/` adds its commands to the group that it is loaded for. */
export type Register = (group: Command, kit: Kit) => void;

export interface ResourceOptions extends View {
  /** Whoever calls, unless it is another one for operators. */
  readonly id: string;
  /** The operation for operators, where customers have another one. */
  readonly operatorId?: string;
  readonly summary?: string;
  /** Other names of the same command. */
  readonly aliases?: readonly string[];
}

export class Kit {
  readonly #io: Io;
  /** The whole tree as far as the words need it, for what completes command lines. */
  readonly program: (words: readonly string[]) => Promise<Command>;

  constructor(io: Io, program: Kit['program']) {
    this.#io = io;
    this.program = program;
  }

  /** What commander calls when a command is chosen. */
  run(handler: Handler) {
    return async (...given: unknown[]): Promise<void> => {
      const command = given.at(-1) as Command;
      const options = command.optsWithGlobals();
      await handler(new Cli(this.#io, options as GlobalOptions), given.slice(0, -2), options);
    };
  }

  /** A command that is an operation under a shorter name: its flags, its words, a table of its own. */
  operation(
    group: Command,
    name: string,
    { id, operatorId, summary, aliases = [], ...view }: ResourceOptions,
  ): Command {
    const operation = operationOf(id);
    const command = addFlags(group.command(name), operation);
    command.summary(summary ?? operation.summary);
    command.description(described(summary ?? operation.summary, operation.description));
    if (aliases.length > 0) command.aliases([...aliases]);
    if (operatorId !== undefined) addMissing(command, operatorId);
    command.action(
      this.run(async (cli, args, options) => {
        const isOperator = operatorId !== undefined && (await cli.kind()) === 'operator';
        await callOperation(cli, operationOf(isOperator ? operatorId : id), args as string[], options, view);
      }),
    );
    return command;
  }
}

export function described(summary: string, description: string | undefined): string {
  const more = (description ?? '').replaceAll('`', '');
  return more === '' ? summary : `${summary}.\n\n${more}`;
}

/** Operators filter by more than customers do. */
function addMissing(command: Command, operatorId: string): void {
  const other = addFlags(command.createCommand('other'), operationOf(operatorId));
  const known = new Set(command.options.map(({ long }) => long));
  for (const option of other.options) {
    if (known.has(option.long)) continue;
    option.description = `${option.description}${option.description === '' ? '' : '; '}operators only`;
    command.addOption(option);
  }
}
