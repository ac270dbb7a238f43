import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { exactGroups, GROUP_SEARCH_MAX, matchDeposit } from './matching-rules.ts';
import { DEFAULT_MATCHING_SETTINGS, DEFAULT_TOLERANCE } from './matching-settings.ts';
import { isNameOf, isSamePayer } from './payer-name.ts';
import { type Candidates, type OpenReceivable, outstandingOf } from './receivables.ts';

function target(patch: Partial<OpenReceivable> = {}): OpenReceivable {
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

function named(...byReference: OpenReceivable[]): Candidates {
  return { byReference, byVirtualAccount: [], byRemitter: [], balances: [], balanceOfAccount: undefined };
}

const minor = fc.bigInt({ min: 1n, max: 10n ** 18n });

describe('matching', () => {
  test('every deposit for an open trade is divided without rest and without taking more than is owed', () => {
    fc.assert(
      fc.property(minor, minor, minor, fc.bigInt({ min: 0n, max: 99n }), (sell, usd, amount, percent) => {
        const open = target({ sellMinor: sell, usdMinor: usd, receivedMinor: (sell * percent) / 100n });
        const match = matchDeposit(
          { amountMinor: amount, currency: 'USD', references: ['r'], isTakenIntoBalances: true },
          named(open),
        );
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
    const match = matchDeposit(
      { amountMinor: 1n, currency: 'USD', references: ['r'], isTakenIntoBalances: true },
      named(open),
      {
        ...DEFAULT_MATCHING_SETTINGS,
        tolerance: { ...DEFAULT_TOLERANCE, usdMinor: 2_500n },
      },
    );
    assert.ok(match.outcome === 'matched');
    assert.equal(match.allocations[0]?.rule, 'reference_partial');
  });

  test('rules go in order, and a further rule is a further entry', () => {
    const never = () => [];
    const both = () => [[allocationOf(target())], [allocationOf(target({ transactionId: 'u' }))]];
    const one = () => [[allocationOf(target())]];
    const facts = { amountMinor: 5n, currency: 'USD', references: [], isTakenIntoBalances: true };
    const none = named();
    assert.equal(matchDeposit(facts, none, DEFAULT_MATCHING_SETTINGS, [never, one, both]).outcome, 'matched');
    assert.deepEqual(matchDeposit(facts, none, DEFAULT_MATCHING_SETTINGS, [never, both, one]), {
      outcome: 'exception',
      exception: { type: 'ambiguous', reason: 'several_transactions' },
    });
  });
});

describe('groups that are the amount exactly', () => {
  const groups = (items: readonly bigint[], sum: bigint, size = 5) =>
    exactGroups(items, (item) => item, sum, size, GROUP_SEARCH_MAX);

  test('the first ones go before others; of others two are enough to know', () => {
    assert.deepEqual(groups([1n, 2n, 3n], 3n), [[1n, 2n]]);
    assert.deepEqual(groups([5n, 1n, 9n, 3n], 4n), [[1n, 3n]]);
    assert.equal(groups([9n, 1n, 3n, 2n, 2n], 4n).length, 2);
    assert.deepEqual(groups([4n, 9n], 4n), [], 'one alone is no group');
    assert.deepEqual(groups([1n, 1n, 1n], 3n, 2), [], 'no more than the size');
  });

  test('every group has the sum and the size, and none is missed', () => {
    const items = fc.array(fc.bigInt({ min: 1n, max: 30n }), { maxLength: 8 });
    fc.assert(
      fc.property(
        items,
        fc.bigInt({ min: 1n, max: 90n }),
        fc.integer({ min: 2, max: 5 }),
        (all, sum, size) => {
          const found = groups(all, sum, size);
          for (const group of found) {
            assert.ok(group.length >= 2 && group.length <= size);
            assert.equal(
              group.reduce((total, item) => total + item, 0n),
              sum,
            );
          }
          const exists = Array.from({ length: 2 ** all.length }, (_, mask) =>
            all.filter((_, index) => (mask >> index) & 1),
          ).some(
            (some) =>
              some.length >= 2 &&
              some.length <= size &&
              some.reduce((total, item) => total + item, 0n) === sum,
          );
          assert.equal(found.length > 0, exists);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('names of payers', () => {
  const SAME = [
    ['Müller & Söhne GmbH', 'MUELLER SOEHNE', true],
    ['Müller & Söhne GmbH', 'Muller und Sohne', true],
    ['ACME LTD.', 'Acme Limited', true],
    ['Example Trading Company International', 'EXAMPLE TRADING COMPANY INTERNATIO', true],
    ['Garcia, Maria', 'Maria Garcia', true],
    ['Acme Ltd', 'Mallory Ltd', false],
    ['Ltd', 'Ltd', true],
    ['', 'Acme', false],
    ['...', 'Acme', false],
  ] as const;
  for (const [a, b, expected] of SAME) {
    test(`${a} / ${b}: ${expected ? 'may be one' : 'two'}`, () => {
      assert.equal(isSamePayer(a, b), expected);
      assert.equal(isSamePayer(b, a), expected);
    });
  }
});

describe('the very name of a customer', () => {
  const VERY = [
    ['TEST CUSTOMER LTD.', 'Test customer', true],
    ['Muller und Sohne GmbH', 'Müller & Söhne GmbH', true],
    ['MUELLER SOEHNE', 'Müller & Söhne GmbH', true],
    ['Acme Limited', 'ACME LTD.', true],
    ['Acme S. A.', 'Acme SA', true],
    ['Acme Sp. z o.o.', 'ACME SP Z O O', true],
    ['Acme Trading Co., Ltd.', 'Acme Trading Ltd', true],
    ['AcmeTrading', 'Acme Trading', true],
    ['Ågård Brød ApS', 'Aagaard Broed', true],
    // What is only a part of the name, or has it as a part, is somebody else.
    ['Acme', 'Acme Trading Ltd', false],
    ['Acme Trading Holding', 'Acme Trading', false],
    ['Mr Mallory for Test customer', 'Test customer', false],
    ['Trading', 'Acme Trading Ltd', false],
    ['Example Trading Company Internatio', 'Example Trading Company International', false],
    ['Acme GmbH', 'Acme AG', false],
    ['Acme Ltd', 'Acme LLC', false],
    ['Aero Ltd', 'Aro Ltd', false],
    ['Ltd', 'Acme Ltd', false],
    ['', 'Acme', false],
    ['...', '...', false],
  ] as const;
  for (const [told, name, expected] of VERY) {
    test(`${told} / ${name}: ${expected ? 'it is' : 'somebody else'}`, () => {
      assert.equal(isNameOf(told, name), expected);
      assert.equal(isNameOf(name, told), expected);
    });
  }
});

function allocationOf(to: OpenReceivable) {
  return { target: to, rule: 'test', score: 1, allocatedMinor: 5n, excessMinor: 0n, shortfallMinor: 0n };
}
