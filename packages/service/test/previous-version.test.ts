import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { previousVersion } from '../src/database/migrate.ts';

/** Instances of the previous version go on while this one migrates: what they call and read by stays as it was. */

const ROOT = resolve(import.meta.dirname, '../../..');
const SQL = 'packages/service/sql';
const FUNCTION = /^create function (\w+)\(.*\) returns (?!trigger ).*?(?= language )/gm;
const VIEW = /^create view (\w+) \(\n([^;]*)\n\);$/gm;

/** Names of functions that are not there with the same arguments and answer, and of views that lack a column or have it elsewhere. */
function lost(before: string, after: string): string[] {
  const heads = new Set([...after.matchAll(FUNCTION)].map(([head]) => head));
  const views = new Map([...after.matchAll(VIEW)].map(([, name, columns]) => [name, `${columns},`]));
  return [
    ...[...before.matchAll(FUNCTION)].flatMap(([head, name = '']) => (heads.has(head) ? [] : [name])),
    ...[...before.matchAll(VIEW)].flatMap(([, name = '', columns]) =>
      views.get(name)?.startsWith(`${columns},`) ? [] : [name],
    ),
  ];
}

/** A file of the previous version; undefined where it, or the history, is not there. */
function ofPrevious(path: string): string | undefined {
  try {
    return execFileSync('git', ['-C', ROOT, 'show', `${previousVersion().commit}:${path}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    });
  } catch {
    return undefined;
  }
}

/** Whether only the version before the previous one called it. */
const wasLeaving = (name: string) =>
  ['functions', 'functions/tables'].some((folder) =>
    ofPrevious(`${SQL}/${folder}/${name}.sql`)?.startsWith('-- Of the previous version'),
  );

test('what the previous version calls and reads by is there as it was', (t) => {
  const before = ofPrevious(`${SQL}/schema.sql`);
  if (before === undefined)
    return t.skip(`there is no git history with the previous version (${previousVersion().commit}) here`);
  const after = readFileSync(join(ROOT, SQL, 'schema.sql'), 'utf8');
  assert.deepEqual(
    lost(before, after).filter((name) => !wasLeaving(name)),
    [],
    'give it a new name and file, and keep the old file for one version',
  );
});

test('what is lost is found', () => {
  const schema = `create function a(x integer) returns text language sql stable;

create function b() returns trigger language plpgsql volatile;

create view c (
  id uuid,
  at date
);
`;
  assert.deepEqual(
    lost(schema, schema.replace('stable', 'volatile').replace(/^create function b.*$/m, '')),
    [],
  );
  assert.deepEqual(lost(schema, schema.replace('at date', 'at date,\n  more text')), []);
  assert.deepEqual(lost(schema, schema.replace('x integer', 'x integer, y integer')), ['a']);
  assert.deepEqual(lost(schema, schema.replace('returns text', 'returns SETOF text')), ['a']);
  assert.deepEqual(lost(schema, schema.replace('  id uuid,\n', '')), ['c']);
  assert.deepEqual(lost(schema, schema.replace('at date', 'at timestamp')), ['c']);
});
