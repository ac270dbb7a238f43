import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { code, type Page, page, table } from './page.ts';

const SOURCE = 'packages/service/sql/tables.json';

const GRANTS = 'packages/service/sql/grants.json';

/** Who writes a table, and what it holds. */
type Tables = Readonly<Record<string, { readonly owner: string; readonly holds: string }>>;

/** Tables and views by name. Held against packages/service/sql/schema.sql by a test. */
export function tables(): Tables {
  return read(SOURCE) as Tables;
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(resolve(import.meta.dirname, '../..'), path), 'utf8'));
}

export function tablesPage(): Page {
  const all = Object.entries(tables());
  const grants = read(GRANTS) as Readonly<Record<string, string>>;
  const owners = [...new Set(all.map(([, { owner }]) => owner))].sort();
  return page('tables.md', 'Database tables', SOURCE, [
    'Tables and views of the database, by the room that writes them. Functions of `packages/service/sql/functions` write for their room;',
    'columns and constraints are in `packages/service/sql/schema.sql`. The role of the service may do with each what stands beside it',
    `([roles](../operations/database.md#roles-in-the-database-and-migrations), \`${GRANTS}\`).`,
    ...owners.flatMap((owner) => [
      '',
      `## ${owner}`,
      '',
      ...table(
        ['Table', 'What it holds', 'The service may'],
        all
          .filter(([, each]) => each.owner === owner)
          .map(([name, { holds }]) => [code(name), holds, grants[name] ?? 'undecided']),
      ),
    ]),
  ]);
}
