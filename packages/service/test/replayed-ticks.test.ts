import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { findPair, formatAmount, formatDecimal, parseDecimal, priceTrade } from '@firmquote/fx';
import { type Customer, createCustomer, moveClock, refused, succeed } from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { assertBooksBalance } from './support/books.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

/** The whole way of a trade over HTTP, at prices that a market once had. */

const TICKS = resolve(
  import.meta.dirname,
  '../../../../shared/data/rates/ticks-lean/oanda-eurusd-20140506.zip',
);
const TRADES = 12;

interface StoredQuote {
  evidence: string;
  fixed_side: 'sell' | 'buy';
  sell_currency: string;
  buy_currency: string;
  sell_minor: string;
  buy_minor: string;
  market_minor: string;
  markup_minor: string;
}

function decimal(text: string) {
  const value = parseDecimal(text);
  assert.ok(value, text);
  return value;
}

test('token, price, quote, execution, deposit and settlement while real prices move', async (t) => {
  if (!existsSync(TICKS)) {
    t.skip(`there is no ${TICKS}`);
    return;
  }
  // Five hundred times the pace of that day: prices move between two requests.
  const service = await startTestService({ FIRMQUOTE_SOURCES: `replay:${TICKS}@EURUSD@500` });
  const acme = await createCustomer(service);
  const trades: Answer['body'][] = [];
  for (let i = 0; i < TRADES; i++) trades.push(await quoteAndExecute(service, acme, i));
  const rates = new Set(trades.map((trade) => trade.rate.mid));
  assert.ok(rates.size > 1, 'the price moved');

  for (const advanceSeconds of [6, 6]) await moveClock(service, { advanceSeconds });
  for (const trade of trades) {
    const answer = await succeed(200, acme.get(`/v1/customer/transactions/${trade.transactionId}`));
    conforms('transaction', answer);
    const { status, sellAmount, buyAmount, rate, funding, payout } = answer.body;
    assert.equal(status, 'settled');
    assert.deepEqual([sellAmount, buyAmount, rate], [trade.sellAmount, trade.buyAmount, trade.rate]);
    assert.deepEqual([funding.received, payout.amount], [trade.sellAmount, trade.buyAmount]);
  }
  const { items } = (await succeed(200, acme.get('/v1/customer/events?limit=200'))).body;
  assert.equal(items.length, TRADES * 7, 'seven events for each trade');
  await assertBooksBalance(service.pool);
});

/** A quote of one of four kinds, looked at, checked against its evidence, and executed after the price has moved. */
async function quoteAndExecute(service: TestService, acme: Customer, index: number): Promise<Answer['body']> {
  const [sellCurrency, buyCurrency] = index % 2 === 0 ? ['EUR', 'USD'] : ['USD', 'EUR'];
  const fixedSide = index % 4 < 2 ? 'sell' : 'buy';
  const terms = { sellCurrency, buyCurrency, fixedSide, amount: `${12_345 + index * 1_111}.${10 + index}` };
  const estimate = await succeed(200, acme.post('/v1/customer/quotes/indicative', terms));
  conforms('indicative', estimate);
  const quote = await succeed(201, acme.post('/v1/customer/quotes', terms));
  conforms('quote', quote);
  assert.equal(quote.body.rate.source, 'replay:EURUSD');
  await assertPricedExactly(service, quote.body);
  await priceMoves(acme, quote.body.rate.mid, terms);
  const checked = await acme.get(`/v1/customer/quotes/${quote.body.quoteId}`);
  assert.equal(checked.body.status, 'open');
  const { quoteId, sellAmount, buyAmount, rate } = quote.body;
  const etag = { 'If-Match': checked.headers.get('ETag') ?? '' };
  const executed = await succeed(201, acme.execute(quoteId, { expect: { sellAmount, buyAmount } }, etag));
  conforms('transaction', executed);
  assert.deepEqual([executed.body.sellAmount, executed.body.buyAmount], [sellAmount, buyAmount]);
  assert.deepEqual(executed.body.rate, rate, 'a firm rate is firm');
  await refused('quote_already_executed', acme.execute(quoteId));
  return executed.body;
}

/** Asks for estimates until the market is elsewhere. */
async function priceMoves(acme: Customer, mid: string, terms: object): Promise<void> {
  for (;;) {
    const { body } = await acme.post('/v1/customer/quotes/indicative', terms);
    if (body.rate.mid !== mid) return;
  }
}

/** The amounts follow from the evidence that was kept with the quote, to the last minor unit. */
async function assertPricedExactly(service: TestService, quote: Answer['body']): Promise<void> {
  const { rows } = await service.pool.query<StoredQuote>(
    `select evidence, fixed_side, sell_currency, buy_currency, sell_minor, buy_minor, market_minor, markup_minor
     from priced_quotes order by id desc limit 1`,
  );
  const [row] = rows;
  const pair = findPair('EURUSD');
  assert.ok(row && pair);
  const { bid, ask, spreadBps, amountRounding } = JSON.parse(row.evidence);
  const [sell, buy] = row.sell_currency === 'EUR' ? [pair.base, pair.quote] : [pair.quote, pair.base];
  const priced = priceTrade({
    pair,
    sell,
    buy,
    market: { bid: decimal(bid), ask: decimal(ask) },
    spreadBps: decimal(spreadBps),
    amountRounding,
    fixedSide: row.fixed_side,
    amountMinor: BigInt(row.fixed_side === 'sell' ? row.sell_minor : row.buy_minor),
  });
  assert.ok(priced.ok);
  assert.deepEqual([priced.sellMinor, priced.buyMinor, priced.marketMinor, priced.markup.minor].map(String), [
    row.sell_minor,
    row.buy_minor,
    row.market_minor,
    row.markup_minor,
  ]);
  assert.deepEqual(
    [quote.sellAmount, quote.buyAmount, quote.rate.value, quote.rate.mid],
    [
      formatAmount(priced.sellMinor, sell),
      formatAmount(priced.buyMinor, buy),
      formatDecimal(priced.rate),
      formatDecimal(priced.mid),
    ],
  );
}
