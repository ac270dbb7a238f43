/** One change of a text: what a mutant is made of. */
export interface Change {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What kind of change it is, for people. */
  readonly what: string;
}

export function applied(text: string, { start, end, replacement }: Change): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** The lines that a change touches, before and after, without their indentation: how a survivor is known again. */
export function touchedLines(text: string, change: Change): { before: string; after: string } {
  const from = text.lastIndexOf('\n', change.start - 1) + 1;
  const until = text.indexOf('\n', change.end);
  const to = until === -1 ? text.length : until;
  const neat = (part: string) => part.replaceAll(/\s+/g, ' ').trim();
  return {
    before: neat(text.slice(from, to)),
    after: neat(text.slice(from, change.start) + change.replacement + text.slice(change.end, to)),
  };
}

/** The lines of a change with so many around them. */
export function surroundings(text: string, { start }: Change, lines: number): string {
  const line = lineOf(text, start) - 1;
  return text
    .split('\n')
    .slice(Math.max(0, line - lines), line + lines + 1)
    .join('\n');
}
