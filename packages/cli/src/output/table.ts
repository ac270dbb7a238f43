import stringWidth from 'fast-string-width';
import { safeText } from './safe-text.ts';

/** How the text of a cell is shortened where it does not fit. */
const ELLIPSIS = '…';
const GAP = '  ';
/** limit: Columns below which no cell of a table is shortened. */
const COLUMN_MIN = 8;
const NUMBER = /^-?\d[\d,_]*(\.\d+)?( [A-Z]{3})?$/;

export interface TableStyle {
  /** Columns of the screen; undefined where nothing is shortened. */
  readonly width: number | undefined;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** `rate.value` → `RATE`, `sellAmount` → `SELL AMOUNT` */
export function heading(path: string): string {
  const names = path
    .split('.')
    .filter((name, i, all) => !(name === 'value' && i === all.length - 1 && i > 0));
  return words(names.at(-1) ?? path).toUpperCase();
}

/** `settlement.valueDate` → `settlement value date` */
export function label(path: string): string {
  return path.split('.').map(words).join(' ');
}

function words(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
}

/** Rows under headings; columns of numbers are flush right. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: TableStyle,
): string {
  const cells = rows.map((row) => row.map(safeText));
  const isNumeric = headings.map(
    (_, i) =>
      cells.some((row) => row[i] !== '') && cells.every((row) => row[i] === '' || NUMBER.test(row[i] ?? '')),
  );
  const widths = fitted(
    headings.map((text, i) => Math.max(stringWidth(text), ...cells.map((row) => stringWidth(row[i] ?? '')))),
    style.width,
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, i) => placed(text, widths[i] ?? 0, isNumeric[i] === true))
      .join(GAP)
      .trimEnd();
  const found = cells.map((row) => `${line(row)}\n`);
  return `${style.bold(line(headings))}\n${found.join('')}`;
}

/** A name and a value on each line. */
export function card(pairs: readonly (readonly [string, string])[], style: TableStyle): string {
  const width = Math.max(0, ...pairs.map(([name]) => stringWidth(name)));
  return pairs
    .map(([name, value]) => `${style.dim(placed(name, width, false))}${GAP}${safeText(value)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

/** The widest columns give way first. */
function fitted(widths: readonly number[], available: number | undefined): number[] {
  const fitting = [...widths];
  if (available === undefined) return fitting;
  const room = available - GAP.length * (widths.length - 1);
  let over = fitting.reduce((sum, width) => sum + width, 0) - room;
  while (over > 0) {
    const widest = Math.max(...fitting);
    if (widest <= COLUMN_MIN) break;
    fitting[fitting.indexOf(widest)] = widest - 1;
    over -= 1;
  }
  return fitting;
}

function placed(text: string, width: number, isRight: boolean): string {
  const shown = cut(text, width);
  const blank = ' '.repeat(Math.max(0, width - stringWidth(shown)));
  return isRight ? blank + shown : shown + blank;
}

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(shown + segment) >= width) break;
    shown += segment;
  }
  return shown + ELLIPSIS;
}
