import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { usage } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Field, Operation } from './table.ts';

/** Flags of an operation, made of its parameters and of the fields of its body. */

export interface Values {
  readonly [name: string]: unknown;
}

/** What an operation is called with. */
export interface Filled {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** An operation with nothing to say. */
export const NOTHING: Filled = { path: [], query: {}, body: undefined, headers: {} };

/** Flags that every command has: an operation's own of that name get a prefix. */
export const GLOBAL_NAMES = new Set([
  'output',
  'fields',
  'profile',
  'base-url',
  'yes',
  'idempotency-key',
  'timeout',
  'dry-run',
  'debug',
  'quiet',
  'color',
  'map',
  'version',
  'help',
  'input',
  'save',
  'all',
  'if-match',
  'prefer',
  'limit',
  'cursor',
]);
const FROM_PAGES = new Set(['limit', 'cursor']);
const REFUSED_AS_ARGUMENT = /secret|password|assertion/i;

export function flagOf(name: string): string {
  const kebab = name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
  return GLOBAL_NAMES.has(kebab) ? `param-${kebab}` : kebab;
}

/** The attribute that commander keeps a flag's value under. */
const attributeOf = (flag: string) =>
  flag.replace(/-([a-z\d])/g, (_, letter: string) => letter.toUpperCase());

/** The flags that an operation has, each with its field. */
export function fieldsOf(
  operation: Operation,
): readonly { readonly field: Field; readonly flag: string; readonly isQuery: boolean }[] {
  const query = operation.query.filter(({ name }) => !(operation.pages === true && FROM_PAGES.has(name)));
  const body = (operation.body?.fields ?? []).filter(({ name }) => !REFUSED_AS_ARGUMENT.test(name));
  const taken = new Set<string>();
  return [
    ...query.map((field) => ({ field, isQuery: true })),
    ...body.map((field) => ({ field, isQuery: false })),
  ].map(({ field, isQuery }) => {
    const wanted = flagOf(field.name);
    const flag = taken.has(wanted) ? `body-${wanted}` : wanted;
    taken.add(flag);
    return { field, flag, isQuery };
  });
}

/** Gives a command the arguments and flags of an operation. */
export function addFlags(command: Command, operation: Operation): Command {
  for (const field of operation.params) command.argument(`<${field.name}>`, describe(field));
  for (const { field, flag } of fieldsOf(operation)) {
    const option = new Option(`--${flag} ${placeholder(field)}`, describe(field));
    if (field.type.endsWith('[]'))
      option.argParser((value, before: string[] | undefined) => [...(before ?? []), ...value.split(',')]);
    command.addOption(option);
  }
  if (operation.body !== undefined) {
    const what =
      operation.body.fields === undefined
        ? 'File to send; - is stdin'
        : 'JSON file; - is stdin. Flags override it';
    command.option('--input <file>', what);
  }
  if (operation.headers.includes('If-Match'))
    command.option('--if-match <etag>', 'Only if it is still this version');
  if (operation.headers.includes('Firmquote-Reason'))
    command.option('--why <text>', 'Reason for the second person if one is needed');
  if (operation.headers.includes('Prefer'))
    command.option('--prefer <preference>', 'For example wait=30, or signature');
  if (operation.pages === true) {
    command.option('--limit <count>', 'Maximum number of items', '100').option('--all', 'All items');
  }
  if (operation.answers.some((media) => media !== 'application/json' && media !== 'text/event-stream')) {
    command.option('--save <file>', 'Write the answer to a file instead of stdout');
  }
  return command;
}

function placeholder({ type }: Field): string {
  if (type === 'boolean') return '[true|false]';
  if (type === 'instant') return '<time>';
  if (type === 'integer' || type === 'number') return '<number>';
  if (type === 'object' || type === 'array' || type === 'object[]') return '<json>';
  return type.endsWith('[]') ? '<value,...>' : '<value>';
}

function describe({ description = '', type, values, required }: Field): string {
  const words = description.replaceAll('`', '').replace(/\.$/, '');
  const one = values === undefined ? '' : `one of ${values.join(', ')}`;
  const date = type === 'instant' ? 'a date means midnight UTC' : '';
  return [words, one, date, required === true ? 'required' : ''].filter(Boolean).join('; ');
}

/** Puts together what a command was given. */
export async function fill(
  io: Io,
  operation: Operation,
  args: readonly string[],
  options: Values,
): Promise<Filled> {
  const query: Record<string, unknown> = {};
  const given: Record<string, unknown> = {};
  for (const { field, flag, isQuery } of fieldsOf(operation)) {
    const value = options[attributeOf(flag)];
    if (value === undefined) continue;
    (isQuery ? query : given)[field.name] = await typed(io, field, value, flag);
  }
  const headers: Record<string, string> = {};
  if (typeof options.ifMatch === 'string') headers['If-Match'] = options.ifMatch;
  if (typeof options.why === 'string') headers['Firmquote-Reason'] = encodeURIComponent(options.why);
  if (typeof options.prefer === 'string') headers.Prefer = options.prefer;
  const body = await bodyOf(io, operation, options.input, given);
  requireFields(operation, query, body);
  return { path: args, query, body, headers };
}

async function bodyOf(
  io: Io,
  operation: Operation,
  input: unknown,
  given: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { body } = operation;
  if (body === undefined) return undefined;
  const bytes = typeof input === 'string' ? await readInput(io, input) : undefined;
  if (body.fields === undefined) {
    if (bytes === undefined)
      throw usage('There is nothing to send.', 'Name a file: --input <file>, or --input - for stdin.');
    return bytes;
  }
  if (bytes === undefined) return Object.keys(given).length === 0 && !body.required ? undefined : given;
  const read = parseJson(new TextDecoder().decode(bytes), String(input));
  if (Object.keys(given).length === 0) return read;
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw usage(`${input} holds no JSON object that flags could be added to.`);
  return { ...read, ...given };
}

/** What is missing is said at once, by the names of the flags. */
function requireFields(operation: Operation, query: Values, body: unknown): void {
  const missing = fieldsOf(operation)
    .filter(
      ({ field, isQuery }) =>
        field.required === true && !Object.hasOwn(isQuery ? query : Object(body ?? {}), field.name),
    )
    .map(({ flag }) => `--${flag}`);
  if (missing.length > 0)
    throw usage(`Missing: ${missing.join(', ')}.`, `firmquote call ${operation.id} --help explains them.`);
}

async function typed(io: Io, { type }: Field, value: unknown, flag: string): Promise<unknown> {
  if (type === 'boolean') {
    if (value === true || value === 'true') return true;
    if (value === 'false') return false;
    throw usage(`--${flag} must be true or false, not “${String(value)}”.`);
  }
  if (Array.isArray(value))
    return Promise.all(value.map((each) => typed(io, { name: '', type: type.slice(0, -2) }, each, flag)));
  const text = String(value);
  if (type === 'integer' || type === 'number') {
    if (!/^-?\d{1,15}(\.\d+)?$/.test(text)) throw usage(`--${flag} must be a number, not “${text}”.`);
    return Number.parseFloat(text);
  }
  if (type === 'instant') return instantOf(text);
  if (type === 'string') return text;
  return readJson(io, text, `--${flag}`);
}

/** What a flag says as JSON, or by the name of a file behind an @. */
export async function readJson(io: Io, text: string, source: string): Promise<unknown> {
  const json = text.startsWith('@') ? new TextDecoder().decode(await readInput(io, text.slice(1))) : text;
  return parseJson(json, source);
}

/** A date alone is its midnight, UTC: what begins with a day, and what ends before one. */
export function instantOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00.000Z` : text;
}

export function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(
      `${source} is not JSON: ${(error as Error).message}`,
      'To read a file, name it with @: --flag @file.json.',
    );
  }
}

/** A whole file, or stdin. */
export async function readInput(io: Io, path: string): Promise<Uint8Array> {
  if (path === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(resolve(io.cwd, path));
  } catch (error) {
    throw usage(`${path} cannot be read: ${(error as Error).message}`);
  }
}
