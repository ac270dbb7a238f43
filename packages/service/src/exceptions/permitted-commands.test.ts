import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TRANSACTION_STATUSES } from '@firmquote/fx';
import type { ExceptionRow } from '../deposits/exceptions.ts';
import type { AllocationRecord, DepositRecord } from '../deposits/record.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { ExceptionSubject, SubjectEntry } from './exception-subject-store.ts';
import { permittedCommands } from './suggested-commands.ts';

/** The states in which each command is possible; whether it then is, the tests of its use case say. */

const ID = '0195f000-0000-7000-8000-000000000001';
const OTHER = '0195f000-0000-7000-8000-000000000002';
const NOTHING: ExceptionSubject = {
  row: {
    id: ID,
    type: 'payout_mismatch',
    reason: '-',
    status: 'open',
    entry_id: ID,
    withdrawal_id: ID,
    return_id: ID,
  } as ExceptionRow,
  deposit: undefined,
  allocations: [],
  topUps: [],
  funded: [],
  trade: undefined,
  newestDepositId: undefined,
  entry: undefined,
  withdrawal: undefined,
  depositReturn: undefined,
  isCovered: true,
  recall: undefined,
  isWaiting: false,
};
const of = (type: ExceptionRow['type'], subject: Partial<ExceptionSubject>, reason = '-') =>
  permittedCommands({ ...NOTHING, ...subject, row: { ...NOTHING.row, type, reason } });
const names = (...of_: Parameters<typeof of>) => of(...of_).map(({ order }) => order);
/** By the last part of their address, without those that are always there. */
const verbs = (...of_: Parameters<typeof of>) =>
  of(...of_)
    .flatMap(({ path }) => path.split('/').at(-1) ?? '')
    .filter((each) => !['assign', 'resolve'].includes(each));

const deposit = (patch: Partial<DepositRecord> = {}) =>
  ({
    id: ID,
    status: 'unmatched',
    exception: null,
    amountMinor: 10n,
    allocatedMinor: 0n,
    excessMinor: 0n,
    returnedMinor: 0n,
    ...patch,
  }) as DepositRecord;
const trade = (patch: Partial<TransactionRow> = {}) =>
  ({
    id: ID,
    customer_id: ID,
    status: 'funded',
    sell_currency: 'USD',
    sell_minor: '1000',
    received_minor: '400',
    excess_minor: '0',
    shortfall_minor: '100',
    usd_minor: '1000',
    payout_attempts: 0,
    payout_status: 'none',
    proceeds: 'payout',
    refund: null,
    holds: '[]',
    ...patch,
  }) as unknown as TransactionRow;
const refund = (status: string, failure?: string) => JSON.stringify({ status, failure });
const entry = (patch: Partial<SubjectEntry> = {}): SubjectEntry => ({
  direction: 'debit',
  paymentState: 'none',
  isDue: false,
  depositId: null,
  returnedDepositId: null,
  bookedAs: null,
  bookedFor: null,
  sameAs: null,
  sameReason: null,
  maybeSameAs: null,
  isMissing: false,
  hasReports: false,
  ...patch,
});

describe('money', () => {
  for (const [what, patch, expected] of [
    ['in suspense', {}, ['match', 'return', 'ignore', 'book']],
    ['of which a part is in suspense', { status: 'matched', allocatedMinor: 9n }, ['match', 'return']],
    ['that is kept as excess', { status: 'matched', allocatedMinor: 9n, excessMinor: 1n }, ['return']],
    ['that was given back in part', { status: 'matched', returnedMinor: 9n }, ['match', 'return']],
    ['that is gone', { status: 'returned', returnedMinor: 10n }, []],
    ['that trades have', { status: 'matched', allocatedMinor: 10n }, []],
    [
      'that was held',
      { exception: { type: 'third_party', reason: '-' } },
      ['match', 'return', 'ignore', 'book'],
    ],
  ] as const) {
    test(`${what} offers ${expected.join(', ') || 'nothing'}`, () => {
      const subject = { deposit: deposit(patch) };
      assert.deepEqual(verbs('unmatched', subject), expected);
      const isInSuspense = expected.some((each) => each === 'match');
      assert.equal(names('unmatched', subject).includes('resolve'), !isInSuspense, 'is not resolved away');
      const released = 'exception' in patch ? ['release', ...expected] : expected;
      assert.deepEqual(verbs('third_party', subject), released);
    });
  }

  test('that no trade and no balance takes is not matched', () => {
    assert.deepEqual(verbs('wrong_currency', { deposit: deposit() }, 'currency_not_tradable'), [
      'return',
      'ignore',
      'book',
    ]);
  });
});

test('a deposit in suspense takes the place of any top-up by hand that it may be, once for a customer', () => {
  const topUp = (customerId: string, bankReference: string) => ({
    ...{ id: ID, customerId, bankReference, currency: 'USD', amountMinor: '10', at: 0 },
  });
  const topUps = [topUp(ID, 'B1'), topUp(OTHER, 'B2')];
  const found = (subject: Partial<ExceptionSubject>) =>
    of('duplicate', { deposit: deposit(), topUps, ...subject }).filter(
      ({ order }) => order === 'replace_top_up',
    );
  assert.deepEqual(
    found({}).map(({ body }) => [body.customerId, body.bankReference]),
    [
      [typeId('cus', ID), 'B1'],
      [typeId('cus', OTHER), 'B2'],
    ],
  );
  const allocations = [{ customerId: ID, transactionId: null }] as AllocationRecord[];
  assert.deepEqual(
    found({ allocations }).map(({ body }) => body.bankReference),
    ['B2'],
  );
  assert.deepEqual(found({ deposit: undefined }), []);
});

describe('a match', () => {
  const allocations = [{ customerId: ID, transactionId: ID }] as AllocationRecord[];
  const matched = deposit({ status: 'matched', allocatedMinor: 10n });

  for (const status of TRANSACTION_STATUSES) {
    const canEnd = ['awaiting_funds', 'partially_funded', 'overdue', 'funded'].includes(status);
    test(`with a trade that is ${status} is ${canEnd ? '' : 'not '}undone, nor is the deposit taken back`, () => {
      const one = { deposit: matched, allocations, funded: [trade({ status })] };
      assert.deepEqual(verbs('late', one), canEnd ? ['unmatch'] : []);
      assert.deepEqual(
        of('returned', one)
          .map(({ body }) => body.returnedBy)
          .filter((each) => each),
        canEnd ? ['remitter_bank'] : [],
      );
      assert.deepEqual(verbs('returned', one), canEnd ? ['return', 'unmatch'] : []);
      const two = { ...one, funded: [trade(), trade({ status })] };
      assert.deepEqual(verbs('late', two), canEnd ? ['unmatch'] : [], 'each of its trades counts');
      assert.deepEqual(verbs('late', { ...one, allocations: [] }), []);
      assert.deepEqual(verbs('late', { allocations, funded: one.funded }), []);
    });
  }

  test('of a deposit that a balance no longer covers stays, and so does one whose recall somebody bears', () => {
    const one = { deposit: matched, allocations, funded: [trade()] };
    const recall = { entryId: ID, bookedAs: null };
    assert.deepEqual(verbs('returned', { ...one, recall }), ['return', 'unmatch', 'book']);
    assert.deepEqual(verbs('returned', { ...one, recall, isCovered: false }), ['book']);
    assert.deepEqual(verbs('late', { ...one, recall, isCovered: false }), []);
    const borne = { ...recall, bookedAs: 'customer_receivable' };
    assert.deepEqual(verbs('returned', { ...one, recall: borne }), []);
    const free = deposit({ exception: { type: 'returned', reason: '-' } });
    assert.deepEqual(verbs('returned', { deposit: free, recall: borne }), ['match']);
    assert.deepEqual(verbs('returned', { deposit: free, recall }), ['match', 'return', 'book']);
  });

  test('of a deposit of which something is free is taken back by another command', () => {
    const part = {
      deposit: deposit({ status: 'matched', allocatedMinor: 9n }),
      allocations,
      funded: [trade()],
    };
    assert.deepEqual(
      of('returned', part)
        .map(({ body }) => body.returnedBy)
        .filter((each) => each),
      [],
    );
  });

  test('of what was paid too much goes back only while its trade keeps it', () => {
    const kept = deposit({ status: 'matched', allocatedMinor: 9n, excessMinor: 1n });
    const parts = [{ customerId: ID, transactionId: ID, excessMinor: 1n }] as AllocationRecord[];
    const isOffered = (patch: Partial<TransactionRow>) =>
      names('excess', { deposit: kept, allocations: parts, funded: [trade(patch)] }).includes('return');
    assert.ok(isOffered({ excess_minor: '1' }));
    assert.ok(isOffered({ excess_minor: '1', refund: refund('failed', 'rejected') }));
    assert.ok(!isOffered({ excess_minor: '1', status: 'cancelled' }), 'it is part of the refund');
    assert.ok(!isOffered({ excess_minor: '1', refund: refund('pending') }));
    assert.ok(!isOffered({ excess_minor: '0', refund: refund('paid') }));
  });

  for (const [status, excess, refunded, isOffered] of [
    ['funded', '1', null, true],
    ['settled', '1', refund('failed', 'rejected'), true],
    ['settled', '1', refund('paid'), true],
    ['funded', '0', null, false],
    ['cancelled', '1', null, false],
    ['funded', '1', refund('pending'), false],
  ] as const) {
    test(`with ${excess} too much, ${status}, refund ${refunded}: ${isOffered ? 'it goes back' : 'nothing goes back'}`, () => {
      const funded = [trade({ status, excess_minor: excess, refund: refunded })];
      assert.equal(
        names('excess', { deposit: matched, allocations, funded }).includes('refund_excess'),
        isOffered,
      );
    });
  }
});

describe('a trade that is short', () => {
  for (const status of TRANSACTION_STATUSES) {
    for (const refunded of [null, refund('pending'), refund('paid')]) {
      test(`${status}, refund ${refunded}`, () => {
        const subject = { trade: trade({ status, refund: refunded }), newestDepositId: ID };
        const isExpecting = ['awaiting_funds', 'partially_funded', 'overdue'].includes(status);
        const hasWayBack =
          (isExpecting || ['funded', 'settlement_failed'].includes(status)) && refunded !== refund('pending');
        assert.deepEqual(verbs('short', subject), [
          ...(isExpecting ? ['forgive'] : []),
          ...(status === 'overdue' ? ['roll-value-date'] : []),
          ...(hasWayBack ? ['unwind'] : []),
        ]);
        assert.ok(!verbs('unmatched', subject).includes('unwind'), 'only when that is its trouble');
        if (isExpecting) assert.equal(of('short', subject)[0]?.body.amount, '5.00', 'what is missing still');
        assert.ok(!verbs('short', { ...subject, newestDepositId: undefined }).includes('forgive'));
      });
    }
  }
});

describe('a payment', () => {
  const payout = (status: TransactionRow['status'], more: Partial<TransactionRow> = {}) =>
    trade({ status, payout_attempts: 1, ...more });
  for (const [what, of_, expected] of [
    ['a payout that nobody has released', trade(), ['redirect-payout']],
    ['a payout that has not begun', trade({ status: 'overdue' }), []],
    ['a payout under way', payout('settling'), ['redirect-payout', 'payout-confirmed', 'payout-failed']],
    ['a payout that was made', payout('settled'), ['payout-failed']],
    ['a payout that failed', payout('settlement_failed'), ['retry-payout']],
    ['a payout that failed with a hold on it', payout('settlement_failed', { holds: '[{}]' }), []],
    ['proceeds in the balance', payout('settlement_failed', { proceeds: 'balance' }), []],
    [
      'a refund under way',
      payout('cancelled', { refund: refund('pending') }),
      ['refund-paid', 'refund-failed'],
    ],
    ['a refund that was made', payout('cancelled', { refund: refund('paid') }), ['refund-failed']],
    [
      'a refund that was rejected',
      payout('cancelled', { refund: refund('failed', 'rejected') }),
      ['retry-refund'],
    ],
    [
      'a refund that came back',
      payout('cancelled', { refund: refund('failed', 'returned') }),
      ['retry-refund'],
    ],
  ] as const) {
    test(`${what}: ${expected.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(verbs('payout_mismatch', { trade: of_ }).toSorted(), expected.toSorted());
    });
  }

  for (const [status, expected] of [
    ['pending', ['redirect', 'paid', 'failed', 'cancel']],
    ['paid', ['failed']],
    ['failed', []],
    ['cancelled', []],
  ] as const) {
    test(`a withdrawal that is ${status}: ${expected.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(verbs('payout_mismatch', { withdrawal: { status } }), expected);
    });
  }

  test('a return of a deposit, as long as it is pending', () => {
    const statuses = ['pending', 'paid', 'failed', 'cancelled'];
    assert.deepEqual(
      statuses.map((status) =>
        verbs('payout_mismatch', { depositReturn: { id: ID, depositId: ID, status } }),
      ),
      [['paid', 'failed', 'cancel'], [], [], []],
    );
  });
});

describe('an entry', () => {
  for (const [patch, isWaiting, expected] of [
    [{ paymentState: 'mismatch' }, false, ['match', 'book']],
    [{ paymentState: 'mismatch', direction: 'credit' }, false, ['match', 'book']],
    [{ paymentState: 'unknown' }, false, ['match', 'book']],
    [{ paymentState: 'unknown', direction: 'credit' }, false, []],
    [{ paymentState: 'due' }, false, []],
    [{ paymentState: 'applied' }, false, []],
    [{ paymentState: 'due' }, true, ['retry', 'match', 'book']],
  ] as const) {
    test(`${JSON.stringify(patch)}${isWaiting ? ', waiting' : ''}: ${expected.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(verbs('not_applied', { entry: entry(patch), isWaiting }), expected);
    });
  }

  for (const [patch, isResolvable] of [
    [{}, true],
    [{ isDue: true }, false],
    [{ paymentState: 'mismatch' }, false],
    [{ paymentState: 'unknown' }, false],
    [{ paymentState: 'due' }, false],
    [{ paymentState: 'applied' }, true],
  ] as const) {
    test(`${JSON.stringify(patch)} is ${isResolvable ? '' : 'not '}resolved away`, () => {
      assert.equal(names('not_applied', { entry: entry(patch) }).includes('resolve'), isResolvable);
    });
  }

  for (const [patch, expected] of [
    [{ maybeSameAs: ID }, ['another', 'same']],
    [{ sameAs: ID, maybeSameAs: ID }, ['another']],
    [{ sameAs: ID, sameReason: 'uetr' }, ['another']],
    [{ sameAs: ID, sameReason: 'sum_of_details' }, []],
    [{ maybeSameAs: ID, sameReason: 'part_of_sum' }, ['same']],
    [{ maybeSameAs: ID, paymentState: 'applied' }, ['another']],
    [{ maybeSameAs: ID, paymentState: 'known' }, ['another']],
    [{ maybeSameAs: ID, paymentState: 'by_hand' }, ['another']],
    [{ maybeSameAs: ID, paymentState: 'applied', depositId: ID }, ['another', 'same']],
    [{ isMissing: true }, ['never-booked']],
    [{ isMissing: true, paymentState: 'applied' }, []],
    [{ isMissing: true, paymentState: 'applied', hasReports: true }, ['never-booked']],
    [{ paymentState: 'applied', hasReports: true }, []],
    [{ isMissing: true, paymentState: 'applied', depositId: ID }, ['never-booked']],
    [{ isMissing: true, paymentState: 'applied', returnedDepositId: ID }, ['never-booked']],
    [{ isMissing: true, paymentState: 'by_hand', returnedDepositId: ID, bookedAs: 'deposit_return' }, []],
    [{ isMissing: true, paymentState: 'by_hand', bookedAs: 'bank_charges' }, ['never-booked']],
    // Booked before it was kept who owes it.
    [{ isMissing: true, paymentState: 'by_hand', bookedAs: 'customer_receivable' }, []],
    [
      { isMissing: true, paymentState: 'by_hand', bookedAs: 'customer_receivable', bookedFor: ID },
      ['never-booked'],
    ],
    [{}, []],
  ] as const) {
    test(`${JSON.stringify(patch)}: ${expected.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(verbs('duplicate', { entry: entry(patch) }), expected);
    });
  }

  test('that no statement has is not booked, or another one', () => {
    const missing = entry({ isMissing: true, maybeSameAs: ID });
    assert.deepEqual(verbs('payout_mismatch', { entry: missing }, 'not_in_statement'), [
      'never-booked',
      'another',
    ]);
    assert.deepEqual(
      verbs('duplicate', { entry: entry({ maybeSameAs: ID, paymentState: 'mismatch' }) }, 'told_differently'),
      ['another', 'match', 'book'],
    );
  });
});
