import type { ReportName } from '@firmquote/api/operations/reports';
import type { Queryable } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';

/** What a report is made of, whatever it is written as. Its title, parameters and columns stand in the interface's data. */

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
  rows(source: ReportSource, parameters: ReportParameters): AsyncGenerator<readonly Row[], ReportEnd>;
}

/** Rows read from the database at once. */
export const ROWS_AT_ONCE = 1_000; // limit
