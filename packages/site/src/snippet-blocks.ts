/** Blocks of code in a page that can be run, as they stand there. */

export type Language = 'sh' | 'ts' | 'python';

export interface Block {
  readonly language: Language;
  readonly code: string;
  /** First line of the code in its file. */
  readonly line: number;
  /** Heading of the second level that it stands under. */
  readonly section: string;
  /** Why it is not run; stands after the language: `sh norun: needs a bank's file`. */
  readonly reason: string | undefined;
  /** JSON that the page shows below it as what comes back. */
  readonly shown: string | undefined;
}

const LANGUAGES: ReadonlySet<string> = new Set(['sh', 'ts', 'python']);
const isLanguage = (text: string): text is Language => LANGUAGES.has(text);

/** What a block is called beside others that say the same in other words. */
export function tabOf({ info, code }: { readonly info: string; readonly code: string }): string | undefined {
  const [language] = info.split(' ');
  if (language === 'sh') return code.startsWith('firmquote ') ? 'Command line' : 'curl';
  return language === 'ts' ? 'TypeScript' : language === 'python' ? 'Python' : undefined;
}

interface Fence {
  readonly info: string;
  readonly code: string;
  readonly line: number;
  readonly section: string;
  /** Nothing but blank lines stands between it and the block before. */
  readonly isNext: boolean;
}

export function blocksOf(markdown: string): Block[] {
  const fences = fencesOf(markdown);
  return fences.flatMap(({ info, code, line, section }, index) => {
    const [language = '', ...rest] = info.split(' ');
    if (!isLanguage(language)) return [];
    const [, reason] = /^norun: (.+)$/.exec(rest.join(' ')) ?? [];
    return [{ language, code, line, section, reason, shown: shownAfter(fences.slice(index)) }];
  });
}

/** What tabs of several languages show stands below the last of them. */
function shownAfter([first, ...following]: readonly Fence[]): string | undefined {
  for (const { info, code, isNext } of following) {
    const [language] = info.split(' ');
    const isSame = first !== undefined && tabOf({ info, code }) === tabOf(first);
    if (!isNext || isSame) return undefined;
    if (language === 'json') return code;
  }
  return undefined;
}

function fencesOf(markdown: string): Fence[] {
  const fences: Fence[] = [];
  let section = '';
  let open: { info: string; line: number; code: string[] } | undefined;
  let isNext = false;
  for (const [index, text] of markdown.split('\n').entries()) {
    if (open === undefined) {
      if (text.startsWith('## ')) section = text.slice(3);
      if (text.trim() !== '' && !text.startsWith('```')) isNext = false;
      if (text.startsWith('```')) open = { info: text.slice(3).trim(), line: index + 2, code: [] };
    } else if (text === '```') {
      fences.push({ info: open.info, line: open.line, code: `${open.code.join('\n')}\n`, section, isNext });
      open = undefined;
      isNext = true;
    } else open.code.push(text);
  }
  return fences;
}
