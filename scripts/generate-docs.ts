// Writes what the code says of itself: docs/reference, as tables, pictures of states, and the OpenAPI documents in packages/api.
//   node scripts/generate-docs.ts            writes it
//   node scripts/generate-docs.ts --check    only says what is stale, with the difference and exit code 1
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withAnswer } from '@firmquote/api/answers';
import { customersOperations, openApiDocument } from '@firmquote/api/openapi';
import { jsonText } from '@firmquote/api/openapi-text';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { cliOperationsPage } from './reference/cli-operations.ts';
import { commandsPages } from './reference/commands.ts';
import { stateDrawings } from './reference/drawings.ts';
import { fourEyesPage } from './reference/four-eyes.ts';
import { limitsPage } from './reference/limits.ts';
import { metricsPage } from './reference/metrics.ts';
import { COMMAND, type Page } from './reference/page.ts';
import { problemsPage } from './reference/problems.ts';
import { scopesPage } from './reference/scopes.ts';
import { settingsPage } from './reference/settings.ts';
import { statesPage } from './reference/states.ts';
import { sweepsPage } from './reference/sweeps.ts';
import { tablesPage } from './reference/tables.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DIFFERENCES_MAX = 20;
const isProgram = process.argv[1] === import.meta.filename;

const write = ({ name, text }: Page) => writeFileSync(join(ROOT, name), text);
// The command tree is made from it.
if (isProgram && process.argv.length === 2) write(cliOperationsPage());
/** The command tree loads its parts when it is asked for them. */
const COMMANDS = await commandsPages();

/** Every generated page as it should be. */
export function pages(): Page[] {
  return [
    settingsPage(),
    problemsPage(),
    scopesPage(),
    fourEyesPage(),
    limitsPage(),
    sweepsPage(),
    metricsPage(),
    statesPage(),
    ...stateDrawings(),
    tablesPage(),
    cliOperationsPage(),
    ...COMMANDS,
    { name: 'packages/api/openapi.json', text: jsonText(openApiDocument(OPERATIONS)) },
    {
      name: 'packages/api/openapi-customer.json',
      text: jsonText(openApiDocument(customersOperations(OPERATIONS).map(withAnswer))),
    },
  ];
}

export interface StalePage {
  readonly name: string;
  /** Lines that are there and should not be (`-`), and the other way round (`+`). */
  readonly difference: readonly string[];
}

/** The pages in a folder that are not what the code says. */
export function stalePages(folder: string): StalePage[] {
  return pages().flatMap(({ name, text }) => {
    const path = join(folder, name);
    const found = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return found === text ? [] : [{ name, difference: differenceOf(found, text) }];
  });
}

function differenceOf(found: string, wanted: string): string[] {
  const [before, after] = [found.split('\n'), wanted.split('\n')];
  const [known, made] = [new Set(before), new Set(after)];
  const gone = before.filter((line) => !made.has(line)).map((line) => `- ${line}`);
  const come = after.filter((line) => !known.has(line)).map((line) => `+ ${line}`);
  const all = [...gone, ...come];
  const more = all.length - DIFFERENCES_MAX;
  return more > 0 ? [...all.slice(0, DIFFERENCES_MAX), `  and ${more} lines more`] : all;
}

function main(options: readonly string[]): number {
  const unknown = options.find((option) => option !== '--check');
  if (unknown !== undefined) {
    console.error(`Unknown option ${unknown}. The only option is --check.`);
    return 2;
  }
  if (options.includes('--check')) {
    const stale = stalePages(ROOT);
    for (const { name, difference } of stale) {
      console.error([`${name} is stale: run ${COMMAND}`, ...difference].join('\n'));
    }
    return stale.length === 0 ? 0 : 1;
  }
  for (const page of pages()) write(page);
  return 0;
}

if (isProgram) process.exitCode = main(process.argv.slice(2));
