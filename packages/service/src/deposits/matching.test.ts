import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { exactGroups, GROUP_SEARCH_MAX, matchDeposit } from './matching-rules.ts';
import { DEFAULT_MATCHING_SETTINGS, DEFAULT_TOLERANCE } from './matching-settings.ts';
import { isNameOf, isSamePayer } from './payer-name.ts';
import { type Candidates, type OpenReceivable, outstandingOf } from './receivables.ts';
import type { RuleName } from './scores.ts';

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

/** A trade over 1,000.00 USD, of which 5.00 may be missing. */
const open = (transactionId: string, patch: Partial<OpenReceivable> = {}) =>
  target({ transactionId, reference: transactionId, sellMinor: 100_000n, usdMinor: 100_000n, ...patch });
const balance = (reference: string | null) => ({ customerId: 'c', reference });

/** What a deposit of some minor units comes to: the parts of trades by rule, or the exception. */
function said(
  amountMinor: bigint,
  candidates: Partial<Candidates>,
  {
    settings = {},
    ...facts
  }: Partial<Parameters<typeof matchDeposit>[0]> & {
    settings?: Partial<typeof DEFAULT_MATCHING_SETTINGS>;
  } = {},
): string {
  const match = matchDeposit(
    { amountMinor, currency: 'USD', references: [], isTakenIntoBalances: true, ...facts },
    { ...named(), ...candidates },
    { ...DEFAULT_MATCHING_SETTINGS, ...settings },
  );
  if (match.outcome === 'exception') return `${match.exception.type} ${match.exception.reason}`;
  if (match.outcome === 'topped_up')
    return `${match.topUp.rule} ${match.topUp.score} ${match.topUp.target.reference}`;
  return match.allocations
    .map(
      (each) =>
        `${each.target.transactionId} ${each.rule} ${each.score} ${each.allocatedMinor} ${each.excessMinor} ${each.shortfallMinor}`,
    )
    .join(', ');
}

describe('each rule', () => {
  const suggest = (...rules: RuleName[]) => ({ settings: { suggestOnly: new Set(rules) } });
  const euros = { currency: 'EUR' };
  const oneOpen = { byReference: [open('t')] };
  const two = [open('t'), open('u', { sellMinor: 50_000n })];
  const bothOpen = { byReference: two };

  for (const [what, amount, candidates, expected, more] of [
    ['all that one trade awaits', 100_000n, oneOpen, 't reference_exact 100 100000 0 0'],
    [
      'the rest of one trade',
      40_000n,
      { byReference: [open('t', { receivedMinor: 50_000n, shortfallMinor: 10_000n })] },
      't reference_exact 100 40000 0 0',
    ],
    [
      'what two trades await',
      150_000n,
      bothOpen,
      't references_split 98 100000 0 0, u references_split 98 50000 0 0',
    ],
    ['one cent less than two trades', 149_999n, bothOpen, 'ambiguous several_transactions'],
    ['one cent more than two trades', 150_001n, bothOpen, 'ambiguous several_transactions'],
    [
      'what two trades of two customers await',
      150_000n,
      { byReference: [open('t'), open('u', { sellMinor: 50_000n, customerId: 'other' })] },
      'ambiguous several_transactions',
    ],
    [
      'what two of three trades await, the third has its money',
      150_000n,
      { byReference: [...two, open('v', { status: 'funded' })] },
      'ambiguous several_transactions',
    ],
    ['what one of two trades awaits', 50_000n, bothOpen, 'u reference_exact 100 50000 0 0'],
    ['half a percent too little', 99_500n, oneOpen, 't reference_short_tolerated 92 99500 0 500'],
    ['a cent less than that', 99_499n, oneOpen, 't reference_partial 85 99499 0 0'],
    ['a cent too little', 99_999n, oneOpen, 't reference_short_tolerated 92 99999 0 1'],
    [
      'thirty dollars too little',
      997_000n,
      { byReference: [open('t', { sellMinor: 1_000_000n, usdMinor: 1_000_000n })] },
      't reference_short_tolerated 92 997000 0 3000',
    ],
    [
      'a cent less than that',
      996_999n,
      { byReference: [open('t', { sellMinor: 1_000_000n, usdMinor: 1_000_000n })] },
      't reference_partial 85 996999 0 0',
    ],
    ['a cent too much', 100_001n, oneOpen, 't reference_excess 85 100000 1 0'],
    ['what no rule may decide', 100_000n, oneOpen, 'unmatched suggested', suggest('reference_exact')],
    [
      'what another rule may decide',
      100_001n,
      oneOpen,
      't reference_excess 85 100000 1 0',
      suggest('reference_exact'),
    ],
    ['another currency', 100_000n, oneOpen, 'wrong_currency wrong_currency', euros],
    [
      'a trade that has ended',
      100_000n,
      { byReference: [open('t', { status: 'cancelled' })] },
      'unmatched transaction_cancelled',
    ],
    [
      'a trade that has its money',
      100_000n,
      { byReference: [open('t', { status: 'settled' })] },
      'excess nothing_outstanding',
    ],
    [
      'two trades that have their money',
      100_000n,
      { byReference: two.map((each) => ({ ...each, status: 'settled' as const })) },
      'ambiguous several_transactions',
    ],
    ['one trade of its account', 50_000n, { byVirtualAccount: two }, 'u virtual_account_exact 95 50000 0 0'],
    ['a cent less than it', 49_999n, { byVirtualAccount: two }, 'unmatched no_reference'],
    [
      'two alike of its account',
      50_000n,
      { byVirtualAccount: [open('t', { sellMinor: 50_000n }), open('u', { sellMinor: 50_000n })] },
      'ambiguous several_transactions',
    ],
    [
      'two together of its account',
      150_000n,
      { byVirtualAccount: two },
      't virtual_account_group 88 100000 0 0, u virtual_account_group 88 50000 0 0',
    ],
    [
      'the oldest two of its account',
      150_000n,
      {
        byVirtualAccount: [
          open('v', { sellMinor: 50_000n, valueDate: '2026-03-09' }),
          open('w', { sellMinor: 50_000n, valueDate: '2026-03-05' }),
          ...two,
        ],
      },
      'w virtual_account_group 88 50000 0 0, t virtual_account_group 88 100000 0 0',
    ],
    [
      'two of one value date, where others of it are as much',
      150_000n,
      { byVirtualAccount: [open('v', { sellMinor: 50_000n }), ...two] },
      'ambiguous several_transactions',
    ],
    [
      'the only two of one value date',
      80_000n,
      { byVirtualAccount: [open('v', { sellMinor: 30_000n }), ...two] },
      'u virtual_account_group 88 50000 0 0, v virtual_account_group 88 30000 0 0',
    ],
    [
      'one of its account that has its money',
      100_000n,
      { byVirtualAccount: [open('t', { status: 'funded' })] },
      'unmatched no_reference',
    ],
    [
      'one of its account in another currency',
      100_000n,
      { byVirtualAccount: [open('t')] },
      'unmatched no_reference',
      euros,
    ],
    [
      'its account, but the text names another',
      50_000n,
      { byReference: [open('x', { status: 'settled' })], byVirtualAccount: two },
      'excess nothing_outstanding',
    ],
    ['a balance by its reference', 7n, { balances: [balance('b')] }, 'balance_top_up 100 b'],
    ['two balances', 7n, { balances: [balance('b'), balance('d')] }, 'ambiguous several_balances'],
    [
      'a balance and a trade',
      7n,
      { balances: [balance('b')], byReference: [open('t')] },
      'ambiguous transaction_and_balance',
    ],
    [
      'a balance that takes no such money',
      7n,
      { balances: [balance('b')] },
      'wrong_currency currency_not_tradable',
      { isTakenIntoBalances: false },
    ],
    [
      'a balance that no rule may decide',
      7n,
      { balances: [balance('b')] },
      'unmatched suggested',
      suggest('balance_top_up'),
    ],
    ['the balance of its account', 7n, { balanceOfAccount: balance(null) }, 'virtual_account_top_up 90 null'],
    [
      'the balance of its account that no rule may decide',
      7n,
      { balanceOfAccount: balance(null) },
      'unmatched suggested',
      suggest('virtual_account_top_up'),
    ],
    [
      'the balance of its account, but the text names a trade',
      7n,
      { balanceOfAccount: balance(null), byReference: [open('t', { status: 'settled' })] },
      'excess nothing_outstanding',
    ],
    ['what a known payer owes', 50_000n, { byRemitter: two }, 'unmatched known_remitter'],
    ['what nobody owes', 50_001n, { byRemitter: two }, 'unmatched no_reference'],
    [
      'a reference of nothing',
      50_001n,
      { byRemitter: two },
      'unmatched unknown_reference',
      { references: ['x'] },
    ],
  ] as const satisfies [string, bigint, Partial<Candidates>, string, Parameters<typeof said>[2]?][]) {
    test(`${what}: ${expected}`, () => assert.equal(said(amount, candidates, more), expected));
  }
});

interface Dated {
  readonly amount: bigint;
  readonly date: string;
}

describe('groups that are the amount exactly', () => {
  /** Each on a day of its own, or all on one. */
  const groups = (items: readonly bigint[], sum: bigint, size = 5, day?: string) => {
    const dated = items.map((amount, at) => ({ amount, date: day ?? `${at}` }));
    const how = { amountOf: (item: Dated) => item.amount, dateOf: (item: Dated) => item.date };
    return exactGroups(dated, how, sum, size, GROUP_SEARCH_MAX).map((group) =>
      group.map(({ amount }) => amount),
    );
  };

  test('the first ones go before others; of others two are enough to know', () => {
    assert.deepEqual(groups([1n, 2n, 3n], 3n), [[1n, 2n]]);
    assert.deepEqual(groups([1n, 2n, 2n], 3n), [[1n, 2n]]);
    assert.equal(groups([1n, 4n, 2n, 3n], 5n, 5, 'one').length, 2, 'of one day none is the first');
    assert.deepEqual(groups([1n, 4n, 2n], 5n, 5, 'one'), [[1n, 4n]], 'but the only one');
    assert.equal(groups([1n, 4n, 2n, 2n], 5n, 5, 'one').length, 2, 'nor one of fewer before one of more');
    assert.deepEqual(groups([1n, 4n], 5n, 5, 'one'), [[1n, 4n]]);
    const crowd = [1n, 4n, ...Array.from({ length: GROUP_SEARCH_MAX }, () => 9n)];
    assert.deepEqual(groups(crowd, 5n, 5, 'one'), [], 'among too many of one day nobody knows');
    assert.deepEqual(groups([5n, 1n, 9n, 3n], 4n), [[1n, 3n]]);
    const [few, many] = [GROUP_SEARCH_MAX, GROUP_SEARCH_MAX + 1].map((length) =>
      Array.from({ length }, (_, at) => 100n + 2n ** BigInt(at)),
    );
    assert.equal(groups(few ?? [], 100n + 4n + 100n + 16n).length, 1);
    assert.equal(groups(many ?? [], 100n + 4n + 100n + 16n).length, 0, 'of more only the first are tried');
    assert.equal(groups(many ?? [], 203n).length, 1);
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
    ['Acme Sp. z o.o.', 'Acme Sp. z oo', true],
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
  for (const [reported, name, expected] of VERY) {
    test(`${reported} / ${name}: ${expected ? 'it is' : 'somebody else'}`, () => {
      assert.equal(isNameOf(reported, name), expected);
      assert.equal(isNameOf(name, reported), expected);
    });
  }
});

function allocationOf(to: OpenReceivable) {
  return { target: to, rule: 'test', score: 1, allocatedMinor: 5n, excessMinor: 0n, shortfallMinor: 0n };
}
