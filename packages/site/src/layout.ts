import { escapeHtml, markdownUrl } from './markdown.ts';
import { BASE, type SourcePage } from './site-map.ts';

/** The frame of every page. It reads well without styles, and works without scripts. */

export interface Assets {
  readonly style: string;
  readonly script: string;
  /** In the page itself: it must have run before anything is drawn. */
  readonly theme: string;
}

const TOP = [
  ['Guides', `${BASE}/`],
  ['API', `${BASE}/api`],
  ['Errors', `${BASE}/errors`],
  ['Operators', `${BASE}/operators`],
] as const;

export interface Framed {
  readonly page: SourcePage;
  readonly description: string;
  readonly content: string;
  readonly pages: readonly SourcePage[];
  readonly assets: Assets;
}

export function layout({ page, description, content, pages, assets }: Framed): string {
  const title = page.url === `${BASE}/` ? 'Firmquote' : `${page.title} – Firmquote`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${assets.style}">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%230b6e5f'/%3E%3Cpath d='M10 24V8h13M10 16h10' stroke='white' stroke-width='4' fill='none'/%3E%3C/svg%3E">
<link rel="alternate" type="text/markdown" href="${markdownUrl(page.url)}">
<script>${assets.theme}</script>
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button class="menu" type="button" popovertarget="pages">Menu</button>
<a class="brand" href="${BASE}/">Firmquote</a>
<nav aria-label="Sections">${TOP.map(([name, url]) => link(name, url, partOf(page) === name)).join('')}</nav>
<button class="search" type="button" hidden>Search <kbd>/</kbd></button>
<button class="theme" type="button" hidden>Dark</button>
</header>
<div class="frame">
<nav id="pages" popover aria-label="Pages">
${sideOf(page, pages)}
</nav>
<main id="content" tabindex="-1">
<article>
${content}
</article>
${neighbours(page, pages)}
<footer>
<a href="${markdownUrl(page.url)}">This page as Markdown</a> <a href="${BASE}/all">All pages</a> <a href="/llms.txt">For language models</a> <a href="/openapi.json">OpenAPI</a>
</footer>
</main>
${contents(content)}
</div>
<dialog class="finder" aria-label="Search">
<form method="dialog"><label>Search the documentation <input type="search" autocomplete="off" spellcheck="false" enterkeyhint="search"></label><button value="close">Close</button></form>
<p class="found" role="status"></p>
<ol></ol>
</dialog>
</body>
</html>
`;
}

function link(label: string, url: string, isCurrent: boolean): string {
  return `<a href="${url}"${isCurrent ? ' aria-current="true"' : ''}>${escapeHtml(label)}</a>`;
}

function partOf({ url, part }: SourcePage): string {
  if (part === 'operators') return 'Operators';
  if (url === `${BASE}/api` || url.startsWith(`${BASE}/api/`)) return 'API';
  return url === `${BASE}/errors` || url.startsWith(`${BASE}/errors/`) ? 'Errors' : 'Guides';
}

/** Pages that are listed beside this one. */
function listed(page: SourcePage, pages: readonly SourcePage[]): readonly SourcePage[] {
  const part = partOf(page);
  return pages.filter(
    (each) =>
      partOf(each) === part &&
      each.group !== undefined &&
      (each.chapter === undefined || part !== 'Operators' || each.chapter === page.chapter),
  );
}

function sideOf(page: SourcePage, pages: readonly SourcePage[]): string {
  const groups = Map.groupBy(listed(page, pages), ({ group = '' }) => group);
  return [...groups]
    .map(([group, members]) => {
      const items = members.map(({ label, title, url }) => {
        const current = url === page.url ? ' aria-current="page"' : '';
        return `<li><a href="${url}"${current}>${escapeHtml(url === `${BASE}/` ? 'Overview' : (label ?? title))}</a></li>`;
      });
      return `<p>${escapeHtml(group)}</p>\n<ul>${items.join('\n')}</ul>`;
    })
    .join('\n');
}

function neighbours(page: SourcePage, pages: readonly SourcePage[]): string {
  const all = listed(page, pages);
  const index = all.findIndex(({ url }) => url === page.url);
  if (index === -1) return '';
  const to = (other: SourcePage | undefined, rel: string, name: string) =>
    other === undefined
      ? ''
      : `<a rel="${rel}" href="${other.url}"><span>${name}</span> ${escapeHtml(other.title)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">${to(all[index - 1], 'prev', 'Previous')}${to(all[index + 1], 'next', 'Next')}</nav>`;
}

const HEADING = /<h([23]) id="([^"]*)">([\s\S]*?)<\/h\1>/g;

function contents(html: string): string {
  const headings = [...html.matchAll(HEADING)];
  if (headings.length < 2) return '';
  const items = headings.map(
    ([, level, id, text = '']) =>
      `<li class="l${level}"><a href="#${id}">${text.replaceAll(/<[^>]*>/g, '')}</a></li>`,
  );
  return `<nav class="contents" aria-labelledby="contents"><p id="contents">On this page</p><ul>${items.join('\n')}</ul></nav>`;
}
