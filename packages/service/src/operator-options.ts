import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isIsoDate } from '@firmquote/fx';
import type { ClientReference } from './authorization/store.ts';
import { parseRfc3339 } from './http/query.ts';
import { emailOf } from './people/ensure-person.ts';
import { readOptions, UsageError } from './platform/command-line.ts';
import { parseTypeId } from './platform/ids.ts';

/** What a command line of operators may say, and what it means. A wrong value is told before a database is opened. */

const OPTIONS = {
  name: { type: 'string' },
  client: { type: 'string' },
  responsible: { type: 'string' },
  email: { type: 'string' },
  scopes: { type: 'string' },
  roles: { type: 'string' },
  expires: { type: 'string' },
  addresses: { type: 'string' },
  keys: { type: 'string' },
  'keep-old-for': { type: 'string' },
  'revoke-tokens': { type: 'boolean' },
  pair: { type: 'string' },
  price: { type: 'string' },
  reason: { type: 'string' },
  purpose: { type: 'string' },
  key: { type: 'string' },
  format: { type: 'string' },
  output: { type: 'string' },
  file: { type: 'string' },
  year: { type: 'string' },
  session: { type: 'string' },
  'next-sent': { type: 'string' },
  'next-received': { type: 'string' },
  stopped: { type: 'boolean' },
} as const;
export type Option = keyof typeof OPTIONS;
export type Values = { readonly [name in Option]?: string | boolean | undefined };

export function parse(args: string[]) {
  const options = { ...OPTIONS, help: { type: 'boolean', short: 'h' } } as const;
  return readOptions({ args, allowPositionals: true, options });
}

export function nameOf(values: Values): string {
  return lineOf(values, 'name');
}

export function lineOf(values: Values, option: 'name' | 'reason'): string {
  const line = String(values[option] ?? '').trim();
  if (line === '' || line.length > 200 || /\p{Cc}/u.test(line)) {
    throw new UsageError(`--${option} must have 1 to 200 characters.`);
  }
  return line;
}

export function emailOfOption(values: Values, option: 'responsible' | 'email' = 'responsible'): string {
  try {
    return emailOf(String(values[option] ?? ''));
  } catch (error) {
    throw new UsageError(`--${option} must be a person's e-mail address.`, { cause: error });
  }
}

/** Separated by commas; an empty text is an empty list. */
export function listOf(
  values: Values,
  option: 'scopes' | 'roles' | 'addresses',
): readonly string[] | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  return String(text)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

export function clientChangeOf(values: Values) {
  const [scopes, roles] = [listOf(values, 'scopes'), listOf(values, 'roles')];
  return { scopes, roles, expiresAt: expiryOf(values) };
}

/** A date is its midnight, UTC. */
function expiryOf({ expires }: Values): number | undefined {
  if (expires === undefined) return undefined;
  const text = String(expires);
  const expiresAt = parseRfc3339(isIsoDate(text) ? `${text}T00:00:00Z` : text);
  if (expiresAt === undefined) throw new UsageError('--expires must be a time such as 2027-01-31T12:00:00Z.');
  return expiresAt;
}

/** @throws UsageError for a file that is no JSON Web Key Set */
export function keysOf({ keys: file }: Values): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (file === undefined) return undefined;
  let read: { keys?: unknown } | null;
  try {
    read = JSON.parse(readFileSync(String(file), 'utf8'));
  } catch (error) {
    throw new UsageError(`--keys: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if (Array.isArray(read?.keys)) return read.keys;
  throw new UsageError('--keys must be a file with a JSON Web Key Set: {"keys": [...]}.');
}

/** @throws UsageError where nothing can be read: that is a mistyped path, and no evidence that anything is wrong */
export function readableOf({ file = '' }: Values, kind: 'file' | 'folder'): string {
  const path = String(file);
  try {
    if (path !== '') {
      accessSync(path, constants.R_OK);
      if (statSync(path).isDirectory() === (kind === 'folder')) return path;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--file: ${path} cannot be read (${code}).`, { cause: error });
  }
  throw new UsageError(`--file must be a ${kind}.`);
}

export function hoursOf(values: Values): number | undefined {
  const text = values['keep-old-for'];
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,3}$/.test(String(text))) return Number.parseInt(String(text), 10);
  throw new UsageError('--keep-old-for must be a number of hours.');
}

export function sessionOf({ session = '' }: Values): string {
  if (/^[a-z0-9][a-z0-9-]{0,31}$/.test(String(session))) return String(session);
  throw new UsageError('--session must be the name of a FIX session.');
}

export function sequenceOf(values: Values, option: 'next-sent' | 'next-received'): number {
  const text = String(values[option] ?? '1');
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new UsageError(`--${option} must be a number from 1 to 999999999.`);
  return Number.parseInt(text, 10);
}

export function referenceOf(values: Values): ClientReference {
  const id = parseTypeId('cli', String(values.client ?? ''));
  if (id === undefined) throw new UsageError('--client must be the id of an operator client, cli_...');
  return { id, customerId: undefined };
}
