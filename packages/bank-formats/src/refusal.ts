import { cut } from './text.ts';

/** Why a file is not taken. Codes are public: they stand in answers, reports and the database. */
export const REFUSAL_CODES = [
  'format_unknown',
  'encoding_invalid',
  'not_well_formed',
  'doctype_refused',
  'too_large',
  'too_deep',
  'too_many_entries',
  'text_too_long',
  'no_statement',
  'statement_incomplete',
  'statement_repeated',
  'field_missing',
  'field_invalid',
  'amount_invalid',
  'amount_precision_invalid',
  'currency_unknown',
  'date_invalid',
  'date_implausible',
  'balance_mismatch',
  'totals_mismatch',
  'mapping_missing',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** A file is refused whole. `line` counts from 1; undefined when the file as such is the matter. */
export class StatementRefusal extends Error {
  override readonly name = 'StatementRefusal';
  readonly code: RefusalCode;
  readonly line: number | undefined;

  constructor(code: RefusalCode, detail: string, line?: number) {
    super(detail);
    this.code = code;
    this.line = line;
  }
}

/** What is read, or undefined where that is refused: for what only explains something else. */
export function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StatementRefusal) return undefined;
    throw error;
  }
}

/** Text of the file in a message: short, and nothing that a terminal would obey. */
export function shown(text: string): string {
  const clean = text.replaceAll(/\p{C}/gu, '·');
  return clean.length > 40 ? `${cut(clean, 40)}…` : clean;
}
