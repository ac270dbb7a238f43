import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What the programs beside the service share: how they read their command line, and what they say when they cannot do it. */

/** A command line that says nothing sensible; its text is a sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * As `parseArgs` of Node, with its refusals in our words, and a value that begins with a dash, as the id of one key in 64 does, is a value
 * unless it is an option by its name.
 * @throws UsageError
 */
export function readOptions<
  T extends ParseArgsConfig & { readonly args: string[]; readonly options: Options },
>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs({ ...config, args: withValues(config.args, config.options) });
  } catch (error) {
    throw new UsageError(refusal(error), { cause: error });
  }
}

/** Each option that takes a text together with what follows it. */
function withValues(args: readonly string[], options: Options): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const joined: string[] = [];
  let taker: string | undefined;
  for (const arg of args.slice(0, end)) {
    if (taker !== undefined && !isOption(arg, options)) joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
    taker = taker === undefined && takesText(arg, options) ? arg : undefined;
  }
  return [...joined, ...args.slice(end)];
}

const takesText = (arg: string, options: Options) =>
  arg.startsWith('--') && Object.hasOwn(options, arg.slice(2)) && options[arg.slice(2)]?.type === 'string';

function isOption(arg: string, options: Options): boolean {
  if (arg.startsWith('--')) return Object.hasOwn(options, arg.slice(2).split('=', 1)[0] ?? '');
  return Object.values(options).some(({ short }) => short !== undefined && arg === `-${short}`);
}

function refusal(error: unknown): string {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  // "'-h, --help'", "'--format <value>'", "'-x'": the long name where there is one.
  const [, option = message] = /'(?:-\w, )?(-[^\s']*)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `There is no option ${option}.`;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    return message.includes('does not take') ? `${option} takes no value.` : `${option} needs a value.`;
  }
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    return `${/'(.*?)'/s.exec(message)?.[1] ?? message} is not expected here.`;
  }
  return message;
}

interface Program<T> {
  readonly help: string;
  /** @returns undefined when the help was asked for */
  readonly read: (args: string[]) => T | undefined;
  readonly run: (given: T) => Promise<unknown>;
  /** What is refused for what the user said or set: exit code 2, like a wrong command line. Anything else is 1. */
  readonly refusals: readonly (abstract new (
    ...args: never[]
  ) => Error)[];
}

/** Runs the program of this process; a failure is one line of standard error. */
export async function runProgram<T>({ help, read, run, refusals }: Program<T>): Promise<void> {
  try {
    const given = read(process.argv.slice(2));
    if (given === undefined) process.stdout.write(help);
    else await run(given);
  } catch (error) {
    const isWrongUse = error instanceof UsageError;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`firmquote: ${message}${isWrongUse ? ' See --help.' : ''}\n`);
    process.exitCode = isWrongUse || refusals.some((kind) => error instanceof kind) ? 2 : 1;
  }
}
