import {
  formatOf,
  readStatements,
  type StatementFormat,
  StatementRefusal,
  TOLERABLE,
} from '@firmquote/bank-formats';
import { type Approvable, type Approved, propose } from '../approvals/approvals.ts';
import type { Effect } from '../approvals/effects.ts';
import type { ApprovalRecord } from '../approvals/store.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { deleteFile, lockFileById, type NewFile, readFileParts, setAccepted } from './file-store.ts';
import { FileSummary } from './file-summary.ts';
import { HELD_KIND } from './import-by-hand.ts';
import type { NamedMapping } from './mapping-store.ts';
import { digestOf, requireMapping } from './mappings.ts';
import type { FileRow } from './record.ts';
import type { StatementsRoom } from './room.ts';
import { lockImports } from './statement-store.ts';
import { noSuchFile } from './view.ts';
import { StatementWriter } from './write-statements.ts';

/** Name of proposals. */
const ACCEPT_KIND = 'accept_statement_file' as const;

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
  /** Person or OAuth client (UUID). */
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
export function proposeAcceptance(room: StatementsRoom, command: AcceptanceCommand): Promise<void> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const file = await lockFileById(connection, command.fileId);
    if (file === undefined) throw noSuchFile();
    requireTolerable(file);
    const mapping = await mappingOf(connection, file);
    const effects = await effectsOfFile(connection, file, mapping);
    const subject = typeId('stf', file.id);
    const { refusal_code, refusal_line: line, refusal_detail } = file;
    const request: ProposedAcceptance = {
      fileId: subject,
      id: file.id,
      sha256: file.sha256,
      refusal: { reason: refusal_code ?? '', line, detail: refusal_detail ?? '' },
    };
    const { reason, actor: proposedBy } = command;
    const why = [`Its figures do not agree: ${request.refusal.detail}`];
    const bound = mapping && { effectsDigest: digestOf(mapping) };
    const proposal = { kind: ACCEPT_KIND, subject, request, reason, why, effects, ...bound, proposedBy };
    await command.inCommit(connection, await propose(connection, proposal, now));
  });
}

/** What approving takes in: files whose figures do not agree, and those that somebody has brought by hand. */
export const FILE_APPROVALS: Approvable[] = ([ACCEPT_KIND, HELD_KIND] as const).map((kind) => [
  kind,
  {
    scope: 'operator:statements',
    carryOut: (connection, approved) => takeIn(connection, approved.request as ProposedAcceptance, approved),
  },
]);

/** What the file would bring, or what stands in the way besides its figures: then approving is refused too. */
async function effectsOfFile(
  connection: Connection,
  row: FileRow,
  mapping: NamedMapping | undefined,
): Promise<Effect[]> {
  const bytes = { open: () => readFileParts(connection, row) };
  try {
    const asked = { format: row.format ?? undefined, mapping: mapping?.mapping };
    const format = await formatOf(bytes, asked);
    const today = isoInstant(row.received_at).slice(0, 10);
    const options = { today, tolerate: () => undefined };
    const pieces = readStatements(bytes, format, mapping?.mapping, options);
    return await (await FileSummary.of(connection, pieces)).effects(connection);
  } catch (error) {
    if (!(error instanceof StatementRefusal)) throw error;
    return [{ at: '/refusal', before: row.refusal_detail, after: error.message }];
  }
}

function mappingOf(connection: Connection, { mapping }: FileRow): Promise<NamedMapping | undefined> {
  return mapping === null ? Promise.resolve(undefined) : requireMapping(connection, mapping);
}

/**
 * The mapping may have been replaced since the file was proposed: then it would bring something else than was shown.
 * @throws Problem proposal_outdated, with what it would bring now
 */
async function requireReadAsShown(
  connection: Connection,
  row: FileRow,
  mapping: NamedMapping | undefined,
  { effectsDigest: shown }: Approved,
): Promise<void> {
  const effectsDigest = mapping === undefined ? undefined : digestOf(mapping);
  if (shown === undefined || shown === effectsDigest) return;
  const effects = await effectsOfFile(connection, row, mapping);
  throw new Problem('proposal_outdated', 'The mapping that reads the file has been replaced since.', {
    members: { effects, effectsDigest },
  });
}

/** Imports the bytes that were kept. The sweep books the entries. */
async function takeIn(
  connection: Connection,
  { id, sha256 }: Pick<ProposedAcceptance, 'id' | 'sha256'>,
  approved: Approved,
): Promise<void> {
  await lockImports(connection);
  const row = await lockFileById(connection, id);
  if (row === undefined || row.sha256 !== sha256) throw noSuchFile();
  const isHeld = row.status === 'held';
  if (!isHeld) requireTolerable(row);
  const mapping = await mappingOf(connection, row);
  await requireReadAsShown(connection, row, mapping, approved);
  const bytes = { open: () => readFileParts(connection, row) };
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
    const options = isHeld ? { today } : { tolerate, today };
    for await (const events of readStatements(bytes, format, mapping?.mapping, options)) {
      await writer.write(events);
    }
    await writer.end();
    await setAccepted(connection, id, { format, ...writer.counts }, despite, approved);
  } catch (error) {
    throw asProblem(error, id);
  }
}

function asProblem(error: unknown, id: string): unknown {
  if (!(error instanceof StatementRefusal)) return error;
  const { code, line, message } = error;
  return new Problem('statement_refused', `${message}.`, {
    members: { reason: code, line: line ?? null, fileId: typeId('stf', id) },
  });
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
 * Deletes a refused or held file with its bytes: nothing has come of it, and it may hold what should not be kept. Accepted files stay;
 * they can be withdrawn.
 * @throws Problem statement_file_not_found, invalid_state_transition
 */
export function deleteRefusedFile(room: StatementsRoom, fileId: string): Promise<FileRow> {
  return inTransaction(room.pool, async (connection) => {
    const file = await lockFileById(connection, fileId);
    if (file === undefined) throw noSuchFile();
    if (file.status === 'accepted') {
      throw new Problem(
        'invalid_state_transition',
        `Only a refused or held file can be deleted; this one is ${file.status}.`,
        {
          members: { from: file.status, to: 'deleted', fileId: typeId('stf', file.id) },
        },
      );
    }
    await deleteFile(connection, file.id);
    return file;
  });
}
