import { isDeepStrictEqual } from 'node:util';
import type { SpreadRuleInput } from '@firmquote/api/operations/spread-rules';
import { afterCommit } from '../database/enclosure.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { newUuid } from '../platform/ids.ts';
import type { PricingRoom } from './room.ts';
import { checkedRules, type ReadRule } from './spread-input.ts';
import {
  deactivateRules,
  insertRules,
  lockRuleSet,
  readRuleSet,
  type SpreadRuleRecord,
  type SpreadRuleSet,
  writeRuleSetVersion,
} from './spread-store.ts';
import { type SpreadAuthor, writeSpreadAuthor } from './spread-version-store.ts';

export type SpreadRulesRoom = Pick<PricingRoom, 'pool' | 'clock' | 'spreads'>;

/**
 * Replaces the set of spread rules: rules without id are new, rules that differ from the one of their id get its next
 * version, rules that are left out go out of force. Former versions stay, because quotes name them. A set that is the
 * same keeps its version.
 * @param ifMatch version of the set that the caller has seen; two operators cannot overwrite each other
 * @param author kept with the version; nobody for what the service sets itself
 * @throws Problem version_mismatch, validation_failed with a pointer to each wrong rule
 */
export async function setSpreadRules(
  room: SpreadRulesRoom,
  inputs: readonly SpreadRuleInput[],
  ifMatch: number | '*',
  author: SpreadAuthor = {},
): Promise<SpreadRuleSet> {
  const set = await inTransaction(room.pool, (connection) =>
    replaceRules(connection, inputs, ifMatch, { ...author, now: room.clock.now() }),
  );
  await afterCommit(() => room.spreads.changed(set));
  return set;
}

/** {@link setSpreadRules} in a transaction of the caller's. */
export async function replaceRules(
  connection: Connection,
  inputs: readonly SpreadRuleInput[],
  ifMatch: number | '*',
  { now, ...author }: SpreadAuthor & { readonly now: number },
): Promise<SpreadRuleSet> {
  requireVersion(ifMatch, await lockRuleSet(connection));
  const current = await readRuleSet(connection);
  const wanted = await checkedRules(connection, inputs, current.rules);
  const set = await writeDifferences(connection, current, wanted, now);
  if (set.version !== current.version) await writeSpreadAuthor(connection, set.version, author, now);
  return set;
}

async function writeDifferences(
  connection: Connection,
  current: SpreadRuleSet,
  wanted: readonly ReadRule[],
  now: number,
): Promise<SpreadRuleSet> {
  const remaining = new Map(current.rules.map((rule) => [rule.id, rule]));
  // Rules are listed by id: sorted ids keep new rules in the order in which they were sent.
  const newIds = wanted
    .filter((rule) => rule.id === undefined)
    .map(() => newUuid(now))
    .sort()
    .values();
  const kept: SpreadRuleRecord[] = [];
  const written: SpreadRuleRecord[] = [];
  for (const rule of wanted) {
    const former = rule.id === undefined ? undefined : remaining.get(rule.id);
    if (former === undefined) {
      written.push({ ...rule, id: newIds.next().value ?? newUuid(now), version: 1, createdAt: now });
      continue;
    }
    const next = { ...rule, id: former.id, version: former.version, createdAt: former.createdAt };
    if (isDeepStrictEqual(next, former)) {
      remaining.delete(former.id);
      kept.push(former);
    } else written.push({ ...next, version: former.version + 1, createdAt: now });
  }
  if (written.length === 0 && remaining.size === 0) return current;
  // First out, then in: a changed rule must not meet its former version at the unique indexes.
  await deactivateRules(connection, [...remaining.keys()]);
  await insertRules(connection, written);
  const version = current.version + 1;
  await writeRuleSetVersion(connection, version);
  return { version, rules: [...kept, ...written].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
