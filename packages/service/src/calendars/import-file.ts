import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvRecords } from '@firmquote/bank-formats';
import { currencyStatus, isIsoDate } from '@firmquote/fx';
import { queryProblem } from '../http/parameters.ts';
import { DATE } from '../http/sentences.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';

/** Two hundred calendar years of twenty holidays with long names are a quarter of it. */
export const FILE_BYTES_MAX = 2 * 1024 * 1024; // limit: File of holidays
const LINES_MAX = 20_000; // limit: Days in a file of holidays
/** Currencies times years of one import. */
const CALENDAR_YEARS_MAX = 200; // limit
/** A file with more wrong lines than these is of another kind. */
const ERRORS_MAX = 100; // limit: Errors reported of a file of holidays
const NAME_LENGTH_MAX = 100; // limit: Characters of the name of a holiday
/** Characters that are read at a stretch, before prices and quotes get their turn. */
const PIECE_LENGTH = 64 * 1024;

/** What an operator wants out of a file. */
export interface ImportRange {
  readonly fromYear: number;
  readonly toYear: number;
  /** Of a file with a column `currency`: only these. */
  readonly currencies?: ReadonlySet<string> | undefined;
  /** Of a file with a column `centre`: the currency that each centre stands for; others are left out. */
  readonly centres?: ReadonlyMap<string, string> | undefined;
}

export interface HolidayFile {
  readonly lines: number;
  /** Lines that are not taken: of another year, or of a currency or centre that was not asked for. */
  readonly leftOut: { readonly otherYears: number; readonly notAskedFor: number };
  /** Names of closed days by currency and date, both in order. */
  readonly days: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/**
 * Reads a vendor's holidays: a line of headings with `currency` or `centre`, `date` and `name` (others are passed
 * over), then a line for each day, parted by commas or semicolons.
 * @param today trade date
 * @throws Problem validation_failed with every wrong line, as `/lines/<number>/<column>`
 */
export async function readHolidayFile(text: string, range: ImportRange, today: string): Promise<HolidayFile> {
  const reader = new HolidayReader(range, today);
  const firstLine = /^[^\r\n]*/.exec(text.trimStart())?.[0] ?? '';
  const delimiter = firstLine.includes(';') && !firstLine.includes(',') ? ';' : ',';
  const records = new CsvRecords(
    delimiter,
    (record, line) => reader.take(record, line),
    (_code, detail, line) =>
      validationProblem([{ pointer: `/lines/${line}`, code: 'wrong_format', detail: `is ${detail}` }]),
  );
  const start = text.startsWith('\ufeff') ? 1 : 0;
  for (let at = start; at < text.length; at += PIECE_LENGTH) {
    records.write(text.slice(at, at + PIECE_LENGTH));
    await nextTurn();
  }
  records.end();
  return reader.finish();
}

type Column = 'currency' | 'centre' | 'date' | 'name';

class HolidayReader {
  readonly #range: ImportRange;
  readonly #today: string;
  readonly #errors: FieldError[] = [];
  readonly #days = new Map<string, Map<string, { name: string; line: number }>>();
  readonly #leftOut = { otherYears: 0, notAskedFor: 0 };
  #columns: Map<string, number> | undefined;
  #lines = 0;

  constructor(range: ImportRange, today: string) {
    this.#range = range;
    this.#today = today;
  }

  take(record: readonly string[], line: number): void {
    if (this.#columns === undefined) {
      this.#columns = this.#headings(record, line);
      return;
    }
    this.#lines += 1;
    if (this.#lines > LINES_MAX) {
      throw validationProblem([
        { pointer: '', code: 'too_many', detail: `has more than ${LINES_MAX} lines` },
      ]);
    }
    if (record.length !== this.#columns.size) {
      this.#wrong(line, '', 'wrong_format', `must have ${this.#columns.size} fields, like the headings`);
      return;
    }
    this.#day(record, line);
  }

  finish(): HolidayFile {
    if (this.#columns === undefined || this.#lines === 0) {
      throw validationProblem([
        { pointer: '', code: 'required', detail: 'must have a line of headings and at least one day' },
      ]);
    }
    this.#requireEveryYear();
    if (this.#errors.length > 0) throw validationProblem(this.#errors);
    const inOrder = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      lines: this.#lines,
      leftOut: this.#leftOut,
      days: new Map(
        inOrder(this.#days).map(([currency, days]) => [
          currency,
          new Map(inOrder(days).map(([date, { name }]) => [date, name])),
        ]),
      ),
    };
  }

  #headings(record: readonly string[], line: number): Map<string, number> {
    const columns = new Map<string, number>();
    const wrong = (detail: string) =>
      validationProblem([{ pointer: `/lines/${line}`, code: 'wrong_format', detail }]);
    for (const [index, heading] of record.entries()) {
      const name = heading.trim().toLowerCase();
      if (columns.has(name)) throw wrong('must not name a column twice');
      columns.set(name, index);
    }
    const isByCentre = columns.has('centre');
    if (isByCentre === columns.has('currency') || !columns.has('date') || !columns.has('name')) {
      throw wrong('must name the columns currency (or centre), date and name');
    }
    const { centres, currencies } = this.#range;
    if (isByCentre && centres === undefined) {
      throw queryProblem('centres', 'required', 'must say which currency each centre stands for');
    }
    if (isByCentre && currencies !== undefined) {
      throw queryProblem('currencies', 'not_permitted', 'is for files with a column currency; name centres');
    }
    if (!isByCentre && centres !== undefined) {
      throw queryProblem('centres', 'not_permitted', 'is for files with a column centre');
    }
    return columns;
  }

  #day(record: readonly string[], line: number): void {
    const cell = (column: Column) => record[this.#columns?.get(column) ?? -1]?.trim() ?? '';
    const currency = this.#currencyOf(cell, line);
    if (currency === undefined) return;
    const date = cell('date');
    if (!isIsoDate(date)) {
      this.#wrong(line, '/date', 'wrong_format', DATE);
      return;
    }
    const name = cell('name');
    if (name.length === 0 || name.length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name)) {
      const detail = `must have 1 to ${NAME_LENGTH_MAX} characters and no control characters`;
      this.#wrong(line, '/name', 'wrong_format', detail);
      return;
    }
    const days = this.#days.get(currency) ?? new Map<string, { name: string; line: number }>();
    const former = days.get(date);
    if (former !== undefined) {
      const detail = `is listed twice: ${currency} has it on line ${former.line}`;
      this.#wrong(line, '/date', 'repeated', detail);
      return;
    }
    const year = Number.parseInt(date.slice(0, 4), 10);
    if (year < this.#range.fromYear || year > this.#range.toYear) {
      this.#leftOut.otherYears += 1;
      return;
    }
    days.set(date, { name, line });
    this.#days.set(currency, days);
  }

  /** Undefined where the line is not asked for, or wrong. */
  #currencyOf(cell: (column: Column) => string, line: number): string | undefined {
    const { centres, currencies } = this.#range;
    const column = centres === undefined ? 'currency' : 'centre';
    const text = cell(column);
    if (text === '') {
      this.#wrong(line, `/${column}`, 'required', 'must not be empty');
      return undefined;
    }
    if (centres !== undefined) {
      const currency = centres.get(text);
      if (currency === undefined) this.#leftOut.notAskedFor += 1;
      return currency;
    }
    if (currencies !== undefined && !currencies.has(text)) {
      this.#leftOut.notAskedFor += 1;
      return undefined;
    }
    if (currencyStatus(text, this.#today) === 'tradable') return text;
    this.#wrong(line, '/currency', 'not_permitted', 'is not a currency that is traded here');
    return undefined;
  }

  /** A year without a holiday is a file that was cut off, or another one than was meant. */
  #requireEveryYear(): void {
    // Lines that are wrong may be the ones that are missed here.
    if (this.#errors.length > 0) return;
    const { fromYear, toYear, currencies, centres } = this.#range;
    const wanted = new Set([...(currencies ?? centres?.values() ?? []), ...this.#days.keys()]);
    if (wanted.size === 0)
      this.#error({ pointer: '', code: 'required', detail: 'has no day in these years' });
    if (wanted.size * (toYear - fromYear + 1) > CALENDAR_YEARS_MAX) {
      const detail = `would set more than ${CALENDAR_YEARS_MAX} calendar years; import fewer at once`;
      throw validationProblem([{ pointer: '', code: 'too_many', detail }]);
    }
    for (const currency of [...wanted].sort()) {
      const dates = [...(this.#days.get(currency)?.keys() ?? [])];
      for (let year = fromYear; year <= toYear; year += 1) {
        if (dates.some((date) => date.startsWith(`${year}-`))) continue;
        const detail = `has no closing day of ${currency} in ${year}; list all closing days of each year`;
        this.#error({ pointer: '', code: 'required', detail });
      }
    }
  }

  #wrong(line: number, column: string, code: string, detail: string): void {
    this.#error({ pointer: `/lines/${line}${column}`, code, detail });
  }

  #error(error: FieldError): void {
    this.#errors.push(error);
    if (this.#errors.length < ERRORS_MAX) return;
    const more = { pointer: '', code: 'too_many', detail: `has ${ERRORS_MAX} errors or more` };
    throw validationProblem([...this.#errors, more]);
  }
}
