import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { BookedTopUp } from '../balances/replace-top-up.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { decideMatch, decideWave, replacedBy } from './decide-match.ts';
import {
  type MatchContext,
  type PayerEvidence,
  type PayingCustomer,
  withoutTopUps,
  withTransactions,
} from './match-context.ts';
import type { Match } from './matching-rules.ts';
import { DEFAULT_MATCHING_SETTINGS } from './matching-settings.ts';
import { OPEN_TRADES_MAX } from './receivables.ts';
import type { DepositRecord } from './record.ts';

const RECEIVED_AT = Date.UTC(2026, 2, 4, 12);

function deposit(patch: Partial<DepositRecord> = {}): DepositRecord {
  return {
    id: 'd',
    account: 'HOUSE',
    bankReference: 'B1',
    source: 'operator',
    fingerprint: '',
    amountMinor: 100n,
    currency: 'USD',
    remitterName: 'Somebody Else Ltd',
    remitterAccount: 'X1',
    remittanceText: null,
    valueDate: '2026-03-04',
    receivedAt: RECEIVED_AT,
    status: 'unmatched',
    exception: null,
    customerId: null,
    allocatedMinor: 0n,
    excessMinor: 0n,
    returnedMinor: 0n,
    bookedAs: null,
    version: 1,
    createdAt: RECEIVED_AT,
    updatedAt: RECEIVED_AT,
    ...patch,
  };
}

function trade(id: string, patch: Partial<TransactionRow> = {}): TransactionRow {
  const row = {
    id,
    customer_id: 'c',
    reference: `ref-${id}`,
    status: 'awaiting_funds',
    sell_currency: 'USD',
    sell_minor: '100',
    received_minor: '0',
    shortfall_minor: '0',
    usd_minor: '100',
    value_date: '2026-03-06',
    deposits: '[]',
    ...patch,
  };
  return row as TransactionRow;
}

const CUSTOMER: PayingCustomer = {
  id: 'c',
  name: 'Kunde GmbH',
  thirdPartyPayments: 'accept',
  payerNames: [],
  ownAccounts: ['OWN1'],
  isPreFunded: false,
};
const TOP_UP: BookedTopUp = {
  ...{ id: 't', customerId: 'c', amountMinor: '100' },
  ...{ bankReference: 'B1', currency: 'USD', at: RECEIVED_AT },
};
const NOTHING: PayerEvidence = {
  references: [],
  accountOwner: null,
  remitterOf: [],
  balances: [],
  topUps: [],
};

function contextOf(
  rows: readonly TransactionRow[],
  evidence: Partial<PayerEvidence>,
  { customer = {}, ids = ['d'] }: { customer?: Partial<PayingCustomer>; ids?: readonly string[] } = {},
): MatchContext {
  const known = new Map(ids.map((id) => [id, { ...NOTHING, ...evidence }]));
  const customers = new Map([['c', { ...CUSTOMER, ...customer }]]);
  return withTransactions({ evidence: known, customers, settings: DEFAULT_MATCHING_SETTINGS }, rows);
}

function said(match: Match): string {
  if (match.outcome === 'exception') return `${match.exception.type} ${match.exception.reason}`;
  return match.outcome === 'topped_up' ? match.topUp.rule : (match.allocations[0]?.rule ?? '');
}

describe('a decision', () => {
  const hold = { customer: { thirdPartyPayments: 'hold' as const } };
  const named = { references: ['ref-t'] };

  test('holds what somebody else pays, where the customer wants it, until a person lets it pass', () => {
    const held = contextOf([trade('t')], named, hold);
    assert.equal(said(decideMatch(deposit(), held)), 'third_party remitter_is_not_customer');
    assert.equal(
      said(decideMatch(deposit({ remitterName: null, remitterAccount: null }), held)),
      'third_party remitter_unknown',
    );
    for (const own of [{ remitterAccount: 'own 1' }, { remitterName: 'KUNDE' }]) {
      assert.equal(said(decideMatch(deposit(own), held)), 'reference_exact');
    }
    const paidBefore = contextOf([trade('t')], { ...named, remitterOf: ['c'] }, hold);
    assert.equal(said(decideMatch(deposit(), paidBefore)), 'reference_exact');
    assert.equal(said(decideMatch(deposit(), { ...held, acceptsAnyPayer: true })), 'reference_exact');
  });

  test('matches nothing whose dates cannot be right', () => {
    const context = contextOf([trade('t')], named);
    for (const [patch, expected] of [
      [{ valueDate: '2026-03-11' }, 'reference_exact'],
      [{ valueDate: '2026-03-12' }, 'implausible_date valued_far_ahead'],
      [{ bookedOn: '2026-03-05' }, 'reference_exact'],
      [{ bookedOn: '2026-03-06' }, 'implausible_date booked_in_future'],
      [{ bookedOn: '2026-03-06', valueDate: '2026-03-12' }, 'implausible_date booked_in_future'],
      [{ bookedOn: null, valueDate: '2025-03-04' }, 'reference_exact'],
    ] as const) {
      assert.equal(said(decideMatch(deposit(patch), context)), expected, JSON.stringify(patch));
    }
    // What matches nothing anyway says why.
    const lost = decideMatch(deposit({ valueDate: '2026-04-04' }), contextOf([], {}));
    assert.equal(said(lost), 'unmatched no_reference');
  });

  test('tells a payment that a trade has already from one too many', () => {
    const paid = JSON.stringify([{ amount: '1.00', remitterName: 'Somebody Else Ltd' }]);
    const funded = contextOf(
      [trade('t', { status: 'funded', received_minor: '100', deposits: paid })],
      named,
    );
    assert.equal(said(decideMatch(deposit(), funded)), 'duplicate paid_twice');
    for (const other of [{ remitterName: 'Another' }, { amountMinor: 101n }]) {
      assert.equal(said(decideMatch(deposit(other), funded)), 'excess nothing_outstanding');
    }
    const cancelled = contextOf([trade('t', { status: 'cancelled', deposits: paid })], named);
    assert.equal(
      said(decideMatch(deposit(), cancelled)),
      'unmatched transaction_cancelled',
      'nor is this one',
    );
    const paidInParts = JSON.stringify([
      { amount: '0.50', remitterName: 'Somebody Else Ltd' },
      { amount: '1.00', remitterName: 'Somebody Else Ltd' },
    ]);
    const inParts = contextOf(
      [trade('t', { status: 'funded', received_minor: '100', deposits: paidInParts })],
      named,
    );
    assert.equal(said(decideMatch(deposit(), inParts)), 'duplicate paid_twice', 'one of its parts');
  });

  test('gives the owner of the account a balance where the owner is pre-funded and no trade awaits money', () => {
    const of = (rows: readonly TransactionRow[], isPreFunded = true, evidence: Partial<PayerEvidence> = {}) =>
      said(
        decideMatch(
          deposit(),
          contextOf(rows, { accountOwner: 'c', ...evidence }, { customer: { isPreFunded } }),
        ),
      );
    assert.equal(of([]), 'virtual_account_top_up');
    assert.equal(of([], false), 'unmatched no_reference');
    assert.equal(of([trade('t')]), 'virtual_account_exact');
    assert.equal(of([trade('t', { sell_minor: '99' })]), 'unmatched no_reference', 'it may be for the trade');
    // These await nothing that the deposit could be.
    for (const other of [{ status: 'funded' }, { sell_currency: 'EUR' }, { customer_id: 'other' }] as const) {
      assert.equal(of([trade('t', other)]), 'virtual_account_top_up', JSON.stringify(other));
    }
  });

  test('holds what somebody else pays into a balance, too', () => {
    const evidence = { balances: [{ customerId: 'c', reference: 'RF1' }] };
    assert.equal(said(decideMatch(deposit(), contextOf([], evidence))), 'balance_top_up');
    assert.equal(
      said(decideMatch(deposit(), contextOf([], evidence, hold))),
      'third_party remitter_is_not_customer',
    );
  });

  test('takes what an operator has booked by hand for its top-up, unless something speaks against it', () => {
    const topUp = (customerId: string, amountMinor = '100', more = {}): BookedTopUp => ({
      ...{ ...TOP_UP, id: `t-${customerId}`, customerId, amountMinor, ...more },
    });
    const balance = (customerId: string) => ({ customerId, reference: 'RF1' });
    const held = 'duplicate topped_up_by_hand';
    const of = (evidence: Partial<PayerEvidence>, rows: readonly TransactionRow[] = [], more = {}) =>
      said(decideMatch(deposit(), contextOf(rows, evidence, more)));
    const own = { topUps: [topUp('c')] };
    for (const [what, evidence, expected] of [
      ['nothing else', {}, 'top_up_by_hand'],
      ['its balance', { balances: [balance('c')] }, 'top_up_by_hand'],
      ['its account', { accountOwner: 'c' }, 'top_up_by_hand'],
      ['its payer', { remitterOf: ['c'] }, 'top_up_by_hand'],
      ['an unknown reference', { references: ['RF9'] }, 'top_up_by_hand'],
      ['another balance', { balances: [balance('other')] }, held],
      ['its balance and another', { balances: [balance('c'), balance('other')] }, held],
      ['another account', { accountOwner: 'other' }, held],
      ['top-ups of two', { topUps: [topUp('c'), topUp('other')] }, held],
      ['one of another amount beside it', { topUps: [topUp('c'), topUp('other', '99')] }, 'top_up_by_hand'],
    ] as const) {
      assert.equal(of({ ...own, ...evidence }), expected, what);
    }
    assert.equal(of({ ...own, references: ['ref-t'] }, [trade('t')]), held, 'a trade that it names');
    const cancelled = trade('t', { status: 'cancelled' });
    assert.equal(of({ ...own, references: ['ref-t'] }, [cancelled]), held, 'or named');
    assert.equal(of({ ...own, accountOwner: 'c' }, [trade('t')]), held, 'a trade that awaits just this');
    assert.equal(of(own, [], hold), 'third_party remitter_is_not_customer');
    const early = { topUps: [topUp('c', '100', { at: RECEIVED_AT - 11 * 86_400_000 })] };
    assert.equal(of(early), 'unmatched no_reference', 'a reference that the bank has used before');
    assert.equal(of({ ...early, balances: [balance('c')] }), held);
    assert.equal(of({ ...early, balances: [balance('other')] }), 'balance_top_up');
  });

  test('credits nothing beside a top-up by hand of another amount', () => {
    const of = (customerId: string, evidence: Partial<PayerEvidence>) => {
      const less = { ...TOP_UP, customerId, amountMinor: '99' };
      return said(decideMatch(deposit(), contextOf([], { topUps: [less], ...evidence })));
    };
    const balances = [{ customerId: 'c', reference: 'RF1' }];
    assert.equal(of('c', { balances }), 'duplicate topped_up_by_hand');
    assert.equal(of('other', { balances }), 'balance_top_up', 'that of another customer is another payment');
    assert.equal(of('c', {}), 'unmatched no_reference');
  });

  test('takes no trade for the only one when not all were read', () => {
    const others = Array.from({ length: OPEN_TRADES_MAX }, (_, index) =>
      trade(`o${index}`, { sell_minor: '7' }),
    );
    const owner = { accountOwner: 'c' };
    const match = decideMatch(deposit(), contextOf([trade('t'), ...others.slice(1)], owner));
    assert.equal(said(match), 'virtual_account_exact');
    const tooMany = decideMatch(deposit(), contextOf([trade('t'), ...others], owner));
    assert.equal(said(tooMany), 'ambiguous too_many_open_transactions');
    const byText = contextOf([trade('t'), ...others], { ...owner, references: ['ref-t'] });
    assert.equal(said(decideMatch(deposit(), byText)), 'reference_exact', 'a text that names it');
    const named = contextOf(
      [trade('t', { status: 'funded', received_minor: '100' }), ...others, trade('x')],
      {
        ...owner,
        references: ['ref-t'],
      },
    );
    assert.equal(said(decideMatch(deposit(), named)), 'excess nothing_outstanding');
  });
});

test('a deposit for two trades waits for the next wave when one of them has its money', () => {
  const deposits = [deposit({ id: '1' }), deposit({ id: '2', amountMinor: 200n })];
  const base = contextOf([trade('a'), trade('b')], {});
  const evidence = new Map([
    ['1', { ...NOTHING, references: ['ref-a'] }],
    ['2', { ...NOTHING, references: ['ref-a', 'ref-b'] }],
  ]);
  const { decided, rest } = decideWave(deposits, { ...base, evidence });
  assert.deepEqual([decided.map((each) => each.deposit.id), rest.map(({ id }) => id)], [['1'], ['2']]);
  const alone = decideWave(deposits.slice(1), { ...base, evidence });
  assert.deepEqual(
    alone.decided.map(({ match }) => said(match)),
    ['references_split'],
  );
});

test('a deposit waits for the next wave whatever it finds the trade by that has its money', () => {
  for (const found of [{ references: ['ref-a'] }, { accountOwner: 'c' }, { remitterOf: ['c'] }]) {
    const evidence = new Map<string, PayerEvidence>([
      ['1', { ...NOTHING, references: ['ref-a'] }],
      ['2', { ...NOTHING, ...found }],
    ]);
    const context = { ...contextOf([trade('a')], {}), evidence };
    const { decided, rest } = decideWave([deposit({ id: '1' }), deposit({ id: '2' })], context);
    assert.deepEqual(
      [decided.map((each) => each.deposit.id), rest.map(({ id }) => id)],
      [['1'], ['2']],
      JSON.stringify(found),
    );
  }
});

test('a top-up by hand is replaced by one deposit of a wave', () => {
  const topUps = [TOP_UP];
  const evidence = new Map([
    ['1', { ...NOTHING, topUps }],
    ['2', { ...NOTHING, topUps }],
  ]);
  const context = { ...contextOf([], {}), evidence };
  const { decided, rest } = decideWave([deposit({ id: '1' }), deposit({ id: '2' })], context);
  assert.deepEqual(
    [decided.map(({ match }) => said(match)), rest.map(({ id }) => id)],
    [['top_up_by_hand'], ['2']],
  );
  assert.deepEqual(decided.flatMap(replacedBy), ['t']);
  const next = withoutTopUps(context, new Set(['t']));
  assert.equal(said(decideMatch(deposit({ id: '2' }), next)), 'unmatched no_reference');
});

test('a wave gives a trade at most one deposit, in the order given, and leaves none out', () => {
  const wanted = fc.array(fc.constantFrom('a', 'b', 'c', 'none'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(wanted, (names) => {
      const deposits = names.map((name, index) => deposit({ id: `${index} ${name}` }));
      const base = contextOf([trade('a'), trade('b'), trade('c')], {});
      const evidence = new Map(
        deposits.map(({ id }) => [id, { ...NOTHING, references: [`ref-${id.split(' ')[1]}`] }]),
      );
      const { decided, rest } = decideWave(deposits, { ...base, evidence });
      const given = decided.flatMap(({ match }) =>
        match.outcome === 'matched' ? match.allocations.map(({ target }) => target.transactionId) : [],
      );
      assert.deepEqual(given, [...new Set(names.filter((name) => name !== 'none'))]);
      const seen = [...decided.map((each) => each.deposit.id), ...rest.map(({ id }) => id)].sort();
      assert.deepEqual(seen, deposits.map(({ id }) => id).sort());
    }),
    { numRuns: 50 },
  );
});
