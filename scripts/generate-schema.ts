// Writes what follows from migrations and functions: the schema as it is, and the types of its rows.
//   node scripts/generate-schema.ts
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { migrate } from '../packages/service/src/database/migrate.ts';
import { createPool, type Pool } from '../packages/service/src/database/pool.ts';
import { dumpSchema } from './schema/dump.ts';
import { rowTypes } from './schema/row-types.ts';
import { openRunFolder, openThrowaway } from './test-database.ts';

export const COMMAND = 'node scripts/generate-schema.ts';
const ROOT = resolve(import.meta.dirname, '..');

export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** The files as they should be, of a migrated database. */
export async function schemaFiles(pool: Pool): Promise<GeneratedFile[]> {
  const schema = await dumpSchema(pool);
  return [
    {
      path: 'packages/service/sql/schema.sql',
      text: `-- What the migrations and functions make, as PostgreSQL words it. Made by \`${COMMAND}\`.\n\n${schema}`,
    },
    { path: 'packages/service/src/database/rows.ts', text: await rowTypes(pool, COMMAND) },
  ];
}

/** What differs, table by table: lines that are gone and that have come, under the first line of each. */
export function differenceOf(found: string, wanted: string): string[] {
  const [before, after] = [objectsOf(found), objectsOf(wanted)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((head) => {
    const [was, is] = [before.get(head) ?? [], after.get(head) ?? []];
    if (was.join('\n') === is.join('\n')) return [];
    const gone = was.filter((line) => !is.includes(line)).map((line) => `- ${line}`);
    const come = is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`);
    return [head, ...(gone.length + come.length === 0 ? ['  in another order'] : [...gone, ...come])];
  });
}

function objectsOf(text: string): Map<string, readonly string[]> {
  const objects = text.split(/\n\n|\n(?= {2}\w+: \{)/).map((object) => object.split('\n'));
  return new Map(objects.map((lines) => [lines[0] ?? '', lines]));
}

async function main(): Promise<void> {
  const folder = openRunFolder();
  const database = await openThrowaway(folder.path);
  const pool = createPool({ connection: database.url, max: 1, onError: () => undefined });
  try {
    await migrate(pool);
    for (const { path, text } of await schemaFiles(pool)) writeFileSync(join(ROOT, path), text);
  } finally {
    await pool.end();
    await database.close();
    folder.remove();
  }
}

if (process.argv[1] === import.meta.filename) await main();
