import { createHash, randomUUID } from 'node:crypto';
import { logFailure } from '../database/log-failure.ts';
import { inTransaction } from '../database/pool.ts';
import { reportMissingReport } from '../deposits/exceptions.ts';
import { typeId } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { Problem } from '../problems/problem.ts';
import { REPORTS } from './catalogue.ts';
import {
  claimJob,
  completeJob,
  deleteExpiredJobs,
  type JobRow,
  releaseJob,
  renewLease,
  writePiece,
} from './job-store.ts';
import type { ReportEnd, ReportParameters } from './report.ts';
import type { ReportMaker } from './room.ts';
import { writeReport } from './write-report.ts';

/** Past this time without a word, the maker is taken for dead and another begins anew: longer than what is read at once. */
export const LEASE_SECONDS = 120; // limit: Time without a word of its maker after which a report is begun anew
/** Characters that a piece has at least, unless it is the last one. */
const PIECE_CHARACTERS_MIN = 256 * 1024; // limit: Characters of a piece of a report, at least
/** A report that failed so often is not tried again. */
export const ATTEMPTS_MAX = 3; // limit: Times that a report is begun
/** A report may not grow beyond this: it lies in the database. */
const REPORT_BYTES_MAX = 512 * 1024 * 1024; // limit: Size of a report

class GivenBack extends Error {}
class TooManyBytes extends Error {}

/** Makes the oldest report that waits. @returns 1 when there was one */
export async function makeNextReport(maker: ReportMaker): Promise<number> {
  const { pool, clock, logger } = maker;
  if (!maker.accepting()) return 0;
  const lease = randomUUID();
  const job = await inTransaction(pool, (connection) =>
    claimJob(connection, lease, LEASE_SECONDS, clock.now()),
  );
  if (job === undefined) return 0;
  try {
    if (job.attempts > ATTEMPTS_MAX)
      throw new Error(`it was started ${ATTEMPTS_MAX} times and never completed`);
    const { end, sha256 } = await writeJob(maker, job, lease);
    if (end.balanced === false)
      logger.error({ report: job.report, reportJob: typeId('rep', job.id) }, end.alarm ?? '');
    await completeJob(pool, job.id, lease, { sha256, balanced: end.balanced ?? null, now: clock.now() });
  } catch (error) {
    if (isNotYet(error)) {
      await releaseJob(pool, job.id, lease, undefined, clock.now());
      return 0;
    }
    const isLast = error instanceof TooManyBytes || job.attempts >= ATTEMPTS_MAX;
    const { report, attempts: attempt } = job;
    const reportJob = typeId('rep', job.id);
    logFailure(logger, error, { report, reportJob, attempt }, 'report failed');
    // What went wrong inside is for the log; who asked learns that it did, and what to do.
    if (isLast) await giveUp(maker, job, lease, error);
    // Otherwise the lease runs out, which is a pause before the next attempt.
  }
  return 1;
}

/** Nobody tries it again; where a schedule wanted it, a person has to know. */
async function giveUp(
  { pool, clock }: ReportMaker,
  job: JobRow,
  lease: string,
  error: unknown,
): Promise<void> {
  const now = clock.now();
  await inTransaction(pool, async (connection) => {
    const isOurs = await releaseJob(connection, job.id, lease, failureText(error), now);
    if (!isOurs || job.schedule_id === null || job.slot === null) return;
    const report = { scheduleId: job.schedule_id, reportId: job.id, slot: job.slot };
    await reportMissingReport(connection, report, 'run_failed', now);
  });
}

/** The service stops, somebody else has the job, or reports that are waited for go first: no fault of this one. */
function isNotYet(error: unknown): boolean {
  return error instanceof GivenBack || (error instanceof Problem && error.code === 'overloaded');
}

function failureText(error: unknown): string {
  if (error instanceof TooManyBytes) return `It would exceed ${REPORT_BYTES_MAX} bytes; narrow it.`;
  return `It failed ${ATTEMPTS_MAX} times because of a fault in the service; see its log.`;
}

function writeJob(
  { pool, snapshots, clock, book, accepting }: ReportMaker,
  job: JobRow,
  lease: string,
): Promise<{ readonly end: ReportEnd; readonly sha256: string }> {
  const report = REPORTS[job.report];
  const parameters = JSON.parse(job.parameters) as ReportParameters;
  return snapshots.read(async (database) => {
    const pieces = writeReport(report, job.format, { database, book, now: clock.now() }, parameters);
    const hash = createHash('sha256');
    const written = { rows: 0, bytes: 0, piece: 0 };
    let content = '';
    for (;;) {
      const step = await pieces.next();
      if (step.done !== true) {
        content += step.value.text;
        written.rows += step.value.rows;
      }
      if (!accepting()) throw new GivenBack();
      if (content.length >= PIECE_CHARACTERS_MIN || (step.done === true && content !== '')) {
        hash.update(content);
        written.bytes += Buffer.byteLength(content);
        written.piece++;
        if (written.bytes > REPORT_BYTES_MAX) throw new TooManyBytes();
        const progress = { id: job.id, lease, leaseSeconds: LEASE_SECONDS, ...written, content };
        if (!(await writePiece(pool, progress))) throw new GivenBack();
        content = '';
      } else if (!(await renewLease(pool, job.id, lease, LEASE_SECONDS))) throw new GivenBack();
      if (step.done === true) return { end: step.value, sha256: hash.digest('hex') };
    }
  });
}

export function reportSweeps(maker: ReportMaker): Sweep[] {
  const { pool, clock } = maker;
  return [
    {
      name: 'make_reports',
      does: 'Makes the oldest waiting report.',
      everyMs: 1_000,
      run: () => makeNextReport(maker),
    },
    {
      name: 'forget_reports',
      does: 'Deletes reports past their retention.',
      everyMs: 60_000,
      isHousekeeping: true,
      run: () => deleteExpiredJobs(pool, clock.now()),
    },
  ];
}
