import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCurrency } from './currency.ts';
import { formatDecimal, parseDecimal } from './decimal.ts';
import { formatAmount, parseAmount } from './money.ts';
import { pairOf } from './pair.ts';
import {
  isValidMarketPrice,
  type PriceRequest,
  priceRate,
  priceTrade,
  priceTwoWay,
  UnusablePrice,
} from './pricing.ts';

function currency(code: string) {
  const found = findCurrency(code);
  assert.ok(found, code);
  return found;
}

function decimal(text: string) {
  const found = parseDecimal(text);
  assert.ok(found, text);
  return found;
}

/** `sell USD 100000.00 for EUR` or `buy USD 100000.00 with EUR`, at `bid/ask` and a spread. */
function requestOf(words: string, prices: string, bps: string): PriceRequest {
  const [fixedSide, fixedCode = '', amount = '', , otherCode = ''] = words.split(' ');
  const [bid = '', ask = ''] = prices.split('/');
  const fixed = currency(fixedCode);
  const other = currency(otherCode);
  const parsed = parseAmount(amount, fixed);
  assert.ok(parsed.ok, words);
  return {
    pair: pairOf(fixed, other),
    sell: fixedSide === 'sell' ? fixed : other,
    buy: fixedSide === 'sell' ? other : fixed,
    market: { bid: decimal(bid), ask: decimal(ask) },
    spreadBps: decimal(bps),
    fixedSide: fixedSide === 'sell' ? 'sell' : 'buy',
    amountMinor: parsed.minor,
  };
}

function priced(request: PriceRequest) {
  const result = priceTrade(request);
  assert.ok(result.ok);
  return result;
}

// Request, market bid/ask, spread in basis points: client rate, derived amount.
const VECTORS: [string, string, string, string, string][] = [
  ['sell USD 100000.00 for EUR', '1.08488/1.08494', '20', '1.08711', '91987.01'],
  ['buy EUR 100000.00 with USD', '1.08488/1.08494', '20', '1.08711', '108711.00'],
  ['sell EUR 100000.00 for USD', '1.08488/1.08494', '20', '1.08271', '108271.00'],
  ['buy USD 100000.00 with EUR', '1.08488/1.08494', '20', '1.08271', '92360.84'],
  ['sell USD 10000.00 for JPY', '151.236/151.240', '15', '151.009', '1510090'],
  ['sell JPY 1000000 for USD', '151.236/151.240', '15', '151.467', '6602.10'],
  ['sell KWD 1000.000 for USD', '0.30711/0.30719', '25', '0.30796', '3247.17'],
  ['sell USD 1000.00 for KWD', '0.30711/0.30719', '25', '0.30634', '306.340'],
];

for (const [words, prices, bps, rate, amount] of VECTORS) {
  test(`${words} at ${prices} with ${bps} bps`, () => {
    const request = requestOf(words, prices, bps);
    const trade = priced(request);
    assert.equal(formatDecimal(trade.rate), rate);
    const derived = request.fixedSide === 'sell' ? request.buy : request.sell;
    const derivedMinor = request.fixedSide === 'sell' ? trade.buyMinor : trade.sellMinor;
    assert.equal(formatAmount(derivedMinor, derived), amount);
  });
}

test('the worked example comes out in every figure', () => {
  const trade = priced(requestOf('sell USD 100000.00 for EUR', '1.08488/1.08494', '20.00'));
  assert.equal(trade.side, 'ask');
  assert.equal(formatDecimal(trade.rate), '1.08711');
  assert.equal(formatDecimal(trade.inverse), '0.9198701143');
  assert.equal(formatDecimal(trade.mid), '1.08491');
  assert.equal(formatDecimal(trade.market), '1.08494');
  assert.equal(formatDecimal(trade.costVsMidBps), '20.28');
  assert.equal(trade.sellMinor, 10_000_000n);
  assert.equal(trade.buyMinor, 9_198_701n);
  assert.equal(trade.marketMinor, 9_217_100n);
  assert.equal(trade.markup.minor, 18_399n);
  assert.equal(trade.markup.currency.code, 'EUR');
});

test('a rate without an amount is the rate of the trade', () => {
  const { fixedSide, amountMinor, ...rateOnly } = requestOf(
    'sell JPY 1000000 for USD',
    '151.236/151.240',
    '15',
  );
  const { ok, sellMinor, buyMinor, marketMinor, markup, ...rate } = priced({
    ...rateOnly,
    fixedSide,
    amountMinor,
  });
  assert.deepEqual(priceRate(rateOnly), rate);
  assert.equal(formatDecimal(rate.rate), '151.467');
  assert.equal(formatDecimal(rate.inverse), '0.0066020981');
});

test('both sides of a streamed price hold the spread', () => {
  const { pair, market } = requestOf('sell USD 1 for EUR', '1.08488/1.08494', '20');
  const { bid, ask, mid } = priceTwoWay(pair, market, decimal('20.00'));
  assert.deepEqual([bid, ask, mid].map(formatDecimal), ['1.08271', '1.08711', '1.08491']);
});

test('a market finer or coarser than the pair is rounded away from the mid, once, after the spread', () => {
  const request = requestOf('sell USD 100000.00 for EUR', '1.0848801/1.0849301', '0');
  const ask = priceRate(request);
  assert.equal(formatDecimal(ask.market), '1.08494');
  assert.equal(formatDecimal(ask.rate), '1.08494');
  const bid = priceRate({ ...request, sell: request.buy, buy: request.sell });
  assert.equal(formatDecimal(bid.market), '1.08488');
  const coarse = priceRate(requestOf('sell USD 100000.00 for EUR', '1.08/1.1', '0.5'));
  assert.equal(formatDecimal(coarse.market), '1.10000');
  assert.equal(formatDecimal(coarse.rate), '1.10006');
  assert.equal(formatDecimal(coarse.mid), '1.09000');
});

test('ties of a derived amount go up by default, and to the house when told so', () => {
  // 0.15 at 1.10000 is 0.165, a tie that half-even would send down.
  const sell = requestOf('sell EUR 0.15 for USD', '1.10000/1.10000', '0');
  assert.equal(priced(sell).buyMinor, 17n);
  assert.equal(priced({ ...sell, amountRounding: 'half_up' }).buyMinor, 17n);
  assert.equal(priced({ ...sell, amountRounding: 'house' }).buyMinor, 16n);
  // 0.01 EUR costs 0.011 USD.
  const buy = requestOf('buy EUR 0.01 with USD', '1.10000/1.10000', '0');
  assert.equal(priced(buy).sellMinor, 1n);
  assert.equal(priced({ ...buy, amountRounding: 'house' }).sellMinor, 2n);
});

test('a derived amount of zero is below the minimum', () => {
  const below = { ok: false, error: 'amount_below_minimum' };
  const jpy = requestOf('sell JPY 1 for EUR', '185.000/185.010', '20');
  assert.equal(priced(jpy).buyMinor, 1n, '0.0054 EUR is still a cent');
  assert.deepEqual(priceTrade({ ...jpy, amountRounding: 'house' }), below);
  assert.deepEqual(priceTrade(requestOf('sell VND 1 for USD', '26300/26310', '20')), below);
  assert.deepEqual(priceTrade(requestOf('buy VND 1 with USD', '26300/26310', '20')), below);
  assert.deepEqual(priceTrade(requestOf('sell USD 0 for EUR', '1.08488/1.08494', '20')), below);
});

test('so is one that is something at the customer rate alone, and nothing at the market', () => {
  const below = { ok: false, error: 'amount_below_minimum' };
  // 82.40 / 16,447 is 0.00501 USD, and 82.40 / 16,480.01 is 0.00499.
  const buy = requestOf('buy IDR 82.40 with USD', '16480.01/16490', '20');
  assert.deepEqual(priceTrade(buy), below);
  assert.equal(priced({ ...buy, amountRounding: 'house' }).marketMinor, 1n, 'rounded up, it is a cent');
  assert.equal(priced(requestOf('buy IDR 82.41 with USD', '16480.01/16490', '20')).marketMinor, 1n);
});

test('and one that is something at the market alone, and nothing at the customer rate', () => {
  // 82.46 / 16,490 is 0.00501 USD, and 82.46 / 16,522.98 is 0.00499.
  const sell = requestOf('sell IDR 82.46 for USD', '16480.01/16490', '20');
  assert.deepEqual(priceTrade(sell), { ok: false, error: 'amount_below_minimum' });
  assert.equal(priced({ ...sell, spreadBps: decimal('0') }).buyMinor, 1n);
});

test('a price that comes to nothing at the decimals of the pair is no price', () => {
  const bid = requestOf('sell EUR 1.00 for USD', '0.00001/1.08494', '20');
  assert.throws(() => priceTrade(bid), UnusablePrice, 'the bid of the customer');
  assert.throws(() => priceTwoWay(bid.pair, bid.market, bid.spreadBps), UnusablePrice);
  const least = priceRate({ ...bid, spreadBps: decimal('0') });
  assert.equal(formatDecimal(least.rate), '0.00001', 'one unit of the last digit is');
  const mid = requestOf('buy EUR 1.00 with USD', '0.000001/0.000002', '0');
  assert.throws(() => priceRate(mid), UnusablePrice, 'the mid, which costs are measured against');
});

test('a settlement increment rounds the derived amount only', () => {
  const request = requestOf('sell EUR 100.01 for HUF', '366.900/366.950', '20');
  const wholeForint = { ...currency('HUF'), settlementIncrementMinor: 100n };
  const trade = priced({ ...request, buy: wholeForint, pair: pairOf(request.sell, wholeForint) });
  assert.equal(formatDecimal(trade.rate), '366.166');
  assert.equal(formatAmount(priced(request).buyMinor, request.buy), '36620.26');
  assert.equal(formatAmount(trade.buyMinor, wholeForint), '36620.00');
  assert.equal(trade.markup.minor, trade.marketMinor - trade.buyMinor);
  assert.equal(trade.marketMinor % 100n, 0n);
});

test('a price that cannot be traded on is refused', () => {
  const request = requestOf('sell USD 1.00 for EUR', '1.08488/1.08494', '20');
  for (const prices of ['1.08494/1.08488', '0/1.08494', '0.00000/0.00000', '-1/1']) {
    const { market } = requestOf('sell USD 1.00 for EUR', prices, '20');
    assert.equal(isValidMarketPrice(market), false, prices);
    assert.throws(() => priceTrade({ ...request, market }), RangeError, prices);
    assert.throws(() => priceTwoWay(request.pair, market, request.spreadBps), RangeError, prices);
  }
  const locked = requestOf('sell USD 1.00 for EUR', '1.0849/1.08490', '0');
  assert.equal(isValidMarketPrice(locked.market), true);
  assert.equal(formatDecimal(priceRate(locked).costVsMidBps), '0.00');
});

test('a spread outside 0 to 10000 basis points, a negative amount and a foreign currency are refused', () => {
  const request = requestOf('sell USD 1.00 for EUR', '1.08488/1.08494', '20');
  for (const bps of ['-0.01', '10000', '10000.00', '20000']) {
    assert.throws(() => priceTrade({ ...request, spreadBps: decimal(bps) }), RangeError, bps);
  }
  assert.throws(() => priceTrade({ ...request, amountMinor: -1n }), RangeError);
  assert.throws(() => priceTrade({ ...request, buy: currency('GBP') }), RangeError);
  assert.throws(() => priceTrade({ ...request, buy: request.sell }), RangeError);
  const sell = requestOf('sell EUR 1.00 for USD', '0.00001/1.08494', '20');
  assert.throws(() => priceTrade(sell), RangeError, 'the bid would round to zero');
});
