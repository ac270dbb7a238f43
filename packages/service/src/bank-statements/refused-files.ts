import {
  formatOf,
  readStatements,
  type StatementFormat,
  StatementRefusal,
  TOLERABLE,
} from '@firmquote/bank-formats';
import { type ApprovalKind, type Approved, propose } from '../approvals/approvals.ts';
import type { ApprovalRecord } from '../approvals/store.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import type { DepositsRoom } from '../deposits/room.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { deleteFile, lockFileById, type NewFile, readFileParts, setAccepted } from './file-store.ts';
import { requireMapping } from './mappings.ts';
import type { FileRow } from './record.ts';
import { lockImports } from './statement-store.ts';
import { noSuchFile } from './view.ts';
import { StatementWriter } from './write-statements.ts';

/** Name of proposals. */
const ACCEPT_KIND = 'accept_statement_file';

/** What a second person gets to see. */
interface ProposedAcceptance {
  readonly fileId: string;
  readonly id: string;
  readonly sha256: string;
  readonly refusal: { readonly reason: string; readonly line: number | null; readonly detail: string };
}

interface AcceptanceCommand {
  /** UUID. */
  readonly fileId: string;
  /** OAuth client (UUID). */
  readonly actor: string;
  readonly reason: string;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit: (connection: Connection, approval: ApprovalRecord) => Promise<void>;
}

/**
 * Proposes to accept a file although its figures do not agree: banks do correct balances by hand. A second operator always
 * has to approve it; nothing is done before.
 * @throws Problem statement_file_not_found; invalid_state_transition when it was accepted, or refused for anything else;
 *   already_exists
 */
export function proposeAcceptance(room: DepositsRoom, command: AcceptanceCommand): Promise<void> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const file = await lockFileById(connection, command.fileId);
    if (file === undefined) throw noSuchFile();
    requireTolerable(file);
    const subject = typeId('stf', file.id);
    const { refusal_code, refusal_line: line, refusal_detail } = file;
    const request: ProposedAcceptance = {
      fileId: subject,
      id: file.id,
      sha256: file.sha256,
      refusal: { reason: refusal_code ?? '', line, detail: refusal_detail ?? '' },
    };
    const { reason, actor: proposedBy } = command;
    const proposal = { kind: ACCEPT_KIND, subject, request, reason, proposedBy };
    await command.inCommit(connection, await propose(connection, proposal, now));
  });
}

export const ACCEPT_APPROVAL: [string, ApprovalKind] = [
  ACCEPT_KIND,
  {
    scope: 'operator:statements',
    carryOut: (connection, approved) =>
      takeAllTheSame(connection, approved.request as ProposedAcceptance, approved),
  },
];

/** Imports the bytes that were kept. The sweep books the entries. */
async function takeAllTheSame(
  connection: Connection,
  { id, sha256 }: ProposedAcceptance,
  approved: Approved,
): Promise<void> {
  await lockImports(connection);
  const row = await lockFileById(connection, id);
  if (row === undefined || row.sha256 !== sha256) throw noSuchFile();
  requireTolerable(row);
  const mapping = row.mapping === null ? undefined : await requireMapping(connection, row.mapping);
  const bytes = { open: () => readFileParts(connection, id) };
  const file = fileOf(row);
  let despite: StatementRefusal | undefined;
  try {
    const format: StatementFormat = await formatOf(bytes, {
      format: row.format ?? undefined,
      mapping: mapping?.mapping,
    });
    const writer = new StatementWriter(connection, file);
    await writer.start();
    const today = isoInstant(row.received_at).slice(0, 10);
    const tolerate = (refusal: StatementRefusal) => {
      despite ??= refusal;
    };
    for await (const events of readStatements(bytes, format, mapping?.mapping, { tolerate, today })) {
      await writer.write(events);
    }
    await writer.end();
    await setAccepted(connection, id, { format, ...writer.counts }, despite, approved);
  } catch (error) {
    if (!(error instanceof StatementRefusal)) throw error;
    const { code, line, message } = error;
    throw new Problem('statement_refused', `${message}.`, {
      members: { reason: code, line: line ?? null, fileId: typeId('stf', id) },
    });
  }
}

function requireTolerable({ status, refusal_code: code }: FileRow): void {
  if (status === 'refused' && code !== null && TOLERABLE.has(code)) return;
  throw new Problem(
    'invalid_state_transition',
    status === 'refused' ? `A file refused as ${code} cannot be accepted.` : 'The file is already accepted.',
    { members: { from: status, to: 'accepted' } },
  );
}

function fileOf(row: FileRow): NewFile {
  return {
    id: row.id,
    name: row.name,
    sha256: row.sha256,
    sizeBytes: Number.parseInt(row.size_bytes, 10),
    source: row.source,
    receivedBy: row.received_by ?? undefined,
    receivedAt: row.received_at,
    mapping: row.mapping ?? undefined,
  };
}

/**
 * Deletes a refused file with its bytes: nothing has come of it, and it may hold what should not be kept. Accepted files stay;
 * they can be withdrawn.
 * @throws Problem statement_file_not_found, invalid_state_transition
 */
export function deleteRefusedFile(room: DepositsRoom, fileId: string): Promise<FileRow> {
  return inTransaction(room.pool, async (connection) => {
    const file = await lockFileById(connection, fileId);
    if (file === undefined) throw noSuchFile();
    if (file.status !== 'refused') {
      throw new Problem(
        'invalid_state_transition',
        `Only a refused file can be deleted; this one is ${file.status}.`,
        {
          members: { from: file.status, to: 'deleted', fileId: typeId('stf', file.id) },
        },
      );
    }
    await deleteFile(connection, file.id);
    return file;
  });
}
