import { isTest, type Rule } from './architecture-rules.ts';

/** A function or method that begins here; the parameters and the type of what it answers may follow on more lines. */
const BEGINS =
  /^\s*(?:export )?(?:default )?(?:async )?function\b|^\s+(?:(?:static|async|get|set|override) )*[*#]*\w+(?:<.*>)?\((?!.*\) *=>)[^;]*$/;
/** What looks like a method and is a statement or a call. */
const IS_NONE = /^\s*(?:if|for|while|switch|catch|return|await|yield|new|super|throw)\b/;
/** A function whose body is on the lines that follow. */
const OPENS = /=>(?: [[({]+)?$/;
const SQL_BEGINS = /^create or replace function (\w+)/;

/**
 * How long functions are, from their first line to the last, and what is written inside of them with them. It relies on the formatter: what
 * closes a function stands as far to the right as what opens it. Functions of SQL count too.
 */
export function functionsAreShort(linesMax: number): Rule {
  return (files) =>
    files
      .filter(({ path }) => !isTest(path) && !path.includes('/test/'))
      .flatMap(({ path, code }) => {
        const lines = code.split('\n');
        const spans = path.endsWith('.sql') ? sqlSpans(lines) : spansOf(lines);
        return spans
          .filter(({ from, to }) => to - from + 1 > linesMax)
          .map(({ from, to }) => ({
            path,
            line: from + 1,
            message: `a function of ${to - from + 1} lines, over ${linesMax}`,
          }));
      });
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function spansOf(lines: readonly string[]): Span[] {
  return lines.flatMap((line, from) => {
    const isFunction = BEGINS.test(line) && !IS_NONE.test(line);
    if (!isFunction && !OPENS.test(line)) return [];
    const to = endOf(lines, isFunction ? bodyOf(lines, from) : from);
    return to === undefined ? [] : [{ from: isFunction ? from : beginOf(lines, from), to }];
  });
}

/** Where the body of a function opens whose parameters may stand on several lines. */
function bodyOf(lines: readonly string[], from: number): number {
  if (lines[from]?.endsWith('{')) return from;
  const indent = indentOf(lines[from] ?? '');
  const at = lines.findIndex((line, i) => i > from && indentOf(line) <= indent && line.trim() !== '');
  return lines[at]?.endsWith('{') ? at : lines.length;
}

/** Where a function begins whose parameters stand before the line that opens its body. */
function beginOf(lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (!line.trimStart().startsWith(')')) return at;
  return lines.findLastIndex((each, i) => i < at && each.trim() !== '' && indentOf(each) <= indentOf(line));
}

/** The line that closes what a line opens; undefined where nothing does. */
function endOf(lines: readonly string[], at: number): number | undefined {
  const line = lines[at];
  if (line === undefined) return undefined;
  const isExpression = line.endsWith('=>');
  const next = lines.findIndex(
    (each, i) => i > at && each.trim() !== '' && indentOf(each) <= indentOf(line) && !/^\s*[`|&]/.test(each),
  );
  if (next === -1) return undefined;
  return isExpression ? next - 1 : next;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function sqlSpans(lines: readonly string[]): Span[] {
  return lines.flatMap((line, from) => {
    if (!SQL_BEGINS.test(line)) return [];
    return [{ from, to: lines.findIndex((each, i) => i >= from && /\$\$;$/.test(each)) }];
  });
}
