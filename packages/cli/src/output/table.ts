import stringWidth from 'fast-string-width';
import { safeText } from './safe-text.ts';

/** How the text of a cell is shortened where it does not fit. */
const ELLIPSIS = '…';
const GAP = '  ';
/** limit: Columns below which no cell of a table is shortened. */
const COLUMN_MIN = 8;
/** limit: Columns up to which a word is shown whole: an id is to be copied, and half an amount is a wrong one. */
const WORD_MAX = 40;
const NUMBER = /^-?\d[\d,_]*(\.\d+)?( [A-Z]{3})?$/;
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}Z$/;

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

export interface Table {
  readonly text: string;
  /** Headings of columns that the screen has no room for. */
  readonly left: readonly string[];
}

/** Rows under headings; columns of numbers are flush right. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: TableStyle,
): Table {
  const columns = headings.map((text, i) =>
    columnOf(
      text,
      rows.map((row) => safeText(row[i] ?? '')),
    ),
  );
  const shown = fitted(columns, style.width);
  const lines = rows.map((_, row) => line(shown.map((column) => [column, column.cells[row] ?? ''])));
  const head = line(shown.map((column) => [column, column.heading]));
  return {
    text: [style.bold(head), ...lines].map((each) => `${each}\n`).join(''),
    left: columns
      .filter((column) => !column.isEmpty && !shown.some((each) => each.heading === column.heading))
      .map((column) => column.heading),
  };
}

/** A name and a value on each line. */
export function card(pairs: readonly (readonly [string, string])[], style: TableStyle): string {
  const width = Math.max(0, ...pairs.map(([name]) => stringWidth(name)));
  return pairs
    .map(([name, value]) => `${style.dim(placed(name, width, false))}${GAP}${safeText(value)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

interface Column {
  readonly heading: string;
  readonly cells: readonly string[];
  readonly width: number;
  readonly isNumeric: boolean;
  readonly isEmpty: boolean;
  /** Sentences and names, which can be shortened; ids, amounts and times cannot. */
  readonly isProse: boolean;
}

function columnOf(text: string, cells: readonly string[]): Column {
  const found = cells.filter((cell) => cell !== '');
  return {
    heading: text,
    cells,
    width: Math.max(stringWidth(text), ...cells.map((cell) => stringWidth(cell))),
    isNumeric: found.length > 0 && found.every((cell) => NUMBER.test(cell)),
    isEmpty: found.length === 0,
    isProse: found.some((cell) => stringWidth(cell) > WORD_MAX || (/\s/.test(cell) && !isWhole(cell))),
  };
}

function isWhole(cell: string): boolean {
  return NUMBER.test(cell) || TIME.test(cell);
}

/** Where there is no room, empty columns go, then the widest texts are shortened, then the last columns go. */
function fitted(columns: readonly Column[], available: number | undefined): Column[] {
  if (available === undefined || widthOf(columns) <= available) return [...columns];
  const shown = columns.filter((column) => !column.isEmpty);
  for (;;) {
    const narrow = shortened(shown, available);
    if (widthOf(narrow) <= available || narrow.length === 1) return narrow;
    shown.pop();
  }
}

/** The widest gives way first. */
function shortened(columns: readonly Column[], available: number): Column[] {
  const fitting = [...columns];
  for (let over = widthOf(fitting) - available; over > 0; over--) {
    const prose = fitting.filter((column) => column.isProse && column.width > COLUMN_MIN);
    const [widest] = prose.sort((a, b) => b.width - a.width);
    if (widest === undefined) break;
    fitting[fitting.indexOf(widest)] = { ...widest, width: widest.width - 1 };
  }
  return fitting;
}

function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + column.width, GAP.length * (columns.length - 1));
}

function line(cells: readonly (readonly [Column, string])[]): string {
  return cells
    .map(([column, text]) => placed(text, column.width, column.isNumeric))
    .join(GAP)
    .trimEnd();
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
