import { posix } from 'node:path';
import type { Rule } from './architecture-rules.ts';
import { isTest } from './architecture-rules.ts';
import { lineAt } from './source-files.ts';

/** Columns by table, from the generated types of rows. */
export function columnsOf(rows: string): ReadonlyMap<string, ReadonlySet<string>> {
  const tables = [...rows.matchAll(/^ {2}(\w+): \{(.*?)\};$/gms)];
  return new Map(
    tables.map(([, table = '', columns = '']) => [
      table,
      new Set([...columns.matchAll(/(\w+): /g)].map(([, column = '']) => column)),
    ]),
  );
}

/** The types of what functions answer, by the functions' names, from their heads. */
export function answersOf(heads: string): ReadonlyMap<string, string> {
  const found = heads.matchAll(/^create function (\w+)\(.*\) returns setof (\w+)/gim);
  return new Map([...found].map(([, name = '', type = '']) => [name, type]));
}

/** What a statement begins with, in a text of its own. */
const STATEMENT =
  /(?<=['"`]\s*)(?:select|insert into|update \w+ (?:\w+ )?set|delete from|with (?:recursive )?\w+ as)\b/g;
const NO_ROOM = /^packages\/service\/src\/(?:[^/]+$|(?:platform|problems|database|http)\/)/;

/** The SQL of a room stands in its stores, where people look for it: files that decide or answer have none. */
export const sqlStandsInStores: Rule = (files) =>
  files
    .filter(({ path }) => path.startsWith('packages/service/src/') && !NO_ROOM.test(path) && !isTest(path))
    .filter(({ path }) => !/\/([a-z-]+-)?store\.ts$/.test(path))
    .flatMap(({ path, code }) =>
      [...code.matchAll(STATEMENT)].map(({ 0: begun, index }) => {
        return { path, line: lineAt(code, index), message: `${begun}: a statement belongs in a store` };
      }),
    );

const TEXT = /['"`]/;
/** Columns of one table that a type may name by itself. */
const COLUMNS_MAX = 1;

/**
 * What a statement reads of a table has the types that are made from the schema: none is written by hand beside them, also
 * where the statement gives its columns the names that members have in the code.
 */
export function rowsAreGenerated(
  tables: ReadonlyMap<string, ReadonlySet<string>>,
  answers: ReadonlyMap<string, string> = new Map(),
): Rule {
  return (files) => {
    const codes = new Map(files.map(({ path, code }) => [path, code]));
    return files
      .filter(({ path }) => path.startsWith('packages/service/src/') && !isTest(path))
      .flatMap(({ path, code }) =>
        [...code.matchAll(/\bquery<(?=[{\w])/g)].flatMap(({ index }) => {
          const open = index + 'query<'.length;
          const type = code.slice(open, endOf(code, open, '<', '>'));
          const call = open + type.length + 1;
          const said = code.slice(call, endOf(code, call + 1, '(', ')'));
          // What a function makes, or is taken from a list, stands somewhere in the file.
          const statement = TEXT.test(said) ? withConstants(said, code) : code;
          const parts = partsOf(type, path, codes);
          const declaration = [type, ...parts.map((part) => part.declaration)].join('\n');
          const members = [...membersOf(type), ...parts.flatMap((part) => part.members)];
          return tablesIn(statement).flatMap((source) => {
            const table = answers.get(source) ?? source;
            // What it narrows of the type that is made.
            if (new RegExp(`(?:Row|Composite)<'${table}'>`).test(declaration)) return [];
            const columns = members.filter((each) => isColumn(each, statement, tables.get(table)));
            if (columns.length <= COLUMNS_MAX) return [];
            const inCode = columns.some((each) => columnOf(each) !== each) ? 'CamelRow' : 'Row';
            const made = table === source ? inCode : 'Composite';
            const message = `${columns.join(', ')}: take them from ${made}<'${table}'>`;
            return [{ path, line: lineAt(code, open), message }];
          });
        }),
      );
  };
}

/** A type under a name of the code, and what is taken of it: all, what `Pick` names, or what `Omit` does not. */
const NAMED = /(?:\b(Pick|Omit)<)?\b([A-Z]\w*)\b(?:, ([^<>]*)>)?/g;

interface Part {
  readonly declaration: string;
  readonly members: readonly string[];
}

function partsOf(
  type: string,
  path: string,
  codes: ReadonlyMap<string, string>,
  above: readonly string[] = [],
): Part[] {
  return [...withoutMembers(type).matchAll(NAMED)].map(([, how, name = '', list = '']) => {
    const home = fileThatHas(name, path, codes);
    const own = declarationOf(name, codes.get(home) ?? '');
    const bases = above.includes(name) ? [] : partsOf(own, home, codes, [...above, name]);
    const listed = new Set(list.match(/\w+/g));
    const members = [...membersOf(own), ...bases.flatMap((base) => base.members)].filter(
      (each) => how === undefined || listed.has(each) === (how === 'Pick'),
    );
    return { declaration: [own, ...bases.map((base) => base.declaration)].join('\n'), members };
  });
}

/** A type without what stands in braces; the declaration of an interface ends inside of its own. */
function withoutMembers(type: string): string {
  const bare = type.replaceAll(/\{[^{}]*(\}|$)/g, '');
  return bare === type ? type : withoutMembers(bare);
}

/** The file itself, or that from which it imports the type. */
function fileThatHas(name: string, path: string, codes: ReadonlyMap<string, string>): string {
  const from = new RegExp(`\\bimport [^;]*\\b${name}\\b[^;]* from '(\\.[^']+)'`).exec(
    codes.get(path) ?? '',
  )?.[1];
  return from === undefined ? path : posix.join(posix.dirname(path), from);
}

/** Where what is open at a place ends. Brackets in texts come in pairs, and `=>` is no bracket. */
function endOf(code: string, from: number, open: string, close: string): number {
  let depth = 1;
  for (let at = from; at < code.length; at++) {
    if (code[at] === open) depth++;
    else if (code[at] === close && code[at - 1] !== '=' && --depth === 0) return at;
  }
  return code.length;
}

/** A type as it is written out under its name; nothing where it is not of the code. */
function declarationOf(name: string, code: string): string {
  const start = new RegExp(`\\b(?:interface ${name}\\s|type ${name} =\\s)`).exec(code);
  if (start === null) return '';
  const from = start.index + start[0].length;
  return start[0].startsWith('interface')
    ? code.slice(from, code.indexOf('\n}', from))
    : code.slice(from, code.indexOf(';\n\n', from));
}

/** Members that are written out, without those of what is inside of a column. */
function membersOf(type: string): string[] {
  const flat = type.replaceAll(/(?<=: (?:readonly )?)\{[^{}]*\}/g, 'object');
  return [...flat.matchAll(/(?<=[{;]\s*)(?:readonly )?(\w+)\??: (?!Row<)/g)].map(([, member = '']) => member);
}

/** The statement with the constants of its file that it is made of. */
function withConstants(statement: string, code: string): string {
  const names = new Set([...statement.matchAll(/\b[A-Z][A-Z_]+\b/g)].map(([name]) => name));
  const texts = [...names].map((name) => {
    const start = code.indexOf(`const ${name} = `);
    return start === -1 ? '' : code.slice(start, code.indexOf(';\n', start));
  });
  return [statement, ...texts].join('\n');
}

function tablesIn(statement: string): string[] {
  return [
    ...new Set([...statement.matchAll(/\b(?:from|join|into|update) (\w+)/g)].map(([, name = '']) => name)),
  ];
}

/** Of a member of the code, the column that a statement would rename to it. */
function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function isColumn(member: string, statement: string, columns: ReadonlySet<string> | undefined): boolean {
  const column = columnOf(member);
  if (columns?.has(column) !== true) return false;
  return column === member
    ? !new RegExp(`\\bas "?${member}\\b|\\b${member}::`).test(statement)
    : new RegExp(`\\b${column} as "${member}"`).test(statement);
}
