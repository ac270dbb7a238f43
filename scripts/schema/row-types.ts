import type { Pool } from '../../packages/service/src/database/pool.ts';

/** What the driver makes of a value, with the parsers of `database/pool.ts`. `numeric[]` is nothing to read money from. */
export const TYPES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'string',
  xid8: 'string',
  numeric: 'string',
  text: 'string',
  uuid: 'string',
  date: 'string',
  'timestamp with time zone': 'number',
  json: 'string',
  jsonb: 'unknown',
  bytea: 'Buffer',
  'text[]': 'string[]',
  'numeric[]': 'number[]',
};

const WIDTH = 120;

interface Column {
  readonly relation: string;
  readonly is_table: boolean;
  readonly name: string;
  readonly type: string;
  readonly not_null: boolean;
  /** The CHECK that lists the words it may be. */
  readonly words: string | null;
}

const COLUMNS = `
  select c.relname as relation, c.relkind <> 'c' as is_table, a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull as not_null, (
      select pg_get_constraintdef(n.oid) from pg_constraint n
      where n.conrelid = c.oid and n.contype = 'c' and n.conkey = array[a.attnum]
        and pg_get_constraintdef(n.oid) ~ '^CHECK \\(\\([a-z_]+ = ANY \\(ARRAY\\[''[^()]*\\]\\)\\)\\)( NOT VALID)?$'
    ) as words
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p', 'c') and not c.relispartition and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
    and c.relname not like 'schema\\_%'
  order by c.relname collate "C", a.attnum`;

/** The module of the types of rows. */
export async function rowTypes(pool: Pool, command: string): Promise<string> {
  const { rows } = await pool.query<Column>(COLUMNS);
  const membersOf = (columns: readonly Column[]) =>
    [...Map.groupBy(columns, ({ relation }) => relation)]
      .map(([name, own]) =>
        filled(`  ${name}: {`, [...own.map((each) => `${each.name}: ${typeOf(each)};`), '};']),
      )
      .join('\n');
  const { tables = [], composites = [] } = Object.groupBy(rows, ({ is_table }) =>
    is_table ? 'tables' : 'composites',
  );
  return `// What the driver answers of each table. Made from the schema by \`${command}\`.
// Numbers wider than an int and JSON are texts, instants epoch milliseconds. Arrays of numeric would be floats: they are read as text[].
// biome-ignore-all format: names in the order of the columns, as many as a line takes

export interface Tables {
${membersOf(tables)}
}

/** Types that functions take and answer, of which any column may be null. */
export interface Composites {
${membersOf(composites)}
}

/** A row of a table, whole: \`Pick\` what a statement reads. */
export type Row<Name extends keyof Tables> = Readonly<Tables[Name]>;

/** A row of what a function answers. */
export type Composite<Name extends keyof Composites> = Readonly<Composites[Name]>;

/** A row whose columns a statement gives the names that members have in the code: \`created_at as "createdAt"\`. */
export type CamelRow<Name extends keyof Tables> = {
  readonly [Column in keyof Tables[Name] & string as Camel<Column>]: Unchanged<Tables[Name][Column]>;
};

type Unchanged<Value> = Value extends (infer Item)[] ? readonly Item[] : Value;

type Camel<Name extends string> = Name extends \`\${infer First}_\${infer Rest}\`
  ? \`\${First}\${Capitalize<Camel<Rest>>}\`
  : Name;

/** Columns that the statement asks to have a value. */
export type Present<Columns> = { readonly [Name in keyof Columns]: NonNullable<Columns[Name]> };
`;
}

/** The words after the first, in lines of a common width. */
function filled(first: string, words: readonly string[]): string {
  const lines = [first];
  for (const word of words) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines.join('\n');
}

function typeOf({ relation, name, type, not_null, words }: Column): string {
  const plain = TYPES[type];
  if (plain === undefined)
    throw new Error(`${relation}.${name} is of type ${type}: say in TYPES what it is in TypeScript`);
  const reported = [...(words ?? '').matchAll(/'([^']*)'::text/g)].map(([, word]) => `'${word}'`);
  const own = reported.length > 0 && plain === 'string' ? reported.join(' | ') : plain;
  return not_null || own === 'unknown' ? own : `${own} | null`;
}
