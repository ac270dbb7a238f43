import type { Cell, Row } from './report.ts';

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;
const NUMBER = /^-?\d+(\.\d+)?$/;
/**
 * What a spreadsheet takes for a formula, in both widths of characters
 * (owasp.org/www-community/attacks/CSV_Injection).
 */
const LOOKS_LIKE_FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * A field as RFC 4180 wants it. Text that a spreadsheet would run as a formula gets an apostrophe in front; a negative
 * number is none and stays one.
 */
export function csvField(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = LOOKS_LIKE_FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines end in CRLF, the last one too. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvField).join(',')}\r\n`;
}

export function csvRows(columns: readonly string[], rows: readonly Row[]): string {
  return rows.map((row) => csvLine(columns.map((column) => row[column] ?? null))).join('');
}
