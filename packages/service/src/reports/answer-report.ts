import type { ReportFormat } from '@firmquote/api/operations/reports';
import { Problem } from '../problems/problem.ts';
import type { Report, ReportEnd, ReportParameters } from './report.ts';
import type { ReportsRoom } from './room.ts';
import { writeReport } from './write-report.ts';

/** Rows that a report may have to be answered at once. */
const ANSWERED_ROWS_MAX = 10_000; // limit

/**
 * A whole report as one text.
 * @throws Problem report_too_large: nothing is cut off in silence
 */
export function answerReport(
  { snapshots, clock, book }: ReportsRoom,
  report: Report,
  format: ReportFormat,
  parameters: ReportParameters,
): Promise<{ readonly text: string; readonly end: ReportEnd }> {
  return snapshots.read(async (database) => {
    const pieces = writeReport(report, format, { database, book, now: clock.now() }, parameters);
    let text = '';
    let rows = 0;
    for (;;) {
      const step = await pieces.next();
      if (step.done === true) return { text, end: step.value };
      text += step.value.text;
      rows += step.value.rows;
      if (rows > ANSWERED_ROWS_MAX) throw tooLarge(report);
    }
  });
}

function tooLarge({ name }: Report): Problem {
  return new Problem(
    'report_too_large',
    `The report has more than ${ANSWERED_ROWS_MAX} rows. Narrow it, or request it in the background.`,
    { members: { limit: ANSWERED_ROWS_MAX, report: name, background: 'POST /v1/operator/reports' } },
  );
}
