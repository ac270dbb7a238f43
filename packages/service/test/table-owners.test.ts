import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tables } from '../../../scripts/reference/tables.ts';
import { readGrants } from '../src/database/grants.ts';
import { BY_NAME, FOREIGN_READS, FOREIGN_WRITES, FUNCTIONS } from './support/foreign-tables.ts';
import { type Access, accessesOf, readAccesses, tablesByValue, withNames } from './support/table-access.ts';

/** Who writes which table is in `sql/tables.json`; who else names it, and why, in `support/foreign-tables.ts`. */

const SERVICE = join(import.meta.dirname, '..');
const owners = new Map(Object.entries(tables()).map(([table, { owner }]) => [table, owner]));
const rooms = new Map(
  Object.entries(FUNCTIONS).flatMap(([room, names]) => names.map((name) => [name, room])),
);
const { tables: grants } = await readGrants();
const isDefiner = (file: string) =>
  file.endsWith('.sql') && /\bsecurity definer\b/.test(readFileSync(join(SERVICE, file), 'utf8'));
const accesses = readAccesses(
  new Set(owners.keys()),
  // A view is its owner's, as a table is.
  (definition) => rooms.get(definition) ?? owners.get(definition),
);
const foreign = accesses.filter(({ room, table }) => owners.get(table) !== room);

function allowed({ room, table, writes }: Access): boolean {
  const named = (entries = FOREIGN_WRITES[room] ?? []) => entries.some((each) => each.tables.includes(table));
  return named() || (!writes && named(FOREIGN_READS[room] ?? []));
}

const reported = ({ room, table, writes, file }: Access) =>
  `${room} ${writes ? 'writes' : 'reads'} ${table} of ${owners.get(table)} in ${file}`;

test('a room names the tables of others only where it is said why', () => {
  assert.deepEqual(
    [...new Set(foreign.filter((access) => !allowed(access)).map(reported))].sort(),
    [],
    'ask the owner for a function of its store, or say why not in test/support/foreign-tables.ts',
  );
});

test('what is said is so', () => {
  const unused = (entries: typeof FOREIGN_READS, writes: boolean) =>
    Object.entries(entries).flatMap(([room, all]) =>
      all
        .flatMap((each) => each.tables)
        .filter((table) => !foreign.some((a) => a.room === room && a.table === table && a.writes === writes))
        .map((table) => `${room} ${writes ? 'writes' : 'reads'} ${table}`),
    );
  assert.deepEqual([...unused(FOREIGN_WRITES, true), ...unused(FOREIGN_READS, false)], []);
});

/** Views that have a table's name of before: only instances of the previous version write by them. */
const OF_PREVIOUS = globSync('sql/functions/*.sql', { cwd: SERVICE })
  .map((file) => readFileSync(join(SERVICE, file), 'utf8'))
  .flatMap(
    (text) =>
      /^-- Of the previous version, which writes by it.*\ncreate or replace view (\w+)/.exec(text)?.[1] ?? [],
  );

test('the tables are known that a value names', () => {
  const found = new Set(tablesByValue().map(({ file, value }) => `${file}: ${value}`));
  const said = Object.entries(BY_NAME).flatMap(([file, values]) =>
    Object.keys(values).map((value) => `${file}: ${value}`),
  );
  assert.deepEqual([...found].sort(), said.sort(), 'say in test/support/foreign-tables.ts which they are');
});

test('the role of the service may do nothing that no statement does', () => {
  const ofPrevious = new Set(OF_PREVIOUS);
  // What is done with the right of the owner needs none of its own.
  const own = accesses.filter(({ file }) => !isDefiner(file));
  const needs = (table: string, privilege: string) =>
    own.some((access) => access.table === table && access.privilege === privilege);
  const unused = [...grants].flatMap(([table, privileges]) =>
    [...new Set([...privileges].map((each) => each.split(' ')[0] ?? ''))]
      .filter((each) => each !== 'select' && !ofPrevious.has(table) && !needs(table, each))
      .map((each) => `${each} ${table}`),
  );
  assert.deepEqual(unused, [], 'take it from packages/service/sql/grants.json');
});

test('the tables of a statement are found', () => {
  const found = (text: string) =>
    accessesOf(text, new Set(['a', 'b', 'c']), 'room', 'file').map(({ table, writes }) =>
      writes ? `!${table}` : table,
    );
  assert.deepEqual(found('select c from a x, b -- from c'), ['a', 'b']);
  assert.deepEqual(found(`insert into a select 'from b' from c join b on true`), ['!a', 'c', 'b']);
  assert.deepEqual(found('update a set c = 1 from b where exists (select from c)'), ['!a', 'b', 'c']);
  assert.deepEqual(found('delete from a using b'), ['!a', 'a', 'b']);
  const named = withNames(`update \${x[y]} set d = 1 from c`, { 'x[y]': ['a', 'b'] });
  assert.deepEqual(named.flatMap(found), ['c', '!a', 'c', '!b', 'c']);
});
