import type { Queryable } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';

/** What a report is made of, whatever it is written as. */

export const REPORT_NAMES = [
  'blotter',
  'settlement-ladder',
  'exposure',
  'spread-revenue',
  'reconciliation',
  'overdue',
  'suspense',
  'exceptions',
  'deposits',
] as const;
export type ReportName = (typeof REPORT_NAMES)[number];
export const REPORT_FORMATS = ['json', 'csv'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Amounts and rates are exact texts; numbers are counts. */
export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

export interface ReportParameters {
  /** Instants, epoch milliseconds: from inclusive, to exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Value dates, both inclusive. */
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
  /** UUID. */
  readonly customerId?: string | undefined;
  readonly currency?: string | undefined;
}

/** Where rows come from. The connection reads one snapshot, so all rows are of one moment. */
export interface ReportSource {
  readonly database: Queryable;
  readonly book: RateBook;
  /** Business time of the report. */
  readonly now: number;
}

/** What is known when the last row is read. */
export interface ReportEnd {
  /** For reports that must add up: whether they do. */
  readonly balanced?: boolean;
  /** What is wrong, for people. */
  readonly alarm?: string;
}

export interface Report {
  readonly name: ReportName;
  readonly title: string;
  /** `instants` are required and bound what is counted; `value-dates` narrow; `none` is a report of now. */
  readonly range: 'instants' | 'value-dates' | 'none';
  readonly filters: readonly ('customerId' | 'currency')[];
  /** Names of the cells in their order, which is that of the CSV header. Only ever added to, at the end. */
  readonly columns: readonly string[];
  rows(source: ReportSource, parameters: ReportParameters): AsyncGenerator<readonly Row[], ReportEnd>;
}

/** Rows read from the database at once. */
export const ROWS_AT_ONCE = 1_000; // limit
