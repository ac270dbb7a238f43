import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { typescriptTokens } from '../../../../scripts/mutate/typescript-tokens.ts';
import { BY_NAME } from './foreign-tables.ts';

export type Privilege = 'select' | 'insert' | 'update' | 'delete';

/** A statement of a room that names a table. */
export interface Access {
  readonly room: string;
  readonly table: string;
  readonly writes: boolean;
  /** What the statement needs of the table. A row that is locked is one that may be changed. */
  readonly privilege: Privilege;
  /** From the folder of the service. */
  readonly file: string;
}

const SERVICE = join(import.meta.dirname, '../..');

/** Every access in the SQL of the rooms: texts of TypeScript, and functions by the room of each. */
export function readAccesses(
  tables: ReadonlySet<string>,
  roomOf: (definition: string) => string | undefined,
): Access[] {
  const ofRooms = sourceFiles().flatMap((file) => {
    const code = readFileSync(join(SERVICE, file), 'utf8');
    const texts = textsOf(code).filter((text) => IS_SQL.test(text));
    const room = roomOfFile(file);
    const documents = [...code.matchAll(DOCUMENTS)].map(([, table = '']) => ({
      room,
      table,
      writes: true,
      privilege: 'insert' as const,
      file,
    }));
    return [
      ...texts.flatMap((text) =>
        withNames(text, BY_NAME[file]).flatMap((each) => accessesOf(each, tables, room, file)),
      ),
      ...documents.filter(({ table }) => tables.has(table)),
    ];
  });
  const ofFunctions = globSync('sql/functions/**/*.sql', { cwd: SERVICE }).flatMap((file) => {
    const name = basename(file, '.sql');
    return accessesOf(
      readFileSync(join(SERVICE, file), 'utf8'),
      tables,
      roomOf(name) ?? `function ${name}`,
      file,
    );
  });
  return [...ofRooms, ...ofFunctions];
}

/** Every file of the service that runs, from its folder. */
function sourceFiles(): string[] {
  return globSync('src/**/*.ts', { cwd: SERVICE })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.test\.|\/test-s/.test(file));
}

/** What stands above the rooms is the service's. */
function roomOfFile(file: string): string {
  return /^src\/([^/]+)\//.exec(file)?.[1] ?? 'service';
}

function textsOf(code: string): string[] {
  return typescriptTokens(code)
    .filter(({ kind }) => kind === 'template' || kind === 'string')
    .map(({ kind, text }) => (kind === 'string' ? text.slice(1, -1) : text));
}

/** The text as it is, and once for each table that a value in it may name. */
export function withNames(text: string, names: Readonly<Record<string, readonly string[]>> = {}): string[] {
  const named = Object.entries(names).flatMap(([value, tables]) =>
    text.includes(value) ? tables.map((table) => text.replaceAll(`\${${value}}`, table)) : [],
  );
  return [text, ...named];
}

/** Statements whose table is a value: the file, and the value as it is written. */
export function tablesByValue(): { readonly file: string; readonly value: string }[] {
  return sourceFiles().flatMap((file) =>
    textsOf(readFileSync(join(SERVICE, file), 'utf8'))
      .filter((text) => STATEMENT.test(text))
      .flatMap((text) => [...text.matchAll(VALUE)].map(([, value = '']) => ({ file, value }))),
  );
}

/** Words of a statement that no sentence has. */
const STATEMENT = /\b(?:select|insert into|update \S+ (?:\w+ )?set|delete from)\s/;
const VALUE =
  /\b(?:from|join|using|into|(?<!for )update|lock table)\s+(?:only\s+)?\$\{((?:[^{}]|\{[^{}]*\})+)\}/g;

/** Where a kind of document says that its versions lie, whose statements `settings` makes, and rows that `insert-rows.ts` writes. */
const DOCUMENTS = /\b(?:table: |insertRows\(\w+, )'(\w+)'/g;
const IS_SQL = /\b(select|insert|update|delete|from|join|lock table)\b/i;
const WRITE = /\b(?:insert into|update|delete from|truncate|lock table)\s+(?:only\s+)?(\w+)/gi;
const PRIVILEGES = ['insert', 'update', 'delete'] as const;
/** What follows an insert, up to the next one. */
const UPSERT = /^(?:(?!\binsert into\b)[^;])*\bon conflict\b(?:(?!\binsert into\b)[^;])*\bdo update\b/i;
const LOCK = /\bfor (?:no key )?(?:update|share)\b/i;
const ALIAS = String.raw`(?:\s+(?:as\s+)?(?!(?:${[
  ...['join', 'left', 'right', 'inner', 'cross', 'full', 'on', 'using', 'where', 'order', 'group', 'having'],
  ...['limit', 'for', 'set', 'union', 'returning', 'window', 'offset', 'loop', 'into', 'values', 'select'],
].join('|')})\b)\w+)?`;
const TABLE = String.raw`(?:only\s+)?\w+${ALIAS}`;
/** What is read, and what stands after it in the same list. */
const READ = new RegExp(String.raw`\b(?:from|join|using)\s+(${TABLE}(?:\s*,\s*${TABLE})*)`, 'gi');

/** What a text of SQL names after the words that come before tables. */
export function accessesOf(text: string, tables: ReadonlySet<string>, room: string, file: string): Access[] {
  const code = text.replaceAll(/--[^\n]*/g, '').replaceAll(/'(?:[^']|'')*'/g, "''");
  const written = [...code.matchAll(WRITE)].flatMap(({ 0: words, 1: table = '', index }) => {
    const privilege = PRIVILEGES.find((each) => words.toLowerCase().startsWith(each)) ?? 'delete';
    const also = privilege === 'insert' && UPSERT.test(code.slice(index + words.length));
    return [privilege, ...(also ? (['update'] as const) : [])].map((each) => ({
      table,
      writes: true,
      privilege: each,
    }));
  });
  const read = [...code.matchAll(READ)].flatMap(([, list = '']) =>
    list.split(',').map((each) => ({
      table:
        each
          .trim()
          .replace(/^only\s+/i, '')
          .split(/\s/)[0] ?? '',
      writes: false,
      privilege: LOCK.test(code) ? ('update' as const) : ('select' as const),
    })),
  );
  return [...written, ...read]
    .filter(({ table }) => tables.has(table))
    .map((each) => ({ room, ...each, file }));
}
