import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type PayerEvidence, withTransactions } from '../deposits/match-context.ts';
import { DEFAULT_MATCHING_SETTINGS } from '../deposits/matching-settings.ts';
import type { DepositRecord } from '../deposits/record.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { suggestionsFrom } from './suggest.ts';

const NOTHING: PayerEvidence = {
  references: [],
  accountOwner: null,
  remitterOf: [],
  balances: [],
  topUps: [],
};
const trade = (id: string, patch: Partial<TransactionRow> = {}) =>
  ({
    id,
    customer_id: 'c',
    reference: `ref-${id}`,
    status: 'awaiting_funds',
    sell_currency: 'USD',
    sell_minor: '100000',
    received_minor: '0',
    shortfall_minor: '0',
    usd_minor: '100000',
    value_date: '2026-03-06',
    ...patch,
  }) as TransactionRow;

/** Trades with score and reasons, for a deposit of 1,000.00 USD with a part that is placed already. */
function suggested(
  rows: readonly TransactionRow[],
  evidence: Partial<PayerEvidence> = {},
  patch: Partial<DepositRecord> = {},
): string[] {
  const deposit = {
    id: 'd',
    currency: 'USD',
    amountMinor: 110_000n,
    allocatedMinor: 7_000n,
    returnedMinor: 3_000n,
    remitterName: null,
    ...patch,
  } as DepositRecord;
  const customer = {
    id: 'c',
    name: 'Kunde GmbH',
    thirdPartyPayments: 'accept',
    payerNames: ['Zahler'],
    ownAccounts: [],
    isPreFunded: false,
  } as const;
  const context = withTransactions(
    {
      evidence: new Map([['d', { ...NOTHING, ...evidence }]]),
      customers: new Map([['c', customer]]),
      settings: DEFAULT_MATCHING_SETTINGS,
    },
    rows,
  );
  return suggestionsFrom(deposit, context).map(({ row, score, reasonsFor, reasonsAgainst }) =>
    [row.id, score, ...reasonsFor, ...reasonsAgainst.map((reason) => `-${reason}`)].join(' '),
  );
}

describe('a trade is suggested with what speaks for and against it', () => {
  const named = { references: ['ref-t'] };
  for (const [what, row, evidence, patch, expected] of [
    ['the amount', {}, {}, {}, ['t 30 amount_exact']],
    [
      'the amount less what was tolerated',
      { sell_minor: '100100', usd_minor: '100100' },
      {},
      {},
      ['t 22 amount_within_tolerance'],
    ],
    [
      'half a percent less',
      { sell_minor: '100502', usd_minor: '100502' },
      {},
      {},
      ['t 22 amount_within_tolerance'],
    ],
    ['a cent less than that', { sell_minor: '100503', usd_minor: '100503' }, {}, {}, ['t 5 amount_part']],
    ['too much', { sell_minor: '99999' }, named, {}, ['t 40 reference -amount_too_large']],
    ['too much and nothing else', { sell_minor: '99999' }, {}, {}, []],
    [
      'the rest of the amount',
      { sell_minor: '150000', received_minor: '49000', shortfall_minor: '1000' },
      {},
      {},
      ['t 30 amount_exact'],
    ],
    ['the reference', {}, named, {}, ['t 80 reference amount_exact']],
    [
      'everything',
      {},
      { ...named, accountOwner: 'c', remitterOf: ['c'] },
      { remitterName: 'KUNDE' },
      ['t 100 reference virtual_account known_remitter remitter_name amount_exact'],
    ],
    ['its account', {}, { accountOwner: 'c' }, {}, ['t 55 virtual_account amount_exact']],
    [
      'the account of another',
      {},
      { accountOwner: 'x', remitterOf: ['x'], references: ['x'] },
      {},
      ['t 30 amount_exact'],
    ],
    ['a payer who has paid before', {}, { remitterOf: ['x', 'c'] }, {}, ['t 55 known_remitter amount_exact']],
    ['the name of its customer', {}, {}, { remitterName: 'Kunde' }, ['t 45 remitter_name amount_exact']],
    [
      'another name that its customer pays under',
      {},
      {},
      { remitterName: 'ZAHLER' },
      ['t 45 remitter_name amount_exact'],
    ],
    ['another name', {}, {}, { remitterName: 'Somebody' }, ['t 25 amount_exact -remitter_name_differs']],
    [
      'a name, of a customer whom nobody knows',
      { customer_id: 'x' },
      {},
      { remitterName: 'Kunde' },
      ['t 30 amount_exact'],
    ],
    ['being overdue', { status: 'overdue' }, {}, {}, ['t 25 amount_exact -overdue']],
    [
      'having its money, with the reference',
      { status: 'funded' },
      { ...named, accountOwner: 'c' },
      {},
      ['t 25 reference virtual_account -expects_nothing'],
    ],
    ['having its money', { status: 'funded' }, named, {}, []],
    [
      'another currency, with all else',
      { sell_currency: 'EUR' },
      { ...named, accountOwner: 'c' },
      {},
      ['t 15 reference virtual_account -wrong_currency'],
    ],
    ['another currency', { sell_currency: 'EUR' }, named, {}, []],
  ] as const satisfies [
    string,
    Partial<TransactionRow>,
    Partial<PayerEvidence>,
    Partial<DepositRecord>,
    string[],
  ][]) {
    test(`${what}: ${expected.join() || 'not at all'}`, () => {
      assert.deepEqual(suggested([trade('t', row)], evidence, patch), expected);
    });
  }

  test('the likeliest first, the older of equal ones, and ten at most', () => {
    const many = Array.from({ length: 12 }, (_, at) => trade(`t${10 + at}`));
    const found = suggested([...many.toReversed(), trade('z', { status: 'overdue' }), trade('y')], {
      references: ['ref-y'],
    });
    assert.deepEqual(found, [
      'y 80 reference amount_exact',
      ...many.slice(0, 9).map(({ id }) => `${id} 30 amount_exact`),
    ]);
    assert.equal(found.length, 10);
  });
});
