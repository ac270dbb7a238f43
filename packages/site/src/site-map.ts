import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root of the project. */
export const ROOT = resolve(import.meta.dirname, '../../..');
export const DOCS = join(ROOT, 'docs');
/** Where the site begins on a host. */
export const BASE = '/docs';
/** Not one of the pages: it sends requests. */
export const TRY = `${BASE}/try/`;

/** Who a page is for: the two parts of the site that are read apart. */
export type Part = 'integrators' | 'operators';

/** A page, before it is rendered. */
export interface SourcePage {
  /** Markdown file below `docs`; of pages that are made of the code, a name that no file has. */
  readonly file: string;
  readonly url: string;
  readonly part: Part;
  readonly title: string;
  /** Under which it stands in lists, and for narrow places. */
  readonly label?: string;
  /** Made of the code. Pages of files have their text there. */
  readonly text?: string;
  /** Heading of the list that it stands in; none for pages that are reached from others. */
  readonly group?: string;
  /** The list of a chapter of the reference is shown on its own pages only. */
  readonly chapter?: string;
}

/** Pages for those who build against the service, in the order of reading. Folders of `docs` do not show in addresses. */
const INTEGRATORS: readonly (readonly [group: string, files: readonly string[]])[] = [
  ['Start', ['README.md', 'guide/quickstart.md', 'guide/concepts.md', 'sandbox.md']],
  [
    'Guides',
    [
      'guide/authentication.md',
      'guide/quotes.md',
      'guide/idempotency.md',
      'guide/lifecycle.md',
      'guide/events.md',
      'guide/webhooks.md',
      'streaming.md',
      'guide/pagination.md',
      'guide/rate-limits.md',
      'guide/handling-errors.md',
      'guide/reconciliation.md',
      'guide/rounding-and-dates.md',
    ],
  ],
  ['Go live', ['guide/go-live.md', 'guide/versioning.md', 'guide/changelog.md']],
  [
    'Reference',
    [
      'interface.md',
      'reference/problems.md',
      'reference/scopes.md',
      'reference/states.md',
      'evidence.md',
      'other-languages.md',
      'command-line.md',
      'reference/commands.md',
    ],
  ],
];

const OPERATORS: readonly (readonly [group: string, files: readonly string[]])[] = [
  [
    'Run it',
    [
      'operations.md',
      'operations/first-day.md',
      'operations/production.md',
      'operations/network.md',
      'operations/database.md',
      'operations/recovery.md',
      'operations/archive.md',
      'operations/watching.md',
      'operations/upgrading.md',
      'operations/sizing.md',
      'operations/hardening.md',
      'people.md',
      'console.md',
      'audit.md',
      'runbooks.md',
      'webhooks.md',
      'keys.md',
      'reference/operator-commands.md',
      'reference/settings.md',
      'reference/limits.md',
      'performance.md',
    ],
  ],
  ['Prices', ['market-data.md', 'fix.md', 'pricing.md', 'calendars.md']],
  [
    'Money',
    ['approvals.md', 'reconciliation.md', 'statements.md', 'settlement.md', 'ledger.md', 'reports.md'],
  ],
  ['Inside', ['reference/metrics.md', 'reference/sweeps.md', 'reference/tables.md']],
];

/** Addresses that do not follow from the file's name. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'README.md': '/',
  'interface.md': '/rules',
  'reference/problems.md': '/errors',
};

/** Files of `docs` that are for those who change the project, and are read where its code is. */
export const ELSEWHERE: readonly RegExp[] = [/^decisions\//, /^developing\.md$/];

export function isForContributors(file: string): boolean {
  return ELSEWHERE.some((pattern) => pattern.test(file));
}

/** Every Markdown file of `docs` that is a page, with its place. Those that no list names stand at the end. */
export function filePages(titleOf: (file: string) => string): SourcePage[] {
  const files = markdownFiles().filter((file) => !isForContributors(file));
  const named = new Set([...INTEGRATORS, ...OPERATORS].flatMap(([, members]) => members));
  const more = files.filter((file) => !named.has(file));
  const of = (part: Part, prefix: string, lists: typeof INTEGRATORS) =>
    lists.flatMap(([group, members]) =>
      members
        .filter((file) => files.includes(file))
        .map((file) => {
          const name = file.replace(/^(guide|reference)\//, '').replace(/\.md$/, '');
          const url = `${BASE}${prefix}${ADDRESSES[file] ?? `/${name}`}`;
          return { file, part, group, url, title: titleOf(file) };
        }),
    );
  return [
    ...of('integrators', '', INTEGRATORS),
    ...of('operators', '/operators', [...OPERATORS, ['More', more]]),
  ];
}

/** Markdown files of `docs`, by their paths below it. */
export function markdownFiles(): string[] {
  return globSync('**/*.md', { cwd: DOCS })
    .map((file) => file.replaceAll('\\', '/'))
    .sort();
}
