import { isAbsolute } from 'node:path';
import { readOptions, UsageError } from '../packages/service/src/platform/command-line.ts';

/** What a command was called with. Each refuses what cannot be read, in a sentence for whoever called it. */
export interface Flags {
  has(name: string): boolean;
  text(name: string): string | undefined;
  /** @param decimals how many may stand behind the point */
  number(name: string, fallback: number, min: number, max: number, decimals?: number): number;
  /** An absolute path. */
  folder(name: string, fallback: string): string;
  refuse(message: string): never;
}

interface Known {
  /** As in `npm run soak [-- --minutes 10]`, which `--help` prints. */
  readonly usage: string;
  readonly values?: readonly string[];
  readonly switches?: readonly string[];
}

/** What stands behind the command, and what becomes of a call that is refused. */
export interface Call {
  readonly args: readonly string[];
  readonly refuse: (message: string) => never;
}

/** The flags of a command for developers: of this process, where no other call is given, and then a wrong one ends it with 2. */
export function readFlags(known: Known, call: Call = fromCommandLine(known.usage)): Flags {
  const { refuse } = call;
  const found = valuesOf(known, call);
  const text = (name: string) => {
    const value = found[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    refuse,
    text,
    has: (name) => found[name] === true,
    number: (name, fallback, min, max, decimals = 0) => {
      const given = text(name);
      if (given === undefined) return fallback;
      const form = new RegExp(`^\\d{1,10}${decimals === 0 ? '' : `(\\.\\d{1,${decimals}})?`}$`);
      const value = form.test(given) ? Number(given) : Number.NaN;
      const kind = decimals === 0 ? 'a whole number' : 'a number';
      return value >= min && value <= max ? value : refuse(`--${name} takes ${kind} from ${min} to ${max}.`);
    },
    folder: (name, fallback) => {
      const path = text(name) ?? fallback;
      return isAbsolute(path) ? path : refuse(`--${name} takes an absolute path.`);
    },
  };
}

function fromCommandLine(usage: string): Call {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  const refuse = (message: string): never => {
    console.error(`${message}\n${usage}`);
    process.exit(2);
  };
  return { args, refuse };
}

function valuesOf({ values = [], switches = [] }: Known, { args, refuse }: Call): Record<string, unknown> {
  const options = Object.fromEntries([
    ...values.map((name) => [name, { type: 'string' }] as const),
    ...switches.map((name) => [name, { type: 'boolean' }] as const),
  ]);
  try {
    return readOptions({ args: [...args], options }).values;
  } catch (error) {
    if (error instanceof UsageError) return refuse(error.message);
    throw error;
  }
}
