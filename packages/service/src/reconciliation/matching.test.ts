import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_TOLERANCE, matchDeposit, outstandingOf, type Target } from './matching.ts';

function target(patch: Partial<Target> = {}): Target {
  return {
    customerId: 'c',
    transactionId: 't',
    reference: 'r',
    status: 'awaiting_funds',
    currency: 'USD',
    sellMinor: 10_000_000n,
    receivedMinor: 0n,
    shortfallMinor: 0n,
    usdMinor: 10_000_000n,
    ...patch,
  };
}

const minor = fc.bigInt({ min: 1n, max: 10n ** 18n });

describe('matching', () => {
  test('every deposit for an open trade is divided without rest and without taking more than is owed', () => {
    fc.assert(
      fc.property(minor, minor, minor, fc.bigInt({ min: 0n, max: 99n }), (sell, usd, amount, percent) => {
        const open = target({ sellMinor: sell, usdMinor: usd, receivedMinor: (sell * percent) / 100n });
        const match = matchDeposit(
          { amountMinor: amount, currency: 'USD', references: ['r'] },
          { byReference: [open] },
        );
        assert.ok(match.outcome === 'matched');
        const { allocatedMinor, excessMinor, shortfallMinor } = match.allocation;
        assert.equal(allocatedMinor + excessMinor, amount);
        assert.ok(allocatedMinor > 0n && excessMinor >= 0n && shortfallMinor >= 0n);
        assert.ok(allocatedMinor + shortfallMinor <= outstandingOf(open));
        assert.ok(excessMinor === 0n || allocatedMinor === outstandingOf(open));
        if (shortfallMinor > 0n) {
          assert.equal(allocatedMinor + shortfallMinor, outstandingOf(open));
          assert.ok(shortfallMinor * 200n <= sell, 'half a percent');
          assert.ok(shortfallMinor * usd <= 3_000n * sell, 'thirty dollars');
        }
      }),
    );
  });

  test('what was forgiven before counts against the tolerance', () => {
    const open = target({ receivedMinor: 9_997_000n, shortfallMinor: 2_000n });
    const match = matchDeposit(
      { amountMinor: 1n, currency: 'USD', references: ['r'] },
      { byReference: [open] },
      { ...DEFAULT_TOLERANCE, usdMinor: 2_500n },
    );
    assert.ok(match.outcome === 'matched');
    assert.equal(match.allocation.rule, 'reference_partial');
  });

  test('rules go in order, and a further rule is a further entry', () => {
    const never = { name: 'never', propose: () => [] };
    const both = {
      name: 'both',
      propose: () => [target(), target({ transactionId: 'u' })].map(allocationOf),
    };
    const one = { name: 'one', propose: () => [allocationOf(target())] };
    const facts = { amountMinor: 5n, currency: 'USD', references: [] };
    const none = { byReference: [] };
    assert.equal(matchDeposit(facts, none, DEFAULT_TOLERANCE, [never, one, both]).outcome, 'matched');
    assert.deepEqual(matchDeposit(facts, none, DEFAULT_TOLERANCE, [never, both, one]), {
      outcome: 'exception',
      exception: { type: 'ambiguous', reason: 'several_transactions' },
    });
  });
});

function allocationOf(to: Target) {
  return { target: to, rule: 'test', allocatedMinor: 5n, excessMinor: 0n, shortfallMinor: 0n };
}
