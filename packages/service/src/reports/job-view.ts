import * as api from '@firmquote/api/operations/reports';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { JobRow } from './job-store.ts';
import type { ReportParameters } from './report.ts';
import { parametersView } from './write-report.ts';

/** Where a report is found. */
export function pathOf({ id }: JobRow): string {
  return `${api.requestReport.path}/${typeId('rep', id)}`;
}

/** The name that it is saved under: of a schedule's reports each has its own, by the day that its run is of. */
export function fileNameOf({ report, format, slot, created_at: createdAt }: JobRow): string {
  return `${report}-${slot ?? isoInstant(createdAt).slice(0, 10)}.${format}`;
}

export function jobView(job: JobRow): api.ReportJob {
  const instant = (at: number | null) => (at === null ? null : isoInstant(at));
  return {
    reportId: typeId('rep', job.id),
    report: job.report,
    format: job.format,
    parameters: parametersView(JSON.parse(job.parameters) as ReportParameters),
    status: job.status,
    requestedBy: actorId(job.requested_by),
    createdAt: isoInstant(job.created_at),
    startedAt: instant(job.started_at),
    completedAt: instant(job.completed_at),
    expiresAt: isoInstant(job.expires_at),
    rows: Number.parseInt(job.rows_written, 10),
    bytes: Number.parseInt(job.bytes_written, 10),
    sha256: job.sha256,
    balanced: job.balanced,
    failure: job.failure,
    contentUrl: job.status === 'completed' ? `${pathOf(job)}/content` : null,
    scheduleId: job.schedule_id === null ? null : typeId('rps', job.schedule_id),
    slot: job.slot,
    dueAt: instant(job.due_at),
  };
}
