import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import process from 'node:process';
import Eleventy from '@11ty/eleventy';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { PROBLEM_CODES } from '@firmquote/api/problems';
import { type Assets, layout } from './layout.ts';
import { extendMarkdown, type LinkResolver, markdownUrl, plainMarkdown, targetOf } from './markdown.ts';
import { type OpenApi, operationPages, urlOfOperation } from './operation-pages.ts';
import { problemPages, urlOfProblem } from './problem-pages.ts';
import { beginningOf, sectionsOf } from './search.ts';
import { NOT_FOUND_PATH, type SiteFile } from './site-file.ts';
import {
  BASE,
  DOCS,
  filePages,
  isForContributors,
  markdownFiles,
  ROOT,
  type SourcePage,
} from './site-map.ts';

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const ASSETS = join(import.meta.dirname, 'assets');

/** Makes the whole site: the files of `docs`, and pages made of what the code declares. */
export async function buildSite(): Promise<SiteFile[]> {
  const pages = allPages();
  const texts = new Map(
    pages.map((page) => [page.file, page.text ?? readFileSync(join(DOCS, page.file), 'utf8')]),
  );
  const resolveLink = linksAmong(pages);
  const rendered = await render(pages, resolveLink);
  const contents = pages.map((page): [SourcePage, string] => {
    const html = rendered.get(page.file);
    if (html === undefined) throw new Error(`${page.file} was not rendered`);
    return [page, html];
  });
  const sections = contents
    .filter(([page]) => !isFinder(page))
    .flatMap(([page, html]) => sectionsOf(page, html));
  const { assets, files } = assetFiles(JSON.stringify(sections));
  const markdown = new Map(
    pages.map((page) => [page, plainMarkdown(texts.get(page.file) ?? '', page.file, resolveLink)]),
  );
  return [
    ...contents.map(([page, content]) => ({
      path: page.url,
      type: HTML,
      content: layout({ page, description: beginningOf(content), content, pages, assets }),
      isImmutable: false,
    })),
    ...pages.map((page) => ({
      path: markdownUrl(page.url),
      type: MARKDOWN,
      content: markdown.get(page) ?? '',
      isImmutable: false,
    })),
    ...files,
    ...forMachines(pages, contents, markdown),
  ];
}

export function allPages(): SourcePage[] {
  const document = JSON.parse(readFileSync(join(ROOT, 'packages/api/openapi.json'), 'utf8')) as OpenApi;
  const files = filePages((file) => titleOf(readFileSync(join(DOCS, file), 'utf8'), file));
  const made = [...problemPages(), ...operationPages(document)];
  const all = [...files, operatorsIndex(files), ...made];
  return [...all, everyPage(all), NOT_FOUND];
}

/** Pages that help to find others, and are not found themselves. */
const isFinder = ({ url }: SourcePage) => url === `${BASE}/all` || url === NOT_FOUND_PATH;
const NOT_FOUND: SourcePage = {
  file: 'not-found.md',
  url: NOT_FOUND_PATH,
  part: 'integrators',
  title: 'Page not found',
  text: `# Page not found\n\nSearch for it, or see [all pages](${BASE}/all).\n`,
};

function titleOf(text: string, file: string): string {
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${file} has no title`);
  return title;
}

function operatorsIndex(files: readonly SourcePage[]): SourcePage {
  const groups = Map.groupBy(
    files.filter(({ part }) => part === 'operators'),
    ({ group = '' }) => group,
  );
  const lists = [...groups].flatMap(([group, pages]) => [
    `## ${group}`,
    '',
    ...pages.map(({ title, url }) => `- [${title}](${url})`),
    '',
  ]);
  const title = 'For operators';
  const text = [
    `# ${title}`,
    '',
    'How to run the service: its prices, money and books. To build against it, read the [guides](/docs/).',
    '',
    ...lists,
    `The operations for operators are in the [operator API](${BASE}/operators/api).`,
    '',
  ].join('\n');
  return {
    file: 'operators.md',
    url: `${BASE}/operators`,
    part: 'operators',
    title,
    text,
    group: 'Operators',
    label: 'Overview',
  };
}

function everyPage(pages: readonly SourcePage[]): SourcePage {
  const groups = Map.groupBy(
    pages,
    ({ part, group = '' }) => `${part === 'operators' ? 'Operators: ' : ''}${group}`,
  );
  const lists = [...groups].flatMap(([group, members]) => [
    `## ${group}`,
    '',
    ...members.map(({ title, url }) => `- [${title}](${url})`),
    '',
  ]);
  return {
    file: 'all.md',
    url: `${BASE}/all`,
    part: 'integrators',
    title: 'All pages',
    text: ['# All pages', '', 'Every page of this documentation, chapter by chapter.', '', ...lists].join(
      '\n',
    ),
  };
}

/** Where links of files lead: to pages, to addresses as they stand, or nowhere, when only the code's host has what they name. */
export function linksAmong(pages: readonly SourcePage[]): LinkResolver {
  const urls = new Map(pages.map(({ file, url }) => [file, url]));
  return (href, file) => {
    if (/^(https?:|\/)/.test(href)) return href;
    const { path, anchor } = targetOf(href, file);
    const url = urls.get(path);
    if (url !== undefined) return href.startsWith('#') ? href : `${url}${anchor}`;
    if (path === '../README.md') return `${BASE}/quickstart`;
    if (path.startsWith('../') || isForContributors(path) || !path.endsWith('.md')) return undefined;
    throw new Error(`${file}: ${href} leads to no page`);
  };
}

async function render(pages: readonly SourcePage[], resolveLink: LinkResolver): Promise<Map<string, string>> {
  // It knows folders only as paths from where the process runs.
  const input = relative(process.cwd(), DOCS) || '.';
  const known = new Set(pages.map(({ file }) => file));
  const fileOf = (path: string) => relative(DOCS, join(process.cwd(), path)).replaceAll('\\', '/');
  const eleventy = new Eleventy(input, '', {
    quietMode: true,
    config(config) {
      config.setUseGitIgnore(false);
      for (const file of markdownFiles()) if (!known.has(file)) config.ignores.add(join(input, file));
      for (const { file, text } of pages) if (text !== undefined) config.addTemplate(file, text);
      config.addGlobalData('eleventyComputed', {
        file: ({ page }: { page: { inputPath: string } }) => fileOf(page.inputPath),
        permalink: ({ page }: { page: { inputPath: string } }) => `/${fileOf(page.inputPath)}.html`,
      });
      config.amendLibrary('md', extendMarkdown(resolveLink, codeLinks()));
      return { markdownTemplateEngine: false, templateFormats: ['md'] };
    },
  });
  const results = await eleventy.toJSON();
  return new Map(results.map(({ inputPath, content }) => [fileOf(inputPath), content]));
}

/** What stands in backquotes and has a page: problem codes, and operations by method and path. */
function codeLinks(): ReadonlyMap<string, string> {
  return new Map([
    ...PROBLEM_CODES.map((code) => [code, urlOfProblem(code)] as const),
    ...OPERATIONS.map((each) => [`${each.method} ${each.path}`, urlOfOperation(each)] as const),
  ]);
}

/** Assets carry a mark of their content in their names, so that whoever has one need not ask for it again. */
function assetFiles(sections: string): { readonly assets: Assets; readonly files: SiteFile[] } {
  const read = (name: string) => readFileSync(join(ASSETS, name), 'utf8').trim();
  const files: SiteFile[] = [];
  const add = (name: string, ending: string, type: string, content: string) => {
    const path = `${BASE}/assets/${name}-${hash('sha256', content, 'hex').slice(0, 12)}.${ending}`;
    files.push({ path, type, content, isImmutable: true });
    return path;
  };
  const library = readFileSync(
    join(createRequire(import.meta.url).resolve('minisearch'), '../../es/index.js'),
    'utf8',
  );
  const libraryPath = add('minisearch', 'js', SCRIPT, library.replace(/^\/\/# sourceMappingURL.*$/m, ''));
  const sectionsPath = add('sections', 'json', 'application/json; charset=utf-8', sections);
  const script = read('site.js').replace('%LIBRARY%', libraryPath).replace('%SECTIONS%', sectionsPath);
  const assets = {
    style: add('site', 'css', 'text/css; charset=utf-8', read('site.css')),
    script: add('site', 'js', SCRIPT, script),
    theme: read('theme.js'),
  };
  return { assets, files };
}

/** `llms.txt` names the pages, `llms-full.txt` holds those for integrators as one text. */
function forMachines(
  pages: readonly SourcePage[],
  contents: readonly (readonly [SourcePage, string])[],
  markdown: ReadonlyMap<SourcePage, string>,
): SiteFile[] {
  const about = new Map(contents.map(([page, html]) => [page, beginningOf(html)]));
  const isGuide = ({ url, part, group }: SourcePage) =>
    part === 'integrators' && group !== undefined && !/^\/docs\/(api|errors)\//.test(url);
  const line = (page: SourcePage) => `- [${page.title}](${markdownUrl(page.url)}): ${about.get(page)}`;
  const guides = pages.filter(isGuide);
  const operations = pages.filter(({ url }) => url.startsWith(`${BASE}/api/`));
  const operators = pages.filter(({ part, chapter }) => part === 'operators' && chapter === undefined);
  const index = [
    '# Firmquote',
    '',
    '> A foreign-exchange quoting and trade service behind a REST API: indicative prices, firm quotes, execution, settlement.',
    '',
    'The interface is described for machines at [/openapi.json](/openapi.json), that of customers alone at [/openapi-customer.json](/openapi-customer.json). All guides in one file: [/llms-full.txt](/llms-full.txt).',
    '',
    '## Guides',
    '',
    ...guides.map(line),
    '',
    '## Operations',
    '',
    ...operations.map(line),
    '',
    '## Optional',
    '',
    ...operators.map(line),
    '',
  ].join('\n');
  const full = guides.map((page) => `${markdown.get(page)?.trim()}\n`).join('\n\n---\n\n');
  return [
    { path: '/llms.txt', type: MARKDOWN, content: index, isImmutable: false },
    { path: '/llms-full.txt', type: MARKDOWN, content: full, isImmutable: false },
  ];
}
