import { isDeepStrictEqual } from 'node:util';
import { tradeDateAt } from '@firmquote/fx';
import {
  type Approvable,
  type ApprovalKind,
  type Approved,
  findProposal,
  propose,
} from '../approvals/approvals.ts';
import { ALWAYS } from '../approvals/do-or-propose.ts';
import type { ApprovalRecord } from '../approvals/store.ts';
import { afterCommit } from '../database/enclosure.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { newUuid, parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { differenceOf, type ImportedCalendar, tradesOnAdded } from './import-difference.ts';
import { type ImportRange, readHolidayFile } from './import-file.ts';
import { type CalendarImport, findImport, insertImport } from './import-store.ts';
import { requireCurrency } from './range.ts';
import type { CalendarsRoom } from './room.ts';
import { requireStored } from './set-calendar-year.ts';
import { bumpDateRules, insertCalendarYear, lockDateRules } from './store.ts';

const CALENDAR_IMPORT_KIND = 'calendar_import' as const;

interface ImportCommand extends ImportRange {
  readonly text: string;
  readonly sha256: string;
  /** The vendor and its file; stands with every day. */
  readonly source: string;
  readonly reason: string;
  /** Person or OAuth client (UUID). */
  readonly by: string;
}

export interface ProposedImport {
  readonly made: CalendarImport;
  readonly approval: ApprovalRecord;
}

/**
 * Proposes a vendor's holidays as the calendars of whole years. Nothing changes until another operator approves it.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem validation_failed, currency_not_supported, currency_withdrawn
 */
export async function proposeImport(
  room: CalendarsRoom,
  command: ImportCommand,
  inCommit: (connection: Connection, proposed: ProposedImport) => Promise<void>,
): Promise<void> {
  const now = room.clock.now();
  for (const code of command.currencies ?? []) requireCurrency(room, code, '/query/currencies');
  for (const code of command.centres?.values() ?? []) requireCurrency(room, code, '/query/centres');
  const { lines, leftOut, days } = await readHolidayFile(command.text, command, tradeDateAt(now));
  const { fromYear, toYear, source, sha256: fileSha256 } = command;
  await inTransaction(room.pool, async (connection) => {
    const stored = await requireStored(connection);
    const calendars = await differenceOf(connection, stored, { fromYear, toYear, source, days });
    const trades = await tradesOnAdded(connection, calendars);
    const counted = calendars.map((calendar) => ({
      ...calendar,
      openTransactions: trades.get(calendar.currency) ?? 0,
    }));
    const id = newUuid(now);
    const subject = typeId('cim', id);
    const count = (of: (calendar: (typeof counted)[number]) => number) =>
      counted.reduce((sum, calendar) => sum + of(calendar), 0);
    const request = {
      importId: subject,
      source,
      fileSha256,
      fromYear,
      toYear,
      currencies: counted.map(({ currency }) => currency),
      added: count(({ added }) => added.length),
      removed: count(({ removed }) => removed.length),
      renamed: count(({ renamed }) => renamed.length),
    };
    const effects = counted.map(({ currency, added, removed, renamed, openTransactions }) => ({
      at: `/${currency}`,
      before: removed,
      after: { added, renamed, openTransactions },
    }));
    const proposal = { kind: CALENDAR_IMPORT_KIND, subject, request, effects, reason: command.reason };
    const approval = await propose(connection, { ...proposal, why: [ALWAYS], proposedBy: command.by }, now);
    const made: CalendarImport = {
      id,
      approvalId: approval.id,
      source,
      fileSha256,
      proposal: { lines, leftOut, fromYear, toYear, calendars: counted },
    };
    await insertImport(connection, made);
    await inCommit(connection, { made, approval });
  });
}

/** @throws Problem calendar_import_not_found */
export async function showImport(room: CalendarsRoom, importId: string): Promise<ProposedImport> {
  const made = await findImport(room.pool, importId);
  const approval = made && (await findProposal(room.pool, made.approvalId));
  if (made === undefined || approval === undefined) {
    throw new Problem('calendar_import_not_found', 'There is no calendar import with this id.');
  }
  return { made, approval };
}

/** What a second person can approve of this room. */
export function importApproval(room: CalendarsRoom): Approvable {
  const kind: ApprovalKind = {
    scope: 'operator:calendars',
    carryOut: async (connection, approved) => {
      await carryOut(connection, approved);
      // When it cannot be read then, it is by the sweep that follows changes.
      await afterCommit(() => room.dates.refresh(room.pool).catch(() => undefined));
    },
  };
  return [CALENDAR_IMPORT_KIND, kind];
}

/**
 * All years of the import, each as a new version, in the transaction that approves it. What the one who approves has
 * seen must still be the difference: also an upgrade may have changed what is built in.
 */
async function carryOut(
  connection: Connection,
  { approvalId, request, reason, proposedBy, decidedBy, now }: Approved,
): Promise<void> {
  const id = parseTypeId('cim', (request as { importId: string }).importId);
  const made = id === undefined ? undefined : await findImport(connection, id);
  if (made?.approvalId !== approvalId) throw new Error(`approval ${approvalId} has no import of calendars`);
  const { source, proposal } = made;
  await lockDateRules(connection);
  const is = await differenceOf(connection, await requireStored(connection), {
    fromYear: proposal.fromYear,
    toYear: proposal.toYear,
    source,
    days: new Map(proposal.calendars.map((calendar) => [calendar.currency, closedDays(calendar)])),
  });
  const changed = is.filter((calendar, index) => {
    const { openTransactions: _, ...was } = proposal.calendars[index] ?? { openTransactions: 0 };
    return !isDeepStrictEqual(calendar, was);
  });
  if (changed.length > 0) {
    const currencies = changed.map(({ currency }) => currency);
    const detail = `Calendars have changed since this was proposed: ${currencies.join(', ')}.`;
    throw new Problem('proposal_outdated', detail, { members: { currencies } });
  }
  for (const { currency, years } of is) {
    for (const { year, replaces, days } of years) {
      await insertCalendarYear(connection, currency, year, {
        version: replaces + 1,
        complete: true,
        days,
        reason,
        changedBy: proposedBy,
        approvedBy: decidedBy,
        changedAt: now,
        importId: made.id,
      });
    }
  }
  await bumpDateRules(connection);
}

function closedDays({ years }: ImportedCalendar): Map<string, string> {
  const closed = years.flatMap(({ days }) => days).filter(({ state }) => state === 'closed');
  return new Map(closed.map(({ date, reason }) => [date, reason]));
}
