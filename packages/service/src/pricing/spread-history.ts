import type * as spreads from '@firmquote/api/operations/spread-rules';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { SpreadRuleRecord } from './spread-store.ts';
import { existingVersion, rulesAt, type SpreadVersion } from './spread-version-store.ts';
import { ruleTermsView, spreadRulesView } from './spread-view.ts';

/**
 * A version of the rules with what differs from another one, the one before where none is named.
 * @throws Problem spread_version_not_found
 */
export async function readSpreadVersion(
  pool: Pool,
  version: number,
  against: number | undefined,
): Promise<spreads.SpreadRuleVersionDetail> {
  const found = await existingVersion(pool, version);
  const former = against === undefined ? found.before : (await existingVersion(pool, against)).version;
  const rules = await rulesAt(pool, version);
  return {
    ...spreadVersionView(found),
    rules: spreadRulesView({ version, rules }).rules,
    against: former,
    differences: former === null ? [] : differencesOf(await rulesAt(pool, former), rules),
  };
}

export function spreadVersionView(found: SpreadVersion): spreads.SpreadRuleVersion {
  const actor = (id: string | null) => (id === null ? null : actorId(id));
  return {
    version: found.version,
    inForceFrom: isoInstant(found.at),
    inForceUntil: found.until === null ? null : isoInstant(found.until),
    ruleCount: found.rules,
    added: found.added,
    changed: found.changed,
    removed: found.removed,
    changedBy: actor(found.changed_by),
    reason: found.reason,
    approvalId: found.approval_id === null ? null : typeId('apr', found.approval_id),
    approvedBy: actor(found.approved_by),
    restores: found.restores,
  };
}

type Difference = spreads.SpreadRuleVersionDetail['differences'][number];

/** What a rule is for: two rules in force at once never have the same. */
function placeOf({ spreadBps: _, minSpreadBps: __, maxSpreadBps: ___, ...place }: spreads.SpreadRuleTerms) {
  return JSON.stringify(place);
}

/**
 * By what rules are for, and where that has changed by their id: a rule that went and came back under another id is the same to whoever
 * is priced by it.
 */
export function differencesOf(
  before: readonly SpreadRuleRecord[],
  after: readonly SpreadRuleRecord[],
): Difference[] {
  const read = (rule: SpreadRuleRecord) => ({ id: rule.id, terms: ruleTermsView(rule) });
  const was = before.map(read);
  const is = after.map(read);
  const placed = new Map(was.map((rule) => [placeOf(rule.terms), rule]));
  const known = new Map(was.map((rule) => [rule.id, rule]));
  const taken = new Set<string>();
  const pairs = is.map((rule) => {
    const same = placed.get(placeOf(rule.terms));
    if (same !== undefined) taken.add(same.id);
    return { rule, same };
  });
  const differences = pairs.flatMap(({ rule, same }): Difference[] => {
    if (same !== undefined) {
      const isSame = JSON.stringify(same.terms) === JSON.stringify(rule.terms);
      return isSame ? [] : [{ before: same.terms, after: rule.terms }];
    }
    const moved = taken.has(rule.id) ? undefined : known.get(rule.id);
    if (moved !== undefined) taken.add(moved.id);
    return [{ before: moved?.terms ?? null, after: rule.terms }];
  });
  const gone = was.filter(({ id }) => !taken.has(id)).map(({ terms }) => ({ before: terms, after: null }));
  return [...gone, ...differences];
}
