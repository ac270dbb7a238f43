import type { ProposalKind } from '@firmquote/api/command-kinds';
import type { ApprovalStatus } from '@firmquote/api/operations/approvals';
import { type Connection, type Queryable, sqlState } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/**
 * Something proposed, and what became of it. Instants are epoch milliseconds, persons and clients are UUIDs; `request`, `why`, `effects`,
 * `affected` and `result` are JSON texts. `effectsDigest` is null where the effects are not looked at again, and `proposedByPerson`,
 * one pair of the eyes, where nobody answers for the client.
 */
export type ApprovalRecord = Omit<CamelRow<'approvals'>, 'kind'> & { readonly kind: ProposalKind };

const COLUMNS = `id, kind, subject, request, reason, why, effects, affected, result, effects_digest as "effectsDigest", status, proposed_by as "proposedBy",
  proposed_by_person as "proposedByPerson", proposed_at as "proposedAt", decided_by as "decidedBy",
  decided_by_person as "decidedByPerson", decided_at as "decidedAt", note`;
const UNIQUE_VIOLATION = '23505';

/** Writes a pending approval; false when the subject has one already, which ends the transaction. */
export async function insertApproval(connection: Connection, approval: ApprovalRecord): Promise<boolean> {
  try {
    await connection.query(
      `insert into approvals (id, kind, subject, request, reason, status, proposed_by, proposed_by_person, proposed_at, why,
         effects, effects_digest, affected)
       values ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9, $10, $11, $12)`,
      [
        approval.id,
        approval.kind,
        approval.subject,
        approval.request,
        approval.reason,
        approval.proposedBy,
        approval.proposedByPerson,
        isoInstant(approval.proposedAt),
        approval.why,
        approval.effects,
        approval.effectsDigest,
        approval.affected,
      ],
    );
    return true;
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) return false;
    throw error;
  }
}

export async function findApproval(connection: Queryable, id: string): Promise<ApprovalRecord | undefined> {
  const { rows } = await connection.query<ApprovalRecord>(`select ${COLUMNS} from approvals where id = $1`, [
    id,
  ]);
  return rows[0];
}

export async function lockApproval(connection: Connection, id: string): Promise<ApprovalRecord | undefined> {
  const { rows } = await connection.query<ApprovalRecord>(
    `select ${COLUMNS} from approvals where id = $1 for update`,
    [id],
  );
  return rows[0];
}

export async function writeDecision(connection: Connection, approval: ApprovalRecord): Promise<void> {
  const { rowCount } = await connection.query(
    `update approvals set status = $2, decided_by = $3, decided_at = $4, note = $5, decided_by_person = $6, result = $7
     where id = $1 and status = 'pending'`,
    [
      approval.id,
      approval.status,
      approval.decidedBy,
      approval.decidedAt === null ? null : isoInstant(approval.decidedAt),
      approval.note,
      approval.decidedByPerson,
      approval.result,
    ],
  );
  if (rowCount !== 1) throw new Error(`approval ${approval.id} changed under its lock`);
}

/** Whether anything was ever proposed about the subject. */
export async function anyProposal(connection: Queryable, subject: string): Promise<boolean> {
  const { rowCount } = await connection.query('select from approvals where subject = $1 limit 1', [subject]);
  return rowCount === 1;
}

/**
 * Ends pending proposals that were made at or before an instant. One that is being decided on is passed over.
 * @returns how many
 */
export async function expireApprovals(
  connection: Queryable,
  madeUntil: number,
  at: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await connection.query(
    `update approvals a set status = 'expired', decided_at = $2
     from (select id from approvals where status = 'pending' and proposed_at <= $1
           order by proposed_at limit $3 for update skip locked) due
     where a.id = due.id`,
    [isoInstant(madeUntil), isoInstant(at), rowsMax],
  );
  return rowCount ?? 0;
}

/** When the oldest pending proposal was made. */
export async function oldestPending(connection: Queryable): Promise<number | undefined> {
  const { rows } = await connection.query<{ at: number | null }>(
    "select min(proposed_at) as at from approvals where status = 'pending'",
  );
  return rows[0]?.at ?? undefined;
}

interface ApprovalFilter {
  readonly status: readonly ApprovalStatus[] | undefined;
  readonly kind: ProposalKind | undefined;
  readonly subject: string | undefined;
}

/** Newest first. `before` is the id that the page begins after. */
export async function listApprovals(
  connection: Queryable,
  filter: ApprovalFilter,
  before: string | undefined,
  rowsMax: number,
): Promise<ApprovalRecord[]> {
  const { rows } = await connection.query<ApprovalRecord>(
    `select ${COLUMNS} from approvals
     where ($1::text[] is null or status = any ($1)) and ($2::text is null or kind = $2)
       and ($3::text is null or subject = $3) and ($4::uuid is null or id < $4)
     order by id desc limit $5`,
    [filter.status, filter.kind, filter.subject, before, rowsMax],
  );
  return rows;
}

/** How many proposals of each kind wait. @param most counted in all */
export async function countPending(connection: Queryable, most: number): Promise<Map<string, number>> {
  const { rows } = await connection.query<{ kind: string; count: number }>(
    `select kind, count(*)::int as count
     from (select kind from approvals where status = 'pending' order by proposed_at limit $1) p group by kind`,
    [most],
  );
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}
