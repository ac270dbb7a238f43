import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import type { ImportedCalendar } from './import-difference.ts';
import type { HolidayFile } from './import-file.ts';

/** What an import proposes, as it was when it was proposed. */
interface ImportProposal extends Pick<HolidayFile, 'lines' | 'leftOut'> {
  readonly fromYear: number;
  readonly toYear: number;
  readonly calendars: readonly (ImportedCalendar & {
    /** Trades that are neither settled nor cancelled and have an added day as their value date. */
    readonly openTransactions: number;
  })[];
}

/** Ids are UUIDs. */
export interface CalendarImport extends Omit<CamelRow<'calendar_imports'>, 'proposal'> {
  readonly proposal: ImportProposal;
}

export async function insertImport(connection: Connection, made: CalendarImport): Promise<void> {
  await connection.query(
    'insert into calendar_imports (id, approval_id, source, file_sha256, proposal) values ($1, $2, $3, $4, $5)',
    [made.id, made.approvalId, made.source, made.fileSha256, JSON.stringify(made.proposal)],
  );
}

export async function findImport(connection: Queryable, id: string): Promise<CalendarImport | undefined> {
  const { rows } = await connection.query<Omit<CalendarImport, 'proposal'> & { proposal: string }>(
    `select id, approval_id as "approvalId", source, file_sha256 as "fileSha256", proposal::text as proposal
     from calendar_imports where id = $1`,
    [id],
  );
  const row = rows[0];
  return row && { ...row, proposal: JSON.parse(row.proposal) as ImportProposal };
}
