// Writes the parts of the documentation that are made from the code: docs/settings.md and docs/problems.md.
//   node scripts/generate-docs.ts            writes them
//   node scripts/generate-docs.ts --check    only says which are stale, with exit code 1
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SETTINGS } from '../packages/service/src/config.ts';
import {
  PROBLEM_CODES,
  PROBLEMS,
  problemPath,
  type Retry,
} from '../packages/service/src/problems/registry.ts';
import { RETRY_HELP } from '../packages/service/src/problems/routes.ts';

const DOCS = resolve(import.meta.dirname, '../docs');
const COMMAND = 'node scripts/generate-docs.ts';

interface Page {
  readonly name: string;
  readonly text: string;
}

/** Every generated page as it should be. */
export function pages(): Page[] {
  return [
    { name: 'settings.md', text: settingsPage() },
    { name: 'problems.md', text: problemsPage() },
  ];
}

/** Names of the pages in a folder that are not what the code says. */
export function stalePages(folder: string): string[] {
  return pages()
    .filter(({ name, text }) => {
      const path = join(folder, name);
      return !existsSync(path) || readFileSync(path, 'utf8') !== text;
    })
    .map(({ name }) => name);
}

function settingsPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, { default: fallback, meaning }]) => [
    `\`${name}\``,
    fallback === undefined ? '' : `\`${fallback}\``,
    meaning,
  ]);
  return page('Settings', 'packages/service/src/config.ts', [
    'All settings are environment variables. A wrong value, and an unknown name that begins with `FIRMQUOTE_`, ends the',
    'start with one line that names the variable. Names that begin with `FIRMQUOTE_TEST_` are passed over: they belong',
    'to the tests.',
    '',
    ...table(['Setting', 'Default', 'Meaning'], rows),
  ]);
}

function problemsPage(): string {
  const statuses = [...new Set(PROBLEM_CODES.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b);
  const classes = Object.keys(RETRY_HELP) as Retry[];
  return page('Problem codes', 'packages/service/src/problems/registry.ts', [
    'Every error answer of the API, except those of the token endpoint, which are OAuth errors (RFC 6749), is an RFC',
    '9457 problem (`application/problem+json`) with one of these codes in `code`. A running service lists them at',
    `\`/v1/problems\` and has a page for each, such as \`${problemPath('quote_expired')}\`, which is the problem's \`type\`.`,
    '',
    'What is wrong with fields is in `errors`, all of it at once (the first hundred places): each has a `code`, a `detail` for',
    'people, and a `pointer`, a JSON pointer (RFC 6901) into the body, such as `/amount`. What is not in the body is under its',
    'place: `/query/limit`, `/path/year`, `/header/If-Match`. An empty pointer is the body as a whole.',
    '',
    '`retry` says what can help:',
    '',
    ...table(
      ['`retry`', 'Meaning'],
      classes.map((retry) => [`\`${retry}\``, RETRY_HELP[retry]]),
    ),
    ...statuses.flatMap((status) => ['', `## ${status}`, '', ...problemTable(status)]),
  ]);
}

function problemTable(status: number): string[] {
  const rows = PROBLEM_CODES.filter((code) => PROBLEMS[code].status === status).map((code) => {
    const { title, retry, help } = PROBLEMS[code];
    return [`\`${code}\``, `\`${retry}\``, `${title}. ${help}`];
  });
  return table(['Code', '`retry`', 'Meaning'], rows);
}

function page(title: string, source: string, lines: readonly string[]): string {
  const note = `<!-- Made by \`${COMMAND}\` from ${source}. Change that file, not this one. -->`;
  return `${note}\n\n# ${title}\n\n${lines.join('\n')}\n`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)];
}

function main(options: readonly string[]): number {
  const unknown = options.find((option) => option !== '--check');
  if (unknown !== undefined) {
    console.error(`Unknown option ${unknown}; there is --check.`);
    return 2;
  }
  const stale = stalePages(DOCS);
  if (options.includes('--check')) {
    for (const name of stale) console.error(`docs/${name} is stale: run ${COMMAND}`);
    return stale.length === 0 ? 0 : 1;
  }
  for (const { name, text } of pages()) writeFileSync(join(DOCS, name), text);
  return 0;
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2));
