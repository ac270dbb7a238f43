import { isDeepStrictEqual } from 'node:util';
import { compare, type Decimal, findPair, parseDecimal, rescale } from '@firmquote/fx';
import { type Connection, inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { parseRfc3339 } from '../http/query.ts';
import { newUuid, parseTypeId } from '../platform/ids.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import type { CustomersRoom } from './room.ts';
import { overlaps } from './spread-overlaps.ts';
import {
  deactivateRules,
  insertRules,
  lockRuleSet,
  readRuleSet,
  type SpreadRuleRecord,
  type SpreadRuleSet,
  writeRuleSetVersion,
} from './spread-store.ts';
import { existingCustomers } from './store.ts';

/** A rule as the operator writes it. Ids are TypeIDs, instants RFC 3339, null and absent mean the same: any. */
export interface SpreadRuleInput {
  /** Absent for a new rule. */
  readonly ruleId?: string | null;
  readonly customerId?: string | null;
  readonly groupName?: string | null;
  readonly pair?: string | null;
  readonly spreadBps: string;
  readonly validFrom?: string | null;
  readonly validTo?: string | null;
}

/** The whole set is held in memory by every instance. */
export const MAX_SPREAD_RULES = 10_000;
const MAX_BPS: Decimal = { units: 499_999n, scale: 2 };

/** A rule as read, before it is known which one of the set it is. */
type ReadRule = Omit<SpreadRuleRecord, 'id' | 'version' | 'createdAt'> & { readonly id: string | undefined };

/**
 * Replaces the set of spread rules: rules without id are new, rules that differ from the one of their id get its next
 * version, rules that are left out go out of force. Former versions stay, because quotes name them. A set that is the
 * same keeps its version.
 * @param ifMatch version of the set that the caller has seen; two operators cannot overwrite each other
 * @throws Problem version_mismatch, validation_failed with a pointer to each wrong rule
 */
export async function setSpreadRules(
  room: CustomersRoom,
  inputs: readonly SpreadRuleInput[],
  ifMatch: number | '*',
): Promise<SpreadRuleSet> {
  const set = await inTransaction(room.pool, async (connection) => {
    const version = await lockRuleSet(connection);
    requireVersion(ifMatch, version);
    const current = await readRuleSet(connection);
    const wanted = await checkedRules(connection, inputs, current.rules);
    return replace(connection, current, wanted, room.clock.now());
  });
  room.directory.spreadRulesChanged();
  return set;
}

async function replace(
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

async function checkedRules(
  connection: Connection,
  inputs: readonly SpreadRuleInput[],
  current: readonly SpreadRuleRecord[],
): Promise<ReadRule[]> {
  const errors: FieldError[] = [];
  const rules = inputs.map((input, index) => readRule(input, `/rules/${index}`, errors));
  const known = new Set(current.map((rule) => rule.id));
  const seen = new Set<string>();
  const customers = await existingCustomers(connection, [
    ...new Set(rules.flatMap((rule) => rule.customerId ?? [])),
  ]);
  for (const [index, rule] of rules.entries()) {
    const wrong = (field: string, code: string, detail: string) =>
      errors.push({ pointer: `/rules/${index}/${field}`, code, detail });
    if (rule.customerId !== undefined && !customers.has(rule.customerId)) {
      wrong('customerId', 'customer_not_found', 'is not a customer');
    }
    if (rule.id === undefined) continue;
    if (!known.has(rule.id))
      wrong('ruleId', 'not_found', 'is not a rule in force; leave it out for a new rule');
    if (seen.has(rule.id)) wrong('ruleId', 'repeated', 'is the id of another rule of this set');
    seen.add(rule.id);
  }
  // A wrong rule may seem to be for another target than it is meant for: overlaps are told when all else is right.
  for (const { index, other } of errors.length > 0 ? [] : overlaps(rules)) {
    errors.push({
      pointer: `/rules/${index}`,
      code: 'overlap',
      detail: `is for the same customer, group and pair as /rules/${other}, and their validity overlaps`,
    });
  }
  if (errors.length > 0) throw validationProblem(errors);
  return rules;
}

function readRule(input: SpreadRuleInput, pointer: string, errors: FieldError[]): ReadRule {
  const wrong = (field: string, code: string, detail: string): undefined => {
    errors.push({ pointer: `${pointer}/${field}`, code, detail });
    return undefined;
  };
  const id = (field: 'ruleId' | 'customerId', prefix: 'spr' | 'cus') => {
    const text = input[field];
    if (text == null) return undefined;
    return (
      parseTypeId(prefix, text) ?? wrong(field, 'wrong_format', `must be an id that begins with ${prefix}_`)
    );
  };
  const instant = (field: 'validFrom' | 'validTo') => {
    const text = input[field];
    if (text == null) return undefined;
    return parseRfc3339(text) ?? wrong(field, 'wrong_format', 'must be an RFC 3339 instant');
  };
  const rule: ReadRule = {
    id: id('ruleId', 'spr'),
    customerId: id('customerId', 'cus'),
    groupName: input.groupName ?? undefined,
    pair: input.pair ?? undefined,
    spreadBps: readBps(input.spreadBps) ?? wrongBps(wrong),
    validFrom: instant('validFrom'),
    validTo: instant('validTo'),
  };
  if (rule.customerId !== undefined && rule.groupName !== undefined) {
    wrong('groupName', 'not_permitted', 'must not be given beside a customerId');
  }
  if (rule.pair !== undefined && findPair(rule.pair) === undefined) {
    wrong('pair', 'pair_not_supported', 'is not a pair of known currencies in market order');
  }
  if (rule.validFrom !== undefined && rule.validTo !== undefined && rule.validFrom >= rule.validTo) {
    wrong('validTo', 'out_of_range', 'must be later than validFrom');
  }
  return rule;
}

/** Basis points at two decimals, the form in which they are kept. */
function readBps(text: string): Decimal | undefined {
  const value = parseDecimal(text);
  if (value === undefined || value.scale > 2 || value.units < 0n || compare(value, MAX_BPS) > 0)
    return undefined;
  return rescale(value, 2, 'half_even');
}

function wrongBps(wrong: (field: string, code: string, detail: string) => undefined): Decimal {
  wrong('spreadBps', 'out_of_range', 'must be 0 to 4999.99 with up to two decimals');
  return { units: 0n, scale: 2 };
}
