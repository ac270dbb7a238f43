import type { Change } from './change.ts';
import { type SqlPart, sqlChanges } from './sql-changes.ts';

/** Something that the schema holds. */
export interface LiveSql {
  readonly kind: 'function' | 'view' | 'trigger' | 'table';
  readonly name: string;
  /** The file that says it, and the statement's place in it. */
  readonly file: string;
  readonly start: number;
  readonly text: string;
}

const DEFINITION =
  /^create (?:or replace )?(?:unique )?(?:constraint )?(function|view|trigger|table|index)\s+(?:if not exists )?(\w+)/i;
const ALTER = /^alter table (\w+)/i;

/** Statements of a file, without what stands between them. */
export function statementsOf(text: string): { start: number; text: string }[] {
  const found: { start: number; text: string }[] = [];
  const mark = /--[^\n]*|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|;/g;
  let start = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (match[0] !== ';') continue;
    found.push({ start, text: text.slice(start, match.index) });
    start = match.index + 1;
  }
  return found.map((each) => {
    const lead = /^(?:\s|--[^\n]*\n)*/.exec(each.text)?.[0].length ?? 0;
    return { start: each.start + lead, text: each.text.slice(lead) };
  });
}

/** What the files say of functions, views, triggers and tables. */
export function liveSql(files: readonly { file: string; text: string }[]): LiveSql[] {
  const live: LiveSql[] = [];
  for (const { file, text } of files) {
    for (const statement of statementsOf(text)) {
      const place = { file, ...statement };
      const made = DEFINITION.exec(statement.text);
      const [kind, name] = [made?.[1]?.toLowerCase(), made?.[2] ?? ''];
      if (kind === 'function' || kind === 'view' || kind === 'trigger' || kind === 'table')
        live.push({ kind, name, ...place });
      const table =
        kind === 'index' ? /\bon (\w+)/i.exec(statement.text)?.[1] : ALTER.exec(statement.text)?.[1];
      if (table !== undefined) live.push({ kind: 'table', name: table, ...place });
    }
  }
  return live;
}

/** Changes of it, with offsets in its file. */
export function changesOfSql(live: LiveSql): Change[] {
  const part: SqlPart =
    live.kind === 'table' ? 'definition' : /language plpgsql/i.test(live.text) ? 'plpgsql' : 'query';
  const from =
    part === 'plpgsql' ? live.text.search(/\$\w*\$/) : live.kind === 'function' ? bodyStart(live.text) : 0;
  return sqlChanges(live.text.slice(from), part).map((change) => ({
    ...change,
    start: live.start + from + change.start,
    end: live.start + from + change.end,
  }));
}

function bodyStart(text: string): number {
  const start = text.search(/\$\w*\$/);
  return start === -1 ? 0 : start;
}
