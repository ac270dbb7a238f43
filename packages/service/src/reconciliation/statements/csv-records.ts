import { LINE_LENGTH_MAX } from './limits.ts';
import { StatementRefusal } from './refusal.ts';

const FIELDS_MAX = 200;

/** Records of CSV (RFC 4180) out of text that comes in pieces: quoted fields may hold delimiters, quotes and line ends. */
export class CsvRecords {
  readonly #delimiter: string;
  readonly #take: (record: readonly string[], line: number) => void;
  #fields: string[] = [];
  #field = '';
  #state: 'start' | 'plain' | 'quoted' | 'quoteInQuoted' = 'start';
  #line = 1;
  #recordLine = 1;
  #length = 0;
  #skipNewline = false;

  constructor(delimiter: string, take: (record: readonly string[], line: number) => void) {
    this.#delimiter = delimiter;
    this.#take = take;
  }

  write(text: string): void {
    for (const char of text) this.#char(char);
  }

  end(): void {
    if (this.#state === 'quoted') {
      throw new StatementRefusal('not_well_formed', 'a quoted field has no end', this.#recordLine);
    }
    if (this.#field !== '' || this.#fields.length > 0 || this.#state !== 'start') this.#endRecord();
  }

  #char(char: string): void {
    const wasReturn = this.#skipNewline;
    this.#skipNewline = false;
    if (char === '\n' && wasReturn) return;
    this.#length += char.length;
    if (this.#length > LINE_LENGTH_MAX) {
      throw new StatementRefusal(
        'text_too_long',
        `a record of more than ${LINE_LENGTH_MAX} characters`,
        this.#recordLine,
      );
    }
    if (char === '\n' || char === '\r') {
      this.#line += 1;
      this.#skipNewline = char === '\r';
      if (this.#state === 'quoted') this.#field += '\n';
      else this.#endRecord();
    } else if (this.#state === 'quoted') {
      if (char === '"') this.#state = 'quoteInQuoted';
      else this.#field += char;
    } else if (char === this.#delimiter) this.#endField();
    else this.#plain(char);
  }

  #plain(char: string): void {
    if (this.#state === 'quoteInQuoted' && char !== '"') {
      if (char === ' ') return;
      throw new StatementRefusal('not_well_formed', 'text behind a quoted field', this.#line);
    }
    if (char === '"' && this.#state === 'start') this.#state = 'quoted';
    else {
      this.#field += char;
      this.#state = this.#state === 'quoteInQuoted' ? 'quoted' : 'plain';
    }
  }

  #endField(): void {
    this.#fields.push(this.#field);
    if (this.#fields.length > FIELDS_MAX) {
      throw new StatementRefusal('too_large', `a record of more than ${FIELDS_MAX} fields`, this.#recordLine);
    }
    this.#field = '';
    this.#state = 'start';
  }

  #endRecord(): void {
    this.#endField();
    const record = this.#fields;
    const line = this.#recordLine;
    this.#fields = [];
    this.#length = 0;
    this.#recordLine = this.#line;
    // Empty lines are no records.
    if (record.some((field) => field.trim() !== '')) this.#take(record, line);
  }
}
