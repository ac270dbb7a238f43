import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import Prism from 'prismjs';
import 'prismjs/components/prism-bash.js';
import 'prismjs/components/prism-json.js';
import 'prismjs/components/prism-python.js';
import 'prismjs/components/prism-typescript.js';
import { DOCS, TRY } from './site-map.ts';
import { tabOf } from './snippet-blocks.ts';

/** What the pages need beyond Markdown: links between files become links between pages, code is coloured, headings have names. */

/** The part of markdown-it that is used here; Eleventy brings it. */
interface Token {
  readonly type: string;
  tag: string;
  info: string;
  content: string;
  readonly children: readonly Token[] | null;
  readonly map: readonly [number, number] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
  meta: unknown;
}
type Rule = (tokens: readonly Token[], index: number) => string;
interface MarkdownIt {
  readonly core: { readonly ruler: { push(name: string, rule: (state: State) => void): void } };
  readonly renderer: { readonly rules: Record<string, Rule> };
  set(options: object): void;
}
interface State {
  readonly tokens: readonly Token[];
  readonly env: { readonly file: string };
}

/** Leads from a link in a file of `docs` to an address of the site; undefined when what it names is no page. */
export type LinkResolver = (href: string, file: string) => string | undefined;

/** @param codes what stands in backquotes and has a page, with its address */
export function extendMarkdown(
  resolveLink: LinkResolver,
  codes: ReadonlyMap<string, string>,
): (library: never) => void {
  return (library: MarkdownIt) => {
    library.set({ html: true, linkify: false, typographer: false });
    library.core.ruler.push('site', ({ tokens, env }) => {
      nameHeadings(tokens);
      for (const [index, { children }] of tokens.entries()) {
        relink(children ?? [], env.file, resolveLink);
        if (tokens[index - 1]?.type !== 'heading_open') linkCodes(children ?? [], codes);
      }
      groupFences(tokens);
    });
    const { rules } = library.renderer;
    rules.table_open = () => '<div class="table"><table>\n';
    rules.table_close = () => '</table></div>\n';
    rules.fence = (tokens, index) => fence(tokens[index]);
    rules.code_inline = (tokens, index) => {
      const token = tokens[index];
      const code = `<code>${escapeHtml(token?.content ?? '')}</code>`;
      return typeof token?.meta === 'string' ? `<a href="${token.meta}">${code}</a>` : code;
    };
    rules.image = (tokens, index) => image(tokens[index]);
    // A link that leads out of the site is its text.
    rules.link_open = (tokens, index) =>
      tokens[index]?.tag === 'a' ? `<a href="${escapeHtml(tokens[index].attrGet('href') ?? '')}">` : '';
    rules.link_close = (tokens, index) => (tokens[index]?.tag === 'a' ? '</a>' : '');
  };
}

/** Names of headings, as code hosts give them: of equal headings the second ends in -1. */
export function anchorMaker(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const times = used.get(anchor) ?? 0;
    used.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  };
}

function nameHeadings(tokens: readonly Token[]): void {
  const anchorOf = anchorMaker();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const text = (tokens[index + 1]?.children ?? []).map(({ content }) => content).join('');
    token.attrSet('id', anchorOf(text));
  }
}

/** Links become those of the site; one that leads out of it is left as its text. They do not nest. */
function relink(tokens: readonly Token[], file: string, resolveLink: LinkResolver): void {
  let isLost = false;
  for (const token of tokens) {
    if (token.type === 'image') token.meta = file;
    if (token.type === 'link_open') {
      const target = resolveLink(token.attrGet('href') ?? '', file);
      isLost = target === undefined;
      token.attrSet('href', target ?? '');
    }
    if (isLost && token.type.startsWith('link_')) token.tag = '';
  }
}

/** What is named in backquotes outside of links leads to its page. */
function linkCodes(tokens: readonly Token[], codes: ReadonlyMap<string, string>): void {
  let isInLink = false;
  for (const token of tokens) {
    if (token.type.startsWith('link_')) isInLink = token.type === 'link_open';
    if (token.type === 'code_inline' && !isInLink) token.meta = codes.get(token.content);
  }
}

interface Place {
  readonly tab: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Neighbouring blocks of several languages are one set of tabs. */
function groupFences(tokens: readonly Token[]): void {
  for (let from = 0; from < tokens.length; from += 1) {
    const tabs: string[] = [];
    for (let token = tokens[from]; token?.type === 'fence'; token = tokens[from + tabs.length]) {
      const tab = tabOf({ info: token.info, code: token.content });
      if (tab === undefined || tabs.includes(tab)) break;
      tabs.push(tab);
    }
    if (tabs.length < 2) continue;
    for (const [index, tab] of tabs.entries()) {
      const place: Place = { tab, isFirst: index === 0, isLast: index === tabs.length - 1 };
      (tokens[from + index] as Token).meta = place;
    }
    from += tabs.length - 1;
  }
}

const GRAMMARS: Readonly<Record<string, string>> = {
  sh: 'bash',
  ts: 'typescript',
  json: 'json',
  python: 'python',
};

function fence(token: Token | undefined): string {
  if (token === undefined) return '';
  const [language = ''] = token.info.split(/\s/);
  const name = GRAMMARS[language];
  const grammar = name === undefined ? undefined : Prism.languages[name];
  const code =
    grammar === undefined || name === undefined
      ? escapeHtml(token.content)
      : Prism.highlight(token.content, grammar, name);
  const block = `<pre tabindex="0"><code>${code}</code></pre>`;
  const place = token.meta as Place | null;
  if (place === null) return `<div class="code">${block}</div>\n`;
  const panel = `<section class="code" data-tab="${place.tab}"><h4 class="tab-name">${place.tab}</h4>${block}</section>\n`;
  return `${place.isFirst ? '<div class="tabs">\n' : ''}${panel}${place.isLast ? '</div>\n' : ''}`;
}

/** Pictures are drawings with texts of their own; in the page they take its colours. */
function image(token: Token | undefined): string {
  if (token === undefined) return '';
  const source = token.attrGet('src') ?? '';
  const path = join(DOCS, dirname(String(token.meta)), source);
  if (!source.endsWith('.svg')) throw new Error(`${source}: a picture is an SVG drawing`);
  const drawing = readFileSync(path, 'utf8')
    .replace(/<\?xml[\s\S]*?\?>|<!--[\s\S]*?-->/g, '')
    .replace(/<style>[\s\S]*?<\/style>/, '');
  return `<span class="drawing" tabindex="0" role="group" aria-label="${escapeHtml(token.content)}">${drawing.trim().replaceAll('\n', '')}</span>`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const FENCES = /^(```[\s\S]*?^```)$/m;
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** The Markdown of a page by itself, for those who read no HTML: its links are addresses of the site's Markdown. */
export function plainMarkdown(text: string, file: string, resolveLink: LinkResolver): string {
  const outside = (part: string) =>
    part.replaceAll(LINK, (_, bang: string, label: string, href: string) => {
      if (bang === '!') return `(Picture: ${label})`;
      const target = resolveLink(href, file);
      if (target === undefined) return label;
      const [path = '', anchor] = target.split('#');
      const isPage = path.startsWith('/docs') && !/\.\w+$/.test(path) && path !== TRY;
      const twin = isPage ? markdownUrl(path) : path;
      return `[${label}](${twin}${anchor === undefined ? '' : `#${anchor}`})`;
    });
  return text
    .replace(/^<!--[\s\S]*?-->\s*/, '')
    .split(FENCES)
    .map((part, index) => (index % 2 === 0 ? outside(part) : part))
    .join('');
}

/** Where the Markdown of a page is. */
export function markdownUrl(url: string): string {
  return url.endsWith('/') ? `${url}index.md` : `${url}.md`;
}

/** Of a link as it stands in a file: the file it leads to, below `docs`, and the heading in it. */
export function targetOf(href: string, file: string): { readonly path: string; readonly anchor: string } {
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path));
  return { path: target, anchor: anchor === undefined ? '' : `#${anchor}` };
}
