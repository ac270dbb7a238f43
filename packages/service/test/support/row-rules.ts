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

/** Columns of one table that a type may name by itself. */
const COLUMNS_MAX = 1;

/**
 * What a statement reads of a table has the types that are made from the schema: none is written by hand beside them, also
 * where the statement gives its columns the names that members have in the code.
 */
export function rowsAreGenerated(tables: ReadonlyMap<string, ReadonlySet<string>>): Rule {
  return (files) => {
    const codes = new Map(files.map(({ path, code }) => [path, code]));
    return files
      .filter(({ path }) => path.startsWith('packages/service/src/') && !isTest(path))
      .flatMap(({ path, code }) =>
        [...code.matchAll(/\bquery<(?=[{\w])/g)].flatMap(({ index }) => {
          const open = index + 'query<'.length;
          const type = code.slice(open, endOf(code, open, '<', '>'));
          const call = open + type.length + 1;
          const statement = withConstants(code.slice(call, endOf(code, call + 1, '(', ')')), code);
          const declaration = declarationOf(type, codeThatHas(type, path, codes));
          const members = membersOf(declaration);
          return tablesIn(statement).flatMap((table) => {
            // What it narrows of the type that is made.
            if (declaration.includes(`Row<'${table}'>`)) return [];
            const columns = members.filter((each) => isColumn(each, statement, tables.get(table)));
            if (columns.length <= COLUMNS_MAX) return [];
            const made = columns.some((each) => columnOf(each) !== each) ? 'CamelRow' : 'Row';
            const message = `${columns.join(', ')}: take them from ${made}<'${table}'>`;
            return [{ path, line: lineAt(code, open), message }];
          });
        }),
      );
  };
}

/** The file's own code, or that of the file from which it imports the type. */
function codeThatHas(type: string, path: string, codes: ReadonlyMap<string, string>): string {
  const own = codes.get(path) ?? '';
  if (!/^\w+$/.test(type)) return own;
  const from = new RegExp(`\\bimport [^;]*\\b${type}\\b[^;]* from '(\\.[^']+)'`).exec(own)?.[1];
  return from === undefined ? own : (codes.get(posix.join(posix.dirname(path), from)) ?? '');
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

/** A type that is written out, as it is or under a name of the code. */
function declarationOf(type: string, code: string): string {
  const name = /^\w+$/.exec(type)?.[0];
  if (name === undefined) return type;
  const start = new RegExp(`\\b(?:interface ${name} |type ${name} = )`).exec(code);
  if (start === null) return '';
  const from = start.index + start[0].length;
  return start[0].startsWith('interface')
    ? code.slice(from, code.indexOf('\n}', from))
    : code.slice(from, code.indexOf(';\n\n', from));
}

/** Members that are written out. */
function membersOf(type: string): string[] {
  return [...type.matchAll(/(?<=[{;]\s*)(?:readonly )?(\w+)\??: (?!Row<)/g)].map(([, member = '']) => member);
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
