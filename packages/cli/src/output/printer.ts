import { usage } from '../errors.ts';
import { hasColor, type Io, write } from '../io.ts';
import { csvLine } from './csv.ts';
import { flatten, isRow, pick, textOf, valueAt } from './fields.ts';
import { safeJson, safeText } from './safe-text.ts';
import { card, heading, label, type Table, type TableStyle, table } from './table.ts';

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

/** What a table shows; every other format always holds everything. */
export interface View {
  /** Dotted paths, in their order. `sell=sellAmount sellCurrency` puts two together under a name. */
  readonly columns?: readonly string[];
  /** Path of the list that is all of the answer that a table shows. */
  readonly list?: string;
  /** Said on stderr where a list is empty. */
  readonly empty?: string;
}

export interface PrinterOptions {
  /** Undefined: a table on a terminal, JSON elsewhere. */
  readonly format: Format | undefined;
  readonly fields: readonly string[] | undefined;
  readonly color: boolean;
}

const AMOUNT_OF_CURRENCY = /^(\d+)((?:\.\d+)? [A-Z]{3})$/;
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** Writes data to stdout, and nothing else does. */
export class Printer {
  readonly #io: Io;
  readonly #options: PrinterOptions;

  constructor(io: Io, options: PrinterOptions) {
    this.#io = io;
    this.#options = options;
  }

  get format(): Format {
    return this.#options.format ?? (this.isTerminal ? 'table' : 'json');
  }

  get isTerminal(): boolean {
    return this.#io.stdout.isTTY === true;
  }

  /** One object. */
  async one(value: unknown, view: View = {}): Promise<void> {
    const { fields } = this.#options;
    const shown = fields === undefined ? value : pick(value, fields);
    const list = view.list === undefined || fields !== undefined ? undefined : valueAt(value, view.list);
    if (Array.isArray(list) && (this.format === 'table' || this.format === 'csv'))
      return this.many(list, view);
    if (this.format === 'table') return this.#text(this.#card(value, fields ?? view.columns));
    if (this.format === 'csv') return this.#csv([value]);
    await this.#text(await this.#document(shown));
  }

  /** A list that may be long: JSON and NDJSON are written while it is read. */
  async many(values: AsyncIterable<unknown> | Iterable<unknown>, view: View = {}): Promise<void> {
    if (this.format === 'json') return this.#jsonList(values);
    if (this.format === 'ndjson') return this.each(values);
    const all: unknown[] = [];
    for await (const value of values) all.push(value);
    if (this.format === 'csv') return this.#csv(all);
    if (this.format === 'yaml') {
      const { fields } = this.#options;
      return this.#text(
        await this.#document(fields === undefined ? all : all.map((each) => pick(each, fields))),
      );
    }
    if (all.length === 0) return this.#remark(view.empty ?? 'There are none.');
    const { text, left } = this.#table(all, this.#options.fields ?? view.columns ?? columnsOf(all));
    await this.#text(text);
    if (left.length > 0)
      await this.#remark(`No room for ${left.join(', ')}: widen the terminal, or use --fields or -o json.`);
  }

  /** What comes bit by bit: a line for each value, whatever the format is, and rows without headings in a table. */
  async each(values: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
    for await (const value of values) await this.line(value);
  }

  /** One line of NDJSON. */
  async line(value: unknown): Promise<void> {
    const { fields } = this.#options;
    await this.#text(`${safeJson(JSON.stringify(fields === undefined ? value : pick(value, fields)))}\n`);
  }

  /** Text or bytes as they are: a file, a script. */
  raw(content: string | Uint8Array): Promise<void> {
    return write(this.#io.stdout, content);
  }

  style(): TableStyle {
    const { stdout } = this.#io;
    const isColored = hasColor(this.#io, stdout, this.#options.color);
    const paint = (code: string) => (text: string) => (isColored ? `\u001b[${code}m${text}\u001b[0m` : text);
    return { width: this.isTerminal ? stdout.columns || 80 : undefined, bold: paint('1'), dim: paint('2') };
  }

  #text(text: string): Promise<void> {
    return write(this.#io.stdout, text);
  }

  #remark(text: string): Promise<void> {
    return write(this.#io.stderr, `${text}\n`);
  }

  async #document(value: unknown): Promise<string> {
    if (this.format === 'ndjson') return `${safeJson(JSON.stringify(value))}\n`;
    if (this.format === 'yaml') {
      const { stringify } = await import('yaml');
      return stringify(value, { lineWidth: 0 });
    }
    return `${safeJson(JSON.stringify(value, null, 2))}\n`;
  }

  async #jsonList(values: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
    const { fields } = this.#options;
    let isFirst = true;
    for await (const value of values) {
      const text = JSON.stringify(fields === undefined ? value : pick(value, fields), null, 2);
      await this.#text(`${isFirst ? '[' : ','}\n${safeJson(text).replace(/^/gm, '  ')}`);
      isFirst = false;
    }
    await this.#text(isFirst ? '[]\n' : '\n]\n');
  }

  /** Every leaf of every row; the first row with a leaf decides where it stands. */
  async #csv(rows: readonly unknown[]): Promise<void> {
    const flat = rows.map((row) => flatten(row));
    const columns = this.#options.fields ?? [...new Set(flat.flatMap((row) => [...row.keys()]))];
    if (columns.length === 0) return;
    const shown = (text: string) => (this.isTerminal ? safeText(text) : text);
    await this.#text(csvLine(columns));
    for (const row of rows) {
      await this.#text(csvLine(columns.map((path) => shown(textOf(path === '' ? row : valueAt(row, path))))));
    }
  }

  #card(value: unknown, columns: readonly string[] | undefined): string {
    if (!isRow(value)) return `${safeText(textOf(value))}\n`;
    const pairs = (columns ?? [...flatten(value).keys()])
      .map((column) => [nameOf(column) ?? label(column), this.#cell(value, column)] as const)
      .filter(([, text]) => text !== '');
    return card(pairs, this.style());
  }

  #table(rows: readonly unknown[], columns: readonly string[]): Table {
    const cells = rows.map((row) => columns.map((column) => this.#cell(row, column)));
    return table(
      columns.map((column) => nameOf(column)?.toUpperCase() ?? heading(column)),
      cells,
      this.style(),
    );
  }

  /** On a terminal times are shorter, and amounts with a currency have commas; elsewhere everything is as it came. */
  #cell(row: unknown, column: string): string {
    const paths = column.slice(column.indexOf('=') + 1).split(' ');
    const text = paths
      .map((path) => textOf(path === '' ? row : valueAt(row, path)))
      .join(' ')
      .trim();
    if (!this.isTerminal) return text;
    const [, whole, rest] = paths.length > 1 ? (AMOUNT_OF_CURRENCY.exec(text) ?? []) : [];
    if (whole !== undefined) return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${rest}`;
    return text.replace(RFC_3339, '$1 $2Z');
  }
}

function nameOf(column: string): string | undefined {
  return column.includes('=') ? column.slice(0, column.indexOf('=')) : undefined;
}

/** limit: Columns of a table that nobody has chosen columns for. */
const COLUMNS_MAX = 7;

function columnsOf(rows: readonly unknown[]): string[] {
  const leaves = [...flatten(rows[0]).entries()].filter(
    ([, leaf]) => typeof leaf !== 'object' || leaf === null,
  );
  return leaves.slice(0, COLUMNS_MAX).map(([path]) => path);
}

export function readFormat(text: string, source: string): Format {
  const format = FORMATS.find((each) => each === text);
  if (format === undefined) throw usage(`${source} must be one of ${FORMATS.join(', ')}, not “${text}”.`);
  return format;
}
