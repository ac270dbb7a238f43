const FIELDS_MAX = 200;
/** Characters of one record. */
export const RECORD_LENGTH_MAX = 16 * 1024; // limit: Characters of a record of CSV

/** Makes the error that ends the reading; lines count from 1. */
export type CsvRefusal = (
  code: 'not_well_formed' | 'text_too_long' | 'too_large',
  detail: string,
  line: number,
) => Error;

/** Records of CSV (RFC 4180) out of text that comes in pieces: quoted fields may hold delimiters, quotes and line ends. */
export class CsvRecords {
  readonly #delimiter: string;
  readonly #take: (record: readonly string[], line: number) => void;
  readonly #refuse: CsvRefusal;
  #fields: string[] = [];
  #field = '';
  #state: 'start' | 'plain' | 'quoted' | 'quoteInQuoted' = 'start';
  #line = 1;
  #recordLine = 1;
  #length = 0;
  #skipNewline = false;

  constructor(
    delimiter: string,
    take: (record: readonly string[], line: number) => void,
    refuse: CsvRefusal,
  ) {
    this.#delimiter = delimiter;
    this.#take = take;
    this.#refuse = refuse;
  }

  write(text: string): void {
    for (const char of text) this.#char(char);
  }

  end(): void {
    if (this.#state === 'quoted') {
      throw this.#refuse('not_well_formed', 'a quoted field has no end', this.#recordLine);
    }
    if (this.#field !== '' || this.#fields.length > 0 || this.#state !== 'start') this.#endRecord();
  }

  #char(char: string): void {
    const wasReturn = this.#skipNewline;
    this.#skipNewline = false;
    if (char === '\n' && wasReturn) return;
    this.#length += char.length;
    if (this.#length > RECORD_LENGTH_MAX) {
      throw this.#refuse(
        'text_too_long',
        `a record of more than ${RECORD_LENGTH_MAX} characters`,
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
      throw this.#refuse('not_well_formed', 'text behind a quoted field', this.#line);
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
      throw this.#refuse('too_large', `a record of more than ${FIELDS_MAX} fields`, this.#recordLine);
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
