import type { SpreadRuleInput } from '@firmquote/api/operations/spread-rules';
import { type Decimal, formatDecimal, parseDecimal } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { SpreadRule } from './spread-book.ts';

/** A rule with the instant at which this version of it was written. */
export interface SpreadRuleRecord extends SpreadRule {
  readonly createdAt: number;
}

export type RuleRow = Omit<Row<'spread_rules'>, 'active' | 'id' | 'from_set' | 'until_set'> & {
  readonly id: string | null;
};

export interface SpreadRuleSet<Rule extends SpreadRule = SpreadRuleRecord> {
  readonly version: number;
  readonly rules: readonly Rule[];
}

/** For those who follow it: it changes with every change of the set. */
export const RULE_SET_VERSION_QUERY = 'select version from spread_rule_set';

/** The version of the set, which is held until the transaction ends: replacements go one after the other. */
export async function lockRuleSet(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<Pick<Row<'spread_rule_set'>, 'version'>>(
    'select version from spread_rule_set for update',
  );
  const version = rows[0]?.version;
  if (version === undefined) throw new Error('the spread rule set has no row');
  return version;
}

/** The set in force, oldest rule first, as of one moment. */
export async function readRuleSet(connection: Queryable): Promise<SpreadRuleSet> {
  const set = await readRuleSetUnless(connection, undefined);
  return { version: set.version, rules: set.rules ?? [] };
}

/** As {@link readRuleSet}, but without the rules when the set still has the known version. */
export async function readRuleSetUnless(
  connection: Queryable,
  knownVersion: number | undefined,
): Promise<{ version: number; rules: readonly SpreadRuleRecord[] | undefined }> {
  const { rows } = await connection.query<RuleRow & { set_version: number }>({
    name: 'read_spread_rules',
    // One statement sees one state of the database, so version and rules belong together.
    text: `select s.version as set_version, r.* from spread_rule_set s
           left join spread_rules r on r.active and s.version is distinct from $1::int
           order by r.id`,
    values: [knownVersion ?? null],
  });
  const version = rows[0]?.set_version;
  if (version === undefined) throw new Error('the spread rule set has no row');
  if (version === knownVersion) return { version, rules: undefined };
  return { version, rules: rows.flatMap((row) => (row.id === null ? [] : [ruleOfRow(row, row.id)])) };
}

/** Takes rules out of force. Their rows stay, because quotes name them. */
export async function deactivateRules(connection: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await connection.query('update spread_rules set active = false where active and id = any ($1::uuid[])', [
    ids,
  ]);
}

export async function insertRules(connection: Queryable, rules: readonly SpreadRuleRecord[]): Promise<void> {
  if (rules.length === 0) return;
  const column = <T>(value: (rule: SpreadRuleRecord) => T) => rules.map(value);
  const instant = (value: number | undefined) => (value === undefined ? null : isoInstant(value));
  await connection.query(
    `insert into spread_rules (id, version, customer_id, group_name, pair, spread_bps, valid_from, valid_to, active,
       created_at, tenor, validity_up_to_seconds, amount_from_usd_minor, min_bps, max_bps)
     select r.id, r.version, r.customer_id, r.group_name, r.pair, r.spread_bps, r.valid_from, r.valid_to, true,
       r.created_at, r.tenor, r.validity_up_to_seconds, r.amount_from_usd_minor, r.min_bps, r.max_bps
     from unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::numeric[], $7::timestamptz[],
       $8::timestamptz[], $9::timestamptz[], $10::text[], $11::int[], $12::numeric[], $13::numeric[], $14::numeric[])
       as r (id, version, customer_id, group_name, pair, spread_bps, valid_from, valid_to, created_at, tenor,
         validity_up_to_seconds, amount_from_usd_minor, min_bps, max_bps)`,
    [
      column((rule) => rule.id),
      column((rule) => rule.version),
      column((rule) => rule.customerId ?? null),
      column((rule) => rule.groupName ?? null),
      column((rule) => rule.pair ?? null),
      column((rule) => formatDecimal(rule.spreadBps)),
      column((rule) => instant(rule.validFrom)),
      column((rule) => instant(rule.validTo)),
      column((rule) => isoInstant(rule.createdAt)),
      column((rule) => rule.tenor ?? null),
      column((rule) => rule.validityUpToSeconds ?? null),
      column((rule) => String(rule.amountFromUsdMinor)),
      column((rule) => rule.minBps && formatDecimal(rule.minBps)),
      column((rule) => rule.maxBps && formatDecimal(rule.maxBps)),
    ],
  );
}

export async function writeRuleSetVersion(connection: Queryable, version: number): Promise<void> {
  await connection.query('update spread_rule_set set version = $1', [version]);
}

export function ruleOfRow(row: RuleRow, id: string): SpreadRuleRecord {
  return {
    id,
    version: row.version,
    customerId: row.customer_id ?? undefined,
    groupName: row.group_name ?? undefined,
    pair: row.pair ?? undefined,
    tenor: row.tenor ?? undefined,
    validityUpToSeconds: row.validity_up_to_seconds ?? undefined,
    amountFromUsdMinor: BigInt(row.amount_from_usd_minor),
    spreadBps: storedBps(row.spread_bps),
    minBps: row.min_bps === null ? undefined : storedBps(row.min_bps),
    maxBps: row.max_bps === null ? undefined : storedBps(row.max_bps),
    validFrom: row.valid_from ?? undefined,
    validTo: row.valid_to ?? undefined,
    createdAt: row.created_at,
  };
}

/** A numeric(9, 2) always comes with two decimals. */
function storedBps(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error('a stored spread is not a decimal');
  return value;
}

/** The next set of rules while operators work on it. */
export interface SpreadRuleDraft {
  readonly version: number;
  readonly content:
    | {
        /** Version of the set in force that it was made from. */
        readonly basedOn: number;
        /** As they were sent. */
        readonly rules: readonly SpreadRuleInput[];
        /** The earlier version that it is made of, and nothing else. */
        readonly restores?: number | undefined;
      }
    | undefined;
  readonly changedAt: number | undefined;
}

type DraftRow = Omit<Row<'spread_rule_draft'>, 'singleton'>;

export async function readDraft(connection: Queryable): Promise<SpreadRuleDraft> {
  const { rows } = await connection.query<DraftRow>('select * from spread_rule_draft');
  return draftOfRow(rows[0]);
}

/** The draft, which is held until the transaction ends. */
export async function lockDraft(connection: Queryable): Promise<SpreadRuleDraft> {
  const { rows } = await connection.query<DraftRow>('select * from spread_rule_draft for update');
  return draftOfRow(rows[0]);
}

export async function writeDraft(
  connection: Queryable,
  version: number,
  content: SpreadRuleDraft['content'],
  at: string,
): Promise<void> {
  await connection.query(
    'update spread_rule_draft set version = $1, based_on = $2, rules = $3, changed_at = $4, restores = $5',
    [
      version,
      content?.basedOn ?? null,
      content === undefined ? null : JSON.stringify(content.rules),
      at,
      content?.restores ?? null,
    ],
  );
}

function draftOfRow(row: DraftRow | undefined): SpreadRuleDraft {
  if (row === undefined) throw new Error('the draft of spread rules has no row');
  return {
    version: row.version,
    content:
      row.rules === null || row.based_on === null
        ? undefined
        : {
            basedOn: row.based_on,
            rules: JSON.parse(row.rules) as SpreadRuleInput[],
            restores: row.restores ?? undefined,
          },
    changedAt: row.changed_at ?? undefined,
  };
}
