import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatUnits } from './decimal.ts';
import { type QuoteEvidence, type QuoteNumbers, recomputeQuote, verifyEvidence } from './recompute-quote.ts';
import { FRACTION_DIGITS, fractionText, type TakenStep } from './rounding-step.ts';

/** docs/interface.md#worked-examples: 100,000 dollars into euros at 20 basis points. */
const EXAMPLE: QuoteEvidence = {
  pair: 'EURUSD',
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  fixedAmount: '100000.00',
  rateDecimals: 5,
  amountRounding: 'half_up',
  bid: '1.08488',
  ask: '1.08494',
  spreadBps: '20.00',
  components: [
    { type: 'customer_spread', bps: '18.00' },
    { type: 'validity_premium', bps: '2.00' },
  ],
  referenceRate: '1.08490',
};
const NUMBERS: QuoteNumbers = {
  bid: '1.08488',
  ask: '1.08494',
  spreadBps: '20.00',
  side: 'ask',
  rate: '1.08711',
  inverse: '0.9198701143',
  mid: '1.08491',
  market: '1.08494',
  costVsMidBps: '20.28',
  sellAmount: '100000.00',
  buyAmount: '91987.01',
  marketAmount: '92171.00',
  markup: '183.99',
  differencePercent: '0.20',
};

/** Name, exact number, direction and result of each step. */
function reported(steps: readonly TakenStep[]) {
  return steps.map((step) => {
    const { text, isExact } = fractionText(step.numerator, step.denominator);
    return [step.name, isExact ? text : `${text}…`, step.rounding, formatUnits(step.units, step.scale)];
  });
}

test('the worked example, step by step', () => {
  const { numbers, steps, through } = recomputeQuote(EXAMPLE);
  assert.deepEqual(numbers, NUMBERS);
  assert.equal(through, undefined);
  assert.deepEqual(reported(steps), [
    ['client_rate', '1.08710988', 'ceil', '1.08711'],
    ['market_rate', '1.08494', 'ceil', '1.08494'],
    ['mid', '1.08491', 'half_up', '1.08491'],
    ['inverse', '0.91987011433985521244…', 'half_up', '0.9198701143'],
    ['cost_vs_mid', '20.27817975684619000654…', 'half_up', '20.28'],
    ['derived_amount', '91987.01143398552124440029…', 'half_up', '91987.01'],
    ['derived_amount_at_market', '92170.99563109480708610614…', 'half_up', '92171.00'],
    ['reference_difference', '0.20370541063692506221…', 'half_up', '0.20'],
  ]);
  assert.deepEqual(verifyEvidence(EXAMPLE, NUMBERS), []);
});

test('a cross is made again from its legs', () => {
  const evidence: QuoteEvidence = {
    pair: 'EURJPY',
    sellCurrency: 'EUR',
    buyCurrency: 'JPY',
    fixedSide: 'buy',
    fixedAmount: '1000000',
    rateDecimals: 3,
    amountRounding: 'house',
    bid: '164.072',
    ask: '164.087',
    legs: [
      { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' },
      { pair: 'USDJPY', bid: '151.236', ask: '151.240' },
    ],
    spreadBps: '15',
  };
  const { numbers, steps, through } = recomputeQuote(evidence);
  assert.equal(through, 'USD');
  assert.deepEqual(reported(steps).slice(0, 3), [
    ['cross_bid', '164.07291168', 'floor', '164.072'],
    ['cross_ask', '164.0863256', 'ceil', '164.087'],
    ['client_rate', '163.825892', 'floor', '163.825'],
  ]);
  assert.equal(numbers.sellAmount, '6104.08', 'what the customer pays is rounded up');
  assert.equal('differencePercent' in numbers, false);
  assert.deepEqual(verifyEvidence(evidence, {}), []);
  assert.deepEqual(verifyEvidence({ ...evidence, ask: '164.086' }, {}), [
    { member: 'ask', recorded: '164.086', recomputed: '164.087' },
  ]);
});

test('amounts in multiples are made again by the increment that the evidence has', () => {
  const evidence: QuoteEvidence = {
    ...{ pair: 'EURHUF', sellCurrency: 'EUR', buyCurrency: 'HUF', fixedSide: 'sell', fixedAmount: '100.01' },
    ...{ rateDecimals: 3, amountRounding: 'half_up', bid: '366.900', ask: '366.950', spreadBps: '20.00' },
  };
  assert.equal(recomputeQuote(evidence).numbers.buyAmount, '36620.26');
  const inForints: QuoteEvidence = { ...evidence, settlementIncrement: '1.00' };
  assert.equal(recomputeQuote(inForints).numbers.buyAmount, '36620.00');
  assert.deepEqual(verifyEvidence(inForints, { buyAmount: '36620.26' }), [
    { member: 'buyAmount', recorded: '36620.26', recomputed: '36620.00' },
  ]);
  const other: QuoteEvidence = { ...inForints, fixedSide: 'buy', fixedAmount: '36620.00' };
  assert.equal(recomputeQuote({ ...other, settlementIncrement: '0.50' }).numbers.sellAmount, '100.00');
  for (const settlementIncrement of ['0.00', 'x', '1.001'])
    assert.throws(
      () => recomputeQuote({ ...evidence, settlementIncrement }),
      RangeError,
      settlementIncrement,
    );
});

describe('what differs is named, exactly', () => {
  for (const member of Object.keys(NUMBERS) as (keyof QuoteNumbers)[]) {
    test(member, () => {
      const wrong = member === 'side' ? 'bid' : `${NUMBERS[member]}1`;
      assert.deepEqual(verifyEvidence(EXAMPLE, { ...NUMBERS, [member]: wrong }), [
        { member, recorded: wrong, recomputed: NUMBERS[member] },
      ]);
    });
  }

  test('a spread that is not the sum of its components', () => {
    assert.deepEqual(verifyEvidence({ ...EXAMPLE, spreadBps: '19.00' }, {}), [
      { member: 'spreadBps', recorded: '19.00', recomputed: '20.00' },
    ]);
  });

  test('a comparison for which there is no reference rate', () => {
    const { referenceRate, ...without } = EXAMPLE;
    assert.deepEqual(verifyEvidence(without, { differencePercent: '0.20' }), [
      { member: 'differencePercent', recorded: '0.20', recomputed: undefined },
    ]);
  });
});

test('older evidence without components counts by its spread', () => {
  const { components, ...older } = EXAMPLE;
  assert.deepEqual(verifyEvidence(older, NUMBERS), []);
});

test('rates keep the decimals that the pair had then', () => {
  const numbers = recomputeQuote({ ...EXAMPLE, rateDecimals: 4 }).numbers;
  assert.deepEqual([numbers.rate, numbers.mid, numbers.market], ['1.0872', '1.0849', '1.0850']);
});

describe('what is no evidence is refused by name', () => {
  const WRONG: readonly (readonly [Partial<QuoteEvidence>, RegExp])[] = [
    [{ pair: 'USDEUR' }, /USDEUR is not a pair/],
    [{ sellCurrency: 'XXX' }, /XXX is not a currency/],
    [{ sellCurrency: 'GBP' }, /not a trade in EURUSD/],
    [{ fixedAmount: '1e5' }, /fixedAmount/],
    [{ fixedAmount: '0.00' }, /comes to nothing/],
    [{ bid: '1,08' }, /bid/],
    [{ bid: '1.09' }, /not crossed/],
    [{ components: [{ type: 'customer_spread', bps: '' }] }, /components/],
    [{ components: [{ type: 'customer_spread', bps: '-1.00' }] }, /spread/],
    [{ referenceRate: 'x' }, /referenceRate/],
    [{ legs: [{ pair: 'EURUSD', bid: '1.08', ask: '1.09' }] }, /a cross has two/],
    [{ rateDecimals: -1 }, /scale/],
  ];
  for (const [change, message] of WRONG) {
    test(JSON.stringify(change), () => {
      assert.throws(
        () => recomputeQuote({ ...EXAMPLE, ...change }),
        (error) => {
          assert.ok(error instanceof RangeError);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }
});

test('an exact number is written out to its end, or cut off at the stated digits', () => {
  for (const [numerator, denominator, text, isExact] of [
    [1n, 4n, '0.25', true],
    [-1n, 4n, '-0.25', true],
    [1n, -4n, '-0.25', true],
    [0n, 7n, '0', true],
    [10n, 5n, '2', true],
    [2n, 3n, `0.${'6'.repeat(FRACTION_DIGITS)}`, false],
    [1n, 10n ** 21n, `0.${'0'.repeat(FRACTION_DIGITS)}`, false],
  ] as const) {
    const found = fractionText(numerator, denominator);
    assert.deepEqual([found.text, found.isExact], [text, isExact]);
    assert.equal(found.numerator * denominator, numerator * found.denominator);
    assert.ok(found.denominator > 0n);
  }
  assert.throws(() => fractionText(1n, 0n), RangeError);
});
