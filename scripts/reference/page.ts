/** How pages of docs/reference are written. */

export interface Page {
  /** File below the root of the project. */
  readonly name: string;
  readonly text: string;
}

export const COMMAND = 'node scripts/generate-docs.ts';

/** @param source what the page is made from, and is to be changed in its place */
export function page(name: string, title: string, source: string, lines: readonly string[]): Page {
  const note = `<!-- Made by \`${COMMAND}\` from ${source}. Change that, not this file. -->`;
  return { name: `docs/reference/${name}`, text: `${note}\n\n# ${title}\n\n${lines.join('\n')}\n` };
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)];
}

export const code = (text: string) => `\`${text}\``;
