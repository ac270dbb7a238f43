import * as api from '@firmquote/api/operations/reports';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { csvLine, csvRows } from './csv.ts';
import type { Report, ReportEnd, ReportParameters, ReportSource, Row } from './report.ts';

/** A piece of a written report. */
interface Piece {
  readonly text: string;
  /** Rows that it holds. */
  readonly rows: number;
}

/**
 * The report as text, piece by piece. JSON has its rows in `items`, and after them what is known at the end, so that
 * either form can be written without holding it in memory.
 */
export async function* writeReport(
  report: Report,
  format: api.ReportFormat,
  source: ReportSource,
  parameters: ReportParameters,
): AsyncGenerator<Piece, ReportEnd> {
  const form = format === 'csv' ? csvForm(report) : jsonForm(report, source.now, parameters);
  yield { text: form.head, rows: 0 };
  const rows = report.rows(source, parameters);
  let count = 0;
  for (;;) {
    const step = await rows.next();
    if (step.done === true) {
      yield { text: form.tail(step.value, count), rows: 0 };
      return step.value;
    }
    // Whoever writes it learns of each step: rare rows may be long in coming.
    const text = step.value.length === 0 ? '' : form.rows(step.value, count);
    yield { text, rows: step.value.length };
    count += step.value.length;
  }
}

interface Form {
  readonly head: string;
  rows(rows: readonly Row[], before: number): string;
  tail(end: ReportEnd, count: number): string;
}

function csvForm({ name }: Report): Form {
  const { columns } = api.REPORTS[name];
  return { head: csvLine(columns), rows: (rows) => csvRows(columns, rows), tail: () => '' };
}

function jsonForm({ name }: Report, now: number, parameters: ReportParameters): Form {
  const head = { report: name, generatedAt: isoInstant(now), parameters: parametersView(parameters) };
  return {
    head: `${JSON.stringify(head).slice(0, -1)},"items":[`,
    rows: (rows, before) => `${before === 0 ? '' : ','}${rows.map((row) => JSON.stringify(row)).join(',')}`,
    tail: (end, count) => `],${JSON.stringify({ rowCount: count, ...end }).slice(1)}`,
  };
}

export function parametersView(parameters: ReportParameters): api.ReportParameters {
  const { from, to, fromDate, toDate, customerId, currency } = parameters;
  return {
    ...(from === undefined ? {} : { from: isoInstant(from) }),
    ...(to === undefined ? {} : { to: isoInstant(to) }),
    ...(fromDate === undefined ? {} : { from: fromDate }),
    ...(toDate === undefined ? {} : { to: toDate }),
    ...(customerId === undefined ? {} : { customerId: typeId('cus', customerId) }),
    ...(currency === undefined ? {} : { currency }),
  };
}
