import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  ConfigError,
  type Environment,
  inFile,
  readSetting,
  type Setting,
  SettingUnavailable,
  setting,
} from './setting.ts';

/** How settings bring secrets: as they are, in a file, or from a command, which can ask a vault. No secret is ever part of a message. */

/** A key or token that is asked for each time it is used: one in a file can be replaced without a restart. */
export type Secret = () => string;

const COMMAND_LIMIT_MS = 10_000; // limit: Time that a command has to print a secret
const COMMAND_OUTPUT_MAX = 65_536; // limit: {bytes} What a command for a secret may print
const SECRET = /^[\x21-\x7e]{1,4096}$/;
/** What a shell would make something else of. */
const FOR_A_SHELL = /["'`$|&;<>(){}*?~\\]/;
/** What a command for one secret is not told: the others. */
const OWN_NAME = /^(?:FIRMQUOTE_|DATABASE_(?:OWNER_)?URL|OTEL_EXPORTER_OTLP_HEADERS)/;

type Names<Name extends string> = Name | `${Name}_FILE`;
/** The settings of one secret. */
type SecretSettings<Name extends string, T> = Readonly<Record<Names<Name>, Setting<T>>> &
  Readonly<Record<`${Name}_COMMAND`, Setting<readonly string[]>>>;

/**
 * @param meaning of the secret, as a sentence
 * @param fromFile reads the file that holds it
 */
export function secretSettings<Name extends string, T>(
  name: Name,
  meaning: string,
  parse: Setting<T>['parse'],
  fromFile: { readonly meaning: string; readonly parse: Setting<T>['parse'] } = {
    meaning: `File with \`${name}\`.`,
    parse: inFile(parse),
  },
): SecretSettings<Name, T> {
  return {
    [name]: setting(meaning, undefined, parse),
    [`${name}_FILE`]: setting(fromFile.meaning, undefined, fromFile.parse),
    [`${name}_COMMAND`]: setting(`Command that prints \`${name}\`.`, undefined, commandLine),
  } as SecretSettings<Name, T>;
}

/** Settings of a token or key that is read anew from its file each time. */
export function tokenSettings<Name extends string>(
  name: Name,
  meaning: string,
): SecretSettings<Name, Secret> {
  const fileMeaning = `File with \`${name}\`; replacing it needs no restart.`;
  return secretSettings(name, meaning, secret, { meaning: fileMeaning, parse: secretFile });
}

/**
 * @throws ConfigError on a wrong value, when it is given in two ways, and when the command gives none
 * @throws SettingUnavailable when the command fails or takes too long
 */
export function readSecret<Name extends string, Settings extends SecretSettings<Name, unknown>>(
  environment: Environment,
  name: Name,
  settings: Settings,
  limitMs = COMMAND_LIMIT_MS,
): ValueOf<Settings[Name]> | undefined {
  const names = [name, `${name}_FILE`, `${name}_COMMAND`];
  const [given, second] = names.filter((each) => environment[each] !== undefined);
  if (second !== undefined) throw new ConfigError(`${given} and ${second} are both set; set only one.`);
  if (given === undefined) return undefined;
  const entries: Readonly<Record<string, Setting<unknown>>> = settings;
  const value = readSetting(environment, given, entries[given] as Setting<unknown>);
  if (given !== names[2]) return value as ValueOf<Settings[Name]>;
  const printed = printedBy(value as readonly string[], given, environment, limitMs);
  return settings[name].parse(printed, given) as ValueOf<Settings[Name]>;
}

type ValueOf<S extends Setting<unknown>> = S extends Setting<infer T> ? T : never;

/** Never part of a message, whatever is wrong with it. */
function secret(value: string, name: string): Secret {
  const trimmed = value.trim();
  if (!SECRET.test(trimmed))
    throw new ConfigError(`${name} must be one line of printable ASCII without spaces.`);
  return () => trimmed;
}

/**
 * A secret in a file. When the file cannot be read later, or holds no secret, the last one stays in use.
 * @throws ConfigError when it cannot be read now
 */
export function secretFile(path: string, name: string): Secret {
  const file = resolve(path);
  let last: string;
  try {
    last = readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`${name}: the file "${file}" cannot be read.`);
  }
  if (!SECRET.test(last))
    throw new ConfigError(`${name}: the file "${file}" must hold one line of printable ASCII.`);
  return () => {
    try {
      const now = readFileSync(file, 'utf8').trim();
      if (SECRET.test(now)) last = now;
    } catch {
      // A file that is being replaced is not there for a moment.
    }
    return last;
  };
}

/** A program and its arguments: separated by blanks, or as a JSON array where one of them has blanks itself. */
function commandLine(text: string, name: string): readonly string[] {
  const argv = text.trimStart().startsWith('[') ? arrayOf(text) : wordsOf(text);
  if (argv?.[0] === undefined || argv[0] === '')
    throw new ConfigError(
      `${name} must be a program and its arguments, separated by spaces or as a JSON array; no shell is used.`,
    );
  return argv;
}

function wordsOf(text: string): string[] | undefined {
  return FOR_A_SHELL.test(text) ? undefined : text.trim().split(/\s+/);
}

function arrayOf(text: string): string[] | undefined {
  try {
    const argv: unknown = JSON.parse(text);
    return Array.isArray(argv) && argv.every((each) => typeof each === 'string') ? argv : undefined;
  } catch {
    return undefined;
  }
}

/** What a command prints, which has to be done before anything else is begun. Of what it says besides nothing is passed on. */
function printedBy(
  [program = '', ...args]: readonly string[],
  name: string,
  environment: Environment,
  limitMs: number,
): string {
  const env = Object.fromEntries(Object.entries(environment).filter(([each]) => !OWN_NAME.test(each)));
  const { error, status, signal, stdout } = spawnSync(program, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: COMMAND_OUTPUT_MAX,
  });
  const wrong = (what: string) => new ConfigError(`${name}: the command ${what}.`);
  // A vault that is away or sealed.
  const unavailable = (what: string) => new SettingUnavailable(`${name}: the command ${what}.`);
  const code = error !== undefined && 'code' in error ? error.code : undefined;
  if (code === 'ETIMEDOUT') throw unavailable(`took longer than ${limitMs / 1_000} s`);
  if (code === 'ENOBUFS') throw wrong(`printed more than ${COMMAND_OUTPUT_MAX} bytes`);
  if (error !== undefined) throw wrong(`cannot be run (${String(code)})`);
  if (status !== 0)
    throw unavailable(signal === null ? `ended with exit code ${status}` : `was ended by ${signal}`);
  if (stdout.trim() === '') throw wrong('printed nothing');
  return stdout.trim();
}
