import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, lineOf, touchedLines } from './change.ts';
import type { Place } from './coverage.ts';
import { changesOfSql, type LiveSql, liveSql } from './live-sql.ts';
import { isProduct, type Modules } from './modules.ts';
import { ROOMS, roomOf } from './rooms.ts';
import { runsDifferently, typescriptChanges } from './typescript-changes.ts';

/** One change of one file. */
export interface Mutant {
  readonly room: string;
  readonly file: string;
  readonly line: number;
  readonly change: Change;
  readonly before: string;
  readonly after: string;
  /** A test that runs none of these does not notice it. */
  readonly places: readonly Place[];
  /** Tests that may notice it though they run none of the places. */
  readonly firstTests: readonly string[];
  /** Of a piece of SQL that tests may name. */
  readonly name?: string;
}

/** Where functions, views and triggers are defined, and where tables are made. */
const FUNCTIONS = 'packages/service/sql/functions';
const MIGRATIONS = 'packages/service/sql/migrations';

/** Tries every rule of the schema; the import graph does not show it. */
const RULES_TEST = 'packages/service/test/last-lines.test.ts';

/** Every mutant of these rooms in files whose path contains the text. */
export function mutantsOf(root: string, modules: Modules, rooms: readonly string[], within = ''): Mutant[] {
  const mutants: Mutant[] = [];
  for (const file of modules.files.filter(isProduct)) {
    const room = roomOf(file);
    if (!rooms.includes(room) || !file.includes(within)) continue;
    const text = modules.textOf(file);
    for (const change of typescriptChanges(text)) {
      mutants.push(mutantOf(room, file, text, change, [{ file, offset: decisionOf(change) }]));
    }
  }
  return [...mutants, ...mutantsOfSql(root, modules, rooms, within)];
}

/** Where a test must have been: at what comes before an operator, as its right side runs only at times. */
function decisionOf({ start, what }: Change): number {
  return what.startsWith('operator') ? start - 1 : start;
}

/** Whether it is worth a run: nobody writes what Node refuses. */
export function isRunnable(modules: Modules, mutant: Mutant): boolean {
  return mutant.file.endsWith('.sql') || runsDifferently(modules.textOf(mutant.file), mutant.change);
}

function mutantOf(
  room: string,
  file: string,
  text: string,
  change: Change,
  places: readonly Place[],
  firstTests: readonly string[] = [],
): Mutant {
  const line = lineOf(text, change.start);
  return { room, file, line, change, places, firstTests, ...touchedLines(text, change) };
}

function mutantsOfSql(root: string, modules: Modules, rooms: readonly string[], within: string): Mutant[] {
  const files = globSync([`${FUNCTIONS}/**/*.sql`, `${MIGRATIONS}/*.sql`], { cwd: root })
    .sort()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  const live = liveSql(files);
  const users = usersOf(live, modules);
  return live.flatMap((each) => {
    if (!each.file.includes(within)) return [];
    const places = users.get(each) ?? [];
    // It is of the room that names it first, or names what calls it; nobody's SQL is no longer called.
    const of = places.map(({ file }) => roomOf(file));
    const room = of.find((each) => each in ROOMS) ?? of[0];
    if (room === undefined || !rooms.includes(room)) return [];
    const text = texts.get(each.file) ?? '';
    const firstTests = each.kind === 'table' ? [RULES_TEST] : [];
    return changesOfSql(each).map((change) => ({
      ...mutantOf(room, each.file, text, change, places, firstTests),
      name: each.name,
    }));
  });
}

/** The places by which each piece of SQL is reached: those that name it, or that reach a function that does. */
function usersOf(live: readonly LiveSql[], modules: Modules): Map<LiveSql, readonly Place[]> {
  const product = modules.files
    .filter(isProduct)
    .map((file) => ({ file, text: modules.textOf(file), words: wordsOf(modules.textOf(file)) }));
  const words = new Map(live.map((each) => [each, wordsOf(each.text)]));
  const users = new Map<LiveSql, Map<string, Place>>();
  for (const each of live) {
    const found = product
      .filter((module) => module.words.has(each.name))
      .flatMap(({ file, text }) => placesIn(file, text, namingOf(each)));
    users.set(each, new Map(found.map((place) => [`${place.file} ${place.offset}`, place])));
  }
  const passOn = (from: LiveSql, to: LiveSql) => {
    for (const [key, place] of users.get(from) ?? []) users.get(to)?.set(key, place);
  };
  // What SQL calls is reached through what calls it; a few rounds are enough for the deepest call.
  for (let round = 0; round < 6; round++) {
    for (const callee of live) {
      const named = namingOf(callee);
      for (const caller of live) {
        const isCaller = caller !== callee && caller.kind !== 'table';
        if (isCaller && words.get(caller)?.has(callee.name) && caller.text.search(named) !== -1)
          passOn(caller, callee);
      }
    }
    for (const trigger of live.filter(({ kind }) => kind === 'trigger')) {
      const table = /\bon (\w+)/.exec(trigger.text)?.[1] ?? '';
      for (const each of live) if (each.kind === 'table' && each.name === table) passOn(each, trigger);
    }
  }
  return new Map([...users].map(([each, places]) => [each, [...places.values()]]));
}

function placesIn(file: string, text: string, named: RegExp): Place[] {
  return [...text.matchAll(named)].map(({ index }) => ({ file, offset: index }));
}

const wordsOf = (text: string) => new Set(text.match(/\w+/g));

const namingOf = ({ kind, name }: LiveSql) =>
  kind === 'table'
    ? new RegExp(`\\b(?:insert into|update) ${name}\\b`, 'g')
    : new RegExp(`\\b${name}\\b`, 'g');
