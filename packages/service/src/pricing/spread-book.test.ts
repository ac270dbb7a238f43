import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseTier, parseDecimal, type TierRequest } from '@firmquote/fx';
import fc from 'fast-check';
import type { SpreadRule } from './spread-book.ts';
import { SpreadBook } from './spread-book.ts';
import { overlaps } from './spread-overlaps.ts';

const customer = fc.constantFrom('customer-1', 'customer-2');
const group = fc.constantFrom('gold', 'silver');
const pair = fc.constantFrom('EURUSD', 'USDJPY');
const instant = fc.integer({ min: 0, max: 6 });
const request: fc.Arbitrary<TierRequest> = fc.record({
  tenor: fc.constantFrom('today', 'tom', 'spot', 'broken'),
  validitySeconds: fc.constantFrom(10, 30, 60, 300),
  usdMinor: fc.constantFrom(0n, 99n, 100n),
  at: instant,
});
const spreadBps = parseDecimal('1.00') ?? assert.fail();

/** Few values, so that targets collide and validities touch. */
const rules: fc.Arbitrary<SpreadRule[]> = fc
  .array(
    fc.record({
      owner: fc.oneof(fc.constant({}), fc.record({ customerId: customer }), fc.record({ groupName: group })),
      pair: fc.option(pair, { nil: undefined }),
      validFrom: fc.option(instant, { nil: undefined }),
      length: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      tenor: fc.option(fc.constantFrom('today' as const, 'spot' as const), { nil: undefined }),
      validityUpToSeconds: fc.option(fc.constantFrom(10, 60), { nil: undefined }),
      amountFromUsdMinor: fc.constantFrom(0n, 0n, 100n),
    }),
    { maxLength: 25 },
  )
  .map((drafts) =>
    drafts.map((draft, index) => ({
      customerId: undefined,
      groupName: undefined,
      ...draft.owner,
      id: `rule-${String((index * 7) % 25).padStart(2, '0')}`,
      version: 1,
      pair: draft.pair,
      tenor: draft.tenor,
      validityUpToSeconds: draft.validityUpToSeconds,
      amountFromUsdMinor: draft.amountFromUsdMinor,
      spreadBps,
      minBps: undefined,
      maxBps: undefined,
      validFrom: draft.validFrom,
      validTo: draft.length === undefined ? undefined : (draft.validFrom ?? 0) + draft.length,
    })),
  );

/**
 * docs/interface.md#spreads read literally: try the levels one after the other, look at every rule in each, and among those that
 * the request meets take one of its tenor before one of any, the shortest validity, the highest amount, the latest
 * `validFrom`, then the highest id.
 */
function bruteForce(
  all: readonly SpreadRule[],
  customerId: string,
  groupName: string | undefined,
  onPair: string,
  request: TierRequest,
): SpreadRule | undefined {
  const levels: ((rule: SpreadRule) => boolean)[] = [
    (rule) => rule.customerId === customerId && rule.pair === onPair,
    (rule) => rule.customerId === customerId && rule.pair === undefined,
    (rule) => groupName !== undefined && rule.groupName === groupName && rule.pair === onPair,
    (rule) => groupName !== undefined && rule.groupName === groupName && rule.pair === undefined,
    (rule) => rule.customerId === undefined && rule.groupName === undefined && rule.pair === onPair,
    (rule) => rule.customerId === undefined && rule.groupName === undefined && rule.pair === undefined,
  ];
  for (const level of levels) {
    let best: SpreadRule | undefined;
    for (const rule of all) {
      if (!level(rule)) continue;
      if (rule.validFrom !== undefined && rule.validFrom > request.at) continue;
      if (rule.validTo !== undefined && rule.validTo <= request.at) continue;
      if (rule.tenor !== undefined && rule.tenor !== request.tenor) continue;
      if (rule.validityUpToSeconds !== undefined && rule.validityUpToSeconds < request.validitySeconds)
        continue;
      if (rule.amountFromUsdMinor > request.usdMinor) continue;
      if (best === undefined || strength(rule) > strength(best)) best = rule;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

/** Texts that sort as strong as their rules are. */
function strength(rule: SpreadRule): string {
  return [
    rule.tenor === undefined ? '0' : '1',
    String(1_000 - (rule.validityUpToSeconds ?? 999)).padStart(4, '0'),
    String(rule.amountFromUsdMinor).padStart(4, '0'),
    String((rule.validFrom ?? -1) + 1),
    rule.id,
  ].join(' ');
}

test('the rule is the one that a literal reading of the precedence finds', () => {
  fc.assert(
    fc.property(
      rules,
      fc.array(fc.tuple(customer, fc.option(group, { nil: undefined }), pair, request), {
        minLength: 1,
        maxLength: 30,
      }),
      (all, questions) => {
        const book = new SpreadBook(1, all);
        for (const [customerId, groupName, onPair, asked] of questions) {
          assert.equal(
            chooseTier(book.candidates(customerId, groupName, onPair).rules, asked)?.id,
            bruteForce(all, customerId, groupName, onPair, asked)?.id,
          );
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('the order in which rules are read makes no difference', () => {
  fc.assert(
    fc.property(rules, customer, group, pair, (all, customerId, groupName, onPair) => {
      assert.deepEqual(
        new SpreadBook(1, all).candidates(customerId, groupName, onPair),
        new SpreadBook(1, all.toReversed()).candidates(customerId, groupName, onPair),
      );
    }),
  );
});

test('what is resolved is given out again, also for another group of the same customer', () => {
  const book = new SpreadBook(1, []);
  const first = book.candidates('customer-1', 'gold', 'EURUSD');
  assert.equal(book.candidates('customer-1', 'gold', 'EURUSD'), first);
  assert.notEqual(book.candidates('customer-1', 'silver', 'EURUSD'), first);
});

test('overlaps are told in the order of the rules, whatever their targets', () => {
  const on = (onPair: string) => ({
    ...{ customerId: undefined, groupName: undefined, tenor: undefined, validityUpToSeconds: undefined },
    ...{ pair: onPair, amountFromUsdMinor: 0n, validFrom: undefined, validTo: undefined },
  });
  assert.deepEqual(overlaps([on('EURUSD'), on('USDJPY'), on('USDJPY'), on('EURUSD'), on('USDJPY')]), [
    { index: 2, other: 1 },
    { index: 3, other: 0 },
    { index: 4, other: 1 },
  ]);
});

test('a set has an overlap exactly when two rules of one target and tier are valid at one instant', () => {
  fc.assert(
    fc.property(rules, (all) => {
      const found = overlaps(all);
      const collides = (a: SpreadRule, b: SpreadRule) =>
        a.customerId === b.customerId &&
        a.groupName === b.groupName &&
        a.pair === b.pair &&
        a.tenor === b.tenor &&
        a.validityUpToSeconds === b.validityUpToSeconds &&
        a.amountFromUsdMinor === b.amountFromUsdMinor &&
        (a.validFrom ?? -1) < (b.validTo ?? 99) &&
        (b.validFrom ?? -1) < (a.validTo ?? 99);
      const any = all.some((a, i) => all.some((b, j) => i < j && collides(a, b)));
      assert.equal(found.length > 0, any);
      for (const { index, other } of found) {
        const [a, b] = [all[index], all[other]];
        assert.ok(index !== other && a && b && collides(a, b), `${index} and ${other} do not overlap`);
      }
    }),
    { numRuns: 500 },
  );
});
