import * as api from '@firmquote/api/operations/report-schedules';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { JobRow } from './job-store.ts';
import { jobView } from './job-view.ts';
import type { SchedulesRoom } from './room.ts';
import { nextDue } from './schedule-runs.ts';
import { lastRuns, listRuns, listSchedules, type ScheduleRow } from './schedule-store.ts';
import { createSchedule, endSchedule, existingSchedule, replaceSchedule } from './schedules.ts';

/** Schedules of reports, and their runs. */
export function scheduleRoutes(app: FastifyInstance, room: SchedulesRoom): void {
  const { pool } = room;
  const shown = async (row: ScheduleRow) => {
    const runs = await lastRuns(pool, [row.id]);
    return { version: row.version, body: scheduleView(room, row, runs.get(row.id)) };
  };
  serve(app, api.createReportSchedule, async ({ body, by, inCommit }) => {
    const answer = inCommit<ScheduleRow>((row) => ({
      headers: { Location: `${api.createReportSchedule.path}/${typeId('rps', row.id)}` },
      version: row.version,
      body: scheduleView(room, row, undefined),
    }));
    await createSchedule(room, body, by, answer);
    return undefined;
  });
  serve(app, api.listReportSchedules, async () => {
    const rows = await listSchedules(pool);
    const runs = await lastRuns(
      pool,
      rows.map(({ id }) => id),
    );
    return { body: { items: rows.map((row) => scheduleView(room, row, runs.get(row.id))) } };
  });
  serve(app, api.getReportSchedule, async ({ params }) =>
    shown(await existingSchedule(pool, params.scheduleId)),
  );
  serve(app, api.replaceReportSchedule, async ({ params, body, ifMatch }) =>
    shown(await replaceSchedule(room, params.scheduleId, body, ifMatch)),
  );
  serve(app, api.deleteReportSchedule, async ({ params }) => {
    await endSchedule(room, params.scheduleId);
    return {};
  });
  serve(app, api.listReportScheduleRuns, async ({ params, page }) => {
    const { id } = await existingSchedule(pool, params.scheduleId);
    const rows = await listRuns(pool, id, page.place('date')?.[0], page.rows);
    return { body: page.of(rows, ({ slot }) => [slot ?? ''], jobView) };
  });
}

function scheduleView(
  room: Pick<SchedulesRoom, 'calendars'>,
  row: ScheduleRow,
  lastRun: JobRow | undefined,
): api.ReportSchedule {
  const next = nextDue(room, row);
  return {
    scheduleId: typeId('rps', row.id),
    version: row.version,
    name: row.name,
    report: row.report as api.ReportSchedule['report'],
    format: row.format,
    every: row.every,
    on: row.day_on,
    at: row.at_time,
    zone: row.zone,
    holidays: row.holidays,
    calendar: row.calendar,
    customerId: row.customer_id === null ? null : typeId('cus', row.customer_id),
    currency: row.currency,
    keepDays: row.keep_days,
    paused: row.paused,
    nextRunAt: next === undefined ? null : isoInstant(next.dueAt),
    nextRunFor: next?.date ?? null,
    leftOut: row.left_out,
    lastRun: lastRun === undefined ? null : jobView(lastRun),
    createdBy: actorId(row.created_by),
    createdAt: isoInstant(row.created_at),
    updatedAt: isoInstant(row.updated_at),
  };
}
