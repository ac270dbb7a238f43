import type { SpreadRuleInput } from '@firmquote/api/operations/spread-rules';
import { compare, type Decimal, findPair, parseAmount, parseSpreadBps, US_DOLLAR } from '@firmquote/fx';
import { existingCustomers } from '../customers/room.ts';
import type { Queryable } from '../database/pool.ts';
import { parseRfc3339 } from '../http/query.ts';
import { INSTANT, notWith } from '../http/sentences.ts';
import { parseTypeId } from '../platform/ids.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import { overlaps } from './spread-overlaps.ts';
import type { SpreadRuleRecord } from './spread-store.ts';

/** A rule as read, before it is known which one of the set it is. */
export type ReadRule = Omit<SpreadRuleRecord, 'id' | 'version' | 'createdAt'> & {
  readonly id: string | undefined;
};

/**
 * Rules as they are meant, or every mistake in them by pointer.
 * @param current the rules in force, which `ruleId` may name
 * @throws Problem validation_failed
 */
export async function checkedRules(
  connection: Queryable,
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
  // A wrong rule may seem to be for another target than it is meant for: overlaps are reported when all else is right.
  for (const { index, other } of errors.length > 0 ? [] : overlaps(rules)) {
    errors.push({
      pointer: `/rules/${index}`,
      code: 'overlap',
      detail: `is for the same customer, group, pair and tier as /rules/${other}, and their validity overlaps`,
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
    return parseRfc3339(text) ?? wrong(field, 'wrong_format', INSTANT);
  };
  const bound = (field: 'minSpreadBps' | 'maxSpreadBps') => {
    const text = input[field];
    return text == null ? undefined : (parseSpreadBps(text) ?? wrongBps(field, wrong));
  };
  const amount = (text: string | null | undefined): bigint => {
    if (text == null) return 0n;
    const parsed = parseAmount(text, US_DOLLAR);
    if (parsed.ok) return parsed.minor;
    wrong('amountFrom', parsed.error, 'must be an amount of US dollars');
    return 0n;
  };
  const rule: ReadRule = {
    id: id('ruleId', 'spr'),
    customerId: id('customerId', 'cus'),
    groupName: input.groupName ?? undefined,
    pair: input.pair ?? undefined,
    tenor: input.tenor ?? undefined,
    validityUpToSeconds: input.validityUpToSeconds ?? undefined,
    amountFromUsdMinor: amount(input.amountFrom),
    spreadBps: parseSpreadBps(input.spreadBps) ?? wrongBps('spreadBps', wrong),
    minBps: bound('minSpreadBps'),
    maxBps: bound('maxSpreadBps'),
    validFrom: instant('validFrom'),
    validTo: instant('validTo'),
  };
  if (rule.customerId !== undefined && rule.groupName !== undefined) {
    wrong('groupName', 'not_permitted', notWith('customerId'));
  }
  if (rule.pair !== undefined && findPair(rule.pair) === undefined) {
    wrong('pair', 'pair_not_supported', 'is not a pair of known currencies in market order');
  }
  if (rule.validFrom !== undefined && rule.validTo !== undefined && rule.validFrom >= rule.validTo) {
    wrong('validTo', 'out_of_range', 'must be later than validFrom');
  }
  if (rule.minBps !== undefined && rule.maxBps !== undefined && compare(rule.minBps, rule.maxBps) > 0) {
    wrong('maxSpreadBps', 'out_of_range', 'must not be less than minSpreadBps');
  }
  return rule;
}

function wrongBps(field: string, wrong: (field: string, code: string, detail: string) => undefined): Decimal {
  wrong(field, 'out_of_range', 'must be 0 to 4999.99 with up to two decimals');
  return { units: 0n, scale: 2 };
}
