import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  EURUSD,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import type { Answer, TestService } from './support/service.ts';

/** `GET /v1/customer/transactions`: filters, orders and pages of docs/interface.md#lists. */

const LIST = '/v1/customer/transactions';
const COUNT = 250;
type Item = Answer['body'];
let service: TestService;
let acme: Customer;
/** All of them as single reads show them, in the order of their creation. */
let all: Item[];

/** Kinds of trade, so that every filter has something to leave out. */
const KINDS = [
  { sellCurrency: 'USD', buyCurrency: 'EUR' },
  { sellCurrency: 'EUR', buyCurrency: 'USD' },
  { sellCurrency: 'USD', buyCurrency: 'JPY' },
  { sellCurrency: 'GBP', buyCurrency: 'USD' },
] as const;

async function makeTrade(index: number): Promise<void> {
  const kind = KINDS[index % KINDS.length];
  const clientReference = `ref ${index % 10}`;
  const quote = await acme.quote({
    ...kind,
    tenor: index >= 200 ? 'tom' : 'spot',
    amount: `${1_000 + index}`,
    clientReference,
  });
  await acme.trade(quote.body.quoteId);
}

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  for (const price of [EURUSD, { pair: 'USDJPY', bid: '151.236', ask: '151.240' }])
    await service.operate('POST', '/v1/sandbox/market', price);
  // Two days, so that instants and value dates differ; nothing is to be settled yet.
  for (const [now, from, to] of [
    ['2026-03-03T07:00:00.000Z', 0, 125],
    ['2026-03-04T07:00:00.000Z', 125, COUNT],
  ] as const) {
    await moveClock(service, { now });
    await Promise.all(Array.from({ length: to - from }, (_, i) => makeTrade(from + i)));
  }
  const listed = await walk('sort=createdAt&limit=200');
  for (const item of listed.filter((_, i) => i % 5 === 0)) {
    const { reference, sellAmount: amount, sellCurrency: currency } = item;
    await succeed(201, service.operate('POST', '/v1/sandbox/deposits', { reference, amount, currency }));
  }
  all = await walk('sort=createdAt&limit=200');
  assert.equal(all.length, COUNT);
});

async function page(query: string): Promise<Answer> {
  const answer = await succeed(200, acme.get(`${LIST}?${query}`));
  conforms('transactions', answer);
  return answer;
}

/** Every item, page by page as the Link headers lead. */
async function walk(query: string, between?: () => Promise<void>): Promise<Item[]> {
  const items: Item[] = [];
  for (let next: string | undefined = `${LIST}?${query}`; next !== undefined; ) {
    const answer: Answer = await succeed(200, acme.get(next));
    conforms('transactions', answer);
    items.push(...answer.body.items);
    const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('Link') ?? '')?.[1];
    assert.equal(answer.body.hasMore, link !== undefined);
    assert.equal(answer.body.nextCursor !== null, answer.body.hasMore);
    next = link;
    if (next !== undefined) await between?.();
  }
  return items;
}

const ids = (items: readonly Item[]) => items.map((item) => item.transactionId as string);

test('an item is the transaction without timeline, deposits and instructions', async () => {
  const { body } = await page('limit=1');
  const { timeline, nextPollAfterSeconds, funding, ...rest } = (
    await acme.get(`${LIST}/${body.items[0].transactionId}`)
  ).body;
  const { deposits, instructions, ...fundingRest } = funding;
  assert.deepEqual(body.items[0], { ...rest, funding: fundingRest });
});

describe('250 transactions in pages of 7, while new ones arrive', () => {
  let extra = COUNT;
  for (const [sort, key] of [
    ['-createdAt', (item: Item) => item.transactionId],
    ['createdAt', (item: Item) => item.transactionId],
    ['updatedAt', (item: Item) => `${item.updatedAt} ${item.transactionId}`],
    ['valueDate', (item: Item) => `${item.settlement.valueDate} ${item.transactionId}`],
  ] as const) {
    test(`sorted by ${sort}: no gap and no repetition`, async () => {
      let pages = 0;
      const items = await walk(`limit=7&sort=${sort}`, async () => {
        if (++pages % 5 === 0) await makeTrade(extra++);
      });
      const seen = ids(items);
      assert.equal(new Set(seen).size, seen.length, 'nothing twice');
      const missing = ids(all).filter((id) => !seen.includes(id));
      assert.deepEqual(missing, []);
      const keys = items.map(key);
      const sorted = [...keys].sort();
      assert.deepEqual(keys, sort === '-createdAt' ? sorted.reverse() : sorted);
    });
  }
});

describe('filters', () => {
  const second = '2026-03-04T00:00:00.000Z';
  const cases: readonly (readonly [string, (item: Item) => boolean])[] = [
    ['status=funded', (t) => t.status === 'funded'],
    ['status=awaiting_funds,funded', () => true],
    ['status=settled&status=funded', (t) => t.status === 'funded'],
    ['status=settled', () => false],
    [`createdFrom=${second}`, (t) => t.createdAt >= second],
    [`createdTo=${second}`, (t) => t.createdAt < second],
    ['createdFrom=2026-03-04T02%3A00%3A00%2B02:00', (t) => t.createdAt >= second],
    [`updatedFrom=${second}`, (t) => t.updatedAt >= second],
    [`updatedTo=${second}`, (t) => t.updatedAt < second],
    ['valueDateFrom=2026-03-05', (t) => t.settlement.valueDate >= '2026-03-05'],
    ['valueDateTo=2026-03-05', (t) => t.settlement.valueDate <= '2026-03-05'],
    ['valueDateFrom=2026-03-05&valueDateTo=2026-03-05', (t) => t.settlement.valueDate === '2026-03-05'],
    ['sellCurrency=USD', (t) => t.sellCurrency === 'USD'],
    ['buyCurrency=USD', (t) => t.buyCurrency === 'USD'],
    ['pair=EURUSD', (t) => t.rate.pair === 'EURUSD'],
    ['pair=EURNOK', () => false],
    ['clientReference=ref%203', (t) => t.clientReference === 'ref 3'],
    ['clientReference=REF%203', () => false],
    [
      'sellCurrency=USD&minSellAmount=1100&maxSellAmount=1150.00',
      (t) => t.sellCurrency === 'USD' && +t.sellAmount >= 1_100 && +t.sellAmount <= 1_150,
    ],
    [
      'sellCurrency=USD&pair=EURUSD&status=funded&clientReference=ref+0',
      (t) =>
        t.sellCurrency === 'USD' &&
        t.rate.pair === 'EURUSD' &&
        t.status === 'funded' &&
        t.clientReference === 'ref 0',
    ],
  ];
  for (const [query, matches] of cases) {
    test(query, async () => {
      const found = ids(await walk(`sort=createdAt&limit=50&${query}`));
      const known = new Set(ids(all));
      const expected = ids(all.filter(matches));
      assert.deepEqual(
        found.filter((id) => known.has(id)),
        expected,
      );
      if (query.includes('settled') && expected.length === 0) assert.deepEqual(found, []);
    });
  }

  test('a change is found from its instant on, and not up to it', async () => {
    const { transactionId, updatedAt } = all[0] as Item;
    const from = ids(await walk(`limit=50&updatedFrom=${updatedAt}`));
    const to = ids(await walk(`limit=50&updatedTo=${updatedAt}`));
    assert.deepEqual([from.includes(transactionId), to.includes(transactionId)], [true, false]);
  });

  test('by quote and by payment reference', async () => {
    const [item] = all;
    for (const query of [`quoteId=${item.quoteId}`, `reference=${item.reference}`]) {
      assert.deepEqual(ids((await page(query)).body.items), [item.transactionId]);
    }
    const nobodys = `quoteId=quote_${item.transactionId.slice('txn_'.length)}`;
    for (const query of [nobodys, 'reference=RF00'])
      assert.deepEqual((await page(query)).body, { items: [], nextCursor: null, hasMore: false });
  });

  test('what cannot be read is told by name, all at once', async () => {
    for (const [query, ...errors] of [
      ['status=lost', ['/query/status', 'not_permitted']],
      ['createdFrom=yesterday', ['/query/createdFrom', 'wrong_format']],
      ['updatedTo=2026-03-04', ['/query/updatedTo', 'wrong_format']],
      ['valueDateFrom=2026-02-30', ['/query/valueDateFrom', 'wrong_format']],
      ['sellCurrency=usd', ['/query/sellCurrency', 'wrong_format']],
      ['sellCurrency=ZZZ', ['/query/sellCurrency', 'wrong_format']],
      ['pair=EUR/USD', ['/query/pair', 'wrong_length']],
      ['pair=USDEUR', ['/query/pair', 'wrong_format']],
      ['minSellAmount=5', ['/query/minSellAmount', 'required']],
      [
        'createdFrom=2026-03-05T00:00:00Z&createdTo=2026-03-04T00:00:00Z',
        ['/query/createdTo', 'before_start'],
      ],
      ['sellCurrency=USD&minSellAmount=2&maxSellAmount=1.99', ['/query/maxSellAmount', 'out_of_range']],
      ['sellCurrency=JPY&maxSellAmount=1.5', ['/query/maxSellAmount', 'wrong_format']],
      [`quoteId=${all[0].transactionId}`, ['/query/quoteId', 'wrong_format']],
      ['sort=amount', ['/query/sort', 'not_permitted']],
      ['limit=0', ['/query/limit', 'not_permitted']],
      ['limit=201', ['/query/limit', 'not_permitted']],
      ['limit=1e2', ['/query/limit', 'not_permitted']],
      ['clientReference=', ['/query/clientReference', 'wrong_length']],
      ['clientReference=a%00b', ['/query/clientReference', 'wrong_format']],
      ['limit=5&limit=6', ['/query/limit', 'repeated']],
      ['colour=red&sort=x', ['/query/sort', 'not_permitted'], ['/query/colour', 'unknown_field']],
    ] as const) {
      assert.deepEqual(await fieldErrors(acme.get(`${LIST}?${query}`)), errors, query);
    }
  });
});

describe('cursors', () => {
  test('belong to the filters, the order and the customer that they were given for', async () => {
    const { nextCursor } = (await page('limit=5&sellCurrency=USD&minSellAmount=1000')).body;
    const same = 'sellCurrency=USD&minSellAmount=1000';
    assert.equal(
      (await page(`limit=9&${same}&cursor=${nextCursor}`)).body.items.length,
      9,
      'the limit may change',
    );
    for (const query of [
      '',
      'sellCurrency=USD',
      `${same}&pair=EURUSD`,
      `${same}&sort=createdAt`,
      `${same}0`,
    ]) {
      await refused('cursor_invalid', acme.get(`${LIST}?${query}&cursor=${nextCursor}`));
    }
    const other = await createCustomer(service);
    await refused('cursor_invalid', other.get(`${LIST}?${same}&cursor=${nextCursor}`));
  });

  test('damaged ones are refused', async () => {
    const cursor: string = (await page('limit=5')).body.nextCursor;
    const text = Buffer.from(cursor, 'base64url').toString();
    const forged = text.replace(/[0-9a-f]{8}-/, '00000000-');
    assert.notEqual(forged, text);
    const damaged = [
      'x',
      '',
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `x${cursor.slice(1)}`,
      'A'.repeat(5_000),
      ...[
        forged,
        '{}',
        'null',
        '[1]',
        '{"v":1,"k":[{}],"m":""}',
        '{"v":1,"k":["x","y"],"m":5}',
        'no json',
      ].map((json) => Buffer.from(json).toString('base64url')),
    ];
    for (const wrong of damaged) {
      const answer = acme.get(`${LIST}?limit=5&cursor=${encodeURIComponent(wrong)}`);
      await refused('cursor_invalid', answer);
    }
    const twice = acme.get(`${LIST}?cursor=${cursor}&cursor=${cursor}`);
    assert.deepEqual(await fieldErrors(twice), [['/query/cursor', 'repeated']]);
  });
});
