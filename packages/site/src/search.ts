import type { SourcePage } from './site-map.ts';

/** What a search looks through: a page in parts, from heading to heading. */
export interface Section {
  /** Address with the anchor. */
  readonly id: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  /** How much more it is likely to be what is looked for. */
  readonly weight: number;
}

/** Of a long part the beginning says what it is about; tables of members name the same things on many pages. */
const TEXT_MAX = 700;
/** What search engines show of a page. */
const BEGINNING_MAX = 160;

function weightOf({ url, part }: SourcePage): number {
  if (part === 'operators') return 1;
  return /^\/docs\/(api|errors)\//.test(url) ? 2 : 4;
}

export function sectionsOf(page: SourcePage, html: string): Section[] {
  const { url, title } = page;
  const weight = weightOf(page);
  const parts = html.split(/(?=<h[23] id=")/);
  return parts.flatMap((each) => {
    const [, anchor, name = ''] = /^<h[23] id="([^"]*)">([\s\S]*?)<\/h[23]>/.exec(each) ?? [];
    const text = words(each.replace(/^<h[123][\s\S]*?<\/h[123]>/, ''));
    if (text === '') return [];
    const heading = anchor === undefined ? title : words(name);
    return [
      {
        id: anchor === undefined ? url : `${url}#${anchor}`,
        title,
        heading,
        text: text.slice(0, TEXT_MAX),
        weight,
      },
    ];
  });
}

/** What a page is about, for lists and for search engines: how its text begins. */
export function beginningOf(html: string): string {
  const paragraphsOf = (part: string) =>
    [...part.matchAll(/<(p|li)>([\s\S]*?)<\/\1>/g)]
      .map(([, , text = '']) => words(text))
      .filter((text) => text !== '');
  const [introduction = ''] = html.split(/<h2 |<table>/);
  const own = paragraphsOf(introduction);
  const said = own.length > 0 ? own : paragraphsOf(html);
  // What ends without a mark is the name of what follows.
  const last = said.length - 1;
  return shortened(
    said.map((text, index) => (index < last && /[\p{L}\p{N}}]$/u.test(text) ? `${text}:` : text)).join(' '),
  );
}

/** Cut where a word ends. */
function shortened(text: string): string {
  if (text.length <= BEGINNING_MAX) return text;
  const whole = text.slice(0, BEGINNING_MAX).replace(/\s+\S*$/, '');
  return `${whole.replace(/[\s,;:.–-]+$/, '')}…`;
}

function words(html: string): string {
  return html
    .replaceAll(/<(pre|svg|h4)[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<\/(p|li|td|th|tr|div|h\d)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
