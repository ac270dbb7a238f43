import type { StatementFileReport, Warning } from '@firmquote/api/operations/bank-statements';
import type { Queryable } from '../database/pool.ts';
import { countUndecided, listStatements } from './listing-store.ts';
import type { FileRow, StatementRow } from './record.ts';
import { listStatuses, type StatusRow } from './status-store.ts';
import { fileView, statementView } from './view.ts';

/** Statements of a file whose warnings are shown with it. */
const WARNED_STATEMENTS = 200;

/** A file with what an operator should look at. */
export async function fileReport(connection: Queryable, file: FileRow): Promise<StatementFileReport> {
  const statements = await listStatements(connection, file.id, -1, WARNED_STATEMENTS);
  const unknown =
    file.payment_statuses === 0
      ? []
      : await listStatuses(connection, file.id, ['unknown'], -1, WARNED_STATEMENTS);
  const undecided = file.bookings === 0 ? 0 : await countUndecided(connection, file.id);
  const warnings = [
    ...acceptedWarnings(file),
    ...statementWarnings(statements),
    ...statusWarnings(unknown),
    ...undecidedWarnings(undecided),
  ];
  return { ...fileView(file), warnings };
}

/** What an operator should look at before the day is closed. */
function statementWarnings(rows: readonly StatementRow[]): Warning[] {
  return rows.flatMap((row) => {
    const view = statementView(row);
    const warnings: Warning[] = [];
    const add = (code: Warning['code'], detail: string) =>
      warnings.push({ code, statementId: view.statementId, account: view.account, detail });
    if (view.setAside !== null) {
      const { entries } = view.setAside;
      const what = entries === 1 ? 'Its entry is' : `Its ${entries} entries are`;
      add('set_aside', `The account is in ${view.currency}, which is not supported. ${what} not booked.`);
    } else if (!view.ownAccount) {
      add('unknown_account', 'This is not a registered house account. Its credits wait until it is.');
    }
    if (view.missing !== null) {
      const { from, to } = view.missing;
      add('sequence_gap', `Statement ${from === to ? from : `${from} to ${to}`} of the account is missing.`);
    } else if (view.openingMatches === false) {
      add('opening_differs', 'Its opening balance is not the closing balance of the statement before it.');
    }
    return warnings;
  });
}

/** What two operators have accepted although the bank's figures do not agree. */
function acceptedWarnings({ accepted_despite_detail: detail }: FileRow): Warning[] {
  if (detail === null) return [];
  return [{ code: 'accepted_despite', statementId: null, account: null, detail }];
}

/** What a status report says of payments that are not ours. */
function statusWarnings(rows: readonly StatusRow[]): Warning[] {
  return rows.map((row) => ({
    code: 'unknown_payment',
    statementId: null,
    account: null,
    detail: `Line ${row.line}: ${row.status} of ${row.end_to_end_id ?? row.uetr ?? row.original_id ?? 'a payment without a reference'}, which matches no payment of the house.`,
  }));
}

/** Entries that no rule decides are not booked until an operator has. */
function undecidedWarnings(entries: number): Warning[] {
  if (entries === 0) return [];
  const detail = `${entries === 1 ? '1 entry waits' : `${entries} entries wait`} for an operator's decision; see the exceptions.`;
  return [{ code: 'not_booked', statementId: null, account: null, detail }];
}
