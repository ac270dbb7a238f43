import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { matchDeposit } from './matching.ts';
import { DEFAULT_MATCHING_SETTINGS, DEFAULT_TOLERANCE } from './matching-settings.ts';
import { type Candidates, outstandingOf, type Target } from './target.ts';

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
    valueDate: '2026-03-06',
    ...patch,
  };
}

function named(...byReference: Target[]): Candidates {
  return { byReference, byVirtualAccount: [], byRemitter: [] };
}

const minor = fc.bigInt({ min: 1n, max: 10n ** 18n });

describe('matching', () => {
  test('every deposit for an open trade is divided without rest and without taking more than is owed', () => {
    fc.assert(
      fc.property(minor, minor, minor, fc.bigInt({ min: 0n, max: 99n }), (sell, usd, amount, percent) => {
        const open = target({ sellMinor: sell, usdMinor: usd, receivedMinor: (sell * percent) / 100n });
        const match = matchDeposit({ amountMinor: amount, currency: 'USD', references: ['r'] }, named(open));
        assert.ok(match.outcome === 'matched');
        const [allocation] = match.allocations;
        assert.ok(allocation !== undefined && match.allocations.length === 1);
        const { allocatedMinor, excessMinor, shortfallMinor } = allocation;
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
    const match = matchDeposit({ amountMinor: 1n, currency: 'USD', references: ['r'] }, named(open), {
      ...DEFAULT_MATCHING_SETTINGS,
      tolerance: { ...DEFAULT_TOLERANCE, usdMinor: 2_500n },
    });
    assert.ok(match.outcome === 'matched');
    assert.equal(match.allocations[0]?.rule, 'reference_partial');
  });

  test('rules go in order, and a further rule is a further entry', () => {
    const never = () => [];
    const both = () => [[allocationOf(target())], [allocationOf(target({ transactionId: 'u' }))]];
    const one = () => [[allocationOf(target())]];
    const facts = { amountMinor: 5n, currency: 'USD', references: [] };
    const none = named();
    assert.equal(matchDeposit(facts, none, DEFAULT_MATCHING_SETTINGS, [never, one, both]).outcome, 'matched');
    assert.deepEqual(matchDeposit(facts, none, DEFAULT_MATCHING_SETTINGS, [never, both, one]), {
      outcome: 'exception',
      exception: { type: 'ambiguous', reason: 'several_transactions' },
    });
  });
});

function allocationOf(to: Target) {
  return { target: to, rule: 'test', score: 1, allocatedMinor: 5n, excessMinor: 0n, shortfallMinor: 0n };
}
