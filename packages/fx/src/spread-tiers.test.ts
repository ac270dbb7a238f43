import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDecimal } from './decimal.ts';
import { totalOfComponents } from './spread.ts';
import {
  chooseTier,
  compareTiers,
  hasSameTarget,
  type SpreadTier,
  type TierRequest,
  targetLevel,
  tierParts,
  unmetCondition,
} from './spread-tiers.ts';

const ANY: SpreadTier = {
  id: 'any',
  customerId: undefined,
  groupName: undefined,
  pair: undefined,
  tenor: undefined,
  validityUpToSeconds: undefined,
  amountFromUsdMinor: 0n,
  validFrom: undefined,
  validTo: undefined,
  spreadBps: { units: 2_000n, scale: 2 },
};
const tier = (id: string, bps: bigint, change: Partial<SpreadTier> = {}): SpreadTier => ({
  ...ANY,
  id,
  spreadBps: { units: bps * 100n, scale: 2 },
  ...change,
});
const dollars = (amount: bigint) => amount * 100n;
const SPOT: TierRequest = { tenor: 'spot', validitySeconds: 30, usdMinor: 0n, at: 0 };

const TABLE = [
  tier('standing', 20n),
  tier('million', 15n, { amountFromUsdMinor: dollars(1_000_000n) }),
  tier('ten-million', 12n, { amountFromUsdMinor: dollars(10_000_000n) }),
  tier('today', 26n, { tenor: 'today' }),
  tier('today-million', 22n, { tenor: 'today', amountFromUsdMinor: dollars(1_000_000n) }),
  tier('ten-seconds', 18n, { validityUpToSeconds: 10 }),
].sort(compareTiers);

const VECTORS: readonly [string, Partial<TierRequest>, chosen: string, parts: string[]][] = [
  ['nothing special', {}, 'standing', ['customer_spread 20.00']],
  ['one cent short of a tier', { usdMinor: dollars(1_000_000n) - 1n }, 'standing', ['customer_spread 20.00']],
  [
    'exactly at a tier',
    { usdMinor: dollars(1_000_000n) },
    'million',
    ['customer_spread 20.00', 'amount_tier -5.00'],
  ],
  [
    'far above all tiers',
    { usdMinor: dollars(999_000_000n) },
    'ten-million',
    ['customer_spread 20.00', 'amount_tier -8.00'],
  ],
  ['another tenor', { tenor: 'today' }, 'today', ['customer_spread 20.00', 'tenor_spread 6.00']],
  [
    'a tenor comes before an amount',
    { tenor: 'today', usdMinor: dollars(50_000_000n) },
    'today-million',
    ['customer_spread 20.00', 'tenor_spread 6.00', 'amount_tier -4.00'],
  ],
  [
    'a short promise',
    { validitySeconds: 10 },
    'ten-seconds',
    ['customer_spread 20.00', 'validity_premium -2.00'],
  ],
  [
    'a short promise comes before an amount',
    { validitySeconds: 1, usdMinor: dollars(1_000_000n) },
    'ten-seconds',
    ['customer_spread 20.00', 'validity_premium -2.00'],
  ],
  ['a date of its own is no tenor of the table', { tenor: 'broken' }, 'standing', ['customer_spread 20.00']],
];

for (const [name, change, chosen, parts] of VECTORS) {
  test(`tiers: ${name}`, () => {
    const request = { ...SPOT, ...change };
    const rule = chooseTier(TABLE, request) ?? assert.fail('none');
    assert.equal(rule.id, chosen);
    assert.deepEqual(
      tierParts(TABLE, rule, request)
        .filter(({ type, bps }) => bps.units !== 0n || type === 'customer_spread')
        .map(({ type, bps }) => `${type} ${formatDecimal(bps)}`),
      parts,
    );
  });
}

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const TARGETS: readonly Partial<SpreadTier>[] = [
  { customerId: 'acme', pair: 'EURUSD' },
  { customerId: 'acme' },
  { groupName: 'gold', pair: 'EURUSD' },
  { groupName: 'gold' },
  { pair: 'EURUSD' },
  {},
  { customerId: 'other' },
  { groupName: 'silver' },
  { pair: 'USDJPY' },
];
const WHO = { customerId: 'acme', groupName: 'gold', pair: 'EURUSD' };
const tables: fc.Arbitrary<SpreadTier[]> = fc
  .array(
    fc.record({
      target: fc.constantFrom(...TARGETS),
      tenor: optional(fc.constantFrom<'today' | 'tom' | 'spot'>('today', 'tom', 'spot')),
      validityUpToSeconds: optional(fc.constantFrom(10, 30, 60, 300)),
      amountFromUsdMinor: fc.constantFrom(0n, 100n, 1_000n, 10_000n),
      validFrom: optional(fc.constantFrom(0, 1, 2)),
      bps: fc.bigInt({ min: 0n, max: 100n }),
    }),
    { maxLength: 20 },
  )
  .map((rows) => rows.map(({ target, bps, ...row }, i) => tier(String(i), bps, { ...row, ...target })));
const requests: fc.Arbitrary<TierRequest> = fc.record({
  tenor: fc.constantFrom('today', 'tom', 'spot', 'broken'),
  validitySeconds: fc.constantFrom(1, 10, 11, 30, 60, 300, 86_400),
  usdMinor: fc.constantFrom(0n, 99n, 100n, 5_000n, 10_000n, 10n ** 12n),
  at: fc.constantFrom(0, 1, 2, 3),
});

/** Of whoever asks, in order: what a spread book does for each customer and pair. */
function ordered(table: readonly SpreadTier[]): SpreadTier[] {
  return table
    .flatMap((rule) => {
      const level = targetLevel(rule, WHO);
      return typeof level === 'number' ? [{ rule, level }] : [];
    })
    .sort((a, b) => a.level - b.level || compareTiers(a.rule, b.rule))
    .map(({ rule }) => rule);
}

test('every request resolves to exactly one rule or to none, whatever the order of rows', () => {
  fc.assert(
    fc.property(tables, requests, (table, request) => {
      const chosen = chooseTier(ordered(table), request);
      assert.equal(chooseTier(ordered(table.toReversed()), request)?.id, chosen?.id);
      const eligible = ordered(table).filter((rule) => unmetCondition(rule, request) === undefined);
      assert.equal(chosen === undefined, eligible.length === 0);
      if (chosen === undefined) return;
      assert.equal(unmetCondition(chosen, request), undefined);
      // No eligible rule has a more specific target.
      const level = targetLevel(chosen, WHO);
      for (const rule of eligible) assert.ok(targetLevel(rule, WHO) >= level);
      // Exactly one: every other eligible rule of the target is weaker, and never the other way round.
      for (const rule of eligible.filter((each) => each !== chosen && hasSameTarget(each, chosen))) {
        assert.equal(compareTiers(chosen, rule), -1);
        assert.equal(compareTiers(rule, chosen), 1);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('more volume never picks a lower amount tier, a longer promise never a shorter validity tier', () => {
  fc.assert(
    fc.property(tables, requests, requests, (table, request, other) => {
      const rules = ordered(table);
      const [less, more] = [request.usdMinor, other.usdMinor].sort((a, b) => (a < b ? -1 : 1));
      const small = chooseTier(rules, { ...request, usdMinor: less ?? 0n });
      const large = chooseTier(rules, { ...request, usdMinor: more ?? 0n });
      if (small !== undefined) {
        assert.ok(large !== undefined && large.amountFromUsdMinor >= small.amountFromUsdMinor);
      }
      const short = chooseTier(rules, {
        ...request,
        validitySeconds: Math.min(request.validitySeconds, other.validitySeconds),
      });
      const long = chooseTier(rules, {
        ...request,
        validitySeconds: Math.max(request.validitySeconds, other.validitySeconds),
      });
      if (long !== undefined) {
        const limit = (rule: SpreadTier | undefined) => rule?.validityUpToSeconds ?? Number.POSITIVE_INFINITY;
        assert.ok(short !== undefined && limit(short) <= limit(long));
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the parts of a tier add up to its spread', () => {
  fc.assert(
    fc.property(tables, requests, (table, request) => {
      const rules = ordered(table);
      const chosen = chooseTier(rules, request);
      if (chosen === undefined) return;
      assert.deepEqual(totalOfComponents(tierParts(rules, chosen, request)), chosen.spreadBps);
    }),
    { numRuns: 1_000 },
  );
});

test('rules of one target are in one order, by tenor, validity, amount, start and id, whichever is asked first', () => {
  const rules = fc.record({
    tenor: optional(fc.constant<'today'>('today')),
    validityUpToSeconds: optional(fc.constantFrom(10, 30)),
    amountFromUsdMinor: fc.constantFrom(0n, 100n),
    validFrom: optional(fc.constantFrom(1, 2)),
  });
  /** Each part is larger where the rule is stronger. */
  const strength = (rule: SpreadTier) => [
    rule.tenor === undefined ? 0 : 1,
    -(rule.validityUpToSeconds ?? 99),
    rule.amountFromUsdMinor,
    rule.validFrom ?? 0,
    rule.id,
  ];
  fc.assert(
    fc.property(rules, rules, (one, other) => {
      const [a, b] = [tier('a', 1n, one), tier('b', 1n, other)];
      const [ofA, ofB] = [strength(a), strength(b)];
      const at = ofA.findIndex((part, i) => part !== ofB[i]);
      const aIsStronger = (ofA[at] ?? 0) > (ofB[at] ?? 0);
      assert.equal(compareTiers(a, b), aIsStronger ? -1 : 1);
      assert.equal(compareTiers(b, a), aIsStronger ? 1 : -1);
    }),
    { numRuns: 500 },
  );
});

test('a spread is told as a change of the standing rule of its own target alone', () => {
  const rules = [tier('pair-today', 9n, { pair: 'EURUSD', tenor: 'today' }), tier('any', 20n)];
  const [chosen = assert.fail()] = rules;
  assert.deepEqual(tierParts(rules, chosen, { ...SPOT, tenor: 'today' }), [
    { type: 'customer_spread', bps: chosen.spreadBps },
  ]);
});

test('a rule holds from its first instant, and up to its last', () => {
  const dated = tier('dated', 10n, { validFrom: 1_000, validTo: 2_000 });
  const lossAt = (at: number) => unmetCondition(dated, { ...SPOT, at });
  assert.deepEqual([999, 1_000, 1_999, 2_000].map(lossAt), [
    'not_yet_valid',
    undefined,
    undefined,
    'no_longer_valid',
  ]);
});

test('of two rules that are alike the later one comes first, and any after none', () => {
  const rules = [
    tier('c-always', 10n),
    tier('b-early', 10n, { validFrom: 1_000 }),
    tier('a-late', 10n, { validFrom: 2_000 }),
  ];
  assert.deepEqual(
    rules.sort(compareTiers).map(({ id }) => id),
    ['a-late', 'b-early', 'c-always'],
  );
  for (const rule of rules) assert.equal(compareTiers(rule, { ...rule }), 0, 'and a rule is its own equal');
});

test('a target is for one, for a group, for a pair or for all, the nearest first', () => {
  const acme = { customerId: 'acme', groupName: 'gold', pair: 'EURUSD' };
  const levelOf = (given: Partial<SpreadTier>) => targetLevel(tier('t', 1n, given), acme);
  assert.deepEqual(
    [
      { customerId: 'acme', pair: 'EURUSD' },
      { customerId: 'acme' },
      { groupName: 'gold', pair: 'EURUSD' },
      { groupName: 'gold' },
      { pair: 'EURUSD' },
      {},
    ].map(levelOf),
    [0, 1, 2, 3, 4, 5],
  );
  assert.equal(levelOf({ pair: 'EURGBP', customerId: 'acme' }), 'not_for_this_pair');
  assert.equal(levelOf({ customerId: 'other' }), 'not_for_this_customer');
  assert.equal(levelOf({ groupName: 'silver' }), 'not_for_this_group');
});
