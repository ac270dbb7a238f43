import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createCustomer, fieldErrors, refused, succeed } from './support/acceptance.ts';
import { until } from './support/process.ts';
import { startTestService, type TestService } from './support/service.ts';

const BARS = '/v1/operator/market/bars';
let service: TestService;

before(async () => {
  service = await startTestService();
});

const get = (query: string) => succeed(200, service.operate('GET', `${BARS}?${query}`));

test('the simulated market leaves bars behind', async () => {
  await until('a bar', async () => (await get('pair=EURUSD&interval=1s')).body.items.length > 0);
  const { body } = await get('pair=EURUSD&interval=1s');
  assert.deepEqual([body.pair, body.interval], ['EURUSD', '1s']);
  const [bar] = body.items;
  assert.match(bar.at, /:\d\d\.000Z$/);
  assert.ok(bar.low <= bar.open && bar.open <= bar.high && bar.low <= bar.close && bar.close <= bar.high);
  assert.ok(bar.bid < bar.close && bar.close < bar.ask);
  assert.ok(bar.ticks > 0);
});

test('bars are paged from the newest, within a range', async () => {
  await service.pool.query(
    `insert into market_bars_1m (pair, at, open, high, low, close, bid, ask, ticks)
     select 'USDJPY', '2026-03-04T10:00:00Z'::timestamptz + n * interval '1 minute', 150, 151, 149, 150.5, 150.4, 150.6, n + 1
     from generate_series(0, 9) n`,
  );
  const query = 'pair=USDJPY&from=2026-03-04T10:02:00Z&to=2026-03-04T10:07:00Z&limit=2';
  const minutes: string[] = [];
  let cursor = '';
  for (let pages = 0; pages < 3; pages++) {
    const { body, headers } = await get(`${query}${cursor}`);
    for (const { at } of body.items) minutes.push(at.slice(14, 16));
    assert.equal(body.hasMore, pages < 2);
    assert.equal(headers.get('Link') !== null, pages < 2);
    cursor = `&cursor=${body.nextCursor}`;
  }
  assert.deepEqual(minutes, ['06', '05', '04', '03', '02']);
  const first = (await get(query)).body.nextCursor;
  await refused('cursor_invalid', service.operate('GET', `${BARS}?pair=EURUSD&cursor=${first}`));
  assert.equal((await get('pair=USDJPY&limit=1000')).body.items.length, 10);
});

test('what makes no sense is refused', async () => {
  const errors = (query: string) => fieldErrors(service.operate('GET', `${BARS}?${query}`));
  assert.deepEqual(await errors(''), [['/query/pair', 'required']]);
  assert.deepEqual(await errors('pair=EURUSD&interval=1h&limit=1001&x=1'), [
    ['/query/interval', 'not_permitted'],
    ['/query/limit', 'not_permitted'],
    ['/query/x', 'unknown_field'],
  ]);
  assert.deepEqual(await errors('pair=EURUSD&from=2026-03-04T10:00:00Z&to=2026-03-04T10:00:00Z'), [
    ['/query/to', 'out_of_range'],
  ]);
  await refused('pair_not_supported', service.operate('GET', `${BARS}?pair=USDEUR`));
  const acme = await createCustomer(service);
  await refused('insufficient_scope', acme.get(`${BARS}?pair=EURUSD`));
});
