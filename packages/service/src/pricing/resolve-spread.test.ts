import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bps, findPair, formatDecimal, type TierRequest } from '@firmquote/fx';
import fc from 'fast-check';
import type { PricingDesk } from './desk.ts';
import type { PricingPolicy } from './policy.ts';
import { resolveSpread } from './resolve-spread.ts';
import type { SpreadRule } from './spread-book.ts';

const EURUSD = findPair('EURUSD') ?? assert.fail();
const POLICY = {} as PricingPolicy;

/** As a book gives them: the strongest first. */
function rules(): SpreadRule[] {
  const rule = (id: string, units: bigint, given: Partial<SpreadRule> = {}): SpreadRule => ({
    ...{ id, version: 1, customerId: undefined, groupName: undefined, pair: undefined, tenor: undefined },
    ...{ validityUpToSeconds: undefined, amountFromUsdMinor: 0n, validFrom: undefined, validTo: undefined },
    ...{ minBps: undefined, maxBps: bps(4_000n) },
    spreadBps: bps(units),
    ...given,
  });
  return [rule('big', 1_200n, { amountFromUsdMinor: 100_000n }), rule('any', 2_000n)];
}

/** The widening is what the request says: seconds of validity and the hour, in hundredths of a basis point. */
const DESK = {
  widening: (_policy: PricingPolicy, _pair: unknown, validitySeconds: number, at: number) => ({
    validityUnits: BigInt(validitySeconds),
    marketHoursUnits: BigInt(at),
  }),
} as unknown as PricingDesk;

const request = (given: Partial<TierRequest> = {}): TierRequest => ({
  ...{ tenor: 'spot', validitySeconds: 30, usdMinor: 0n, at: 0 },
  ...given,
});
const resolved = (of: readonly SpreadRule[], asked: TierRequest) =>
  resolveSpread(DESK, POLICY, { rules: of, hasAmountTiers: true }, EURUSD, asked);

test('a spread is that of its rule, with what the validity and the hour add', () => {
  const { rule, totalBps, componentsJson } = resolved(rules(), request({ validitySeconds: 150, at: 25 }));
  assert.equal(rule.id, 'any');
  assert.equal(formatDecimal(totalBps), '21.75');
  assert.equal(
    componentsJson,
    '[{"type":"customer_spread","bps":"20.00"},{"type":"validity_premium","bps":"1.50"},{"type":"market_hours","bps":"0.25"}]',
  );
  const tiered = resolved(rules(), request({ usdMinor: 100_000n, validitySeconds: 0 }));
  assert.equal(
    tiered.componentsJson,
    '[{"type":"customer_spread","bps":"20.00"},{"type":"amount_tier","bps":"-8.00"}]',
  );
});

test('requests with the same outcome share one object, and no others do', () => {
  const kept = rules();
  const first = resolved(kept, request());
  assert.equal(resolved(kept, request()), first);
  for (const other of [{ validitySeconds: 31 }, { at: 1 }, { usdMinor: 100_000n }]) {
    assert.notEqual(resolved(kept, request(other)), first, JSON.stringify(Object.keys(other)));
    assert.equal(resolved(kept, request()), first, 'also when another was asked for in between');
  }
});

test('what was asked for before makes no difference', () => {
  const requests = fc.record({
    validitySeconds: fc.constantFrom(0, 1, 2),
    at: fc.constantFrom(0, 1, 2),
    usdMinor: fc.constantFrom(0n, 100_000n),
  });
  fc.assert(
    fc.property(fc.array(requests, { minLength: 2, maxLength: 12 }), (asked) => {
      const kept = rules();
      for (const each of asked) {
        assert.equal(
          resolved(kept, request(each)).componentsJson,
          resolved(rules(), request(each)).componentsJson,
        );
      }
    }),
    { numRuns: 60 },
  );
});

test('more outcomes than are kept of a rule are all told right', () => {
  const kept = rules();
  for (let seconds = 0; seconds < 600; seconds++) {
    const { totalBps } = resolved(kept, request({ validitySeconds: seconds }));
    assert.equal(totalBps.units, 2_000n + BigInt(seconds));
  }
});

test('no rule is no price', () => {
  assert.throws(() => resolved([], request()), { code: 'pricing_not_configured', message: /EURUSD/ });
  const ended = rules().map((rule) => ({ ...rule, validTo: 5 }));
  assert.throws(() => resolved(ended, request({ at: 5 })), { code: 'pricing_not_configured' });
});
