import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, lineOf, touchedLines } from './change.ts';
import { changesOfSql, type LiveSql, liveSql } from './live-sql.ts';
import { isProduct, type Modules, roomOf } from './modules.ts';
import { runsDifferently, typescriptChanges } from './typescript-changes.ts';

/** One change of one file. */
export interface Mutant {
  readonly room: string;
  readonly file: string;
  readonly line: number;
  readonly change: Change;
  readonly before: string;
  readonly after: string;
  /** Modules whose tests may notice it. */
  readonly targets: readonly string[];
}

export const MIGRATIONS = 'packages/service/src/database/migrations';

/** Tries every rule of the schema; the import graph does not show it. */
const RULES_TEST = 'packages/service/test/last-lines.test.ts';

/** Every mutant of these rooms in files whose path contains the text. */
export function mutantsOf(root: string, modules: Modules, rooms: readonly string[], within = ''): Mutant[] {
  const mutants: Mutant[] = [];
  for (const file of modules.files.filter(isProduct)) {
    const room = roomOf(file);
    if (!rooms.includes(room) || !file.includes(within)) continue;
    const text = modules.textOf(file);
    for (const change of typescriptChanges(text)) mutants.push(mutantOf(room, file, text, change, [file]));
  }
  return [...mutants, ...mutantsOfSql(root, modules, rooms, within)];
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
  targets: readonly string[],
): Mutant {
  return { room, file, line: lineOf(text, change.start), change, targets, ...touchedLines(text, change) };
}

function mutantsOfSql(root: string, modules: Modules, rooms: readonly string[], within: string): Mutant[] {
  const files = globSync(`${MIGRATIONS}/*.sql`, { cwd: root })
    .sort()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  const live = liveSql(files);
  const users = usersOf(live, modules);
  return live.flatMap((each) => {
    if (!each.file.includes(within)) return [];
    const targets = (users.get(each) ?? []).filter((file) => rooms.includes(roomOf(file)));
    const [first] = targets;
    // Tables are of the room that writes them first by name; nobody's SQL is no longer called.
    if (first === undefined) return [];
    const text = texts.get(each.file) ?? '';
    const noticing = each.kind === 'table' ? [RULES_TEST, ...targets] : targets;
    return changesOfSql(each).map((change) => mutantOf(roomOf(first), each.file, text, change, noticing));
  });
}

/** The modules by which each piece of SQL is reached: those that name it, or that reach a function that does. */
function usersOf(live: readonly LiveSql[], modules: Modules): Map<LiveSql, readonly string[]> {
  const product = modules.files.filter(isProduct);
  const users = new Map<LiveSql, Set<string>>();
  for (const each of live) {
    const named = each.kind === 'table' ? writes(each.name) : new RegExp(`\\b${each.name}\\b`);
    users.set(each, new Set(product.filter((file) => named.test(modules.textOf(file)))));
  }
  // What SQL calls is reached through what calls it; a few rounds are enough for the deepest call.
  for (let round = 0; round < 6; round++) {
    for (const callee of live) {
      const named = callee.kind === 'table' ? writes(callee.name) : new RegExp(`\\b${callee.name}\\b`);
      for (const caller of live) {
        if (caller === callee || caller.kind === 'table' || !named.test(caller.text)) continue;
        for (const file of users.get(caller) ?? []) users.get(callee)?.add(file);
      }
    }
    for (const trigger of live.filter(({ kind }) => kind === 'trigger')) {
      const table = /\bon (\w+)/.exec(trigger.text)?.[1] ?? '';
      const tables = live.filter(({ kind, name }) => kind === 'table' && name === table);
      for (const each of tables) for (const file of users.get(each) ?? []) users.get(trigger)?.add(file);
    }
  }
  return new Map([...users].map(([each, files]) => [each, [...files].sort()]));
}

const writes = (table: string) => new RegExp(`\\b(?:insert into|update) ${table}\\b`);
