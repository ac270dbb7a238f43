import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { type RuleRow, ruleOfRow, type SpreadRuleRecord } from './spread-store.ts';

/** Who changes the rules, and by which approval. Ids are UUIDs. */
export interface SpreadAuthor {
  readonly by?: string;
  readonly reason?: string | undefined;
  readonly approval?: { readonly id: string; readonly approvedBy: string } | undefined;
  /** The version whose rules it puts in force again. */
  readonly restores?: number | undefined;
}

/** A version of the set of rules, with the instant of the next one, and the number of the one before. */
export type SpreadVersion = Row<'spread_rule_versions'> & {
  readonly until: number | null;
  readonly before: number | null;
};

const COLUMNS = `v.*, (select n.at from spread_rule_versions n where n.version > v.version order by n.version limit 1) as until,
  (select max(b.version) from spread_rule_versions b where b.version < v.version) as before`;

/** Writes beside a version that has just come about who has made it. */
export async function writeSpreadAuthor(
  connection: Queryable,
  version: number,
  { by, reason, approval, restores }: SpreadAuthor,
  at: number,
): Promise<void> {
  await connection.query(
    `update spread_rule_versions set at = $2, changed_by = $3, reason = $4, approval_id = $5, approved_by = $6, restores = $7
     where version = $1`,
    [
      version,
      isoInstant(at),
      by ?? null,
      reason ?? null,
      approval?.id ?? null,
      approval?.approvedBy ?? null,
      restores ?? null,
    ],
  );
}

/** Newest first, after the version `before`. @param at only the version that was in force then */
export async function listSpreadVersions(
  database: Queryable,
  before: bigint | undefined,
  at: number | undefined,
  rowsMax: number,
): Promise<SpreadVersion[]> {
  const { rows } = await database.query<SpreadVersion>(
    `select ${COLUMNS} from spread_rule_versions v
     where ($1::int is null or v.version < $1)
       and ($2::timestamptz is null or v.version = (select max(o.version) from spread_rule_versions o where o.at <= $2))
     order by v.version desc limit $3`,
    [before ?? null, at === undefined ? null : isoInstant(at), rowsMax],
  );
  return rows;
}

/** @throws Problem spread_version_not_found */
export async function existingVersion(database: Queryable, version: number): Promise<SpreadVersion> {
  const { rows } = await database.query<SpreadVersion>(
    `select ${COLUMNS} from spread_rule_versions v where v.version = $1`,
    [version],
  );
  const [found] = rows;
  if (found !== undefined) return found;
  throw new Problem('spread_version_not_found', `There is no version ${version} of the spread rules.`);
}

/** The rules that were in force at a version of the set, oldest rule first. */
export async function rulesAt(database: Queryable, version: number): Promise<SpreadRuleRecord[]> {
  const { rows } = await database.query<RuleRow & { readonly id: string }>(
    `select * from spread_rules where from_set <= $1 and coalesce(until_set > $1, true) order by id`,
    [version],
  );
  return rows.map((row) => ruleOfRow(row, row.id));
}
