import type { SpreadRuleInput } from '@firmquote/api/operations/spread-rules';
import { afterCommit } from '../database/enclosure.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { PricingRoom } from './room.ts';
import { replaceRules } from './set-spread-rules.ts';
import type { SpreadRule } from './spread-book.ts';
import { checkedRules, type ReadRule } from './spread-input.ts';
import {
  lockDraft,
  lockRuleSet,
  readDraft,
  readRuleSet,
  type SpreadRuleDraft,
  type SpreadRuleSet,
  writeDraft,
} from './spread-store.ts';
import { existingVersion, rulesAt, type SpreadAuthor } from './spread-version-store.ts';
import { ruleTermsView } from './spread-view.ts';

/**
 * Keeps the next set of rules without putting it in force. It is checked like one that takes effect, and remembers the
 * version of the set that it was made from.
 * @param ifMatch version of the draft that the caller has seen; two operators cannot overwrite each other
 * @throws Problem version_mismatch, validation_failed with a pointer to each wrong rule
 */
export function setDraft(
  room: PricingRoom,
  rules: readonly SpreadRuleInput[],
  ifMatch: number | '*',
): Promise<SpreadRuleDraft> {
  return inTransaction(room.pool, async (connection) => {
    const current = await lockDraft(connection);
    requireVersion(ifMatch, current.version);
    const set = await readRuleSet(connection);
    await checkedRules(connection, rules, set.rules);
    return writeNextDraft(connection, current.version + 1, { basedOn: set.version, rules }, room.clock.now());
  });
}

/**
 * Makes the rules of an earlier version the draft, which takes effect as any other: history is never written again. What is still in
 * force keeps its id; what is not becomes a new rule.
 * @throws Problem version_mismatch, spread_version_not_found, and validation_failed where such rules are not permitted any more
 */
export function restoreVersion(
  room: PricingRoom,
  version: number,
  ifMatch: number | '*',
): Promise<SpreadRuleDraft> {
  return inTransaction(room.pool, async (connection) => {
    const current = await lockDraft(connection);
    requireVersion(ifMatch, current.version);
    const set = await readRuleSet(connection);
    const former = await existingVersion(connection, version);
    const inForce = new Set(set.rules.map(({ id }) => id));
    const rules = (await rulesAt(connection, former.version)).map(
      (rule): SpreadRuleInput => ({
        ...(inForce.has(rule.id) && { ruleId: typeId('spr', rule.id) }),
        ...(ruleTermsView(rule) as SpreadRuleInput),
      }),
    );
    await checkedRules(connection, rules, set.rules);
    const content = { basedOn: set.version, rules, restores: version };
    return writeNextDraft(connection, current.version + 1, content, room.clock.now());
  });
}

/** Forgets the draft. @throws Problem version_mismatch */
export function discardDraft(room: PricingRoom, ifMatch: number | '*'): Promise<SpreadRuleDraft> {
  return inTransaction(room.pool, async (connection) => {
    const current = await lockDraft(connection);
    requireVersion(ifMatch, current.version);
    if (current.content === undefined) return current;
    return writeNextDraft(connection, current.version + 1, undefined, room.clock.now());
  });
}

/**
 * Puts the draft in force, as one commit in which the draft ends.
 * @param ifMatch version of the draft that the caller has seen
 * @throws Problem version_mismatch, also when the rules in force have changed since the draft was made;
 * invalid_state_transition without a draft; validation_failed when a customer or rule that it names is gone
 */
export async function activateDraft(
  room: PricingRoom,
  ifMatch: number | '*',
  author: SpreadAuthor,
): Promise<SpreadRuleSet> {
  const now = room.clock.now();
  const set = await inTransaction(room.pool, async (connection) => {
    const draft = await lockDraft(connection);
    requireVersion(ifMatch, draft.version);
    if (draft.content === undefined) {
      throw new Problem('invalid_state_transition', 'There is no draft to activate.', {
        members: { from: 'none', to: 'active' },
      });
    }
    const { rules, basedOn, restores } = draft.content;
    const inForce = await lockRuleSet(connection);
    if (inForce !== basedOn) {
      throw new Problem(
        'version_mismatch',
        `The draft was made from version ${basedOn} of the rules, and version ${inForce} is in force. Save it again.`,
        { members: { currentVersion: inForce, basedOn } },
      );
    }
    const activated = await replaceRules(connection, rules, basedOn, { ...author, restores, now });
    await writeNextDraft(connection, draft.version + 1, undefined, now);
    return activated;
  });
  await afterCommit(() => room.spreads.changed(set));
  return set;
}

/** The rules in force, and those that a preview holds against them. */
interface PreviewSets {
  readonly live: readonly SpreadRule[];
  /** The rules of the request, or the stored draft in their place, in the order in which they were sent. */
  readonly draft: readonly ReadRule[] | undefined;
}

/** @throws Problem validation_failed */
export async function previewSets(
  connection: Queryable,
  given: readonly SpreadRuleInput[] | undefined,
): Promise<PreviewSets> {
  const live = (await readRuleSet(connection)).rules;
  const rules = given ?? asNewWhereGone((await readDraft(connection)).content?.rules, live);
  return { live, draft: rules && (await checkedRules(connection, rules, live)) };
}

/** Rules may have gone out of force since the draft was kept: what it says of them is what new ones would say. */
function asNewWhereGone(
  rules: readonly SpreadRuleInput[] | undefined,
  live: readonly SpreadRule[],
): SpreadRuleInput[] | undefined {
  const inForce = new Set(live.map(({ id }) => typeId('spr', id)));
  return rules?.map(({ ruleId, ...terms }) =>
    ruleId != null && inForce.has(ruleId) ? { ruleId, ...terms } : terms,
  );
}

async function writeNextDraft(
  connection: Connection,
  version: number,
  content: SpreadRuleDraft['content'],
  now: number,
): Promise<SpreadRuleDraft> {
  const draft: SpreadRuleDraft = { version, content, changedAt: now };
  await writeDraft(connection, version, content, isoInstant(now));
  return draft;
}
