import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tables } from '../../../scripts/reference/tables.ts';
import { FOREIGN_READS, FOREIGN_WRITES, FUNCTIONS } from './support/foreign-tables.ts';
import { type Access, accessesOf, readAccesses } from './support/table-access.ts';

/** Who writes which table is in `sql/tables.json`; who else names it, and why, in `support/foreign-tables.ts`. */

const owners = new Map(Object.entries(tables()).map(([table, { owner }]) => [table, owner]));
const rooms = new Map(
  Object.entries(FUNCTIONS).flatMap(([room, names]) => names.map((name) => [name, room])),
);
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

const told = ({ room, table, writes, file }: Access) =>
  `${room} ${writes ? 'writes' : 'reads'} ${table} of ${owners.get(table)} in ${file}`;

test('a room names the tables of others only where it is said why', () => {
  assert.deepEqual(
    [...new Set(foreign.filter((access) => !allowed(access)).map(told))].sort(),
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

test('the tables of a statement are found', () => {
  const found = (text: string) =>
    accessesOf(text, new Set(['a', 'b', 'c']), 'room', 'file').map(({ table, writes }) =>
      writes ? `!${table}` : table,
    );
  assert.deepEqual(found('select c from a x, b -- from c'), ['a', 'b']);
  assert.deepEqual(found(`insert into a select 'from b' from c join b on true`), ['!a', 'c', 'b']);
  assert.deepEqual(found('update a set c = 1 from b where exists (select from c)'), ['!a', 'b', 'c']);
  assert.deepEqual(found('delete from a using b'), ['!a', 'a', 'b']);
});
