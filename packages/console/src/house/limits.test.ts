import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { Compile } from 'typebox/schema';
import type { ChangeLine } from '../parts/change.tsx';
import * as exposure from './exposure.ts';
import { written } from './limit-edits.ts';
import * as sizes from './trade-sizes.ts';

/** Whether what is edited in rows comes to what the interface takes, and everything that nobody has touched goes back as it came. */

function takes(id: string, document: unknown): void {
  const body = Object.values(OPERATIONS).find((each) => each.id === id)?.body;
  assert.ok(body !== undefined, id);
  assert.ok(Compile(body).Check(document), JSON.stringify(document));
}

const LIMITS: exposure.Limits = {
  total: '5000000.00',
  perCurrency: null,
  currencies: [{ currency: 'EUR', limit: '2000000.00' }],
  hedges: [
    { currency: 'EUR', amount: '-250000.00' },
    { currency: 'JPY', amount: '9000000' },
  ],
};

test('limits of the exposure that nobody has touched go back as they came', () => {
  const { lines, document } = exposure.changeOf(LIMITS, { EUR: {}, CHF: {} });
  assert.deepEqual(lines, []);
  assert.deepEqual(document, LIMITS);
  takes('setExposureLimits', document);
});

test('limits of the exposure are set, taken away and added, and hedges have a side', () => {
  const { lines, wrong, warnings, document } = exposure.changeOf(LIMITS, {
    total: { limit: '' },
    perCurrency: { limit: '1m' },
    EUR: { limit: '2,500,000.00', hedge: '−300,000.00' },
    JPY: { hedge: '' },
    KWD: { limit: '0', hedge: '+150.1250' },
  });
  assert.deepEqual(wrong, []);
  assert.deepEqual(document, {
    total: null,
    perCurrency: '1000000.00',
    currencies: [
      { currency: 'EUR', limit: '2500000.00' },
      { currency: 'KWD', limit: '0.00' },
    ],
    hedges: [
      { currency: 'EUR', amount: '-300000.00' },
      { currency: 'KWD', amount: '150.125' },
    ],
  });
  takes('setExposureLimits', document);
  assert.deepEqual(
    lines.map(({ what, before, after }) => `${what}: ${before} → ${after}`),
    [
      'All currencies together, largest position: 5,000,000.00 USD → no limit',
      'Each currency that is not listed, largest position: no limit → 1,000,000.00 USD',
      'EUR, largest position: 2,000,000.00 USD → 2,500,000.00 USD',
      'EUR, hedged elsewhere: −250,000.00 EUR → −300,000.00 EUR',
      'JPY, hedged elsewhere: 9,000,000 JPY → nothing',
      'KWD, largest position: no limit → 0.00 USD',
      'KWD, hedged elsewhere: nothing → 150.125 KWD',
    ],
  );
  assert.equal(warnings.length, 2);
});

test('a version of limits is told by what differs from the one before', () => {
  const told = (lines: readonly ChangeLine[]) =>
    lines.map(({ what, before, after }) => `${what}: ${before} → ${after}`);
  const next = {
    ...LIMITS,
    ...{
      total: '4000000',
      currencies: [],
      hedges: [{ currency: 'CHF', amount: '5.00' }, ...LIMITS.hedges.slice(0, 1)],
    },
  };
  assert.deepEqual(told(exposure.linesOfVersion(LIMITS, next)), [
    'All currencies together, largest position: 5,000,000.00 USD → 4,000,000 USD',
    'EUR, largest position: 2,000,000.00 USD → no limit',
    'JPY, hedged elsewhere: 9,000,000 JPY → nothing',
    'CHF, hedged elsewhere: nothing → 5.00 CHF',
  ]);
  const everybody = { customerId: null, groupName: null, pair: null, minimum: '100.00', maximum: null };
  const gold = { ...everybody, groupName: 'gold', maximum: '1000000.00' };
  const lines = sizes.linesOfVersion(
    { limits: [everybody] },
    { limits: [{ ...everybody, minimum: '50.00' }, gold] },
  );
  assert.equal(lines.length, 3);
  assert.deepEqual(told(sizes.linesOfVersion({ limits: [gold] }, { limits: [gold] })), []);
});

test('what is not understood is told by its row, and nothing is sent', () => {
  const { wrong, lines, document } = exposure.changeOf(LIMITS, {
    EUR: { limit: 'much', hedge: '1.000' },
    JPY: { hedge: '0.5' },
  });
  assert.equal(document, undefined);
  assert.deepEqual(lines, []);
  assert.deepEqual(
    wrong.map((each) => each.split(':')[0]),
    ['EUR, largest position', 'EUR, hedged elsewhere', 'JPY, hedged elsewhere'],
  );
});

test('what stands in a field is read as what it is, with its side and all its decimals', () => {
  const hedges = [
    { currency: 'KWD', amount: '-150.125' },
    { currency: 'JPY', amount: '9000000' },
  ];
  const fields = {
    KWD: { hedge: written(undefined, '-150.125', 3) },
    JPY: { hedge: written(undefined, '9000000', 0) },
  };
  const { wrong, lines } = exposure.changeOf({ ...LIMITS, hedges }, fields);
  assert.deepEqual([wrong, lines], [[], []], JSON.stringify(fields));
});

test('the same amount in other words is no change, and a zero has no side', () => {
  const { lines } = exposure.changeOf(LIMITS, { total: { limit: '5m' }, EUR: { hedge: '-250k' } });
  assert.deepEqual(lines, []);
  const { document } = exposure.changeOf(LIMITS, { EUR: { hedge: '-0' } });
  assert.equal(document?.hedges[0]?.amount, '0.00');
  takes('setExposureLimits', document);
});

const EVERYBODY = { customerId: null, groupName: null, pair: null };
const SIZES = [
  { ...EVERYBODY, minimum: '10.00', maximum: '1000000.00' },
  { ...EVERYBODY, groupName: 'gold', minimum: null, maximum: '5000000.00' },
];

test('sizes of trades are set, taken away and added, and the others go back as they came', () => {
  const gold = { ...EVERYBODY, groupName: 'gold' };
  const yen = { ...EVERYBODY, pair: 'USDJPY' };
  const { lines, wrong, document } = sizes.changeOf(SIZES, {
    [sizes.keyOf(EVERYBODY)]: { ...EVERYBODY, minimum: '25' },
    [sizes.keyOf(gold)]: { ...gold, maximum: '' },
    [sizes.keyOf(yen)]: { ...yen, maximum: '250k' },
    [sizes.keyOf({ ...yen, groupName: 'new' })]: { ...yen, groupName: 'new' },
  });
  assert.deepEqual(wrong, []);
  assert.deepEqual(document, {
    limits: [
      { ...EVERYBODY, minimum: '25.00', maximum: '1000000.00' },
      { ...yen, minimum: null, maximum: '250000.00' },
    ],
  });
  takes('setAmountLimits', document);
  assert.deepEqual(
    lines.map(({ what, before, after }) => `${what}: ${before} → ${after}`),
    [
      'everybody, any pair, smallest: 10.00 USD → 25.00 USD',
      'gold, any pair, largest: 5,000,000.00 USD → no limit',
      'everybody, USDJPY, largest: no limit → 250,000.00 USD',
    ],
  );
  assert.equal(sizes.changeOf(SIZES, { [sizes.keyOf(gold)]: { ...gold, maximum: 'x' } }).document, undefined);
});
