import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { type Connection, UNLIMITED } from './pool.ts';

type Kind = 'function' | 'view' | 'trigger';

/** What is made by its text alone, and made again when the text has changed. */
export interface Definition {
  readonly kind: Kind;
  readonly name: string;
  /** Tables stand on it (defaults, checks): it is there before them, and needs none of them. */
  readonly isUnderTables: boolean;
  readonly sql: string;
  readonly checksum: string;
}

const FOLDER = new URL('../../sql/functions/', import.meta.url);
/** Its files are those that tables stand on. */
const UNDER_TABLES = 'tables';
/** Functions first, then what stands on them. */
const KINDS: readonly Kind[] = ['function', 'view', 'trigger'];
const START = /^create or replace (function|view|trigger) (\w+)/gm;

/** What the files of the folder define. */
export async function readDefinitions(folder: URL = FOLDER): Promise<Definition[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sql')).sort();
  const found = await Promise.all(
    names.map(async (name) =>
      definitionsOf(await readFile(new URL(name, folder), 'utf8'), name.startsWith(UNDER_TABLES)),
    ),
  );
  return found.flat();
}

/** A function and the triggers that call it, or a view. Each begins with `create or replace` at the start of a line. */
export function definitionsOf(text: string, isUnderTables = false): Definition[] {
  const starts = [...text.matchAll(START)];
  return starts.map((start, i) => {
    const sql = text.slice(start.index, starts[i + 1]?.index);
    const [, kind, name = ''] = start;
    return { kind: kind as Kind, name, isUnderTables, sql, checksum: digestOf(sql) };
  });
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

interface Made {
  readonly kind: Kind;
  readonly name: string;
  readonly checksum: string;
}

const keyOf = ({ kind, name }: { kind: Kind; name: string }) => `${kind} ${name}`;

/** Those that the database lacks or has in another form. */
export async function changedDefinitions(
  connection: Connection,
  wanted: readonly Definition[],
): Promise<Definition[]> {
  const made = new Map((await madeBefore(connection)).map((each) => [keyOf(each), each.checksum]));
  // A migration that changes what a view or a trigger stands on takes it away first.
  const present = await namesIn(connection);
  return wanted.filter((each) => made.get(keyOf(each)) !== each.checksum || !present.has(keyOf(each)));
}

/** Makes them, in the transaction of the connection. */
export async function define(connection: Connection, definitions: readonly Definition[]): Promise<void> {
  if (definitions.length === 0) return;
  const inOrder = KINDS.flatMap((kind) => definitions.filter((each) => each.kind === kind));
  // Functions may call each other in any order: their bodies are checked when all of them are there.
  const text = ['set local check_function_bodies = off', ...inOrder.map(({ sql }) => sql)].join(';\n');
  await connection.query({ text, ...UNLIMITED });
  const functions = inOrder.filter(({ kind }) => kind === 'function').map(({ name }) => name);
  await dropSignatures(connection, await formerSignatures(connection, functions));
  await connection.query('set local check_function_bodies = on');
  await checkBodies(connection, functions);
  await connection.query(
    `insert into schema_definitions (kind, name, checksum)
     select * from unnest($1::text[], $2::text[], $3::text[])
     on conflict (kind, name) do update set checksum = excluded.checksum`,
    [inOrder.map(({ kind }) => kind), inOrder.map(({ name }) => name), inOrder.map((each) => each.checksum)],
  );
}

/** Drops what was defined before and is in no file any more. */
export async function dropOthers(connection: Connection, wanted: readonly Definition[]): Promise<void> {
  const kept = new Set(wanted.map(keyOf));
  const gone = (await madeBefore(connection)).filter((each) => !kept.has(keyOf(each)));
  for (const kind of KINDS.toReversed()) {
    for (const { name } of gone.filter((each) => each.kind === kind)) {
      if (kind === 'function') await dropSignatures(connection, await signaturesOf(connection, [name]));
      else await connection.query(kind === 'trigger' ? DROP_TRIGGER(name) : `drop view if exists ${name}`);
      await connection.query('delete from schema_definitions where kind = $1 and name = $2', [kind, name]);
    }
  }
}

const DROP_TRIGGER = (name: string) => `do $$
  declare its regclass;
  begin
    for its in select tgrelid from pg_trigger where tgname = '${name}' and not tgisinternal loop
      execute format('drop trigger ${name} on %s', its);
    end loop;
  end $$`;

const SIGNATURES = `select oid::regprocedure::text as signature from pg_proc
  where proname = any ($1) and pronamespace = current_schema()::regnamespace`;

/** Functions of these names, each with its arguments: those of other arguments are others. */
async function signaturesOf(connection: Connection, names: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<{ signature: string }>(SIGNATURES, [names]);
  return rows.map(({ signature }) => signature);
}

/** What had other arguments before these functions were made in this transaction, which has left it as it was. */
async function formerSignatures(connection: Connection, names: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<{ signature: string }>(
    `${SIGNATURES} and xmin <> pg_current_xact_id()::xid`,
    [names],
  );
  return rows.map(({ signature }) => signature);
}

async function dropSignatures(connection: Connection, signatures: readonly string[]): Promise<void> {
  for (const signature of signatures) await connection.query(`drop function ${signature}`);
}

async function checkBodies(connection: Connection, functions: readonly string[]): Promise<void> {
  for (const language of ['sql', 'plpgsql']) {
    const check = language === 'sql' ? 'fmgr_sql_validator' : 'plpgsql_validator';
    await connection.query(
      `select ${check}(p.oid) from pg_proc p join pg_language l on l.oid = p.prolang
       where p.proname = any ($1) and p.pronamespace = current_schema()::regnamespace and l.lanname = $2`,
      [functions, language],
    );
  }
}

async function madeBefore(connection: Connection): Promise<Made[]> {
  return (await connection.query<Made>('select kind, name, checksum from schema_definitions')).rows;
}

async function namesIn(connection: Connection): Promise<Set<string>> {
  const { rows } = await connection.query<{ key: string }>(
    `select 'function ' || proname as key from pg_proc where pronamespace = current_schema()::regnamespace
     union all
     select 'view ' || relname from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'v'
     union all
     select 'trigger ' || tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not tgisinternal and c.relnamespace = current_schema()::regnamespace`,
  );
  return new Set(rows.map(({ key }) => key));
}
