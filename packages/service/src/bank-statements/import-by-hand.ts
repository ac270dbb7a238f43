import { propose, requireReason } from '../approvals/approvals.ts';
import { worthOf } from '../approvals/do-or-propose.ts';
import { type ActAmount, doesOnly, isFree, whyTwo } from '../approvals/judge.ts';
import { policyInForce } from '../approvals/policy.ts';
import type { ApprovalRecord } from '../approvals/store.ts';
import type { Connection } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { insertFile, lockFile, type NewFile, setOutcome } from './file-store.ts';
import { FileSummary } from './file-summary.ts';
import { type ImportedFile, type IncomingFile, orRefuse, takeFileIn } from './import-file.ts';
import { readFile } from './read-file.ts';
import type { StatementsRoom } from './room.ts';
import { lockImports } from './statement-store.ts';

/** Name of proposals. */
export const HELD_KIND = 'import_statement_file' as const;
/** What the policy calls it. */
const KIND = 'statement_import';

/** Rights of a client that does nothing but bring what others have made. */
const OF_FEEDS = ['operator:statements', 'operator:prices'];

interface Command {
  /** Person or OAuth client (UUID). */
  readonly actor: string;
  readonly reason: string | undefined;
}

/**
 * Imports a file that came over the interface. Money that a statement shows funds trades, and payments that it shows are made, so
 * what somebody brings by hand obeys the policy: it is read and checked, and kept with what it would bring until a second person has
 * approved it. A program whose client can do nothing else is free: two persons have made it.
 * @throws Problem as {@link orRefuse}; validation_failed without a reason, already_exists
 */
export function importFor(
  room: StatementsRoom,
  incoming: IncomingFile,
  command: Command,
): Promise<ImportedFile | ApprovalRecord> {
  return orRefuse(room, incoming, (connection, given) =>
    takeOrHold(room, connection, given, incoming, command),
  );
}

async function takeOrHold(
  room: StatementsRoom,
  connection: Connection,
  given: NewFile,
  incoming: IncomingFile,
  { actor, reason }: Command,
): Promise<ImportedFile | ApprovalRecord> {
  // Only now: other imports may have taken a minute, and the policy and the client's rights are others since.
  await lockImports(connection);
  const policy = await policyInForce(connection);
  if (isFree(policy, KIND) || (await doesOnly(connection, actor, OF_FEEDS)))
    return takeFileIn(connection, given, incoming);
  const before = await lockFile(connection, given.sha256);
  if (before?.status === 'accepted') return takeFileIn(connection, given, incoming);
  const { format, mapping, mappingDigest, events } = await readFile(connection, given, incoming);
  // Read twice rather than done and undone: a file may be large, and imports wait for each other.
  const summary = await FileSummary.of(connection, events(), policy.rules.get(KIND)?.needs !== 'always');
  const { statements, entries, paymentStatuses, moved } = summary;
  const amounts: ActAmount[] = moved.map(({ customerId, currency, minor }) => ({
    customerId,
    usdMinor: worthOf(room, currency, minor),
  }));
  // A status lets payments be made again, or counts as their having been made.
  if (paymentStatuses > 0) amounts.push({ customerId: undefined, usdMinor: undefined });
  const why = await whyTwo(connection, { kind: KIND, actorId: actor, amounts }, given.receivedAt);
  if (why.length === 0) return takeFileIn(connection, given, incoming);
  const file = { ...given, id: before?.id ?? given.id, mapping };
  const held = { format, statements, entries, newEntries: 0, paymentStatuses, isHeld: true } as const;
  if (before === undefined) await insertFile(connection, file, held, format, incoming.bytes);
  else await setOutcome(connection, file, held, format);
  const subject = typeId('stf', file.id);
  const proposal = {
    kind: HELD_KIND,
    subject,
    request: { fileId: subject, id: file.id, name: file.name, sha256: file.sha256 },
    reason: requireReason(reason),
    why,
    effects: await summary.effects(connection),
    ...(mappingDigest !== undefined && { effectsDigest: mappingDigest }),
    proposedBy: actor,
  };
  return propose(connection, proposal, given.receivedAt);
}
